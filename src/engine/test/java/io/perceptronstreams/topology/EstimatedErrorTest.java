package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.serde.Topic;
import java.util.List;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The error of predictions whose labels are out, as events tell it. */
@ExtendWith(EngineExtension.class)
class EstimatedErrorTest {
    private static final int ROUND = 100;

    private final EngineDriver engine;
    private final Random random = new Random(7);
    private int next;

    EstimatedErrorTest(EngineDriver engine) {
        this.engine = engine;
    }

    /**
     * Sends examples of which a share is near the border, where the label is any; then their labels, unless without.
     */
    private int round(double hard, boolean isLabelled) {
        int first = next;
        String[] labels = new String[ROUND];
        for (int k = 0; k < ROUND; k++, next++) {
            boolean isHard = random.nextDouble() < hard;
            boolean isPositive = random.nextBoolean();
            double x = (isPositive ? 1 : -1) * (isHard ? 0.01 : 3);
            labels[k] = (isHard ? random.nextBoolean() : isPositive) ? "1" : "-1";
            engine.send("m", "{\"id\":\"" + next + "\",\"features\":[" + x + "]}", next);
        }
        for (int k = 0; isLabelled && k < ROUND; k++) {
            engine.send("m", "{\"exampleId\":\"" + (first + k) + "\",\"label\":" + labels[k] + "}", next + k);
        }
        next += ROUND;
        return first;
    }

    /** Alerts since the last call. */
    private List<GenericRecord> alerts() {
        return engine.events(Topic.ALERTS).stream()
                .filter(alert -> alert.get("kind").toString().equals("ESTIMATED_ERROR"))
                .toList();
    }

    @Test
    void shouldTellThatTheErrorRisesBeforeAnyLabelDoes() {
        engine.send(
                "m",
                "{\"action\":\"CONFIGURE\",\"settings\":{\"algorithm\":\"sgd\",\"loss\":\"logistic\",\"bias\":\"false\","
                        + "\"await.labels.ms\":\"100000\",\"calibrate\":\"platt\",\"estimate.alert\":\"0.1\"}}",
                0);
        for (int k = 0; k < 12; k++) {
            round(0.1, true);
        }
        assertThat(engine.reasons()).isEmpty();
        assertThat(alerts()).isEmpty();
        // one in two of the hard examples is predicted wrong
        round(0.9, false);
        List<GenericRecord> alerts = alerts();
        assertThat(alerts).hasSize(1);
        GenericRecord alert = alerts.get(0);
        assertThat(alert.get("message").toString())
                .startsWith("the expected error of the last predictions whose labels are out is 0.")
                .endsWith("(perceptron models show m has the estimates and what became of them)");
        assertThat(alert.get("command")).hasToString("perceptron models show m");
        round(0.9, false);
        assertThat(alerts()).isEmpty();
        round(0.1, true);
        round(0.9, true);
        assertThat(alerts()).hasSize(1);

        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"names.max\":\"5\"}}", 0);
        List<GenericRecord> statuses = engine.events(Topic.MODELS);
        GenericRecord estimates =
                (GenericRecord) statuses.get(statuses.size() - 1).get("estimates");
        assertThat(estimates.get("waiting")).isEqualTo(200L);
        // 180 hard ones, of which half are wrong
        assertThat((double) estimates.get("expectedErrors")).isCloseTo(90, within(30.0));
        assertThat(estimates.get("compared")).isEqualTo(13L);
        assertThat((double) estimates.get("meanGap")).isLessThan(0.1);
    }
}
