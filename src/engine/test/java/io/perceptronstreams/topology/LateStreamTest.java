package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stream of which 30 % of the labels come late, 5 % never, 5 % before their example, and 5 % of the examples twice,
 * against {@link ReferenceEngine}, with and without kills; {@code -Dlate.examples=200000} for the full length.
 */
class LateStreamTest {
    private static final int EXAMPLES = Integer.getInteger("late.examples", 2_000);
    private static final int STEP_MS = 10;
    private static final int MAX_DELAY = 200;

    private static final List<String> MODELS = List.of("linear", "averaged", "classes");

    @TempDir
    Path dir;

    /** By place in the stream; several at one place follow each other. */
    private final TreeMap<Integer, List<String[]>> schedule = new TreeMap<>();

    private int late;
    private int never;
    private int early;
    private int twice;

    @SeededTest
    void shouldEqualTheReferenceWithoutKills(long seed) {
        compare(seed, 0);
    }

    @SeededTest
    void shouldNotNoticeKills(long seed) {
        compare(seed, 50);
    }

    private void compare(long seed, int maxKills) {
        Random random = new Random(seed);
        try (KillableTask task = new KillableTask(dir, Map.of("store.heap.bytes", "300000"), 1, any -> any)) {
            configure(task);
            schedule(random);
            schedule.forEach((place, all) -> all.forEach(each -> task.add(
                    (long) place * STEP_MS, BadRecord.utf8(each[0]), BadRecord.utf8(each[1]), new RecordHeaders())));
            int kills = run(task, maxKills, random);
            assertThat(kills).isBetween(Math.min(maxKills, 5), maxKills);

            ReferenceEngine reference = ReferenceEngine.compare(task);
            checkCounts(task, reference.models());
            System.out.printf(
                    "LateStreamTest, seed %d: %d examples, %d labels late, %d never, %d early, %d examples twice, %d outputs,"
                            + " %d kills, %d records replayed%n",
                    seed, EXAMPLES, late, never, early, twice, task.committed.size(), kills, task.replayed);
        }
    }

    /** Totals that follow from the stream alone. */
    private void checkCounts(KillableTask task, Map<String, Model> models) {
        assertThat(task.committed(Topic.PREDICTIONS)).hasSize(EXAMPLES);
        assertThat(task.committed(Topic.DEAD_LETTERS)).hasSize(twice);
        assertThat(total(models, Counter.DUPLICATES)).isEqualTo(twice);
        assertThat(total(models, Counter.UNLABELLED)).isEqualTo(never);
        assertThat(total(models, Counter.LABELLED)).isEqualTo(EXAMPLES - never);
        assertThat(late).isBetween(EXAMPLES / 4, EXAMPLES / 3);
        assertThat(Math.min(never, Math.min(early, twice))).isGreaterThan(EXAMPLES / 30);
    }

    private static long total(Map<String, Model> models, Counter counter) {
        return models.values().stream()
                .mapToLong(model -> model.counts().totals().of(counter))
                .sum();
    }

    private static int run(KillableTask task, int maxKills, Random random) {
        int kills = 0;
        task.start();
        while (!task.isAtEnd()) {
            boolean mayBeKilled = kills < maxKills;
            int steps = mayBeKilled ? 1 + random.nextInt(2 * task.records.size() / maxKills) : Integer.MAX_VALUE;
            KillReplayTest.untilKilled(() -> live(task, steps, mayBeKilled, random));
            if (!task.isAtEnd()) {
                task.kill();
                kills++;
                task.start();
            }
        }
        task.checkpoint();
        task.commit();
        return kills;
    }

    private static void live(KillableTask task, int steps, boolean mayBeKilled, Random random) {
        for (int left = steps; left > 0 && !task.isAtEnd(); left--) {
            if (mayBeKilled && random.nextInt(500) == 0) {
                task.store.killAfterWrites(random.nextInt(40));
            }
            task.step();
            int chance = random.nextInt(300);
            if (chance < 2) {
                task.checkpoint();
            }
            task.store.killAfterWrites(-1);
            if (chance < 15) {
                task.commit();
            }
        }
    }

    private static void configure(KillableTask task) {
        for (String model : MODELS) {
            String algorithm = switch (model) {
                case "linear" -> "\"algorithm\":\"pa-i\"";
                case "averaged" -> "\"algorithm\":\"perceptron\",\"predict\":\"averaged\"";
                default -> "\"algorithm\":\"multiclass\"";
            };
            String command = "{\"action\":\"CONFIGURE\",\"settings\":{" + algorithm
                    + ",\"await.labels.ms\":\"5000\",\"await.examples.ms\":\"5000\",\"dedupe.last\":\"1000\","
                    + "\"window.ms\":\"1000\"}}";
            task.add(0, BadRecord.utf8(model), BadRecord.utf8(command), new RecordHeaders());
        }
    }

    private void schedule(Random random) {
        for (int k = 1; k <= EXAMPLES; k++) {
            String model = MODELS.get(random.nextInt(MODELS.size()));
            double x = random.nextGaussian();
            double y = random.nextGaussian();
            String label = label(model, x - y + 0.3 * random.nextGaussian());
            String start = "{\"id\":\"" + k + "\",";
            String features = "\"features\":{\"x\":" + x + ",\"y\":" + y + ",\"w" + random.nextInt(300) + "\":1}}";
            String alone = "{\"exampleId\":\"" + k + "\",\"label\":" + label + "}";
            int other = k + 1 + random.nextInt(MAX_DELAY);
            int kind = random.nextInt(100);
            if (kind < 30) {
                late++;
                add(k, model, start + features);
                add(other, model, alone);
            } else if (kind < 35) {
                never++;
                add(k, model, start + features);
            } else if (kind < 40) {
                early++;
                add(k, model, alone);
                add(other, model, start + features);
            } else {
                add(k, model, start + "\"label\":" + label + "," + features);
                if (kind < 45) {
                    twice++;
                    add(other, model, start + "\"label\":" + label + "," + features);
                }
            }
        }
        // time goes on until nothing waits any more
        int end = EXAMPLES + MAX_DELAY + 5_000 / STEP_MS + 1;
        MODELS.forEach(model -> add(end, model, "{\"action\":\"TICK\"}"));
    }

    private static String label(String model, double value) {
        if (!model.equals("classes")) {
            return value > 0 ? "1" : "-1";
        }
        return value > 0.5 ? "\"high\"" : value > -0.5 ? "\"middle\"" : "\"low\"";
    }

    private void add(int place, String model, String json) {
        schedule.computeIfAbsent(place, any -> new ArrayList<>()).add(new String[] {model, json});
    }
}
