package io.perceptronstreams.learner;

import java.util.Map;
import java.util.stream.Stream;

final class SgdContractTest extends TwoClassContract {
    @Override
    Stream<Settings> settings() {
        return Stream.of(
                        Map.of("algorithm", "sgd"),
                        Map.of("algorithm", "sgd", "loss", "hinge", "rate", "inverse-sqrt", "predict", "averaged"),
                        Map.of("algorithm", "sgd", "predict", "averaged", "average.halflife", "1"),
                        Map.of("algorithm", "sgd", "loss", "logistic", "rate", "adagrad", "labels", "ham,spam"),
                        Map.of("algorithm", "sgd", "loss", "squared-hinge", "normalised", "true", "eta", "0.1"),
                        Map.of("algorithm", "sgd", "normalised", "true", "rate", "adagrad"),
                        Map.of("algorithm", "sgd", "implicit", "true", "rate", "adagrad"),
                        Map.of("algorithm", "sgd", "implicit", "true", "loss", "hinge", "normalised", "true"),
                        Map.of(
                                "algorithm", "sgd",
                                "loss", "perceptron",
                                "normalised", "true",
                                "rate", "adagrad",
                                "bias", "false",
                                "predict", "averaged",
                                "survival.start", "0",
                                "predict.scores", "true"))
                .map(Settings.DEFAULTS::with);
    }

    @Override
    Learner create(Settings settings) {
        return new Sgd(settings);
    }
}
