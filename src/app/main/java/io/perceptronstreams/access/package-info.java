/**
 * Clients of the HTTP server: their credentials, and what each of them may do; {@code Credentials} is the entry point.
 */
package io.perceptronstreams.access;
