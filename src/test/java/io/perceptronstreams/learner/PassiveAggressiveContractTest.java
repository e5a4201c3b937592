package io.perceptronstreams.learner;

import java.util.Map;
import java.util.stream.Stream;

final class PassiveAggressiveContractTest extends TwoClassContract {
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
        return settings.get(Settings.ALGORITHM).create(settings);
    }
}
