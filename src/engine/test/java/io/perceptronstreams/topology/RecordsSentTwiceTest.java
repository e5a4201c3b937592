package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.io.TempDir;

/**
 * Examples and labels that a producer sends twice change nothing; {@code -Dtwice.records=200000} for the full length.
 */
class RecordsSentTwiceTest {
    private static final int RECORDS = Integer.getInteger("twice.records", 4_000);

    private static final String SETTINGS = "{\"action\":\"CONFIGURE\",\"settings\":{\"algorithm\":\"perceptron\","
            + "\"dedupe.last\":\"100000\",\"await.labels.ms\":\"500\",\"await.examples.ms\":\"500\",\"window.ms\":\"1000\"}}";

    @TempDir
    Path dir;

    private record Sent(String json, long time) {}

    @SeededTest
    void shouldGiveTheOutputOfTheStreamWithoutThem(long seed) {
        Random random = new Random(seed);
        try (EngineDriver once = new EngineDriver(dir.resolve("once"));
                EngineDriver twice = new EngineDriver(dir.resolve("twice"))) {
            once.send("m", SETTINGS, 0);
            twice.send("m", SETTINGS, 0);
            List<Sent> sent = new ArrayList<>();
            Deque<String> labels = new ArrayDeque<>();
            int doubles = 0;
            for (int k = 0; k < RECORDS; k++) {
                Sent next = new Sent(next(random, k, labels), 3L * k);
                sent.add(next);
                once.send("m", next.json(), next.time());
                twice.send("m", next.json(), next.time());
                if (random.nextInt(10) == 0) {
                    Sent again = sent.get(Math.max(0, k - random.nextInt(50)));
                    twice.send("m", again.json(), again.time());
                    doubles++;
                }
                if (k % 1_000 == 999) {
                    assertSame(once, twice);
                }
                if (random.nextInt(1_000) == 0) {
                    twice.reload();
                }
            }
            assertSame(once, twice);
            assertThat(once.reasons()).isEmpty();
            assertThat(twice.reasons()).hasSize(doubles).containsOnly("DUPLICATE_EXAMPLE", "DUPLICATE_LABEL");
        }
    }

    /** An example with its label, one without, or the label of one before or of the next one. */
    private static String next(Random random, int number, Deque<String> labels) {
        if (!labels.isEmpty() && random.nextInt(3) == 0) {
            return labels.remove();
        }
        double x = random.nextGaussian();
        int label = x > 0.1 ? 1 : -1;
        boolean isLabelled = random.nextInt(3) == 0;
        // some labels never come; those that come are early enough
        if (!isLabelled && random.nextInt(4) > 0 && labels.size() < 20) {
            labels.add("{\"exampleId\":\"" + number + "\",\"label\":" + label + "}");
        }
        return "{\"id\":\"" + number + "\"," + (isLabelled ? "\"label\":" + label + "," : "") + "\"features\":[" + x
                + "]}";
    }

    private static void assertSame(EngineDriver once, EngineDriver twice) {
        for (Topic topic :
                List.of(Topic.PREDICTIONS, Topic.MISTAKES, Topic.COUNTS, Topic.MODELS, Topic.WEIGHTS, Topic.ALERTS)) {
            assertThat(texts(twice, topic)).as("%s", topic).isEqualTo(texts(once, topic));
        }
    }

    /** All fields but places in the log and the number of refused examples. */
    private static List<String> texts(EngineDriver engine, Topic topic) {
        return engine.records(topic).stream()
                .map(record -> {
                    GenericRecord event = engine.decode(record.value());
                    StringBuilder text = new StringBuilder().append(record.timestamp());
                    for (Schema.Field field : event.getSchema().getFields()) {
                        if (!List.of("offset", "duplicates").contains(field.name())) {
                            text.append(' ').append(field.name()).append('=').append(event.get(field.pos()));
                        }
                    }
                    return text.toString();
                })
                .toList();
    }
}
