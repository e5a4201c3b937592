package io.perceptronstreams.learner;

import java.util.Map;
import java.util.stream.Stream;

final class PdmContractTest extends TwoClassContract {
    @Override
    Stream<Settings> settings() {
        return Stream.of(
                        Map.of("algorithm", "pdm"),
                        Map.of("algorithm", "pdm", "alpha", "0.05", "labels", "ham,spam"),
                        Map.of("algorithm", "pdm", "alpha", "0.5", "bias", "false", "predict.scores", "true"),
                        Map.of("algorithm", "pdm", "alpha", "0.2", "predict", "averaged", "survival.start", "0"))
                .map(Settings.DEFAULTS::with);
    }

    @Override
    Learner create(Settings settings) {
        return settings.get(Settings.ALGORITHM).create(settings);
    }
}
