package io.perceptronstreams.learner;

import java.util.Map;
import java.util.stream.Stream;

final class ArowContractTest extends TwoClassContract {
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
}
