package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.topology.UndoableStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A task that is killed at any write, and goes on from what is left, has the models of one that is not. */
final class LearnKillTest {
    private static final int INPUTS = 3_000;

    private static final List<Map<String, String>> SETTINGS = List.of(
            Map.of("algorithm", "pa-i", "scale", "standard", "await.labels.ms", "60", "await.examples.ms", "40"),
            Map.of("algorithm", "sgd", "drift", "adwin", "drift.action", "reset", "drift.delta", "0.3"),
            Map.of("portfolio", "true", "labels", "no,yes", "await.labels.ms", "50", "label.default", "no"),
            Map.of("algorithm", "kernel", "kernel", "rbf(g=0.5)", "budget", "20", "dedupe.last", "15"),
            Map.of("algorithm", "adaptive", "class.weights", "balanced"));

    private record Input(String model, long timestamp, LearnInput value) {}

    /** A store in transactions: what was not committed is gone, inputs and results. */
    @SeededTest
    void shouldGoOnAsIfItHadNotBeenKilled(long seed) {
        Random random = new Random(seed);
        for (Map<String, String> settings : SETTINGS) {
            List<Input> inputs = inputs(random, settings.containsKey("labels"));
            List<String> expected = new ArrayList<>();
            LearnModels whole = LearningApplication.models(new UndoableStore(), settings);
            inputs.forEach(each -> learn(whole, each, expected));

            UndoableStore store = new UndoableStore();
            List<String> actual = new ArrayList<>();
            int kills = 0;
            int committed = 0;
            while (committed < inputs.size()) {
                List<String> uncommitted = new ArrayList<>();
                LearnModels life = models(store, settings, true, random);
                store.killAfterWrites(random.nextInt(100));
                try {
                    for (int k = committed; k < inputs.size(); k++) {
                        learn(life, inputs.get(k), uncommitted);
                        if (random.nextInt(300) == 0) {
                            life.checkpoint();
                        }
                        if (random.nextInt(20) == 0 || k == inputs.size() - 1) {
                            life.commit();
                            store.commit();
                            committed = k + 1;
                            actual.addAll(uncommitted);
                            uncommitted.clear();
                        }
                    }
                } catch (UndoableStore.Killed e) {
                    kills++;
                }
                store.abort();
            }

            assertThat(kills).isPositive();
            assertThat(actual).as("seed %d, %s", seed, settings).isEqualTo(expected);
            requireEqual(store, whole, seed, settings);
        }
    }

    /** Without transactions the writes up to any one are there, and inputs that came twice are learned twice. */
    @SeededTest
    void shouldHaveLearnedWholeInputsWithoutTransactions(long seed) {
        Random random = new Random(seed);
        // others write models early, in a new epoch: then they have inputs that come again
        for (Map<String, String> settings : List.of(SETTINGS.get(0), SETTINGS.get(3))) {
            List<Input> inputs = inputs(random, settings.containsKey("labels"));
            List<Input> learned = new ArrayList<>();
            UndoableStore store = new UndoableStore();
            int kills = 0;
            int committed = 0;
            int written = 0;
            // of the last life: the number of its first input, and of inputs before it
            long start = 0;
            int before = 0;
            while (committed < inputs.size()) {
                store.killAfterWrites(random.nextInt(100));
                try {
                    LearnModels life = new LearnModels(
                            new LearnStore(store, 0, false),
                            Settings.DEFAULTS.with(settings),
                            new StoreCounters(),
                            Long.MAX_VALUE);
                    // of inputs that were not committed some may be there
                    int count = before + (int) Math.max(0, life.replayed() - start);
                    assertThat(count).isBetween(written, learned.size());
                    learned.subList(count, learned.size()).clear();
                    start = life.inputs();
                    before = count;
                    for (int k = committed; k < inputs.size(); k++) {
                        learned.add(inputs.get(k));
                        learn(life, inputs.get(k), new ArrayList<>());
                        if (random.nextInt(300) == 0) {
                            life.checkpoint();
                        }
                        if (random.nextInt(20) == 0 || k == inputs.size() - 1) {
                            life.commit();
                            committed = k + 1;
                            written = learned.size();
                        }
                    }
                } catch (UndoableStore.Killed e) {
                    kills++;
                }
                store.commit();
                store.abort();
            }

            assertThat(kills).isPositive();
            LearnModels whole = LearningApplication.models(new UndoableStore(), settings);
            learned.forEach(each -> learn(whole, each, new ArrayList<>()));
            requireEqual(store, whole, seed, settings);
        }
    }

    /**
     * Models that were dropped from memory before a crash without transactions have inputs that are in no journal; they
     * are whole, and miss none that comes again.
     */
    @SeededTest
    void shouldMissNoInputInModelsThatWereWrittenEarly(long seed) {
        Random random = new Random(seed);
        for (Map<String, String> settings : SETTINGS) {
            List<Input> inputs = inputs(random, settings.containsKey("labels"));
            UndoableStore store = new UndoableStore();
            int committed = 0;
            while (committed < inputs.size()) {
                store.killAfterWrites(random.nextInt(300));
                try {
                    LearnModels life = models(store, settings, false, random);
                    for (int k = committed; k < inputs.size(); k++) {
                        learn(life, inputs.get(k), new ArrayList<>());
                        if (random.nextInt(20) == 0 || k == inputs.size() - 1) {
                            life.commit();
                            committed = k + 1;
                        }
                    }
                } catch (UndoableStore.Killed e) {
                    // goes on
                }
                store.commit();
                store.abort();
            }
            LearnModels whole = LearningApplication.models(new UndoableStore(), settings);
            for (Input each : inputs) {
                learn(whole, each, new ArrayList<>());
            }
            for (String name : List.of("m0", "m1", "m2")) {
                Model model = LearnModels.copy(store, name);
                assertThat(model.state()).isEqualTo(ModelState.LIVE);
                if (!settings.containsKey("dedupe.last") && !settings.containsKey("await.labels.ms")) {
                    assertThat(model.counts().totals().examples())
                            .as("seed %d, %s, %s", seed, settings, name)
                            .isGreaterThanOrEqualTo(
                                    whole.model(name).counts().totals().examples());
                }
            }
        }
    }

    /** In some lives models are dropped from memory and loaded again all the time. */
    private static LearnModels models(
            UndoableStore store, Map<String, String> settings, boolean isTransactional, Random random) {
        return new LearnModels(
                new LearnStore(store, 0, isTransactional),
                Settings.DEFAULTS.with(settings),
                new StoreCounters(),
                random.nextBoolean() ? 0 : Long.MAX_VALUE);
    }

    private static void requireEqual(UndoableStore store, LearnModels whole, long seed, Map<String, String> settings) {
        for (String name : List.of("m0", "m1", "m2")) {
            assertThat(OnlineModel.toBytes(LearnModels.copy(store, name)))
                    .as("seed %d, %s, %s", seed, settings, name)
                    .isEqualTo(OnlineModel.toBytes(whole.model(name)));
        }
    }

    private static void learn(LearnModels models, Input input, List<String> results) {
        try {
            models.learn(
                    input.model().getBytes(StandardCharsets.UTF_8),
                    input.timestamp(),
                    input.value(),
                    result -> results.add(result.toString()));
        } catch (RejectedException e) {
            results.add(e.reason() + " " + e.getMessage());
        }
    }

    private static List<Input> inputs(Random random, boolean isNamed) {
        List<Input> inputs = new ArrayList<>();
        long time = 1_000;
        for (int n = 0; n < INPUTS; n++) {
            time += random.nextInt(8);
            String id = "e" + (n - random.nextInt(20));
            boolean isYes = random.nextBoolean();
            String name = "m" + random.nextInt(3);
            if (random.nextInt(4) == 0) {
                inputs.add(new Input(
                        name,
                        time,
                        isNamed ? LearnLabel.of(id, isYes ? "yes" : "no") : LearnLabel.of(id, isYes ? 1 : -1)));
                continue;
            }
            LearnExample example = LearnExample.of(id)
                    .feature("x", random.nextGaussian() + (isYes ? 1 : -1))
                    .feature("y" + random.nextInt(50), n % 3);
            if (random.nextInt(3) > 0) {
                example = isNamed ? example.label(isYes ? "yes" : "no") : example.label(isYes ? 1 : -1);
            }
            inputs.add(new Input(name, time, example));
        }
        return inputs;
    }
}
