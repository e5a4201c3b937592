/**
 * Settings of a model and the values that they may have; {@link io.perceptronstreams.settings.Settings} declares them.
 */
package io.perceptronstreams.settings;
