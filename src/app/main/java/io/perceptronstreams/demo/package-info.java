/**
 * What the command {@code demo} shows: a stream whose labels change their meaning, its sender, and a table of what the
 * model does.
 */
package io.perceptronstreams.demo;
