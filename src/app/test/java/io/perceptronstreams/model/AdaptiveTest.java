package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Bits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code algorithm=adaptive}: the first label chooses the settings that measured best, unless others are given. */
class AdaptiveTest {
    private static Model model(String settings) {
        Model model = new Model();
        model.configure(StreamErrors.changes(settings));
        return model;
    }

    /** Two features in units of their own, of which the first decides. */
    private static Example next(Random random, String negative, String positive) {
        Example example = new Example();
        double x = random.nextGaussian();
        FeatureVector vector = new FeatureVector().resetDense();
        vector.append(1_000 * x);
        vector.append(0.01 * random.nextGaussian() + 5);
        example.setFeatures(vector);
        example.setLabel(Label.parse(x > 0 ? positive : negative));
        return example;
    }

    private static List<List<Object>> outcomes(Model model, String negative, String positive) {
        Random random = new Random(1);
        List<List<Object>> outcomes = new ArrayList<>();
        for (int k = 0; k < 200; k++) {
            outcomes.add(Bits.of(model.process(next(random, negative, positive), 0)));
        }
        return outcomes;
    }

    @ParameterizedTest
    @CsvSource({
        "algorithm=adaptive, -1, 1, sgd",
        "algorithm=adaptive, 0, 1, sgd",
        "algorithm=adaptive, no, yes, softmax",
        "algorithm=adaptive labels=no/yes, no, yes, sgd",
        "algorithm=adaptive bias=false window.ms=5, -1, 1, sgd",
        "algorithm=adaptive classes=0/1, 0, 1, softmax",
        "algorithm=adaptive drift=ddm, -1, 1, sgd",
    })
    void shouldLearnAsAModelWithTheSettingsOfItsLabels(
            String settings, String negative, String positive, String expected) {
        String given = settings.replace('/', ',');
        String explicit = given + " algorithm=" + expected + " rate=adagrad implicit=true scale=standard"
                + (expected.equals("softmax") ? " eta=0.3" : " stacked=true")
                + (given.contains("drift") ? "" : " drift=adwin drift.action=reset");
        Model adaptive = model(given);

        assertThat(outcomes(adaptive, negative, positive)).isEqualTo(outcomes(model(explicit), negative, positive));

        assertThat(adaptive.pipeline().algorithm()).isEqualTo(Algorithm.parse(expected));
        Map<String, String> shown =
                new LinkedHashMap<>(adaptive.pipeline().given().toMap());
        assertThat(shown).containsAllEntriesOf(StreamErrors.changes(explicit));
        assertThat(adaptive.challengers().all()).isEmpty();
        assertThat(adaptive.current().epoch()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "h=1, perceptron",
        "scale=standard, perceptron",
        "predict=averaged, perceptron",
        "kernel=rbf(g=1), kernel",
    })
    void shouldBeAutoWhereASettingOfALearnerIsGiven(String setting, String expected) {
        Model adaptive = model("algorithm=adaptive " + setting);

        assertThat(outcomes(adaptive, "-1", "1")).isEqualTo(outcomes(model(setting), "-1", "1"));

        assertThat(adaptive.pipeline().algorithm()).isEqualTo(Algorithm.parse(expected));
        assertThat(adaptive.pipeline().given().toMap()).containsEntry("algorithm", "adaptive");
    }

    @Test
    void shouldBeAPortfolioWithThatSetting() {
        Model model = model("algorithm=adaptive portfolio=true");

        model.process(next(new Random(1), "-1", "1"), 0);

        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.SCW);
        assertThat(model.voters()).hasSize(4);
    }

    @Test
    void shouldNotDecideWhileItIsFrozen() {
        Model model = model("algorithm=adaptive");
        Random random = new Random(1);
        model.freeze(true);

        model.process(next(random, "-1", "1"), 0);
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.ADAPTIVE);
        model.freeze(false);
        model.process(next(random, "-1", "1"), 0);

        assertThat(model.pipeline().given())
                .hasToString(
                        "{algorithm=sgd, scale=standard, drift=adwin, drift.action=reset, rate=adagrad, implicit=true, stacked=true}");
    }
}
