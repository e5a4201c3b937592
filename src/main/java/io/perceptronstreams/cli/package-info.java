/** What the user types: one class for each command. */
package io.perceptronstreams.cli;
