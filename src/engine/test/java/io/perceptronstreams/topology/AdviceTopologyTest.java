package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Advice, through the whole topology. */
class AdviceTopologyTest {
    @TempDir
    Path dir;

    @Test
    void shouldAlertOnceWithTheCommandThatHelps() {
        List<GenericRecord> alerts = alerts("memory", Map.of());

        assertThat(alerts).hasSize(1);
        GenericRecord alert = alerts.get(0);
        assertThat(alert.get("kind")).hasToString("ADVICE");
        assertThat(alert.get("advice")).hasToString("SCALE");
        assertThat(alert.get("command"))
                .hasToString(
                        "perceptron models reset m algorithm=sgd rate=adagrad scale=standard implicit=true stacked=true");
        assertThat(alert.get("message"))
                .hasToString(
                        "feature 1 has a mean size of 500, feature 0 only of 0.0100, and without scaling the larger"
                                + " one decides (perceptron models reset m algorithm=sgd rate=adagrad scale=standard"
                                + " implicit=true stacked=true; whether it would have helped: perceptron what-if m --set algorithm=sgd"
                                + " --set rate=adagrad --set scale=standard --set implicit=true --set stacked=true)");
        // sizes are observed from the 65th to the 128th example of the epoch, which begins after the 100th of every
        // second record
        assertThat(alert.get("offset")).isEqualTo(2 * (100L + 128));
        assertThat(alert.get("detector")).isNull();
    }

    // With a heap of 1 byte every model is written and read back after each record.
    @Test
    void shouldKeepItsStateInTheStore() {
        assertThat(alerts("dropped", Map.of("store.heap.bytes", "1"))).isEqualTo(alerts("memory", Map.of()));
    }

    /** 649 instead of 159 errors of 1,500, without a word. */
    @Test
    void shouldNameAFeatureThatIsSentAsText() {
        try (EngineDriver engine = new EngineDriver(dir.resolve("texts"))) {
            for (int k = 0; k < 40; k++) {
                engine.send(
                        "codes",
                        "{\"label\":1,\"features\":{\"hour\":\"17\",\"version\":\"1.2.3\",\"zip\":\"01.5\"}}",
                        k);
                engine.send("m", "{\"label\":1,\"features\":{\"hour\":\"17\",\"a\":\"0." + k + "\"}}", k);
            }
            List<GenericRecord> alerts = engine.events(Topic.ALERTS);
            assertThat(alerts).hasSize(1);
            assertThat(alerts.get(0).get("advice")).hasToString("NUMBER_TEXTS");
            assertThat(alerts.get(0).get("command")).isNull();
            assertThat(alerts.get(0).get("message"))
                    .hasToString(
                            "feature 'a' is sent as text, such as \"0.15\", and each text is a feature of its own (send"
                                    + " the number without quotes)");
            engine.reload();
            engine.send("m", "{\"label\":1,\"features\":{\"a\":\"0.5\"}}", 50);
        }
    }

    /** Writers that quote 64-bit integers: 566 errors of 1,200 instead of 78, and no advice but to average. */
    @Test
    void shouldNameFeaturesWhoseWholeNumbersAreTexts() {
        try (EngineDriver engine = new EngineDriver(dir.resolve("whole"))) {
            Random random = new Random(3);
            for (int k = 0; k < 300; k++) {
                int fare = random.nextInt(10_000);
                engine.send(
                        "m",
                        "{\"label\":" + (fare > 5_000 ? 1 : -1) + ",\"features\":{\"hour\":\"" + k % 24
                                + "\",\"fare\":\"" + fare + "\"}}",
                        k);
            }
            assertThat(engine.events(Topic.ALERTS))
                    .filteredOn(alert -> "NUMBER_TEXTS".equals(String.valueOf(alert.get("advice"))))
                    .singleElement()
                    .satisfies(alert -> assertThat(alert.get("message").toString())
                            .startsWith("feature 'fare' is sent as text, such as \"")
                            .endsWith("(send numbers without quotes; codes and ids are right as texts)"));
        }
    }

    private List<GenericRecord> alerts(String folder, Map<String, String> settings) {
        // no better than the most frequent label: a good model is not advised a reset
        Random random = new Random(5);
        try (EngineDriver engine = new EngineDriver(dir.resolve(folder), settings, 1)) {
            for (int k = 0; k < 500; k++) {
                if (k == 100 || k == 300) {
                    engine.send("m", "{\"action\":\"RESET\"}", k);
                } else {
                    int sign = random.nextBoolean() ? 1 : -1;
                    int label = random.nextInt(3) == 0 ? -sign : sign;
                    engine.send("m", "{\"label\":" + label + ",\"features\":[" + 0.01 * sign + ",500]}", k);
                }
                engine.send("other", "{\"features\":[1]}", k);
            }
            return engine.events(Topic.ALERTS);
        }
    }
}
