package io.perceptronstreams.structured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Time and memory of one record are bounded, and learners can share their tables. */
final class SequenceScratchTest {
    private final Outcome outcome = new Outcome();

    private static SequencePerceptron learner(String predict, int tags) {
        SequencePerceptron learner = new SequencePerceptron(Settings.DEFAULTS.with(Map.of("predict", predict)));
        List<String> names = IntStream.range(0, tags).mapToObj(t -> "T" + t).toList();
        learner.restore(new LearnerState(List.of(1.0, 0.0, 0.0, 0.0, 0.0), names));
        return learner;
    }

    private static Sequence empty(int tokens) {
        Sequence x = new Sequence();
        for (int k = 0; k < tokens; k++) {
            x.append();
        }
        return x;
    }

    // An example of 2.1 KB with 2,097 empty tokens took 1,000 tags a second: 2,097 · 1,000^2 steps.
    @Test
    void shouldRefuseASequenceThatWouldTakeTooLong() {
        SequencePerceptron learner = learner("averaged", 1000);
        assertThatThrownBy(() -> learner.predict(empty(135), outcome))
                .isInstanceOfSatisfying(
                        RejectedException.class,
                        e -> assertThat(e.reason()).isEqualTo(RejectReason.UNSUPPORTED_FEATURES))
                .hasMessage("a sequence must have at most 134217728 tokens times known tags squared, got 135 times 1000"
                        + " squared (cut it)");

        learner.predict(empty(134), outcome);

        assertThat(((Label.Tags) outcome.predicted()).tags()).hasSize(134);
    }

    @Test
    void shouldRefuseToLearnOrUseMoreTagsThanTheTablesHaveRoomFor() {
        SequencePerceptron full = new SequencePerceptron(Settings.DEFAULTS.with(Map.of("classes.max", "10000")));
        full.restore(learner("last", TagSet.MAX_TAGS).state());
        assertThatThrownBy(() -> full.learn(empty(1), new Label.Tags(List.of("one more")), 1, outcome))
                .isInstanceOfSatisfying(
                        RejectedException.class, e -> assertThat(e.reason()).isEqualTo(RejectReason.MODEL_FULL))
                .hasMessage(
                        "a sequence model must not have more than 2048 tags, got 1 more than 2048 (use fewer tags)");

        SequencePerceptron earlier = learner("last", 3000);
        assertThatThrownBy(() -> earlier.predict(empty(1), outcome))
                .isInstanceOf(RejectedException.class)
                .hasMessage("a sequence model must know at most 2048 tags to be used, got 3000"
                        + " (reset the model and use fewer tags)");
    }

    // Each of 100 live models of 1,000 tags kept tables of 14 MB, which nothing counted.
    @Test
    void shouldShareTablesAmongTheLearnersOfAThreadAndCountThem() {
        inThread(() -> {
            assertThat(SequenceScratch.heapBytesOfThread()).isLessThan(100_000);
            List<SequencePerceptron> learners = new ArrayList<>();
            for (int k = 0; k < 20; k++) {
                learners.add(learner("averaged", 1000));
                learners.get(k).predict(empty(10), outcome);
            }
            // two tables of 1,000^2, three of 10 tokens
            assertThat(SequenceScratch.heapBytesOfThread()).isBetween(16_240_000L, 16_700_000L);
            assertThat(learners).allMatch(each -> each.heapBytes() < 260_000);
            return null;
        });
    }

    @SeededTest
    void shouldGiveEachLearnerWhatItGivesAlone(long seed) {
        Random random = new Random(seed);
        List<Settings> settings = List.of(
                Settings.DEFAULTS.with(Map.of("predict", "averaged")),
                Settings.DEFAULTS,
                Settings.DEFAULTS.with(Map.of("predict", "averaged", "bias", "false")));
        List<List<Sequence>> sequences = new ArrayList<>();
        List<List<Label>> labels = new ArrayList<>();
        for (int k = 0; k < settings.size(); k++) {
            sequences.add(new ArrayList<>());
            labels.add(new ArrayList<>());
            for (int round = 0; round < 60; round++) {
                Sequence x = empty(1 + random.nextInt(random.nextInt(10) == 0 ? 600 : 12));
                List<String> tags = new ArrayList<>();
                for (int i = 0; i < x.size(); i++) {
                    x.token(i).append(random.nextInt(9), random.nextGaussian());
                    tags.add("T" + random.nextInt(3 + 20 * k));
                }
                sequences.get(k).add(x);
                labels.get(k).add(random.nextInt(4) == 0 ? null : new Label.Tags(tags));
            }
        }
        List<List<String>> alone = new ArrayList<>();
        for (int k = 0; k < settings.size(); k++) {
            SequencePerceptron learner = new SequencePerceptron(settings.get(k));
            List<Sequence> ofOne = sequences.get(k);
            List<Label> with = labels.get(k);
            alone.add(inThread(() -> IntStream.range(0, ofOne.size())
                    .mapToObj(round -> use(learner, ofOne.get(round), with.get(round)))
                    .toList()));
        }
        List<SequencePerceptron> learners =
                settings.stream().map(SequencePerceptron::new).toList();
        for (int round = 0; round < 60; round++) {
            for (int k = 0; k < learners.size(); k++) {
                assertThat(use(
                                learners.get(k),
                                sequences.get(k).get(round),
                                labels.get(k).get(round)))
                        .as("seed %d", seed)
                        .isEqualTo(alone.get(k).get(round));
            }
        }
    }

    private String use(SequencePerceptron learner, Sequence x, Label y) {
        if (y == null) {
            learner.predict(x, outcome);
        } else {
            learner.learn(x, y, 1, outcome);
        }
        return outcome.predicted() + " " + outcome.predictedScore() + " " + outcome.score() + " " + outcome.margin()
                + " " + Arrays.toString(learner.state().numbers().toArray());
    }

    /** Runs in a thread of its own, which has learned nothing yet. */
    private static <T> T inThread(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, each -> new Thread(each).start())
                .join();
    }
}
