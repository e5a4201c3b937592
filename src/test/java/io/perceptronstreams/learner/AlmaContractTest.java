package io.perceptronstreams.learner;

import java.util.Map;
import java.util.stream.Stream;

final class AlmaContractTest extends TwoClassContract {
    @Override
    Stream<Settings> settings() {
        return Stream.of(
                        Map.of("algorithm", "alma"),
                        Map.of("algorithm", "alma", "bias", "false", "predict.scores", "true"),
                        Map.of("algorithm", "alma", "alpha", "0.01", "labels", "ham,spam"),
                        Map.of("algorithm", "alma", "alpha", "1", "c", "3"))
                .map(Settings.DEFAULTS::with);
    }

    @Override
    Learner create(Settings settings) {
        return new Alma(settings);
    }
}
