package io.perceptronstreams.client;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.InputDecoder.Kind;
import java.util.function.Predicate;

/**
 * Tells commands and weights from examples and labels. A value that cannot be decoded is none of the former.
 *
 * <p>Not thread-safe.
 */
final class CommandDetector implements Predicate<byte[]> {
    private static final FeatureHasher ANY = new FeatureHasher(1);

    private final InputDecoder decoder;
    private final Example example = new Example();
    // a registry that does not answer is asked once: JSON needs none
    private boolean hasRegistry = true;

    /** @param registry closed by the caller */
    CommandDetector(SchemaRegistry registry) {
        decoder = new InputDecoder(registry);
    }

    @Override
    public boolean test(byte[] value) {
        if (value == null || value.length == 0 || (value[0] != '{' && !hasRegistry)) {
            return false;
        }
        try {
            Kind kind = decoder.decode(value, ANY, example);
            return kind == Kind.COMMAND || kind == Kind.WEIGHTS;
        } catch (RejectedException e) {
            return false;
        } catch (RegistryException e) {
            hasRegistry = false;
            return false;
        }
    }
}
