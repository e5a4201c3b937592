/** Shows the records of the dead-letter topic, and sends them again. */
package io.perceptronstreams.deadletters;
