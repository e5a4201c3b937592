package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

final class MulticlassPerceptronContractTest extends LearnerContract {
    private static final List<String> NAMES = List.of("red", "7", "blue", "ß", "-1", "ochre", "0");

    @Override
    Stream<Settings> settings() {
        return Stream.of(
                        Map.<String, String>of(),
                        Map.of("h", "1", "bias", "false"),
                        Map.of("h", "2", "h.inclusive", "true", "eta", "0.3", "classes", String.join(",", NAMES)),
                        Map.of("predict", "averaged", "predict.scores", "true"),
                        Map.of("predict", "averaged", "average.halflife", "1"),
                        Map.of("predict", "averaged", "survival.start", "0", "eta", "0.1"),
                        Map.of("predict.scores", "true", "classes.max", "7"))
                .map(Settings.DEFAULTS::with);
    }

    @Override
    Learner create(Settings settings) {
        return new MulticlassPerceptron(settings);
    }

    @Override
    Label label(Settings settings, int y) {
        return new Label.ClassName(y < 0 ? "-1" : "red");
    }

    /** Seven classes, a new one now and then, that mostly follow the first feature. */
    @Override
    Label label(Settings settings, Sample sample) {
        int number = Math.floorMod(sample.indices[0] / 77_777 + (sample.y > 0 ? 1 : 0), NAMES.size());
        String name = NAMES.get(number);
        return number % 2 == 1 && name.length() == 1 && Character.isDigit(name.charAt(0))
                ? Label.of(Integer.parseInt(name))
                : new Label.ClassName(name);
    }

    @Override
    List<Rejected> rejected() {
        Sample good = Sample.dense(1, 1, 2, 3);
        return List.of(
                new Rejected(Sample.dense(1, 1e200), new Label.ClassName("red")),
                new Rejected(Sample.dense(1, 1e200), new Label.ClassName("new")),
                new Rejected(good, new Label.ClassName("")),
                new Rejected(good, new Label.ClassName("a\0")),
                new Rejected(good, new Label.ClassName("n".repeat(257))),
                new Rejected(good, new Label.Tags(List.of("NOUN"))));
    }
}
