package io.perceptronstreams.learner;

import java.util.Map;
import java.util.stream.Stream;

final class ScwContractTest extends TwoClassContract {
    @Override
    Stream<Settings> settings() {
        return Stream.of(
                        Map.of("algorithm", "scw"),
                        Map.of("algorithm", "scw", "c", "0.1", "bias", "false"),
                        Map.of("algorithm", "scw", "confidence", "0.6", "labels", "ham,spam", "predict.scores", "true"))
                .map(Settings.DEFAULTS::with);
    }

    @Override
    Learner create(Settings settings) {
        return new Scw(settings);
    }
}
