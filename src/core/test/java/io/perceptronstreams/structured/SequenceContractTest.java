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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public final class SequenceContractTest extends LearnerContract {
    @Override
    public boolean covers(Algorithm algorithm) {
        return algorithm.has(Algorithm.Trait.TAGS);
    }

    @Override
    public String others() {
        return """
                sequence | bias=false | eta=0.3
                sequence | predict=averaged
                sequence | predict=averaged | average.halflife=1
                sequence | predict=averaged | survival.start=0 | eta=0.1
                sequence | classes=T2,T0,T1,T3,none
                """;
    }

    @Override
    public Label label(Settings settings, int y) {
        throw new UnsupportedOperationException("tags depend on the features");
    }

    /** A tag that its token's first feature gives away, except at the start. */
    @Override
    public Label label(Settings settings, Sample sample) {
        List<String> tags = new ArrayList<>();
        for (int i = 0; i < tokens(sample); i++) {
            tags.add("T" + (sample.indices[2 * i] / 77_777 % 3 + (i == 0 && sample.y > 0 ? 1 : 0)));
        }
        return new Label.Tags(tags);
    }

    /** Three or four tokens of two features. */
    @Override
    public Features features(Sample sample) {
        Sequence sequence = new Sequence();
        for (int i = 0; i < tokens(sample); i++) {
            FeatureVector token = sequence.append();
            token.append(sample.indices[2 * i], sample.values[2 * i]);
            token.append(sample.indices[2 * i + 1], sample.values[2 * i + 1]);
        }
        return sequence;
    }

    private static int tokens(Sample sample) {
        return sample.y > 0 ? 4 : 3;
    }

    @Override
    public List<Rejected> rejected() {
        Sequence good = new Sequence();
        good.append().append(3, 1);
        good.append().append(4, 1);
        Sequence large = new Sequence();
        for (int i = 0; i < 1000; i++) {
            large.append().append(5, 1);
        }
        Label right = new Label.Tags(List.of("T0", "T1"));
        return List.of(
                new Rejected(new Sequence(), new Label.Tags(List.of())),
                new Rejected(good, new Label.Tags(List.of())),
                new Rejected(good, new Label.Tags(List.of("T0"))),
                new Rejected(good, new Label.Tags(List.of("T0", "T1", "T2"))),
                new Rejected(good, new Label.Tags(List.of("T0", ""))),
                new Rejected(good, new Label.Tags(List.of("T0", "n".repeat(257)))),
                new Rejected(good, new Label.ClassName("T0")),
                new Rejected(good, Label.of(1)),
                new Rejected(large, new Label.Tags(Collections.nCopies(1000, "n".repeat(200)))),
                new Rejected(new Candidates(), right),
                new Rejected(Sample.dense(1, 1), right));
    }
}
