package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.learner.WrittenBlocks;
import io.perceptronstreams.state.StoredText;
import io.perceptronstreams.weights.BlockVector;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A model that is stored and restored repeatedly against one that is not, on streams of examples and commands. */
final class ModelRestoreTest {
    private static final List<Map<String, String>> CHANGES = List.of(
            Map.of("scale", "standard"),
            Map.of("scale", "unit-norm"),
            Map.of("scale", "unit-norm-bias"),
            Map.of("scale", "none", "h", "1"),
            Map.of("predict", "averaged", "eta", "0.3"),
            Map.of("predict", "last", "survival.start", "0"),
            Map.of("window.ms", "70"),
            Map.of("window.ms", "1000"),
            Map.of("bias", "false"),
            Map.of("bias", "true"));

    private static final List<Map<String, String>> KERNEL_CHANGES = List.of(
            Map.of("scale", "standard"),
            Map.of("scale", "unit-norm"),
            Map.of("predict", "averaged", "eta", "0.3"),
            Map.of("predict", "voted", "h", "1"),
            Map.of("predict", "last", "survival.start", "0"),
            Map.of("budget", "0"),
            Map.of("budget", "20", "budget.policy", "smallest"),
            Map.of("budget", "30", "budget.policy", "random", "seed", "5"),
            Map.of("budget", "25", "budget.policy", "oldest"));

    private final Observed observed = new Observed();
    private long examplesInClosedWindows;

    @SeededTest
    void shouldNotShowThatItWasRestored(long seed) {
        checkAgainstRestored(seed, Map.of(), CHANGES);
    }

    @SeededTest
    void shouldNotShowThatItsSupportWasRestored(long seed) {
        checkAgainstRestored(seed, Map.of("kernel", "poly(c=1,k=2) + rbf(g=0.1)", "budget", "30"), KERNEL_CHANGES);
    }

    private void checkAgainstRestored(long seed, Map<String, String> settings, List<Map<String, String>> changes) {
        Random random = new Random(seed);
        Model original = new Model();
        Model restored = new Model();
        original.configure(settings);
        restored.configure(settings);
        original.listen(observed);
        restored.listen(observed);
        examplesInClosedWindows = 0;
        Map<List<Integer>, double[]> stored = new HashMap<>();
        long examplesOfThisEpoch = 0;
        long timestamp = 0;
        for (Sample sample : RandomStreams.noisy(random, 2000, 600, 12)) {
            int command = random.nextInt(100);
            command(original, command, changes);
            command(restored, command, changes);
            if (command == 99) {
                // the blocks of an older epoch are never read again
                stored.clear();
                examplesOfThisEpoch = 0;
                examplesInClosedWindows = 0;
                observed.closed();
                observed.closed();
            }
            boolean isLabelled = random.nextInt(4) > 0;
            // mostly ahead, sometimes back
            timestamp = Math.max(0, timestamp + random.nextInt(30) - 5);

            assertThat(process(restored, sample, isLabelled, timestamp))
                    .as("seed %d", seed)
                    .isEqualTo(process(original, sample, isLabelled, timestamp));

            examplesOfThisEpoch++;
            assertThat(original.totals().examples()).as("seed %d", seed).isEqualTo(examplesOfThisEpoch);
            assertThat(examplesInClosedWindows / 2 + original.window().counts().examples())
                    .as("seed %d: examples in windows", seed)
                    .isEqualTo(examplesOfThisEpoch);
            if (random.nextInt(8) == 0) {
                drain(restored, stored);
            }
            if (random.nextInt(30) == 0) {
                drain(restored, stored);
                restored = restore(restored, stored);
                restored.listen(observed);
            }
        }
        assertThat(bits(restored)).as("seed %d", seed).isEqualTo(bits(original));
    }

    private static void command(Model model, int command, List<Map<String, String>> changes) {
        // support vectors cannot be compared
        boolean isComparable = !changes.equals(KERNEL_CHANGES);
        if (command < changes.size()) {
            model.configure(changes.get(command));
        } else if (command == 96 && isComparable) {
            model.configure(Map.of("comparator", ""));
        } else if (command == 95 && isComparable) {
            model.configure(
                    Map.of("comparator", "" + (model.version() + model.totals().examples() % 3)));
        } else if (command == 97) {
            model.freeze(model.state() == ModelState.LIVE);
        } else if (command == 98) {
            model.countRerouted();
        } else if (command == 99) {
            model.reset();
        }
    }

    private List<Object> process(Model model, Sample sample, boolean isLabelled, long timestamp) {
        Example example = sample.example();
        if (!isLabelled) {
            example.setLabel(null);
        }
        List<Object> outcome = Bits.of(model.process(example, timestamp));
        CountingWindow.Closed closed = observed.closed();
        if (closed == null) {
            return outcome;
        }
        examplesInClosedWindows += closed.counts().examples();
        return List.of(outcome, closed.start(), closed.end(), Bits.of(closed.counts()), Bits.of(closed.totals()));
    }

    private static void drain(Model model, Map<List<Integer>, double[]> stored) {
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            int ofVector = vector;
            WrittenBlocks.drain(model.vector(vector), (number, block) -> {
                List<Integer> key = List.of(ofVector, number);
                if (block == null) {
                    stored.remove(key);
                } else {
                    stored.put(key, block.clone());
                }
            });
        }
    }

    private static Model restore(Model from, Map<List<Integer>, double[]> stored) {
        Model to = new Model();
        to.restore(
                from.state(),
                from.epoch(),
                from.rerouted(),
                Settings.DEFAULTS.with(from.givenSettings().toMap()),
                from.negativeLabel(),
                from.algorithm(),
                from.learner().state());
        StoredText.restore(
                StoredText.of(fields -> from.counts().exchange(fields, from.settings(), 0)),
                fields -> to.counts().exchange(fields, to.settings(), 0));
        stored.forEach((key, block) -> to.vector(key.get(0)).restore(key.get(1), block.clone()));
        return to;
    }

    private static List<Object> bits(Model model) {
        return List.of(
                Bits.of(model.learner()),
                Bits.of((BlockVector) model.vector(Model.STATISTICS)),
                Bits.of(model.totals()),
                model.state(),
                model.epoch(),
                model.rerouted(),
                model.settings());
    }
}
