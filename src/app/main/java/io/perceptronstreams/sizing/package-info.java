/** What an installation needs: threads, memory, disk and network, computed from a load and measured constants. */
package io.perceptronstreams.sizing;
