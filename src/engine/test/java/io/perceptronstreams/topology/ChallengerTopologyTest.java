package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.ModelKeys;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Challengers through the whole topology: commands, statuses, alerts and stored records; {@link KillReplayTest} mixes
 * and kills.
 */
@ExtendWith(EngineExtension.class)
class ChallengerTopologyTest {
    private final EngineDriver engine;
    private long time;

    ChallengerTopologyTest(EngineDriver engine) {
        this.engine = engine;
    }

    private void command(String action, String settings) {
        engine.send("m", "{\"action\":\"" + action + "\",\"settings\":{" + settings + "}}", time++);
    }

    /** Examples of 300 features, so that each model has blocks. */
    private void examples(int count) {
        Random random = new Random(time);
        for (int k = 0; k < count; k++) {
            double[] x = random.doubles(300, -1, 1).toArray();
            boolean isPositive = Arrays.stream(x, 0, 4).sum() > 0;
            engine.send(
                    "m",
                    "{\"id\":\"" + time + "\",\"label\":" + (isPositive ? 1 : -1) + ",\"features\":"
                            + Arrays.toString(x) + "}",
                    time++);
        }
    }

    /** The status that answers the last command. */
    private GenericRecord answer(String cause) {
        GenericRecord status = engine.last(Topic.MODELS);
        assertThat(status.get("cause")).hasToString(cause);
        return status;
    }

    @SuppressWarnings("unchecked")
    private static List<GenericRecord> challengers(GenericRecord status) {
        return (List<GenericRecord>) status.get("challengers");
    }

    @Test
    void shouldAnswerCommandsAndRestoreChallengers() {
        examples(30);
        command("CHALLENGE", "\"challenger\":\"next\",\"from\":\"live\",\"eta\":\"0.5\"");
        GenericRecord begun = challengers(answer("CHALLENGED")).get(0);
        assertThat(begun.get("name")).hasToString("next");
        assertThat(begun.get("since")).isEqualTo(30L);
        assertThat(begun.get("from")).hasToString("live");
        assertThat(begun.get("settings")).hasToString("{eta=0.5}");
        assertThat((double) begun.get("threshold")).isCloseTo(2, within(1e-12));
        assertThat(begun.get("verdict")).hasToString("OPEN");
        engine.reload();
        examples(20);
        engine.reload();
        command("SNAPSHOT", "");
        assertThat(challengers(answer("SNAPSHOT")).get(0).get("labelled")).isEqualTo(20L);
        command("PROMOTE", "\"challenger\":\"next\"");
        GenericRecord promoted = answer("PROMOTED");
        assertThat(challengers(promoted).get(0).get("name")).hasToString("previous");
        assertThat(promoted.get("epoch")).isEqualTo(1L);
        engine.reload();
        examples(10);
        engine.reload();
        command("WITHDRAW", "\"challenger\":\"previous\"");
        assertThat(challengers(answer("WITHDRAWN"))).isEmpty();
        command("WITHDRAW", "\"challenger\":\"previous\"");

        assertThat(engine.messages()).containsExactly("challenger must exist, got 'previous' (there are none)");
        engine.checkpoint();
        Map<Bytes, byte[]> present = new TreeMap<>();
        for (TestRecord<byte[], byte[]> record : engine.changelog()) {
            present.put(Bytes.wrap(record.key()), record.value());
        }
        present.values().removeIf(value -> value == null);
        present.remove(ModelKeys.POSITION);
        // header, and three blocks of 128 features: nothing is left of the former model
        assertThat(present).hasSize(4);
    }

    /** The weights that are compared with were gone when the window was sent. */
    @Test
    void shouldSendTheLastWindowOfTheFormerModelWithItsBoundOfUpdates() {
        command("CONFIGURE", "\"comparator\":\"3\"");
        examples(60);
        command("CHALLENGE", "\"challenger\":\"c\",\"algorithm\":\"arow\"");
        examples(5);
        command("PROMOTE", "\"challenger\":\"c\"");

        GenericRecord last = engine.last(Topic.COUNTS);
        assertThat(last.get("epoch")).isEqualTo(0L);
        assertThat(last.get("updateBound")).isNotNull();
        engine.reload();
        command("PROMOTE", "\"challenger\":\"previous\"");
        assertThat(answer("PROMOTED").get("comparator")).isNotNull();
    }

    @Test
    void shouldBeginAPortfolioWithTheFirstLabelAndByACommand() {
        command("CONFIGURE", "\"portfolio\":\"true\"");
        examples(1);
        GenericRecord begun = answer("CHALLENGED");
        assertThat(begun.get("algorithm")).hasToString("scw");
        assertThat(challengers(begun).stream().map(each -> each.get("name").toString()))
                .containsExactly("adagrad", "normalised", "perceptron");
        assertThat(challengers(begun).get(0).get("settings"))
                .hasToString("{rate=adagrad, stacked=true, algorithm=sgd, implicit=true}");
        engine.reload();
        examples(50);
        engine.reload();
        command("WITHDRAW", "\"challenger\":\"adagrad\"");
        assertThat(challengers(answer("WITHDRAWN")).get(1).get("labelled")).isEqualTo(51L);
        examples(10);
        engine.reload();
        command("CHALLENGE", "\"portfolio\":\"true\"");
        assertThat(challengers(answer("CHALLENGED")).stream()
                        .map(each -> each.get("name").toString()))
                .containsExactly("adagrad", "normalised", "perceptron");
    }

    @Test
    void shouldAlertOnceAndPromote() {
        examples(3);
        command("CONFIGURE", "\"eta\":\"1e-9\"");
        command(
                "CHALLENGE",
                "\"challenger\":\"c\",\"eta\":\"1\",\"trial.promote\":\"auto\",\"trial.round\":\"2\","
                        + "\"trial.alpha\":\"0.3\",\"trial.warmup\":\"200\",\"predict\":\"averaged\"");
        examples(3_000);

        List<GenericRecord> alerts = engine.events(Topic.ALERTS).stream()
                .filter(alert -> alert.get("kind").toString().equals("TRIAL"))
                .toList();
        assertThat(alerts).isNotEmpty();
        assertThat(alerts.get(0).get("message").toString()).startsWith("challenger 'c' is better than the model: ");
        assertThat(engine.events(Topic.MODELS))
                .anySatisfy(status -> assertThat(status.get("cause")).hasToString("PROMOTED"));
        assertThat(engine.records(Topic.PREDICTIONS)).hasSize(3_003);
    }
}
