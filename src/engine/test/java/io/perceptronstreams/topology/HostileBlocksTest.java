package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.serde.Topic;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stored blocks of every learner with faults: the model is quarantined, or learns on with what is there, and never
 * stops the engine; after a RESET it learns.
 */
class HostileBlocksTest {
    private static final int EXAMPLES = 150;
    private static final int ROUNDS = 25;

    @TempDir
    Path dir;

    @SeededTest
    void shouldOutliveThem(long seed) {
        Random random = new Random(seed);
        int quarantined = 0;
        for (int k = 0; k < HostileImports.SETTINGS.size(); k++) {
            String settings = HostileImports.SETTINGS.get(k);
            try (KillableTask task = new KillableTask(dir.resolve("" + k), Map.of(), 1, any -> any)) {
                task.add("m", "{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}");
                for (int n = 0; n < EXAMPLES; n++) {
                    task.add("m", HostileImports.example(settings, random));
                }
                task.start();
                task.stepToEnd();
                task.checkpoint();
                task.commit();
                for (int round = 0; round < ROUNDS; round++) {
                    quarantined += round(task, settings, random) ? 1 : 0;
                }
            }
        }
        System.out.println("HostileBlocksTest, seed " + seed + ": " + quarantined + " of "
                + ROUNDS * HostileImports.SETTINGS.size() + " models quarantined");
        assertThat(quarantined).isPositive();
    }

    /** Restarts with a fault, uses the model, and takes all of it back; returns whether it was quarantined. */
    private static boolean round(KillableTask task, String settings, Random random) {
        task.kill();
        Map<Bytes, byte[]> before = Map.copyOf(task.store.entries());
        spoil(task, random);
        int size = task.records.size();
        for (String json : List.of(
                HostileImports.example(settings, random),
                "{\"action\":\"SNAPSHOT\"}",
                HostileImports.example(settings, random),
                "{\"action\":\"FREEZE\"}",
                "{\"action\":\"THAW\"}",
                "{\"action\":\"RESET\"}",
                HostileImports.example(settings, random))) {
            task.add("m", json);
        }
        int sent = task.committed.size();
        long offset = task.committedOffset;
        task.start();
        task.stepToEnd();
        task.checkpoint();
        task.commit();
        List<KillableTask.Output> outputs = task.committed.subList(sent, task.committed.size());
        assertThat(outputs.get(outputs.size() - 1).topic()).isNotEqualTo(Topic.DEAD_LETTERS);
        assertThat(outputs).as("after the reset").anyMatch(each -> each.topic() == Topic.PREDICTIONS);
        boolean isQuarantined = outputs.stream()
                .anyMatch(each -> "MODEL_QUARANTINED".equals(each.record().header("perceptron-reason")));
        task.committed.subList(sent, task.committed.size()).clear();
        task.records.subList(size, task.records.size()).clear();
        task.committedOffset = offset;
        task.store.entries().clear();
        task.store.entries().putAll(before);
        return isQuarantined;
    }

    private static void spoil(KillableTask task, Random random) {
        List<Bytes> blocks = new ArrayList<>();
        for (Bytes key : task.store.entries().keySet()) {
            byte[] bytes = key.get();
            boolean isBlock = bytes.length == "m".length() + 1 + Long.BYTES + 2 * Integer.BYTES
                    && ByteBuffer.wrap(bytes).getInt(bytes.length - 2 * Integer.BYTES) < 100;
            if (isBlock && bytes[0] == 'm') {
                blocks.add(key);
            }
        }
        for (int faults = random.nextInt(4); faults > 0 && !blocks.isEmpty(); faults--) {
            Bytes key = blocks.get(random.nextInt(blocks.size()));
            byte[] value = task.store.get(key).clone();
            switch (random.nextInt(5)) {
                case 0 -> value = Arrays.copyOf(value, random.nextInt(value.length + 1));
                case 1 -> value = Arrays.copyOf(value, value.length + random.nextInt(100));
                case 2 -> random.nextBytes(value);
                case 3 -> value = task.store.get(blocks.get(random.nextInt(blocks.size())));
                default -> {
                    for (int k = random.nextInt(8); k > 0 && value.length > 0; k--) {
                        value[random.nextInt(value.length)] ^= (byte) (1 << random.nextInt(8));
                    }
                }
            }
            task.store.entries().put(key, value);
        }
    }
}
