package io.perceptronstreams.topology;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.SnapshotEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;

/** Part of {@link MixedStream}: examples and commands of models that do not fit into one message. */
final class LargeModels {
    /** Features of an example whose model's snapshot needs several chunks. */
    private static final int WIDE = 21_000;

    /** Ranges of a large model, and features of each; an example, which must fit into a message, has one range. */
    private static final int RANGES = 6;

    private static final int RANGE = 50_000;

    private final Random random;
    private int large;

    LargeModels(Random random) {
        this.random = random;
    }

    GenericRecord wideFeatures() {
        return MixedModel.Shape.DENSE.features(gaussians(WIDE));
    }

    /**
     * What comes next for a model of 300,000 weights, or 5 MB: a command, or null for an example.
     *
     * <p>First all ranges once, each of which it learns because it knows nothing of it; at the end of a cycle it
     * forgets all.
     */
    String nextCommand() {
        int step = large++ % 16;
        return switch (step) {
            case 0 -> "{\"action\":\"CONFIGURE\",\"settings\":{\"predict\":\"averaged\",\"bias\":false}}";
            case RANGES + 1, RANGES + 5 -> "{\"action\":\"SNAPSHOT\"}";
            case 15 -> "{\"action\":\"" + (random.nextBoolean() ? "RESET" : "DELETE") + "\"}";
            default -> null;
        };
    }

    /** The features of an example where {@link #nextCommand()} has said null. */
    GenericRecord rangeFeatures() {
        int step = (large - 1) % 16;
        int first = RANGE * (step <= RANGES ? step - 1 : random.nextInt(RANGES));
        List<Integer> indices = new ArrayList<>();
        for (int k = 0; k < RANGE; k++) {
            indices.add(first + k);
        }
        return MixedModel.Shape.SPARSE.features(indices, gaussians(RANGE));
    }

    private List<Double> gaussians(int count) {
        List<Double> values = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            values.add(random.nextGaussian());
        }
        return values;
    }

    /** The chunks of a model with as many weights as need some, or with few. */
    List<byte[]> snapshot(int snapshotId) {
        Model model = new Model();
        model.configure(Map.of("h", "0.1", "scale", random.nextBoolean() ? "standard" : "none"));
        Example example = new Example();
        int features = random.nextBoolean() ? WIDE : 5;
        for (int k = 0; k < 5; k++) {
            example.vector().resetDense();
            for (int index = 0; index < features; index++) {
                example.vector().append(random.nextGaussian());
            }
            example.setLabel(Label.of(2 * random.nextInt(2) - 1));
            model.process(example, 0);
        }
        List<byte[]> chunks = new ArrayList<>();
        new SnapshotEncoder(snapshotId, random.nextInt(3) == 0)
                .encode(
                        model,
                        new EventEncoder.Origin(-1, random.nextInt(1000)),
                        false,
                        (chunk, number) -> chunks.add(chunk));
        return chunks;
    }
}
