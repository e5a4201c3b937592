package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pairs of true and emitted label, counted here from the outcomes themselves. */
final class ConfusionMatrixTest {
    private final Model model = new Model();
    private final Map<String, Long> expected = new TreeMap<>();
    private long counted;
    private long errors;

    private Outcome learn(Label truth, int index) {
        Example example = new Example();
        example.vector().resetSparse().append(index, 1);
        example.setLabel(truth);
        return learn(example, truth);
    }

    private Outcome learn(Example example, Label truth) {
        Outcome outcome = model.process(example, 0);
        if (truth != null && outcome.predicted() != null) {
            counted++;
            errors += outcome.isError() ? 1 : 0;
            expected.merge(truth + " as " + outcome.predicted(), 1L, Long::sum);
        }
        return outcome;
    }

    private Map<String, Long> cells() {
        ConfusionMatrix matrix = model.counts().confusion();
        List<String> labels = matrix.labels(model.pipeline().settings());
        Map<String, Long> cells = new TreeMap<>();
        for (int row = 0; row < labels.size(); row++) {
            for (int column = 0; column < labels.size(); column++) {
                long count = matrix.count(row, column);
                if (count > 0) {
                    cells.put(labels.get(row) + " as " + labels.get(column), count);
                }
            }
        }
        return cells;
    }

    private void requireSums() {
        ConfusionMatrix matrix = model.counts().confusion();
        long all = matrix.otherErrors();
        long wrong = matrix.otherErrors();
        for (int row = 0; row <= matrix.size(); row++) {
            for (int column = 0; column <= matrix.size(); column++) {
                all += matrix.count(row, column);
                wrong += row == column ? 0 : matrix.count(row, column);
            }
        }
        assertThat(all).as("all").isEqualTo(counted);
        assertThat(wrong).as("errors").isEqualTo(errors);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "auto",
                "perceptron",
                "kernel",
                "pa",
                "pa-i",
                "pa-ii",
                "arow",
                "alma",
                "romma",
                "pdm",
                "sgd",
                "scw"
            })
    void shouldCountTwoClasses(String algorithm) {
        model.configure(Map.of("algorithm", algorithm));

        for (Sample sample : RandomStreams.noisy(new Random(7), 300, 50, 8)) {
            learn(sample.example(), Label.of(sample.y < 0 ? -1 : 1));
        }

        assertThat(model.counts().confusion().labels(model.pipeline().settings()))
                .containsExactly("-1", "1");
        assertThat(cells()).isEqualTo(expected).hasSize(4);
        requireSums();
        assertThat(counted).isEqualTo(model.counts().totals().labelled()).isEqualTo(300);
        assertThat(errors).isEqualTo(model.counts().totals().errors());
        assertThat(model.counts().confusion().hasOther()).isFalse();
    }

    // the int 0 stands for "False", under which no label was ever emitted
    @ParameterizedTest
    @CsvSource({"'', 0, 1", "'0,1', 0, 1", "'False,True', False, True"})
    void shouldCountIntsUnderTheNamesThatTheyStandFor(String labels, String negative, String positive) {
        model.configure(Map.of("algorithm", "perceptron", "labels", labels, "bias", "false"));

        // emitted at a score of 0: +1
        learn(Label.ZERO, 1);
        learn(Label.ZERO, 1);
        learn(Label.PLUS_ONE, 1);
        learn(Label.PLUS_ONE, 2);

        assertThat(model.counts().confusion().labels(model.pipeline().settings()))
                .containsExactly(negative, positive);
        assertThat(cells())
                .containsOnly(
                        Map.entry(negative + " as " + positive, 1L),
                        Map.entry(negative + " as " + negative, 1L),
                        Map.entry(positive + " as " + negative, 1L),
                        Map.entry(positive + " as " + positive, 1L));
    }

    @SeededTest
    void shouldCountClasses(long seed) {
        Random random = new Random(seed);
        model.configure(Map.of("algorithm", "multiclass", "predict", "averaged"));

        for (int k = 0; k < 400; k++) {
            int y = random.nextInt(5);
            // every tenth has no label, some are ints that spell a class
            Label label = k % 10 == 3 ? null : y == 4 ? Label.of(7) : new Label.ClassName("c" + y);
            learn(label, random.nextInt(4) == 0 ? random.nextInt(5) : y);
        }

        assertThat(cells()).isEqualTo(expected);
        requireSums();
        // the first label had no prediction
        assertThat(counted).isEqualTo(360 - 1).isEqualTo(model.counts().totals().labelled() - 1);
        assertThat(errors).isEqualTo(model.counts().totals().errors() - 1);
        assertThat(model.counts().confusion().hasOther()).isFalse();
    }

    @Test
    void shouldCountLabelsBeyondTheFirst32Together() {
        model.configure(Map.of("algorithm", "multiclass", "bias", "false"));
        Random random = new Random(11);

        for (int k = 0; k < 4_000; k++) {
            int y = random.nextInt(60);
            learn(new Label.ClassName("class-" + y), random.nextInt(3) == 0 ? random.nextInt(60) : y);
        }

        ConfusionMatrix matrix = model.counts().confusion();
        assertThat(matrix.size()).isEqualTo(32);
        assertThat(matrix.hasOther()).isTrue();
        assertThat(matrix.otherErrors()).isPositive();
        assertThat(matrix.count(32, 32)).isPositive();
        requireSums();
        List<String> own = matrix.labels(model.pipeline().settings());
        assertThat(cells()).isEqualTo(only(own));
    }

    private Map<String, Long> only(List<String> labels) {
        Map<String, Long> among = new TreeMap<>();
        for (String actual : labels) {
            for (String emitted : labels) {
                String pair = actual + " as " + emitted;
                if (expected.containsKey(pair)) {
                    among.put(pair, expected.get(pair));
                }
            }
        }
        return among;
    }

    @Test
    void shouldLimitTheLengthOfItsNames() {
        model.configure(Map.of("algorithm", "multiclass"));

        for (int k = 0; k < 40; k++) {
            learn(new Label.ClassName("%03d".formatted(k % 20) + "x".repeat(253)), k % 20);
        }

        // 8 names of 256 are 2,048
        assertThat(model.counts().confusion().size()).isEqualTo(8);
        requireSums();
    }

    @Test
    void shouldCountWhatAFrozenModelEmits() {
        learn(Label.MINUS_ONE, 1);
        model.freeze(true);
        learn(Label.PLUS_ONE, 1);
        learn(Label.MINUS_ONE, 1);

        assertThat(cells()).isEqualTo(expected);
        requireSums();
    }

    @Test
    void shouldBeginAgainAfterAResetAndGoOnAfterAnImport() {
        learn(Label.MINUS_ONE, 1);
        model.reset(Map.of());
        assertThat(model.counts().confusion().isEmpty()).isTrue();

        learn(Label.MINUS_ONE, 1);
        Model imported = new Model();
        imported.counts().totals().set(Counts.Counter.EXAMPLES, 50).set(Counts.Counter.LABELLED, 50);
        model.replaceWith(imported);
        assertThat(model.counts().confusion().examples()).isEqualTo(1);
        assertThat(model.counts().ofWeights().confusion().isEmpty()).isTrue();
        assertThat(model.counts().ofWeights().counts().labelled()).isEqualTo(50);
    }

    @Test
    void shouldForgetItsClassesWithAReset() {
        model.configure(Map.of("algorithm", "multiclass"));
        for (String name : List.of("a", "b", "c", "a")) {
            learn(new Label.ClassName(name), 1);
        }
        model.reset(Map.of());
        expected.clear();
        for (String name : List.of("c", "b", "c")) {
            learn(new Label.ClassName(name), 1);
        }

        assertThat(model.counts().confusion().names()).containsExactly("c", "b");
        // the first label had no prediction
        assertThat(cells()).isEqualTo(expected).isEqualTo(Map.of("b as c", 1L, "c as b", 1L));
    }

    // counts of a as a, a as another, another as a, another as itself; and of other errors
    @ParameterizedTest
    @CsvSource({
        "1, 0, 0, 0, 0, false",
        "1, 1, 0, 0, 0, true",
        "1, 0, 1, 0, 0, true",
        "1, 0, 0, 1, 0, true",
        "1, 0, 0, 0, 1, true"
    })
    void shouldSayWhetherItHasLabelsWithoutARow(long a, long aAsB, long bAsA, long b, long errors, boolean hasOther) {
        ConfusionMatrix matrix = new ConfusionMatrix();
        matrix.restore(List.of("a"), new long[] {a, aAsB, bAsA, b}, errors);
        assertThat(matrix.hasOther()).isEqualTo(hasOther);
    }

    @Test
    void shouldBeThatOfTheShadowAfterATakeover() {
        // the last weights turn round as fast as a new model learns
        model.configure(Map.of("drift", "ddm", "drift.action", "shadow", "predict", "averaged"));
        boolean isTaken = false;
        for (Sample sample : DriftStreams.turned(new Random(4), 1_500, 10)) {
            model.use(sample.example(), 0, null, null);
            isTaken |= model.adapt() == StatusCause.TAKEOVER;
        }

        assertThat(isTaken).isTrue();
        counted = model.counts().totals().labelled();
        errors = model.counts().totals().errors();
        assertThat(counted).isPositive();
        requireSums();
    }

    @Test
    void shouldRefuseAMatrixThatCannotBe() {
        ConfusionMatrix matrix = new ConfusionMatrix();
        assertThatIllegalArgumentException().isThrownBy(() -> matrix.restore(List.of("a"), new long[9], 0));
        assertThatIllegalArgumentException().isThrownBy(() -> matrix.restore(List.of(), new long[] {1, 2, 3, -4}, 0));
    }
}
