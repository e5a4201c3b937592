package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.learner.WrittenBlocks;
import io.perceptronstreams.state.StoredText;
import io.perceptronstreams.weights.BlockVector;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A model with a drift detector that is stored and restored repeatedly, against one that is not. */
final class DriftRestoreTest {
    private static final List<Map<String, String>> CHANGES = List.of(
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

    @SeededTest
    void shouldNotShowThatItWasRestored(long seed) {
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
            command(original, command);
            command(restored, command);
            if (k % CONCEPT == CONCEPT / 2) {
                Map<String, String> watch = WATCHES.get(k / CONCEPT % WATCHES.size());
                original.configure(watch);
                restored.configure(watch);
            }
            boolean isLabelled = random.nextInt(10) > 0;

            assertThat(process(restored, sample, isLabelled))
                    .as("seed %d", seed)
                    .isEqualTo(process(original, sample, isLabelled));

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

    private static void command(Model model, int command) {
        if (command < CHANGES.size()) {
            model.configure(CHANGES.get(command));
        } else if (command < 14) {
            model.freeze(command == 7);
        } else if (command == 14) {
            model.reset();
        }
    }

    private static List<Object> process(Model model, Sample sample, boolean isLabelled) {
        Example example = sample.example();
        if (!isLabelled) {
            example.setLabel(null);
        }
        List<Object> outcome = Bits.of(model.use(example, 0, null, null));
        return List.of(outcome, String.valueOf(model.drift().alarm()));
    }

    private void drain(Model model) {
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            int ofVector = vector;
            WrittenBlocks.drain(
                    model.vector(vector),
                    (number, block) -> stored.put(new BlockKey(model.epoch(), ofVector, number), block.clone()));
        }
        if (model.drift().shadow() != null) {
            drain(model.drift().shadow());
        }
    }

    private Model restore(Model from) {
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
        Model shadow =
                from.drift().shadow() == null ? null : restore(from.drift().shadow());
        StoredText.restore(drift(from), fields -> to.drift().exchange(fields, from.epoch(), shadow));
        stored.forEach((key, block) -> {
            if (key.epoch == to.epoch()) {
                to.vector(key.vector).restore(key.number, block.clone());
            }
        });
        return to;
    }

    private static String drift(Model model) {
        return StoredText.of(fields ->
                model.drift().exchange(fields, model.epoch(), model.drift().shadow()));
    }

    private static List<Object> bits(Model model) {
        return List.of(
                Bits.of(model.learner()),
                Bits.of((BlockVector) model.vector(Model.STATISTICS)),
                Bits.of(model.totals()),
                model.state(),
                model.epoch(),
                drift(model),
                model.drift().shadow() == null ? "" : bits(model.drift().shadow()));
    }
}
