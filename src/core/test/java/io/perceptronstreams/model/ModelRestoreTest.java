package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.WrittenBlocks;
import io.perceptronstreams.settings.LearnedException;
import io.perceptronstreams.settings.Settings;
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

    private static final List<Map<String, String>> DRIFT_CHANGES = List.of(
            Map.of("scale", "standard"),
            Map.of("scale", "none"),
            Map.of("h", "0.1"),
            Map.of("drift.action", "none"),
            Map.of("drift", "none"),
            Map.of("drift.window", "20"),
            Map.of("drift.window", "60"));

    // One after the other, in the middle of each concept.
    private static final List<Map<String, String>> WATCHES = List.of(
            Map.of("drift", "ddm", "drift.threshold", "auto", "drift.action", "shadow"),
            Map.of("drift", "adwin", "drift.threshold", "auto", "drift.action", "shadow"),
            Map.of("drift", "page-hinkley", "drift.threshold", "10", "drift.action", "reset"),
            Map.of("drift", "ddm", "drift.threshold", "2", "drift.action", "reset"),
            Map.of("drift", "page-hinkley", "drift.threshold", "20", "drift.action", "shadow"),
            Map.of("drift", "adwin", "drift.threshold", "auto", "drift.action", "reset"));
    private static final int CONCEPT = 400;

    private record BlockKey(long epoch, int vector, int number) {}

    private final Map<BlockKey, double[]> stored = new HashMap<>();
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
        stored.clear();
        long examplesOfThisEpoch = 0;
        long timestamp = 0;
        for (Sample sample : RandomStreams.noisy(random, 2000, 600, 12)) {
            int command = random.nextInt(100);
            command(original, command, changes);
            command(restored, command, changes);
            if (command == 99) {
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
            assertThat(original.counts().totals().examples())
                    .as("seed %d", seed)
                    .isEqualTo(examplesOfThisEpoch);
            assertThat(examplesInClosedWindows / 2
                            + original.counts().window().counts().examples())
                    .as("seed %d: examples in windows", seed)
                    .isEqualTo(examplesOfThisEpoch);
            if (random.nextInt(8) == 0) {
                drain(restored);
            }
            if (random.nextInt(30) == 0) {
                drain(restored);
                restored = restore(restored);
                restored.listen(observed);
            }
        }
        assertThat(bits(restored)).as("seed %d", seed).isEqualTo(bits(original));
    }

    private static void command(Model model, int command, List<Map<String, String>> changes) {
        // support vectors cannot be compared
        boolean isComparable = !changes.equals(KERNEL_CHANGES);
        if (command < changes.size()) {
            configure(model, changes.get(command));
        } else if (command == 96 && isComparable) {
            model.configure(Map.of("comparator", ""));
        } else if (command == 95 && isComparable) {
            model.configure(Map.of(
                    "comparator",
                    "" + (model.current().version() + model.counts().totals().examples() % 3)));
        } else if (command == 97) {
            model.freeze(model.state() == ModelState.LIVE);
        } else if (command == 98) {
            model.publications().countRerouted();
        } else if (command == 99) {
            model.reset(Map.of());
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

    @SeededTest
    void shouldNotShowThatItsDriftMonitorAndShadowWereRestored(long seed) {
        Random random = new Random(seed);
        Model original = new Model();
        Model restored = new Model();
        Observed ofOriginal = Observed.of(original);
        Observed ofRestored = Observed.of(restored);
        original.configure(Map.of("predict", "averaged"));
        restored.configure(Map.of("predict", "averaged"));
        Map<StatusCause, Integer> adaptations = new HashMap<>();
        List<Sample> samples = DriftStreams.changing(random, 24, CONCEPT, 10, 20);
        for (int k = 0; k < samples.size(); k++) {
            Sample sample = samples.get(k);
            int command = random.nextInt(2000);
            driftCommand(original, command);
            driftCommand(restored, command);
            if (k % CONCEPT == CONCEPT / 2) {
                Map<String, String> watch = WATCHES.get(k / CONCEPT % WATCHES.size());
                original.configure(watch);
                restored.configure(watch);
            }
            boolean isLabelled = random.nextInt(10) > 0;

            assertThat(use(restored, sample, isLabelled))
                    .as("seed %d", seed)
                    .isEqualTo(use(original, sample, isLabelled));

            StatusCause adaptation = original.adapt();
            adaptations.merge(adaptation, 1, Integer::sum);
            assertThat(restored.adapt()).isEqualTo(adaptation);
            assertThat(drift(restored)).isEqualTo(drift(original));
            assertThat(ofRestored.takeEnded()).isEqualTo(ofOriginal.takeEnded());
            if (random.nextInt(10) == 0) {
                drain(restored);
                restored = restore(restored);
                restored.listen(ofRestored);
                assertThat(bits(restored)).as("seed %d", seed).isEqualTo(bits(original));
            }
        }
        assertThat(adaptations).containsKeys(StatusCause.DRIFT, StatusCause.TAKEOVER);
    }

    private static void configure(Model model, Map<String, String> changes) {
        try {
            model.configure(changes);
        } catch (LearnedException e) {
            // scale of a model that has learned: refused by both
        }
    }

    private static void driftCommand(Model model, int command) {
        if (command < DRIFT_CHANGES.size()) {
            configure(model, DRIFT_CHANGES.get(command));
        } else if (command < 14) {
            model.freeze(command == 7);
        } else if (command == 14) {
            model.reset(Map.of());
        }
    }

    private static List<Object> use(Model model, Sample sample, boolean isLabelled) {
        Example example = sample.example();
        if (!isLabelled) {
            example.setLabel(null);
        }
        List<Object> outcome = Bits.of(model.use(example, 0, null, null));
        return List.of(outcome, String.valueOf(model.drift().alarm()));
    }

    private void drain(Model model) {
        for (int vector = Pipeline.STATISTICS; vector < model.pipeline().vectors(); vector++) {
            int ofVector = vector;
            WrittenBlocks.drain(model.pipeline().vector(vector), (number, block) -> {
                BlockKey key = new BlockKey(model.current().epoch(), ofVector, number);
                if (block == null) {
                    stored.remove(key);
                } else {
                    stored.put(key, block.clone());
                }
            });
        }
        model.challengers().all().forEach(each -> drain(new Model(each.model())));
    }

    private Model restore(Model from) {
        Model to = new Model();
        to.restore(
                EpochModel.restored(
                        from.current().epoch(),
                        Settings.DEFAULTS.with(from.pipeline().given().toMap()),
                        from.pipeline().negative(),
                        from.pipeline().algorithm(),
                        from.pipeline().learner().state()),
                from.state());
        StoredText.restore(
                StoredText.of(fields -> from.publications().exchange(fields, 0)),
                fields -> to.publications().exchange(fields, 0));
        StoredText.restore(
                StoredText.of(
                        fields -> from.counts().exchange(fields, from.pipeline().settings(), 0, true)),
                fields -> to.counts().exchange(fields, to.pipeline().settings(), 0, true));
        StoredText.restore(
                StoredText.of(fields ->
                        from.counts().exchangeEmitted(fields, from.pipeline().settings(), true)),
                fields -> to.counts().exchangeEmitted(fields, to.pipeline().settings(), true));
        StoredText.restore(
                drift(from),
                fields -> to.drift().exchange(fields, from.current().epoch()));
        for (Challenger each : from.challengers().all()) {
            Challenger restored = new Challenger(
                    each.name(), restore(new Model(each.model())).current(), each.since(), each.options(), 0);
            StoredText.restore(StoredText.of(each::exchange), restored::exchange);
            to.challengers().restore(restored);
        }
        stored.forEach((key, block) -> {
            if (key.epoch == to.current().epoch()) {
                to.pipeline().vector(key.vector).restore(key.number, block.clone());
            }
        });
        return to;
    }

    private static String drift(Model model) {
        return StoredText.of(
                fields -> model.drift().exchange(fields, model.current().epoch()));
    }

    private static List<Object> bits(Model model) {
        return List.of(
                Bits.of(model.pipeline().learner()),
                Bits.of((BlockVector) model.pipeline().vector(Pipeline.STATISTICS)),
                Bits.of(model.counts().totals()),
                model.state(),
                model.current().epoch(),
                model.publications().rerouted(),
                model.pipeline().settings(),
                drift(model),
                model.challengers().all().stream()
                        .map(each -> List.of(
                                each.name(),
                                each.options(),
                                StoredText.of(each::exchange),
                                bits(new Model(each.model()))))
                        .toList());
    }
}
