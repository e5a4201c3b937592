package io.perceptronstreams.embed;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleLimits;
import io.perceptronstreams.example.FeatureCrosser;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.NameSource;
import io.perceptronstreams.serde.LabelLimits;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Fills an {@link Example} from a {@link LearnExample}, with the checks and the order of additions with which the
 * engine decodes a record of it. Not thread-safe.
 */
final class ExampleFiller {
    private final Names names = new Names();

    // null until a model has rules for its features
    private FeatureCrosser crosser;

    /** The names of the features that were filled last. */
    private static final class Names implements NameSource {
        private Map<String, Double> named = Map.of();

        @Override
        public void forEach(Sink sink) {
            for (String name : named.keySet()) {
                byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
                sink.accept(utf8, 0, utf8.length);
            }
        }
    }

    /**
     * Fills an example.
     *
     * <p>Cost: O(features).
     *
     * @param hasher of the model
     * @param example its names are those of {@code input} until the next call
     * @throws io.perceptronstreams.example.RejectedException if a value cannot be used
     */
    void fill(LearnExample input, FeatureHasher hasher, Example example) {
        byte[] id = input.id().getBytes(StandardCharsets.UTF_8);
        example.id().set(id, 0, ExampleLimits.checkedId(id, 0, id.length));
        example.setLabel(label(input.label()));
        names.named = input.named();
        example.setNames(names);
        FeatureVector x = example.vector();
        example.setFeatures(x);
        if (input.dense() != null) {
            fillDense(input, x);
            applyRules(hasher, x);
        } else if (!input.indexed().isEmpty()) {
            fillSparse(input, x);
            applyRules(hasher, x);
        } else if (hasher.rules() == null) {
            fillNamed(input, hasher, x);
        } else {
            fillByRules(input, hasher, x);
        }
        example.setWeight(ExampleLimits.checkedWeight(input.weight()));
    }

    static Label label(Object label) {
        if (label instanceof String name) {
            // as after a decoder: what is no UTF-16 has become question marks
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            return new Label.ClassName(LabelLimits.checked(new String(utf8, StandardCharsets.UTF_8)));
        }
        return label == null ? null : Label.of((Integer) label);
    }

    private static void fillDense(LearnExample input, FeatureVector x) {
        x.resetDense();
        x.ensureCapacity(input.dense().size());
        int size = 0;
        for (double value : input.dense()) {
            x.values()[size] = value;
            size++;
        }
        ExampleLimits.checkFinite(x.values(), size);
        x.setSize(size);
    }

    private static void fillSparse(LearnExample input, FeatureVector x) {
        x.resetSparse();
        x.ensureCapacity(input.indexed().size());
        int size = 0;
        for (Map.Entry<Integer, Double> feature : input.indexed().entrySet()) {
            int index = feature.getKey();
            if (index < 0) {
                throw ExampleLimits.wrongIndex(index, -1);
            }
            x.indices()[size] = index;
            x.values()[size] = feature.getValue();
            size++;
        }
        ExampleLimits.checkFinite(x.values(), size);
        x.setSize(size);
    }

    private static void fillNamed(LearnExample input, FeatureHasher hasher, FeatureVector x) {
        x.resetSparse();
        for (Map.Entry<String, Double> feature : input.named().entrySet()) {
            byte[] utf8 = feature.getKey().getBytes(StandardCharsets.UTF_8);
            x.append(hasher.index(utf8, 0, utf8.length), feature.getValue());
        }
        ExampleLimits.checkFinite(x.values(), x.size());
        x.sortAndMerge();
    }

    private void fillByRules(LearnExample input, FeatureHasher hasher, FeatureVector x) {
        crosser().begin(hasher, x);
        for (Map.Entry<String, Double> feature : input.named().entrySet()) {
            byte[] utf8 = feature.getKey().getBytes(StandardCharsets.UTF_8);
            crosser.add(utf8, 0, utf8.length, feature.getValue());
        }
        crosser.end();
    }

    private void applyRules(FeatureHasher hasher, FeatureVector x) {
        if (hasher.rules() != null) {
            crosser().apply(hasher, x);
        }
    }

    private FeatureCrosser crosser() {
        crosser = crosser == null ? new FeatureCrosser() : crosser;
        return crosser;
    }
}
