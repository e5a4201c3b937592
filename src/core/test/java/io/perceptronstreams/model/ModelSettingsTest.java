package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.WeightSummary;
import io.perceptronstreams.settings.LearnedException;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings that a model takes, keeps or refuses. */
final class ModelSettingsTest {
    private final Model model = new Model();

    @Test
    void shouldRefuseSettingsThatTheLearnerDoesNotUse() {
        model.configure(Map.of("algorithm", "perceptron", "eta", "2"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.configure(Map.of("r", "2")))
                .withMessage("r must be 1.0 with algorithm=perceptron, got '2.0' (used by arow)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.configure(Map.of("algorithm", "pa")))
                .withMessageContaining("eta must be 1.0 with algorithm=pa");
        assertThat(model.pipeline().settings())
                .isEqualTo(Settings.DEFAULTS.with(Map.of("algorithm", "perceptron", "eta", "2")));
    }

    @Test
    void shouldRefuseAFirstLabelThatMakesItALearnerThatDoesNotUseASetting() {
        model.configure(Map.of("r", "2"));

        assertThatExceptionOfType(RejectedException.class)
                .isThrownBy(() -> process(Sample.dense(1, 1)))
                .withMessage("the first label makes this a model of algorithm=perceptron, but r must be 1.0 with"
                        + " algorithm=perceptron, got '2.0' (used by arow)");
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.AUTO);
        model.configure(Map.of("algorithm", "arow"));
        process(Sample.dense(1, 1));
    }

    /** Of a snapshot that was made by another program; its weights vanished with any setting, or another algorithm. */
    @ParameterizedTest
    @ValueSource(strings = {"sgd", "perceptron", "multiclass"})
    void shouldKeepImportedWeightsWithoutCounts(String algorithm) {
        Model source = new Model();
        source.configure(Map.of("algorithm", algorithm));
        Example example = new Example();
        example.vector().resetSparse().append(3, 2);
        example.setLabel(algorithm.equals("multiclass") ? new Label.ClassName("a") : Label.PLUS_ONE);
        source.process(example, 0);
        model.restore(
                EpochModel.restored(
                        0,
                        source.pipeline().given(),
                        source.pipeline().negative(),
                        source.pipeline().algorithm(),
                        source.pipeline().learner().state()),
                ModelState.LIVE);
        for (int vector = 0; vector < source.pipeline().vectors(); vector++) {
            int of = vector;
            source.pipeline()
                    .vector(vector)
                    .forEach((number, block) -> model.pipeline().vector(of).restore(number, block.clone()));
        }

        model.configure(Map.of("window.ms", "7"));

        assertThat(Bits.of(model.pipeline().learner()))
                .isEqualTo(Bits.of(source.pipeline().learner()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.configure(Map.of("algorithm", "pa")))
                .withMessageContaining("algorithm must stay " + algorithm);
    }

    /** Models stored before settings were checked against the learner can be read, changed and reset. */
    @Test
    void shouldKeepAStoredSettingThatItsLearnerDoesNotUse() {
        Settings stored = Settings.DEFAULTS.with(Map.of("algorithm", "perceptron", "r", "2"));
        LearnerState state = Algorithm.PERCEPTRON.create(stored).state();
        model.restore(EpochModel.restored(0, stored, NegativeLabel.AUTO, Algorithm.PERCEPTRON, state), ModelState.LIVE);

        model.configure(Map.of("eta", "2"));
        process(Sample.dense(1, 1));
        model.reset(Map.of());

        assertThat(model.pipeline().settings().get(Settings.R)).isEqualTo(2);
        model.configure(Map.of("r", "1"));
    }

    @ParameterizedTest
    @CsvSource({
        "perceptron, classes, 'a,b'",
        "pa, classes, 'a,b'",
        "arow, classes, 'a,b'",
        "multiclass, labels, 'a,b'",
        "arow, predict, averaged",
        "arow, h, 1",
        "pa-i, eta, 2",
        "pa-ii, h.inclusive, true",
        "multiclass, predict, voted",
        "multiclass, kernel, linear",
        "pa, predict, voted",
        "pa-i, kernel, linear",
        "arow, predict, voted",
        "arow, kernel, linear",
    })
    void shouldRefuseSettingsThatItsLearnerWouldNotHeed(String algorithm, String name, String value) {
        assertThatThrownBy(() -> model.configure(Map.of("algorithm", algorithm, name, value)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(model.pipeline().settings()).isEqualTo(Settings.DEFAULTS);
        model.configure(Map.of("algorithm", algorithm));
        assertThatThrownBy(() -> model.configure(Map.of(name, value))).isInstanceOf(IllegalArgumentException.class);
        assertThat(model.pipeline().settings()).isEqualTo(Settings.DEFAULTS.with(Map.of("algorithm", algorithm)));
    }

    @Test
    void shouldRefuseOtherHashBitsOnceItHasSeenExamples() {
        model.configure(Map.of("hash.bits", "10"));
        predict(Sample.dense(1, 1));

        assertThatThrownBy(() -> model.configure(Map.of("hash.bits", "11", "h", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("hash.bits must stay 10 once a model has seen examples, got 11 (to discard what it has"
                        + " learned, reset with h=1.0 hash.bits=11; to keep it, copy with h=1.0 hash.bits=11)");
        assertThat(model.pipeline().settings().get(Settings.HASH_BITS)).isEqualTo(10);
        assertThat(model.pipeline().settings().get(Settings.H)).isZero();
        model.reset(Map.of());
        model.configure(Map.of("hash.bits", "11"));
        assertThat(model.pipeline().hasher().index(new byte[] {1}, 0, 1)).isLessThan(1 << 11);
    }

    /** 997 instead of 529 errors became 5,902: weights of raw units met features of size one. */
    @ParameterizedTest
    @CsvSource({
        "scale, standard, none",
        "scale, unit-norm, none",
        "scale, unit-norm-bias, none",
        "bias, false, true",
    })
    void shouldRefuseFeaturesOfAnotherSizeOnceItHasLearned(String name, String value, String stays) {
        model.configure(Map.of(name, value));
        model.configure(Map.of(name, stays));
        predict(Sample.dense(1, 1));
        model.configure(Map.of(name, value));
        model.configure(Map.of(name, stays));
        process(Sample.dense(1, 1));
        model.configure(Map.of(name, stays));
        Settings before = model.pipeline().given();

        assertThatThrownBy(() -> model.configure(Map.of(name, value, "drift", "adwin")))
                .isInstanceOf(LearnedException.class)
                .hasMessage(name + " must stay " + stays + " once a model has learned, got " + value
                        + " (to discard what it has learned, reset with "
                        + (name.equals("bias") ? "bias=false drift=adwin" : "scale=" + value + " drift=adwin")
                        + "; to keep it until they are better, challenge with " + name + "=" + value
                        + " trial.promote=auto)");
        assertThat(model.pipeline().given()).isEqualTo(before);
        model.challenge(Map.of("challenger", "next", name, value, "trial.promote", "auto"));
        assertThat(model.challengers().all()).hasSize(1);
        model.reset(Map.of(name, value, "drift", "adwin"));
        assertThat(model.pipeline().given().toMap()).containsEntry(name, value);
    }

    /**
     * An import has learned, although it has counted nothing here; and a copy of the weights has learned what they
     * have.
     */
    @Test
    void shouldRefuseFeaturesOfAnotherSizeForLearnedWeights() {
        process(Sample.dense(1, 3));
        Model imported = new Model();
        imported.replaceWith(new Model(model.current().copy(0)));

        assertThatThrownBy(() -> imported.configure(Map.of("scale", "standard")))
                .isInstanceOf(LearnedException.class);
        assertThatThrownBy(() -> model.challenge(Map.of("challenger", "c", "from", "live", "scale", "standard")))
                .hasMessageStartingWith(
                        "scale must stay none once a model has learned, got standard (leave out from=live");
        assertThat(model.challengers().all()).isEmpty();
    }

    /** Copied as it was, the command for the algorithm was refused: pa has no step. */
    @Test
    void shouldNameWhatTheOtherLearnerNeeds() {
        model.configure(Map.of("h", "1", "eta", "0.5", "comparator", ""));
        process(Sample.dense(1, 1));

        assertThatThrownBy(() -> model.configure(Map.of("algorithm", "pa", "scale", "standard")))
                .hasMessageEndingWith("(to discard what it has learned, reset with algorithm=pa h=0.0 eta=1.0"
                        + " scale=standard; to keep it until they are better, challenge with algorithm=pa h=0.0"
                        + " eta=1.0 scale=standard trial.promote=auto)");
        assertThatThrownBy(() -> model.configure(Map.of("algorithm", "pa", "eta", "1", "h", "0")))
                .hasMessage(
                        "algorithm must stay perceptron once a model has seen labels, got pa (to discard what it has"
                                + " learned, reset with algorithm=pa h=0.0 eta=1.0; to keep it until they are better, challenge"
                                + " with algorithm=pa h=0.0 eta=1.0 trial.promote=auto)");
        model.challenge(Map.of("challenger", "next", "algorithm", "pa", "h", "0.0", "eta", "1.0", "scale", "standard"));
        model.reset(Map.of("algorithm", "pa", "h", "0.0", "eta", "1.0", "scale", "standard"));
    }

    @Test
    void shouldChangeNoSettingWhereOneIsWrong() {
        assertThatThrownBy(() -> model.configure(Map.of("h", "1", "eta", "0")))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(model.pipeline().settings()).isEqualTo(Settings.DEFAULTS);
    }

    @Test
    void shouldKeepWhatItLearnedWhenItsSettingsChange() {
        process(Sample.dense(1, 2));

        model.configure(Map.of("h", "100", "eta", "0.5"));
        Outcome outcome = process(Sample.dense(1, 2));

        assertThat(outcome.score()).isEqualTo(5);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MARGIN_MISTAKE);
        assertThat(WeightSummary.ofWeights(model.pipeline().learner()).features())
                .isEqualTo(Map.of(0, 3.0));
    }

    private Outcome process(Sample sample) {
        return model.process(sample.example(), 0);
    }

    private Outcome predict(Sample sample) {
        Example example = sample.example();
        example.setLabel(null);
        return model.process(example, 0);
    }
}
