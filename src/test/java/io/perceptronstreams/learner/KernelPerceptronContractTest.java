package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

final class KernelPerceptronContractTest extends LearnerContract {
    @Override
    Stream<Settings> settings() {
        return Stream.of(
                        Map.of("kernel", "poly(c=1,k=2)"),
                        Map.of("kernel", "rbf(g=0.1)", "h", "0.5", "bias", "false", "predict", "averaged"),
                        Map.of("predict", "voted", "eta", "0.3"),
                        Map.of("predict", "voted", "survival.start", "0", "labels", "ham,spam", "h.inclusive", "true"),
                        Map.of("kernel", "linear", "budget", "20"),
                        Map.of("predict", "voted", "budget", "20", "budget.policy", "smallest"),
                        Map.of("kernel", "0.5*linear + rbf(g=1)", "budget", "1", "predict", "averaged"),
                        Map.of("kernel", "normalise(poly(c=1,k=3))", "budget", "30", "budget.policy", "random"))
                .map(Settings.DEFAULTS::with);
    }

    @Override
    Learner create(Settings settings) {
        return new KernelPerceptron(settings);
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
                new Rejected(good, Label.of(2)),
                new Rejected(good, new Label.Named("eggs")),
                new Rejected(good, new Label.Tags(List.of("NOUN"))));
    }
}
