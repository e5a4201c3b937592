package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import java.util.List;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;

/** Two partitions; the driver is partition 0, to which the key "m" belongs, but not "n". */
@EngineSettings(partitions = 2)
class ReroutingTest {
    private static final byte[] EXAMPLE = BadRecord.utf8("{\"id\":\"1\",\"label\":1,\"features\":[1]}");

    @Test
    void shouldSendARecordOfAnotherPartitionBackToTheExamplesOnce(EngineDriver engine) {
        engine.send("m", "{\"id\":\"1\",\"features\":[1]}", 6);
        engine.send(BadRecord.utf8("n"), EXAMPLE, new RecordHeaders().add("trace", new byte[] {1}), 7);

        List<TestRecord<byte[], byte[]>> sentOn = engine.records(Topic.EXAMPLES);
        assertThat(sentOn).hasSize(1);
        assertThat(sentOn.get(0).key()).isEqualTo(BadRecord.utf8("n"));
        assertThat(sentOn.get(0).value()).isEqualTo(EXAMPLE);
        assertThat(sentOn.get(0).timestamp()).isEqualTo(7);
        assertThat(sentOn.get(0).headers().lastHeader("trace").value()).containsExactly(1);
        assertThat(EngineDriver.header(sentOn.get(0), "perceptron-rerouted")).isEqualTo("0@1");
        // the driver has one partition only, so that it came back to the wrong one: not again
        assertThat(engine.reasons()).containsExactly("MISROUTED");
        assertThat(engine.records(Topic.PREDICTIONS)).hasSize(1);
    }

    /** The broker may refuse the time in the value, which is restored on the other partition. */
    @Test
    void shouldSendARecordOnWithTheTimestampThatTheBrokerTook(EngineDriver engine) {
        byte[] early = BadRecord.utf8("{\"id\":\"1\",\"label\":1,\"features\":[1],\"timestamp\":3000000}");
        engine.send("n", early, 7);

        List<TestRecord<byte[], byte[]>> sentOn = engine.records(Topic.EXAMPLES);
        assertThat(sentOn).extracting(TestRecord::timestamp).containsExactly(7L);
    }

    @Test
    @EngineSettings(value = "misrouted=dead-letter", partitions = 2)
    void shouldRefuseARecordOfAnotherPartitionWhereSettingsSaySo(EngineDriver engine) {
        engine.send("n", EXAMPLE, 7);
        TestRecord<byte[], byte[]> letter = engine.letter();
        assertThat(EngineDriver.reason(letter)).isEqualTo("MISROUTED");
        assertThat(EngineDriver.message(letter)).contains("murmur2_random");
        assertThat(engine.records(Topic.EXAMPLES)).isEmpty();
    }

    @Test
    void shouldRefuseARecordOfAnotherPartitionThatIsTooLargeToBeSentOn(EngineDriver engine) {
        engine.send("n", new byte[EngineDriver.MAX_RECORD_BYTES], 7);
        assertThat(engine.reasons()).containsExactly("MISROUTED");
        assertThat(engine.records(Topic.EXAMPLES)).isEmpty();
    }

    @Test
    void shouldCountARecordOfSeveralExamplesOnce(EngineDriver engine) {
        RecordHeaders headers = new RecordHeaders();
        headers.add("perceptron-rerouted", BadRecord.utf8("1@0"));
        engine.send(BadRecord.utf8("m"), BadRecord.utf8("[{\"features\":[1]},{\"features\":[2]}]"), headers, 7);
        assertThat(engine.model("m").publications().rerouted()).isEqualTo(1);
    }

    @Test
    void shouldCountRecordsThatCameByWayOfAnotherPartition(EngineDriver engine) {
        for (int k = 0; k < 3; k++) {
            RecordHeaders headers = new RecordHeaders();
            headers.add("perceptron-rerouted", BadRecord.utf8("1@" + k));
            engine.send(BadRecord.utf8("m"), EXAMPLE, headers, 7);
        }
        engine.send("m", "{\"id\":\"1\",\"features\":[1]}", 8);
        engine.send("m", "{\"action\":\"FREEZE\"}", 9);
        List<GenericRecord> statuses = engine.events(Topic.MODELS);
        assertThat(statuses).extracting(status -> status.get("rerouted")).containsExactly(1L, 3L);
    }
}
