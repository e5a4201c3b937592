/**
 * Topics, the engine's group and open transactions, as a client of the brokers reads them. {@code TopicScan} reads
 * committed records from one offset to another.
 */
package io.perceptronstreams.cluster;
