package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.ModelKeys;
import io.perceptronstreams.topology.UndoableStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LearnModelsTest {
    private static final Map<String, String> SETTINGS = Map.of("algorithm", "pa-i", "scale", "standard");

    private final UndoableStore store = new UndoableStore();
    private final LearnModels models = LearningApplication.models(store, SETTINGS);

    private static LearnExample example(int number) {
        return LearnExample.of("e" + number)
                .feature("x", number % 7 - 3)
                .feature("y", number % 5)
                .label(number % 3 == 0 ? 1 : -1);
    }

    private static List<LearnResult> learn(LearnModels models, LearnInput input) {
        List<LearnResult> results = new ArrayList<>();
        models.learn("m".getBytes(StandardCharsets.UTF_8), 1, input, results::add);
        return results;
    }

    /** Bytes of a model that has learned the first examples. */
    private static byte[] expected(int examples) {
        LearnModels expected = LearningApplication.models(new UndoableStore(), SETTINGS);
        for (int number = 0; number < examples; number++) {
            var unused = learn(expected, example(number));
        }
        return OnlineModel.toBytes(expected.model("m"));
    }

    @Test
    void shouldKeepTheInputsBeforeManyThatAreRefused() {
        for (int number = 0; number < 10; number++) {
            var unused = learn(models, example(number));
        }
        LearnExample wrong = LearnExample.of("w").feature("x", Double.NaN);
        for (int k = 0; k < 10_000; k++) {
            assertThatThrownBy(() -> learn(models, wrong)).isInstanceOf(RejectedException.class);
            if (k % 100 == 0) {
                models.commit();
            }
        }
        models.commit();

        assertThat(Learn.toBytes(store, "m")).isEqualTo(expected(10));
    }

    /** A checkpoint of a small model has fewer bytes than a journal of many examples. */
    @Test
    void shouldWriteTheModelsWhereTheJournalIsLarger() {
        int count = LearnJournal.MIN_BYTES / new InputBytes().of(example(0)).length;
        for (int number = 0; number < 10; number++) {
            var unused = learn(models, example(number));
        }
        models.commit();
        assertThat(position().next()).isZero();
        for (int number = 10; number < count; number++) {
            var unused = learn(models, example(number));
        }
        models.commit();
        assertThat(position().next()).isEqualTo(count);
        var unused = learn(models, example(count));
        models.commit();
        assertThat(position().next()).isEqualTo(count);
        assertThat(Learn.toBytes(store, "m")).isEqualTo(expected(count + 1));
    }

    @Test
    void shouldWriteTheModelsAfterAnInputThatIsTooLargeForTheJournal() {
        LearnExample large = LearnExample.of("large").label(1);
        for (int k = 0; k < 60_000; k++) {
            large.feature("feature-" + k, k);
        }
        var unused = learn(models, large);
        models.commit();

        assertThat(position().next()).isEqualTo(1);
        assertThat(store.entries().values())
                .allSatisfy(each -> assertThat(each.length).isLessThan(1_000_000));
    }

    private InputPosition position() {
        return InputPosition.decode(new LearnStore(store, 0, true).get(ModelKeys.POSITION));
    }

    /** Arithmetic of an earlier version would give other weights; from here on they are those of this one. */
    @Test
    void shouldWriteTheModelsAfterAReplayInAnotherRevision() {
        for (int number = 0; number < 10; number++) {
            var unused = learn(models, example(number));
        }
        models.commit();
        InputPosition now = position();
        InputPosition.Decisions is = now.decisions();
        InputPosition.Decisions earlier = new InputPosition.Decisions(
                is.createsModels(),
                is.reroutes(),
                is.partitions(),
                ModelSession.REVISION - 1,
                is.writesJson(),
                is.aheadMs());
        assertThat(now.next()).isZero();
        LearnStore batches = new LearnStore(store, 0, true);
        batches.put(
                ModelKeys.POSITION,
                new InputPosition(
                                now.topicId(),
                                now.next(),
                                now.stagedThrough(),
                                earlier,
                                now.summary(),
                                now.defaults(),
                                now.note())
                        .encode());
        batches.endBatch();

        LearnModels later = LearningApplication.models(store, SETTINGS);

        assertThat(later.inputs()).isEqualTo(10);
        assertThat(position().next()).isEqualTo(10);
        assertThat(position().decisions().revision()).isEqualTo(ModelSession.REVISION);
        assertThat(OnlineModel.toBytes(later.model("m"))).isEqualTo(expected(10));
    }

    /** Otherwise half an input would be committed. */
    @Test
    void shouldNotCommitAfterAnInputThatHasFailed() {
        var unused = learn(models, example(0));
        models.commit();
        store.commit();
        store.killAfterWrites(1);
        assertThatThrownBy(() -> models.learn(new byte[] {'n'}, 1, example(1), result -> {}))
                .isInstanceOf(UndoableStore.Killed.class);
        store.killAfterWrites(-1);

        assertThatIllegalStateException()
                .isThrownBy(models::commit)
                .withMessageStartingWith("models must be whole, but an earlier record");
        assertThatIllegalStateException().isThrownBy(() -> learn(models, example(1)));
        store.abort();
        assertThat(Learn.toBytes(store, "n")).isNull();
        assertThat(Learn.toBytes(store, "m")).isEqualTo(expected(1));
    }

    /** A replay learns the same inputs as before, with every kind of features and labels. */
    @Test
    void shouldReadEachInputAsItWasWritten() {
        List<LearnInput> inputs = List.of(
                LearnExample.of("a").label("größe").feature("b", 1).feature("a", -0.0),
                LearnExample.of("b").label(-1).feature(7, 2).feature(3, 1).feature(7, 5),
                LearnExample.of("c").features(1, Double.NaN, 3).weight(0.5),
                LearnExample.of("d").features(),
                LearnExample.of("e"),
                LearnExample.of("f").tags("x", "y").token("a", "b").token(),
                LearnExample.of("g").label("l").candidate("l", Map.of("x", 1.0)).candidate("r", Map.of()),
                LearnLabel.of("h", 0),
                LearnLabel.of("i", "yes"),
                LearnLabel.ofTags("j", "x", "y"));
        InputBytes encoder = new InputBytes();
        for (LearnInput input : inputs) {
            byte[] bytes = encoder.of(input);

            LearnInput read = InputBytes.read(bytes);

            assertThat(state(read)).isEqualTo(state(input));
            assertThat(encoder.of(read)).isEqualTo(bytes);
        }
    }

    private static String state(LearnInput input) {
        return input instanceof LearnExample example
                ? example.kind() + " " + example.event()
                : ((LearnLabel) input).event().toString();
    }
}
