package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Concept drift at a known example, through the whole topology. */
@ExtendWith(EngineExtension.class)
class DriftTest {
    private static final int CHANGE = 600;
    private static final int EXAMPLES = 1200;

    @TempDir
    Path dir;

    @ParameterizedTest
    @CsvSource({"ddm, none", "page-hinkley, reset", "adwin, reset", "ddm, shadow", "adwin, shadow"})
    void shouldGoOnTheSameAfterItsModelsWereReadBackFromTheStore(String detector, String action) {
        List<String> inMemory = outputs("memory", detector, action, Integer.MAX_VALUE);

        // often enough that detector, trial and shadow are read back many times
        assertThat(outputs("dropped", detector, action, 7)).isEqualTo(inMemory);
    }

    @Test
    void shouldAlertAndTellTheRates(EngineDriver engine) {
        run(engine, "adwin", "none", Integer.MAX_VALUE);

        GenericRecord alert = engine.events(Topic.ALERTS).get(0);
        assertThat(alert.get("kind")).hasToString("DRIFT");
        assertThat(alert.get("detector")).hasToString("adwin");
        // after the command, the first example is at offset 1
        assertThat((long) alert.get("offset")).isBetween((long) CHANGE, CHANGE + 100L);
        assertThat((double) alert.get("errorRateBefore")).isLessThan(0.2);
        assertThat((double) alert.get("errorRateAfter")).isGreaterThan(0.4);
        assertThat(alert.get("message").toString())
                .matches("the error rate has risen from 0\\.[01]\\d\\d to [01]\\.\\d{3}; the model continues .*");
    }

    @ParameterizedTest
    @CsvSource({"reset, DRIFT", "shadow, TAKEOVER"})
    void shouldTellThatTheModelIsANewOne(String action, String cause, EngineDriver engine) {
        run(engine, "adwin", action, Integer.MAX_VALUE);

        List<GenericRecord> statuses = engine.events(Topic.MODELS).stream()
                .filter(status -> status.get("cause").toString().equals(cause))
                .toList();
        assertThat(statuses).isNotEmpty();
        GenericRecord status = statuses.get(0);
        assertThat((long) status.get("offset")).isBetween((long) CHANGE, CHANGE + 300L);
        assertThat((long) status.get("epoch")).isEqualTo(1);
        // after the command, the first example is at offset 1
        assertThat(status.get("examples")).as("what was emitted counts on").isEqualTo(status.get("offset"));
        assertThat((long) ((GenericRecord) status.get("ofWeights")).get("examples"))
                .isLessThan(200);
        // every example has its prediction, also after a reset
        assertThat(engine.records(Topic.PREDICTIONS)).hasSize(EXAMPLES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"reset", "shadow"})
    void shouldKeepOneSetOfBlocksInTheEnd(String action, EngineDriver engine) {
        // a dense example of this size makes a block of weights
        run(engine, "adwin", action, Integer.MAX_VALUE, 64);

        Map<String, byte[]> present = new TreeMap<>();
        for (TestRecord<byte[], byte[]> record : engine.changelog()) {
            present.put(HexFormat.of().formatHex(record.key()), record.value());
        }
        present.values().removeIf(value -> value == null);
        // the header, and the one block of 64 features
        assertThat(present).hasSize(2);
    }

    private List<String> outputs(String name, String detector, String action, int dropEvery) {
        List<String> outputs = new ArrayList<>();
        try (EngineDriver engine = new EngineDriver(dir.resolve(name))) {
            run(engine, detector, action, dropEvery);
            for (Topic topic : Topic.values()) {
                for (TestRecord<byte[], byte[]> record : engine.records(topic)) {
                    outputs.add(topic + " " + HexFormat.of().formatHex(record.value()));
                }
            }
        }
        assertThat(outputs).anyMatch(output -> output.startsWith(Topic.ALERTS + " "));
        return outputs;
    }

    private static void run(EngineDriver engine, String detector, String action, int dropEvery) {
        run(engine, detector, action, dropEvery, 10);
    }

    private static void run(EngineDriver engine, String detector, String action, int dropEvery, int features) {
        String threshold = detector.equals("page-hinkley") ? "10" : "auto";
        engine.send(
                "m",
                "{\"action\":\"CONFIGURE\",\"settings\":{\"drift\":\"" + detector + "\",\"drift.action\":\"" + action
                        + "\",\"drift.threshold\":\"" + threshold
                        + "\",\"drift.window\":\"50\",\"predict\":\"averaged\",\"window.ms\":\"100\"}}",
                0);
        Random random = new Random(6);
        double[] hidden = random.doubles(features, -1, 1).toArray();
        for (int k = 0; k < EXAMPLES; k++) {
            double[] x = random.doubles(features, -1, 1).toArray();
            double score = 0;
            for (int i = 0; i < x.length; i++) {
                score += hidden[i] * x[i];
            }
            boolean isPositive = score > 0 ^ k >= CHANGE;
            engine.send(
                    "m",
                    "{\"id\":\"" + k + "\",\"label\":" + (isPositive ? 1 : -1) + ",\"features\":" + Arrays.toString(x)
                            + "}",
                    k);
            if (k % dropEvery == dropEvery - 1) {
                engine.reload();
            }
        }
    }
}
