/** Events that come by HTTP or as lines of a terminal: sent to the log, with the answer of the engine. */
package io.perceptronstreams.gateway;
