package io.perceptronstreams.learner;

import java.util.Map;
import java.util.stream.Stream;

final class PerceptronContractTest extends TwoClassContract {
    @Override
    Stream<Settings> settings() {
        return Stream.of(
                        Map.<String, String>of(),
                        Map.of("h", "1", "bias", "false"),
                        Map.of("h", "2", "h.inclusive", "true", "eta", "0.3"),
                        Map.of("predict", "averaged"),
                        Map.of("predict", "averaged", "average.halflife", "1"),
                        Map.of("predict", "averaged", "survival.start", "0", "eta", "0.1"),
                        Map.of("labels", "ham,spam"))
                .map(Settings.DEFAULTS::with);
    }

    @Override
    Learner create(Settings settings) {
        return new Perceptron(settings);
    }
}
