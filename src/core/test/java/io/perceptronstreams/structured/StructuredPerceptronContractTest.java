package io.perceptronstreams.structured;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.LearnerContract;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.util.List;

public final class StructuredPerceptronContractTest extends LearnerContract {
    private static final List<String> OUTPUTS = List.of("-1", "x", "1");

    @Override
    public boolean covers(Algorithm algorithm) {
        return algorithm == Algorithm.STRUCTURED;
    }

    @Override
    public String others() {
        return """
                structured | h=1 | eta=0.3
                structured | h=2 | h.inclusive=true | bias=false
                structured | predict=averaged
                structured | predict=averaged | average.halflife=1
                structured | predict=averaged | survival.start=0 | eta=0.1
                """;
    }

    @Override
    public Label label(Settings settings, int y) {
        return settings.get(Settings.H) > 0 ? Label.of(y) : new Label.ClassName(Integer.toString(y));
    }

    /** Three candidates that share every third feature. */
    @Override
    public Features features(Sample sample) {
        Candidates candidates = new Candidates();
        for (int c = 0; c < OUTPUTS.size(); c++) {
            FeatureVector f = candidates.append(OUTPUTS.get(c));
            for (int k = 0; k < sample.indices.length; k++) {
                f.append(sample.indices[k] + (k % 3 == 0 ? 0 : c), sample.values[k]);
            }
        }
        return candidates;
    }

    @Override
    public List<Rejected> rejected() {
        Label right = new Label.ClassName("1");
        Features good = features(Sample.dense(1, 1, 2, 3));
        Candidates twice = new Candidates();
        twice.append("1");
        twice.append("1");
        Candidates overflowing = new Candidates();
        overflowing.append("1").append(3, 1e200);
        overflowing.append("x");
        Candidates infinite = new Candidates();
        infinite.append("x").append(3, Double.POSITIVE_INFINITY);
        infinite.append("1");
        Candidates farApart = new Candidates();
        farApart.append("x").append(3, 1.3e154);
        farApart.append("1").append(3, -1.3e154);
        Candidates longName = new Candidates();
        longName.append("1");
        longName.append("n".repeat(257));
        return List.of(
                new Rejected(new Candidates(), right),
                new Rejected(twice, right),
                new Rejected(overflowing, right),
                new Rejected(infinite, right),
                new Rejected(farApart, right),
                new Rejected(longName, right),
                new Rejected(good, new Label.ClassName("eggs")),
                new Rejected(good, Label.of(7)),
                new Rejected(good, new Label.Tags(List.of("1"))),
                new Rejected(new Sequence(), right),
                new Rejected(Sample.dense(1, 1), right));
    }
}
