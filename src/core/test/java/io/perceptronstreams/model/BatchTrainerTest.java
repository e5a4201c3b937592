package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class BatchTrainerTest {
    private final Model model = new Model();
    private final List<BatchTrainer.Pass> passes = new ArrayList<>();

    @SeededTest
    void shouldLeaveTheModelAsItIsWhenItCountsErrors(long seed) {
        model.configure(Map.of("scale", "standard", "predict", "averaged", "h", "0.5"));
        ExampleBuffer examples = examples(seed);
        train(examples, 2, Long.MAX_VALUE);
        List<Object> before = bits();

        Map<Settings.Predict, Evaluation> errors = Evaluation.ofEach(model, examples, done -> true);

        assertThat(errors).containsKeys(Settings.Predict.LAST, Settings.Predict.AVERAGED);
        assertThat(Evaluation.ofEach(model, examples, done -> true))
                .as("seed %d", seed)
                .usingRecursiveComparison()
                .isEqualTo(errors);
        assertThat(bits()).as("seed %d", seed).isEqualTo(before);
    }

    @SeededTest
    void shouldKeepWhatWasLearnedWhenItIsStopped(long seed) {
        train(examples(seed), 5, 250);

        assertThat(passes).extracting(BatchTrainer.Pass::examples).containsExactly(200L, 50L);
        assertThat(model.counts().totals().examples()).isEqualTo(250);
    }

    // A pass of N draws misses each example with probability 1/e: one without an update does not prove anything.
    @Test
    void shouldEndRandomDrawsOnlyWhenNoExampleWouldMakeAnUpdate() {
        int quietPasses = 0;
        for (long seed = 0; seed < 200; seed++) {
            passes.clear();
            Model fitted = new Model();
            fitted.configure(Map.of("h", "1"));
            ExampleBuffer examples = new ExampleBuffer();
            RandomStreams.separable(new Random(seed), 12, 3, 0.2, true)
                    .samples()
                    .forEach(sample -> examples.add(sample.example()));

            BatchTrainer trainer = train(fitted, examples, BatchTrainer.Order.RANDOM, 10_000, Long.MAX_VALUE);

            assertThat(trainer.isConverged()).isTrue();
            for (int position = 0; position < examples.size(); position++) {
                Example example = new Example();
                examples.fill(position, example);
                assertThat(fitted.current().evaluate(example).margin())
                        .as("seed %d", seed)
                        .isGreaterThanOrEqualTo(1);
            }
            quietPasses +=
                    (int) passes.stream().filter(pass -> pass.updates() == 0).count();
        }
        // some runs went on after a pass without update
        assertThat(quietPasses).isGreaterThan(200);
    }

    /** Examples in memory and those behind them are one pass, wherever the border lies. */
    @SeededTest
    void shouldLearnFromASourceAsFromMemory(long seed) {
        List<Sample> samples = RandomStreams.noisy(new Random(seed), 40, 12, 4);
        Model whole = new Model();
        train(whole, buffer(samples), BatchTrainer.Order.FILE, 1, Long.MAX_VALUE);
        BatchTrainer.Pass expected = passes.get(0);
        int border = new Random(seed).nextInt(samples.size());
        Model parted = new Model();
        BatchTrainer trainer = new BatchTrainer(parted, buffer(samples.subList(0, border)), BatchTrainer.Order.FILE, 1);

        trainer.trainOnce(source(samples.subList(border, samples.size())), watcher(Long.MAX_VALUE));

        assertThat(passes).as("seed %d", seed).containsExactly(expected, expected);
        assertThat(bits(parted)).as("seed %d", seed).isEqualTo(bits(whole));
        assertThat(trainer.isConverged()).isEqualTo(expected.updates() == 0);
    }

    @Test
    void shouldNameTheLineOfAnExampleOfASourceThatCannotBeUsed() {
        List<Sample> samples = List.of(Sample.dense(1, 1), Sample.dense(1, Double.NaN));
        BatchTrainer trainer = new BatchTrainer(model, buffer(samples.subList(0, 1)), BatchTrainer.Order.FILE, 1);

        assertThatThrownBy(() -> trainer.trainOnce(source(samples.subList(1, 2)), watcher(Long.MAX_VALUE)))
                .isInstanceOf(RejectedException.class)
                .hasMessageStartingWith("example 2 (line 101): ");
    }

    private static BatchTrainer.Source source(List<Sample> samples) {
        Iterator<Sample> next = samples.iterator();
        return new BatchTrainer.Source() {
            private int line = 100;

            @Override
            public Example next() {
                line++;
                return next.hasNext() ? next.next().example() : null;
            }

            @Override
            public long line() {
                return line;
            }
        };
    }

    @Test
    void shouldStopTheCheckAfterAPassOfRandomDraws() {
        int[] calls = new int[1];
        BatchTrainer trainer =
                new BatchTrainer(model, buffer(List.of(Sample.dense(1, 1))), BatchTrainer.Order.RANDOM, 1);

        trainer.train(2, new BatchTrainer.Watcher() {
            @Override
            public boolean keepGoing(long done) {
                // a pass with an update, one without, the check
                return ++calls[0] < 3;
            }

            @Override
            public void passed(BatchTrainer.Pass pass) {
                passes.add(pass);
            }
        });

        assertThat(passes).extracting(BatchTrainer.Pass::updates).containsExactly(1L, 0L);
        assertThat(trainer.isConverged()).isFalse();
    }

    /** Trains without each example, and counts how many of them are then predicted wrong. */
    @SeededTest
    void shouldMakeLeaveOneOutErrorsOnlyOnExamplesWithUpdatesOrFinalErrors(long seed) {
        List<Sample> samples = RandomStreams.noisy(new Random(seed), 40, 12, 4);
        ExampleBuffer all = buffer(samples);
        BatchTrainer trainer = train(model, all, BatchTrainer.Order.FILE, 2, Long.MAX_VALUE);
        BitSet support = trainer.updated(passes.get(passes.size() - 1));
        Evaluation.of(model, all, Settings.Predict.LAST, done -> true, (position, outcome, margin) -> {
            if (outcome.isError()) {
                support.set(position);
            }
        });
        assertThat(support.cardinality()).isLessThan(40);

        for (int left = 0; left < samples.size(); left++) {
            List<Sample> others = new ArrayList<>(samples);
            Sample out = others.remove(left);
            Model fitted = new Model();
            train(fitted, buffer(others), BatchTrainer.Order.FILE, 2, Long.MAX_VALUE);
            if (fitted.current().evaluate(out.example()).isError()) {
                assertThat(support.get(left))
                        .as("seed %d, example %d", seed, left)
                        .isTrue();
            }
        }
    }

    @Test
    void shouldFindTheCycleOfWeightsThatReturn() {
        // the corners of a square: opposite ones have the same label
        List<Sample> samples =
                List.of(Sample.dense(-1, 0, 0), Sample.dense(1, 0, 1), Sample.dense(1, 1, 0), Sample.dense(-1, 1, 1));
        BatchTrainer trainer = train(model, buffer(samples), BatchTrainer.Order.FILE, 20, Long.MAX_VALUE);

        BatchTrainer.Cycle cycle = trainer.cycle();
        Model start = new Model();
        train(start, buffer(samples), BatchTrainer.Order.FILE, cycle.start(), Long.MAX_VALUE);
        Model end = new Model();
        train(end, buffer(samples), BatchTrainer.Order.FILE, cycle.end(), Long.MAX_VALUE);
        assertThat(cycle.end()).isGreaterThan(cycle.start());
        for (int index = 0; index < 2; index++) {
            BlockVector before = (BlockVector) start.pipeline().vector(0);
            BlockVector after = (BlockVector) end.pipeline().vector(0);
            assertThat(after.read(index, 0)).isEqualTo(before.read(index, 0));
        }
        assertThat(cycle.updates()).containsOnlyKeys(0, 1, 2, 3);
        assertThat(new TreeSet<>(cycle.updates().values()))
                .as("as often as each other")
                .hasSize(1);
    }

    @Test
    void shouldFindNoCycleWhereTrainingEnds() {
        BatchTrainer trainer = train(
                model,
                buffer(List.of(Sample.dense(1, 1, 0), Sample.dense(-1, 0, 1))),
                BatchTrainer.Order.FILE,
                20,
                Long.MAX_VALUE);
        assertThat(trainer.isConverged()).isTrue();
        assertThat(trainer.cycle()).isNull();
    }

    private static ExampleBuffer buffer(List<Sample> samples) {
        ExampleBuffer examples = new ExampleBuffer();
        samples.forEach(sample -> examples.add(sample.example()));
        return examples;
    }

    private void train(ExampleBuffer examples, int epochs, long limit) {
        train(model, examples, BatchTrainer.Order.FILE, epochs, limit);
    }

    private BatchTrainer train(Model fitted, ExampleBuffer examples, BatchTrainer.Order order, int epochs, long limit) {
        BatchTrainer trainer = new BatchTrainer(fitted, examples, order, 1);
        trainer.train(epochs, watcher(limit));
        return trainer;
    }

    private BatchTrainer.Watcher watcher(long limit) {
        return new BatchTrainer.Watcher() {
            @Override
            public boolean keepGoing(long done) {
                return done < limit;
            }

            @Override
            public void passed(BatchTrainer.Pass pass) {
                passes.add(pass);
            }
        };
    }

    private List<Object> bits() {
        return bits(model);
    }

    private static List<Object> bits(Model model) {
        return List.of(
                Bits.of(model.pipeline().learner()),
                Bits.of((BlockVector) model.pipeline().vector(Pipeline.STATISTICS)),
                Bits.of(model.counts().totals()),
                model.pipeline().settings(),
                model.counts().window().counts().examples());
    }

    private static ExampleBuffer examples(long seed) {
        return buffer(RandomStreams.noisy(new Random(seed), 200, 30, 6));
    }
}
