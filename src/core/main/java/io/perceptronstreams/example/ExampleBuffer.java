package io.perceptronstreams.example;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Copies of examples for training in several passes: features, label and weight, but no ids.
 *
 * <p>Cost: 4 or 12 bytes per feature. Values that are all 1 are not stored, and equal names share one object.
 */
public final class ExampleBuffer {
    private static final int OBJECT_BYTES = 24;

    private final List<Kept> examples = new ArrayList<>();
    private final Map<String, String> names = new HashMap<>();
    private long heapBytes;

    private record Kept(Label label, double weight, Object features, long line) {}

    private record KeptCandidates(List<String> outputs, List<KeptVector> vectors) {}

    /** A copy of a vector; {@code indices} is null if it is dense, {@code values} if all are 1. */
    private static final class KeptVector {
        private final int size;
        private final boolean isHashed;
        private final int[] indices;
        private final double[] values;

        KeptVector(FeatureVector x) {
            size = x.size();
            isHashed = x.isHashed();
            indices = x.isDense() ? null : Arrays.copyOf(x.indices(), size);
            values = isAllOnes(x) ? null : Arrays.copyOf(x.values(), size);
        }

        private static boolean isAllOnes(FeatureVector x) {
            for (int k = 0; k < x.size(); k++) {
                if (x.values()[k] != 1) {
                    return false;
                }
            }
            return true;
        }

        long heapBytes() {
            return 2 * OBJECT_BYTES
                    + (indices == null ? 0 : 4L * size)
                    + (values == null ? 0 : OBJECT_BYTES + 8L * size);
        }

        void fill(FeatureVector x) {
            if (indices == null) {
                x.resetDense();
            } else {
                x.resetSparse();
            }
            x.ensureCapacity(size);
            if (indices != null) {
                System.arraycopy(indices, 0, x.indices(), 0, size);
            }
            if (values == null) {
                Arrays.fill(x.values(), 0, size, 1);
            } else {
                System.arraycopy(values, 0, x.values(), 0, size);
            }
            x.setSize(size);
            x.setHashed(isHashed);
        }
    }

    /** Appends a copy of an example that is in no file. */
    public void add(Example example) {
        add(example, 0);
    }

    /**
     * Appends a copy of an example.
     *
     * @param line number of the line in its file, from 1; 0 if there is none
     */
    public void add(Example example, long line) {
        Object features;
        if (example.features() instanceof FeatureVector x) {
            features = keep(x);
        } else if (example.features() instanceof Sequence sequence) {
            List<KeptVector> tokens = new ArrayList<>(sequence.size());
            for (int k = 0; k < sequence.size(); k++) {
                tokens.add(keep(sequence.token(k)));
            }
            features = tokens;
        } else {
            features = keep((Candidates) example.features());
        }
        examples.add(new Kept(keep(example.label()), example.weight(), features, line));
        heapBytes += 2 * OBJECT_BYTES;
    }

    private KeptVector keep(FeatureVector x) {
        KeptVector kept = new KeptVector(x);
        heapBytes += kept.heapBytes();
        return kept;
    }

    private KeptCandidates keep(Candidates candidates) {
        List<String> outputs = new ArrayList<>(candidates.size());
        List<KeptVector> vectors = new ArrayList<>(candidates.size());
        for (int k = 0; k < candidates.size(); k++) {
            outputs.add(keep(candidates.output(k)));
            vectors.add(keep(candidates.features(k)));
        }
        return new KeptCandidates(outputs, vectors);
    }

    private Label keep(Label label) {
        if (label instanceof Label.ClassName named) {
            return new Label.ClassName(keep(named.name()));
        } else if (label instanceof Label.Tags tags) {
            heapBytes += 4L * tags.tags().size();
            return new Label.Tags(tags.tags().stream().map(this::keep).toList());
        }
        return label;
    }

    private String keep(String name) {
        String kept = names.putIfAbsent(name, name);
        if (kept != null) {
            return kept;
        }
        heapBytes += 4 * OBJECT_BYTES + name.length();
        return name;
    }

    /** Copies the example at a position, from 0, into {@code example}; names are lost, the id is not changed. */
    public void fill(int position, Example example) {
        Kept kept = examples.get(position);
        example.setNames(null);
        example.setLabel(kept.label);
        example.setWeight(kept.weight);
        if (kept.features instanceof KeptVector x) {
            x.fill(example.vector());
            example.setFeatures(example.vector());
        } else if (kept.features instanceof KeptCandidates all) {
            Candidates candidates = example.candidates().clear();
            for (int k = 0; k < all.vectors.size(); k++) {
                all.vectors.get(k).fill(candidates.append(all.outputs.get(k)));
            }
            example.setFeatures(candidates);
        } else {
            Sequence sequence = example.sequence().clear();
            for (Object token : (List<?>) kept.features) {
                ((KeptVector) token).fill(sequence.append());
            }
            example.setFeatures(sequence);
        }
    }

    /** The place of an example in its file, for messages: {@code example 7 (line 9)}, both from 1. */
    public String place(int position) {
        return place(position, examples.get(position).line);
    }

    /**
     * The place of an example that is in no buffer.
     *
     * @param position from 0
     * @param line number of the line, from 1; 0 if there is none
     */
    public static String place(long position, long line) {
        return "example " + (position + 1) + (line == 0 ? "" : " (line " + line + ")");
    }

    /** Number of examples. */
    public int size() {
        return examples.size();
    }

    /** Estimated heap of the examples, in bytes. */
    public long heapBytes() {
        return heapBytes;
    }
}
