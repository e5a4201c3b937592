package io.perceptronstreams.learner;

import io.perceptronstreams.example.Utf8Slice;
import java.util.Map;
import java.util.stream.Stream;

final class KernelPerceptronContractTest extends TwoClassContract {
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
    boolean isLinear() {
        return false;
    }

    /** Every other example has an id, which is part of the state. */
    @Override
    void prepare(Sample sample, Outcome outcome) {
        boolean hasId = sample.values.length % 2 == 0;
        outcome.evidence().ask(hasId ? 2 : 0, new Utf8Slice().set("id of " + sample.y));
    }
}
