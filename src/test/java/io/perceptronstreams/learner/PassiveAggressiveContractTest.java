package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

final class PassiveAggressiveContractTest extends LearnerContract {
    @Override
    Stream<Settings> settings() {
        return Stream.of(
                        Map.of("algorithm", "pa"),
                        Map.of("algorithm", "pa", "bias", "false", "predict.scores", "true"),
                        Map.of("algorithm", "pa-i", "c", "0.1"),
                        Map.of("algorithm", "pa-ii", "c", "3", "labels", "ham,spam"),
                        Map.of("algorithm", "pa-i", "predict", "averaged"),
                        Map.of("algorithm", "pa-ii", "predict", "averaged", "survival.start", "0"))
                .map(Settings.DEFAULTS::with);
    }

    @Override
    Learner create(Settings settings) {
        return settings.algorithm().create(settings);
    }

    @Override
    Label label(Settings settings, int y) {
        return settings.labels().isEmpty()
                ? Label.of(y)
                : new Label.Named(settings.labels().get(y < 0 ? 0 : 1));
    }

    @Override
    List<Rejected> rejected() {
        Sample good = Sample.dense(1, 1, 2, 3);
        return List.of(
                new Rejected(Sample.dense(1, 1e200), Label.PLUS_ONE),
                new Rejected(Sample.dense(1, 1e200), new Label.Named("spam")),
                new Rejected(good, Label.of(0)),
                new Rejected(good, new Label.Named("eggs")),
                new Rejected(good, new Label.Tags(List.of("NOUN"))));
    }
}
