package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

final class ArowContractTest extends LearnerContract {
    @Override
    Stream<Settings> settings() {
        return Stream.of(
                        Map.<String, String>of(),
                        Map.of("r", "0.1", "bias", "false"),
                        Map.of("r", "10", "labels", "ham,spam", "predict.scores", "true"))
                .map(Settings.DEFAULTS::with);
    }

    @Override
    Learner create(Settings settings) {
        return new Arow(settings);
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
