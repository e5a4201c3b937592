package io.perceptronstreams.example;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Features as text, to the bit. */
public final class FeatureText {
    private FeatureText() {}

    /**
     * Text of a vector, as {@code dense 0:1.0}, of tokens, as {@code [3:1.0][]}, or of candidates, as
     * {@code a[3:1.0]b[]}.
     */
    public static String of(Features features) {
        if (features instanceof Sequence sequence) {
            return IntStream.range(0, sequence.size())
                    .mapToObj(k -> "[" + of(sequence.token(k)) + "]")
                    .collect(Collectors.joining());
        } else if (features instanceof Candidates candidates) {
            return IntStream.range(0, candidates.size())
                    .mapToObj(k -> candidates.output(k) + "[" + of(candidates.features(k)) + "]")
                    .collect(Collectors.joining());
        }
        FeatureVector x = (FeatureVector) features;
        return IntStream.range(0, x.size())
                .mapToObj(k -> x.index(k) + ":" + x.values()[k])
                .collect(Collectors.joining(" ", x.isDense() ? "dense " : "", ""));
    }
}
