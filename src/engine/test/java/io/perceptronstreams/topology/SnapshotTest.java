package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(EngineExtension.class)
class SnapshotTest {
    private static final int MAX_CHUNK = 512 * 1024;

    @Test
    void shouldCutTheWeightsIntoChunksBelow512KiB(EngineDriver engine) {
        double[] weights = learn(engine, 45_000);
        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 9);

        List<TestRecord<byte[], byte[]>> chunks = engine.records(Topic.WEIGHTS);
        assertThat(keys(chunks)).containsExactly("m", "m/1", "m/2", "m/3");
        List<Object> indices = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        for (int chunk = 0; chunk < chunks.size(); chunk++) {
            assertThat(chunks.get(chunk).value()).hasSizeLessThan(MAX_CHUNK);
            assertThat(chunks.get(chunk).timestamp()).isEqualTo(9);
            GenericRecord event = engine.decode(chunks.get(chunk).value());
            assertThat(event.get("chunk")).isEqualTo(chunk);
            assertThat(event.get("chunks")).isEqualTo(4);
            assertThat(event.get("updates")).isEqualTo(1L);
            assertThat(event.get("examples")).isEqualTo(1L);
            assertThat(event.get("offset")).isEqualTo(1L);
            // the state comes first
            for (Object each : (List<?>) event.get("vectors")) {
                GenericRecord vector = (GenericRecord) each;
                assertThat(vector.get("bias")).isEqualTo(1.0);
                assertThat(vector.get("averagedBias")).isEqualTo(1.0);
                indices.addAll((List<?>) vector.get("indices"));
                values.addAll((List<?>) vector.get("weights"));
                assertThat(vector.get("averaged")).isEqualTo(vector.get("weights"));
            }
        }
        assertThat(indices).isEqualTo(IntStream.range(0, weights.length).boxed().toList());
        assertThat(values.stream().mapToDouble(value -> (Double) value).toArray())
                .isEqualTo(weights);
    }

    @Test
    @EngineSettings("output.format=json")
    void shouldKeepChunksBelow512KiBInJson(EngineDriver engine) {
        learn(engine, 30_000);
        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 9);

        assertThat(engine.records(Topic.WEIGHTS))
                .isNotEmpty()
                .allSatisfy(chunk -> assertThat(chunk.value()).hasSizeLessThan(MAX_CHUNK));
    }

    @Test
    void shouldLeaveTombstonesForChunksThatALaterSnapshotDoesNotHave(EngineDriver engine) {
        learn(engine, 45_000);
        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 9);
        engine.send("m", "{\"action\":\"RESET\"}", 10);
        engine.records(Topic.WEIGHTS);
        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 11);

        List<TestRecord<byte[], byte[]>> chunks = engine.records(Topic.WEIGHTS);
        assertThat(keys(chunks)).containsExactly("m", "m/1", "m/2", "m/3");
        assertThat(engine.decode(chunks.get(0).value()).get("chunks")).isEqualTo(1);
        assertThat(engine.decode(chunks.get(0).value()).get("epoch")).isEqualTo(1L);
        assertThat(chunks.get(1).value()).isNull();
        assertThat(chunks.get(2).value()).isNull();
        assertThat(chunks.get(3).value()).isNull();

        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 12);
        assertThat(keys(engine.records(Topic.WEIGHTS))).containsExactly("m");
    }

    @Test
    void shouldLeaveTombstonesForAllChunksOfADeletedModel(EngineDriver engine) {
        learn(engine, 25_000);
        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 9);
        engine.records(Topic.WEIGHTS);
        engine.send("m", "{\"action\":\"DELETE\"}", 10);

        List<TestRecord<byte[], byte[]>> chunks = engine.records(Topic.WEIGHTS);
        assertThat(keys(chunks)).containsExactly("m", "m/1");
        assertThat(chunks).allSatisfy(chunk -> assertThat(chunk.value()).isNull());

        engine.send("m", "{\"id\":\"1\",\"features\":[1]}", 11);
        engine.send("m", "{\"action\":\"DELETE\"}", 12);
        assertThat(engine.records(Topic.WEIGHTS)).isEmpty();
    }

    @Test
    void shouldPublishAfterEverySoManyUpdates(EngineDriver engine) {
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"snapshot.every\":2}}", 1);
        for (int k = 0; k < 5; k++) {
            // every one is a mistake: the score has the sign of the label before
            engine.send("m", "{\"id\":\"u\",\"label\":" + (k % 2 == 0 ? 1 : -1) + ",\"features\":[1]}", 2 + k);
            engine.send("m", "{\"id\":\"p\",\"features\":[1]}", 2 + k);
        }
        assertThat(engine.events(Topic.WEIGHTS))
                .extracting(event -> event.get("updates"), event -> event.get("offset"))
                .containsExactly(tuple(2L, 3L), org.assertj.core.groups.Tuple.tuple(4L, 7L));
    }

    /** Makes the weights of "m" equal to an example's features, and returns them. */
    private static double[] learn(EngineDriver engine, int features) {
        Random random = new Random(5);
        // of full length in decimal, too
        double[] weights =
                random.doubles(features).map(value -> -value * 1e-100).toArray();
        engine.send("m", Wire.example(engine.id("Example"), Wire.dense(weights)), 8);
        return weights;
    }

    private static List<String> keys(List<TestRecord<byte[], byte[]>> records) {
        return records.stream()
                .map(record -> new String(record.key(), StandardCharsets.UTF_8))
                .toList();
    }
}
