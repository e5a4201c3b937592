package io.perceptronstreams.structured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sequences, labels, settings and updates that a sequence perceptron refuses, and the limits of its size. */
final class SequenceRefusalsTest {
    private final Outcome outcome = new Outcome();

    @Test
    void shouldRefuseMoreTagsThanClassesMaxAndStayAsItWas() {
        SequencePerceptron learner = SequencePerceptronTest.learner("classes.max", "3");
        learn(learner, SequencePerceptronTest.tokens(new int[] {0}, new int[] {1}), "A", "B");
        List<Object> before = Bits.of(learner);

        assertRejected(
                learner,
                RejectReason.MODEL_FULL,
                SequencePerceptronTest.tokens(new int[] {0}, new int[] {1}),
                "C",
                "D");

        assertThat(Bits.of(learner)).isEqualTo(before);
        learn(learner, SequencePerceptronTest.tokens(new int[] {0}, new int[] {1}), "C", "C");
        assertThat(learner.state().names()).containsExactly("A", "B", "C");
    }

    @Test
    void shouldRefuseATagBesidesFixedClassesAndPredictThemFromTheStart() {
        SequencePerceptron learner = SequencePerceptronTest.learner("classes", "B,A");

        assertRejected(learner, RejectReason.INVALID_LABEL, SequencePerceptronTest.tokens(new int[] {0}), "C");

        learner.predict(SequencePerceptronTest.tokens(new int[] {0}, new int[] {1}), outcome);
        assertThat(outcome.predicted()).isEqualTo(new Label.Tags(List.of("B", "B")));
    }

    @Test
    void shouldRefuseAnUpdateThatWouldMakeTheModelTooLarge() {
        // a block is room for 256 numbers; a row of 4 tags with averages takes 8
        SequencePerceptron learner = SequencePerceptronTest.learner("blocks.max", "1", "bias", "false");
        learn(learner, SequencePerceptronTest.tokens(new int[] {0}), "A");
        List<Object> before = Bits.of(learner);

        assertRejected(
                learner,
                RejectReason.MODEL_FULL,
                SequencePerceptronTest.tokens(IntStream.range(0, 32).toArray()),
                "B");

        assertThat(Bits.of(learner)).isEqualTo(before);
        // start, end, 0 and 29 more: 32 rows
        learn(learner, SequencePerceptronTest.tokens(IntStream.range(0, 30).toArray()), "B");
        assertThat(outcome.isUpdated()).isTrue();
    }

    /**
     * A pair of tags takes a row, as the start and the end do: with 29 rows of features 32, which is all that there is
     * room for.
     */
    @Test
    void shouldCountTheWeightsOfPairsOfTags() {
        int[] second = {0};
        for (int rows : new int[] {30, 29}) {
            SequencePerceptron learner = SequencePerceptronTest.learner("blocks.max", "1", "bias", "false");
            Sequence x = SequencePerceptronTest.tokens(IntStream.range(0, rows).toArray(), second);
            if (rows == 30) {
                assertRejected(learner, RejectReason.MODEL_FULL, x, "A", "B");
            } else {
                learn(learner, x, "A", "B");
                assertThat(outcome.isUpdated()).isTrue();
            }
        }
    }

    @Test
    void shouldRefuseAnUpdateWhereWeightsWouldOverflowAndStayAsItWas() {
        SequencePerceptron learner = SequencePerceptronTest.learner("eta", "1e153");
        learn(learner, SequencePerceptronTest.tokens(new int[] {0}), "A");
        List<Object> before = Bits.of(learner);

        Sequence x = SequencePerceptronTest.tokens(new int[] {0});
        assertThatThrownBy(() -> learner.learn(x, new Label.Tags(List.of("B")), 100, outcome))
                .isInstanceOfSatisfying(
                        RejectedException.class, e -> assertThat(e.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW));

        assertThat(Bits.of(learner)).isEqualTo(before);
    }

    @Test
    void shouldRefuseASequenceWhoseScoresWouldTakeTooMuchMemory() {
        String classes = IntStream.range(0, 300).mapToObj(t -> "T" + t).collect(Collectors.joining(","));
        SequencePerceptron learner = SequencePerceptronTest.learner("classes", classes);
        int[][] tokens = new int[Sequence.MAX_TOKENS][0];

        assertThatThrownBy(() -> learner.predict(SequencePerceptronTest.tokens(tokens), outcome))
                .isInstanceOf(RejectedException.class)
                .hasMessage(
                        "a sequence must have at most 2097152 tokens times known tags, got 16384 times 300 (cut it)");
    }

    @Test
    void shouldRefuseAPredictionTooLongForARecord() {
        SequencePerceptron learner = SequencePerceptronTest.learner();
        learn(learner, SequencePerceptronTest.tokens(new int[] {0}), "n".repeat(256));

        assertThatThrownBy(() -> learner.predict(SequencePerceptronTest.tokens(new int[513][0]), outcome))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("the predicted tags of a sequence must have at most 131072 characters together");
        learner.predict(SequencePerceptronTest.tokens(new int[512][0]), outcome);
        assertThat(outcome.predicted()).isNotNull();
    }

    @Test
    void shouldSayWhatIsWrongWithALabel() {
        SequencePerceptron learner = SequencePerceptronTest.learner();
        Sequence x = SequencePerceptronTest.tokens(new int[] {0}, new int[] {1});
        assertThatThrownBy(() -> learner.learn(x, new Label.Tags(List.of("A")), 1, outcome))
                .hasMessage("label must have as many tags as the sequence has tokens, got 1 tags and 2 tokens");
        assertThatThrownBy(() -> learner.learn(x, new Label.ClassName("A"), 1, outcome))
                .hasMessage("label must be tags, one for each token, got the string 'A'");
        assertThatThrownBy(() -> learner.learn(new Sequence(), new Label.Tags(List.of()), 1, outcome))
                .hasMessage("a sequence must have at least one token, got none");
        assertThatThrownBy(() -> learner.predict(new Candidates(), outcome))
                .hasMessageStartingWith("features must be a Sequence for a sequence model, got Candidates (");
        assertThatThrownBy(() -> learner.predict(Sample.dense(1, 1).vector(), outcome))
                .hasMessageStartingWith("features must be a Sequence for a sequence model, got a vector (");
    }

    @Test
    void shouldRefuseKernelsAndVotes() {
        for (Map<String, String> settings :
                List.of(Map.of("kernel", "linear"), Map.of("budget", "5"), Map.of("predict", "voted"))) {
            String name = settings.keySet().iterator().next();
            for (Algorithm algorithm : List.of(Algorithm.SEQUENCE, Algorithm.STRUCTURED)) {
                assertThatThrownBy(() -> Settings.DEFAULTS.with(settings).requireUsedBy(algorithm, Settings.DEFAULTS))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith(name + " must be ")
                        .hasMessageContaining(" with algorithm=" + algorithm)
                        .hasMessageContaining("(used by perceptron, kernel");
            }
        }
    }

    @Test
    void shouldAskForQuarantineWhereStoredWeightsWereTamperedWith() {
        SequencePerceptron learner = SequencePerceptronTest.learner();
        learn(learner, SequencePerceptronTest.tokens(new int[] {0}), "A");
        learner.blocks().get(0).drainChanged((number, row) -> row[0] = -50);

        assertRejected(learner, RejectReason.MODEL_QUARANTINED, SequencePerceptronTest.tokens(new int[] {0}), "B");
    }

    private void learn(Learner learner, Sequence x, String... tags) {
        learner.learn(x, new Label.Tags(List.of(tags)), 1, outcome);
    }

    private void assertRejected(Learner learner, RejectReason reason, Sequence x, String... tags) {
        assertThatThrownBy(() -> learn(learner, x, tags))
                .isInstanceOfSatisfying(
                        RejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }
}
