package io.perceptronstreams.embed;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleLimits;
import io.perceptronstreams.example.FeatureCrosser;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.NameSource;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.serde.LabelLimits;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
        private LearnExample of;

        @Override
        public void forEach(Sink sink) {
            of.named().keySet().forEach(name -> accept(name, sink));
            of.tokens().forEach(token -> token.forEach(name -> accept(name, sink)));
            of.candidates().forEach(each -> each.features().keySet().forEach(name -> accept(name, sink)));
        }

        private static void accept(String name, Sink sink) {
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            sink.accept(utf8, 0, utf8.length);
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
        names.of = input;
        example.setNames(names);
        FeatureVector x = example.vector();
        example.setFeatures(x);
        switch (input.kind()) {
            case DENSE -> {
                fillDense(input, x);
                applyRules(hasher, x);
            }
            case INDEXED -> {
                fillSparse(input, x);
                applyRules(hasher, x);
            }
            case NAMED -> {
                if (hasher.rules() == null) {
                    fillNamed(input.named(), hasher, x);
                } else {
                    fillByRules(input, hasher, x);
                }
            }
            case SEQUENCE -> example.setFeatures(fillSequence(input, hasher, example.sequence()));
            case CANDIDATES -> example.setFeatures(fillCandidates(input, hasher, example.candidates()));
        }
        example.setWeight(ExampleLimits.checkedWeight(input.weight()));
    }

    private static Sequence fillSequence(LearnExample input, FeatureHasher hasher, Sequence sequence) {
        sequence.clear();
        for (List<String> names : input.tokens()) {
            FeatureVector token = sequence.append();
            for (String name : names) {
                byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
                token.append(hasher.index(utf8, 0, utf8.length), 1);
            }
            token.sortAndMerge();
        }
        return sequence;
    }

    private static Candidates fillCandidates(LearnExample input, FeatureHasher hasher, Candidates candidates) {
        candidates.clear();
        for (LearnExample.Choice each : input.candidates()) {
            fillNamed(each.features(), hasher, candidates.append(LearnExample.wellFormed(each.output())));
        }
        return candidates;
    }

    static Label label(Object label) {
        if (label instanceof String name) {
            return new Label.ClassName(LabelLimits.checked(LearnExample.wellFormed(name)));
        }
        if (label instanceof List<?> tags) {
            LabelLimits.checkCount(tags.size());
            return LabelLimits.tags(tags.stream()
                    .map(tag -> LabelLimits.checked(LearnExample.wellFormed((String) tag)))
                    .toList());
        }
        return label == null ? null : Label.of((Integer) label);
    }

    private static void fillDense(LearnExample input, FeatureVector x) {
        x.resetDense();
        fillValues(input, x);
    }

    private static void fillSparse(LearnExample input, FeatureVector x) {
        x.resetSparse();
        if (input.size() > 0 && input.indices()[0] < 0) {
            throw ExampleLimits.wrongIndex(input.indices()[0], -1);
        }
        x.ensureCapacity(input.size());
        System.arraycopy(input.indices(), 0, x.indices(), 0, input.size());
        fillValues(input, x);
    }

    private static void fillValues(LearnExample input, FeatureVector x) {
        x.ensureCapacity(input.size());
        System.arraycopy(input.values(), 0, x.values(), 0, input.size());
        ExampleLimits.checkFinite(x.values(), input.size());
        x.setSize(input.size());
    }

    private static void fillNamed(Map<String, Double> named, FeatureHasher hasher, FeatureVector x) {
        x.resetSparse();
        for (Map.Entry<String, Double> feature : named.entrySet()) {
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
