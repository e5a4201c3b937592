package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

final class MulticlassPassiveAggressiveContractTest extends LearnerContract {
    private static final MulticlassPerceptronContractTest CLASSES = new MulticlassPerceptronContractTest();

    @Override
    Stream<Settings> settings() {
        return Stream.of(
                        Map.of("algorithm", "multiclass-pa"),
                        Map.of("algorithm", "multiclass-pa", "bias", "false", "predict.scores", "true"),
                        Map.of("algorithm", "multiclass-pa", "c", "0.01", "classes", "red,7,blue,ß,-1,ochre,0"),
                        Map.of("algorithm", "multiclass-pa", "c", "0.1", "predict", "averaged"),
                        Map.of("algorithm", "multiclass-pa", "predict", "averaged", "average.halflife", "1"),
                        Map.of("algorithm", "multiclass-pa", "predict", "averaged", "survival.start", "0"))
                .map(Settings.DEFAULTS::with);
    }

    @Override
    Learner create(Settings settings) {
        return settings.get(Settings.ALGORITHM).create(settings);
    }

    @Override
    Label label(Settings settings, int y) {
        return CLASSES.label(settings, y);
    }

    @Override
    Label label(Settings settings, Sample sample) {
        return CLASSES.label(settings, sample);
    }

    @Override
    List<Rejected> rejected() {
        return CLASSES.rejected();
    }
}
