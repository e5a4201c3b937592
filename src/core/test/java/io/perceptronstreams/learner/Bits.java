package io.perceptronstreams.learner;

import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.weights.Blocks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The complete state of a learner or an outcome, to the last bit, in a comparable form. */
public final class Bits {
    private Bits() {}

    public static List<Object> of(Learner learner) {
        List<Object> all = new ArrayList<>();
        learner.state().numbers().forEach(number -> all.add(Double.doubleToRawLongBits(number)));
        all.addAll(learner.state().names());
        for (int vector = 0; vector < learner.blocks().size(); vector++) {
            all.add(of(learner.blocks().get(vector)));
        }
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                all.add(List.of(name, bits(bias), bits(averagedBias)));
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                all.add(List.of(index, bits(weight), bits(averaged)));
            }
        });
        all.add(bits(learner.weightNorm()));
        all.add(bits(learner.radius()));
        return all;
    }

    public static List<Object> of(Blocks blocks) {
        List<Object> all = new ArrayList<>();
        blocks.forEach((number, block) -> {
            all.add(number);
            all.add(Arrays.stream(block).mapToObj(Bits::bits).toList());
        });
        return all;
    }

    /** The prediction alone: what does not depend on the label. */
    static List<Object> ofPrediction(Outcome outcome) {
        List<Object> scores = new ArrayList<>();
        for (int k = 0; k < outcome.scoreCount(); k++) {
            scores.add(List.of(outcome.scoredLabel(k).toString(), bits(outcome.score(k))));
        }
        return List.of(
                String.valueOf(outcome.predicted()),
                bits(outcome.predictedScore()),
                bits(outcome.score()),
                scores,
                ofForecast(outcome));
    }

    private static List<Object> ofForecast(Outcome outcome) {
        List<Object> shown = new ArrayList<>();
        for (int k = 0; outcome.hasProbabilities() && k < outcome.scoreCount(); k++) {
            shown.add(outcome.probability(k));
        }
        return List.of(outcome.millionths(), shown, String.valueOf(outcome.labelSet()), outcome.decision());
    }

    public static List<Object> of(Outcome outcome) {
        return List.of(
                ofPrediction(outcome),
                bits(outcome.margin()),
                bits(outcome.hingeLoss()),
                outcome.kind(),
                outcome.isError(),
                outcome.isCovered(),
                outcome.isUpdated());
    }

    public static List<Object> of(Counts counts) {
        List<Object> bits = new ArrayList<>();
        for (Counts.Counter counter : Counts.Counter.values()) {
            bits.add(counts.of(counter));
        }
        bits.add(bits(counts.hingeLoss()));
        return bits;
    }

    private static long bits(double number) {
        return Double.doubleToRawLongBits(number);
    }
}
