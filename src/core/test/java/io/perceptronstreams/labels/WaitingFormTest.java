package io.perceptronstreams.labels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.Decision;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.UnreadableModelException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples and labels that wait for each other are read back as they were; the bytes are those of the layout. */
final class WaitingFormTest {
    private static final Utf8Slice ID = new Utf8Slice().set("id");
    private static final byte[] VALUE = {7, 0, -1};

    private static byte[] encode(Waiting waiting) {
        StoredFields fields = new StoredFields();
        WaitingForm.write(fields, waiting);
        return fields.toBytes();
    }

    private static Waiting example(Label emitted, Waiting.Emitted... challengers) {
        return example(0, emitted, challengers);
    }

    private static Waiting example(int part, Label emitted, Waiting.Emitted... challengers) {
        return new Waiting(ID, VALUE, 3, part, -5, 2, 4, 6, emitted, null, List.of(challengers));
    }

    @Test
    void shouldKeepExamplesWithEveryKindOfPrediction() {
        List<Label> labels = Arrays.asList(
                null,
                Label.PLUS_ONE,
                Label.MINUS_ONE,
                Label.of(Integer.MIN_VALUE),
                new Label.ClassName("grün"),
                new Label.Tags(List.of()),
                new Label.Tags(List.of("N", "", "V")));
        for (Label emitted : labels) {
            for (Label ofChallenger : labels) {
                Waiting kept = example(
                        emitted,
                        new Waiting.Emitted(9, ofChallenger, null),
                        new Waiting.Emitted(1L << 40, emitted, null));
                assertThat(WaitingForm.decode(ID, encode(kept)))
                        .usingRecursiveComparison()
                        .isEqualTo(kept);
            }
        }
    }

    @Test
    void shouldKeepHowSurePredictionsWere() {
        List<Waiting.Forecast> forecasts = Arrays.asList(
                null,
                new Waiting.Forecast(1, null, 0, Decision.NONE),
                new Waiting.Forecast(-1, null, 0, Decision.NONE, -1),
                new Waiting.Forecast(7, List.of(), 300, Decision.WITHHELD, 1),
                new Waiting.Forecast(999_999, List.of(), 300, Decision.WITHHELD),
                new Waiting.Forecast(
                        500_000, List.of(Label.MINUS_ONE, new Label.ClassName("grün")), 2, Decision.NEGATIVE));
        for (Waiting.Forecast emitted : forecasts) {
            for (Waiting.Forecast ofChallenger : forecasts) {
                Waiting kept = new Waiting(
                        ID,
                        VALUE,
                        3,
                        2,
                        -5,
                        2,
                        4,
                        6,
                        Label.PLUS_ONE,
                        emitted,
                        List.of(new Waiting.Emitted(9, null, ofChallenger)));
                assertThat(WaitingForm.decode(ID, encode(kept)))
                        .usingRecursiveComparison()
                        .isEqualTo(kept);
            }
        }
    }

    /** A record of the store must fit into one of the changelog: eight challengers may have sets of 10,000 classes. */
    @Test
    void shouldLeaveOutSetsOfChallengersThatAreTooLongTogether() {
        List<Label> long20 = List.of(new Label.ClassName("a".repeat(20_000)));
        List<Label> long200 = List.of(new Label.ClassName("b".repeat(200_000)));
        Waiting.Forecast own = new Waiting.Forecast(5, long200, 1, Decision.NONE);
        Waiting.Forecast ofChallenger = new Waiting.Forecast(7, long20, 1, Decision.NONE);
        Waiting kept = new Waiting(
                ID,
                VALUE,
                3,
                0,
                -5,
                2,
                4,
                6,
                null,
                own,
                List.of(
                        new Waiting.Emitted(1, null, ofChallenger),
                        new Waiting.Emitted(2, null, own),
                        new Waiting.Emitted(3, null, ofChallenger),
                        new Waiting.Emitted(4, null, ofChallenger)));

        assertThat(kept.forecast()).isEqualTo(own);
        assertThat(kept.challengers())
                .extracting(each -> each.forecast().set())
                .containsExactly(long20, null, long20, null);
        assertThat(kept.challengers())
                .extracting(each -> each.forecast().millionths())
                .containsExactly(7, 5, 7, 7);
        assertThat(encode(kept)).hasSizeLessThan(250_000);
    }

    @Test
    void shouldKeepTheLargestNumbers() {
        Waiting example = new Waiting(
                ID,
                new byte[0],
                Long.MAX_VALUE,
                999,
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                null,
                null,
                List.of());
        assertThat(WaitingForm.decode(ID, encode(example)))
                .usingRecursiveComparison()
                .isEqualTo(example);
        Waiting label = Waiting.label(ID, VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE);
        assertThat(WaitingForm.decode(ID, encode(label)))
                .usingRecursiveComparison()
                .isEqualTo(label);
    }

    /** Signed numbers are twice their size, less one where they are negative. */
    @Test
    void shouldWriteTheLayout() {
        assertThat(encode(example(new Label.ClassName("a"))))
                .containsExactly(2, 6, 9, 14, 8, 12, 2, 1, 'a', 0, 7, 0, -1);
        assertThat(encode(example(
                        Label.MINUS_ONE,
                        new Waiting.Emitted(1, new Label.Tags(List.of("N", "V")), null),
                        new Waiting.Emitted(3, null, null))))
                .containsExactly(2, 6, 9, 14, 8, 12, 1, 1, 2, 1, 3, 2, 1, 'N', 1, 'V', 3, 0, 7, 0, -1);
        // form 3: with the number in a record of several examples
        assertThat(encode(example(200, null))).containsExactly(3, 6, (byte) 0xc8, 1, 9, 14, 8, 12, 0, 0, 7, 0, -1);
        // form 4: with how sure the predictions were, 2 with a set of labels, here one of two, 0 without any
        Waiting sure = new Waiting(
                ID,
                VALUE,
                3,
                0,
                -5,
                2,
                4,
                6,
                null,
                new Waiting.Forecast(199, List.of(Label.PLUS_ONE), 2, Decision.POSITIVE),
                List.of(new Waiting.Emitted(1, null, null)));
        assertThat(encode(sure))
                .containsExactly(4, 6, 0, 9, 14, 8, 12, 0, 1, 2, (byte) 0xc8, 1, 1, 1, 1, 2, 2, 1, 1, 0, 0, 7, 0, -1);
        assertThat(encode(Waiting.label(ID, VALUE, 3, -5, 2))).containsExactly(2, 6, 9, 14, 1, 7, 0, -1);
    }

    /** The form with the label of one shadow at most. */
    @Test
    void shouldReadTheFirstForm() {
        byte[] without = {1, 6, 9, 14, 8, 12, 2, 1, 'a', 1, 0, 7, 0, -1};
        byte[] with = {1, 6, 9, 14, 8, 12, 1, 1, 2, 3, 2, 1, 'N', 1, 'V', 7, 0, -1};
        byte[] label = {1, 6, 9, 14, 1, 7, 0, -1};

        assertThat(WaitingForm.decode(ID, without))
                .usingRecursiveComparison()
                .isEqualTo(example(new Label.ClassName("a")));
        assertThat(WaitingForm.decode(ID, with))
                .usingRecursiveComparison()
                .isEqualTo(example(Label.MINUS_ONE, new Waiting.Emitted(1, new Label.Tags(List.of("N", "V")), null)));
        assertThat(WaitingForm.decode(ID, label).isLabel()).isTrue();
    }

    @Test
    void shouldKeepTheLabelOfAnExampleThatCanBeCorrected() {
        for (Truth truth : List.of(
                new Truth(Label.PLUS_ONE, null, true, 40, 41, 40, 7, true, true),
                new Truth(new Label.ClassName("yes"), "review", false, 43, 43, 42, 0, false, false),
                new Truth(
                        new Label.Tags(List.of("N")),
                        "user",
                        false,
                        3,
                        Long.MAX_VALUE,
                        9,
                        Long.MAX_VALUE,
                        true,
                        false))) {
            Waiting kept = example(Label.MINUS_ONE, new Waiting.Emitted(1, Label.PLUS_ONE, null))
                    .with(truth, 77, 5, new Waiting.Emitted(0, Label.MINUS_ONE, null), List.of());
            assertThat(WaitingForm.decode(ID, encode(kept)))
                    .usingRecursiveComparison()
                    .isEqualTo(kept);
        }
    }

    @Test
    void shouldRefuseWhatANewerEngineOrNobodyHasWritten() {
        byte[] newer = encode(example(null));
        newer[0] = 6;
        assertThatThrownBy(() -> WaitingForm.decode(ID, newer))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageStartingWith(
                        "a stored waiting record must have a form from 1 to 5, got 6 (written by another version:");
        byte[] unknown = encode(example(null));
        unknown[6] = 4;
        assertThatThrownBy(() -> WaitingForm.decode(ID, unknown))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageStartingWith("a stored model must have labels of kind 0 to 3, got 4");
        assertThatThrownBy(() -> WaitingForm.decode(ID, new byte[] {1, 6}))
                .isInstanceOf(UnreadableModelException.class);
    }
}
