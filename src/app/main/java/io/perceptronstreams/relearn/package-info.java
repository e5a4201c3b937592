/**
 * A model's log, learned again: {@link io.perceptronstreams.relearn.Verification} of what it has sent, and
 * {@link io.perceptronstreams.relearn.WhatIf} it would be with other settings or records.
 */
package io.perceptronstreams.relearn;
