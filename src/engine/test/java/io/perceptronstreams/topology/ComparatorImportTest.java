package io.perceptronstreams.topology;

import static io.perceptronstreams.topology.Snapshots.TARGET;
import static io.perceptronstreams.topology.Snapshots.configure;
import static io.perceptronstreams.topology.Snapshots.only;
import static io.perceptronstreams.topology.Snapshots.snapshot;
import static io.perceptronstreams.topology.Snapshots.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Imported weights with which a model is compared. */
@ExtendWith(EngineExtension.class)
class ComparatorImportTest {
    @Test
    void shouldCompareTheModelWithWeightsFromElsewhere(EngineDriver engine) {
        // u = (2, 0), bias 1
        engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[2,0]}", 1);
        List<byte[]> chunks = snapshot(engine);
        engine.send("target", "{\"id\":\"1\",\"label\":-1,\"features\":[0,1]}", 2);
        engine.events(Topic.MODELS);
        for (byte[] chunk : chunks) {
            engine.send(TARGET, chunk, importAs("comparator"), 3);
        }
        GenericRecord status = only(engine.events(Topic.MODELS));
        assertThat(status.get("cause")).hasToString("COMPARATOR");
        assertThat(status.get("epoch")).isEqualTo(0L);
        assertThat(status.get("examples")).as("the model stays").isEqualTo(1L);
        assertThat(((Map<?, ?>) status.get("settings")).entrySet())
                .anyMatch(each -> each.toString().equals("comparator=imported"));

        // as after a crash; then u·x + 1 = 2, and y = -1: a loss of 3
        engine.reload();
        engine.send("target", "{\"id\":\"2\",\"label\":-1,\"features\":[0.5,0]}", 4);
        engine.send("target", "{\"action\":\"CONFIGURE\"}", 5);
        GenericRecord comparator =
                (GenericRecord) engine.events(Topic.MODELS).get(0).get("comparator");
        assertThat(comparator.get("labelled")).isEqualTo(1L);
        assertThat((double) comparator.get("norm")).isEqualTo(Math.sqrt(5));
        assertThat(comparator.get("hingeLoss")).isEqualTo(3.0);
        assertThat(engine.reasons()).isEmpty();
    }

    private static Headers importAs(String purpose) {
        return new RecordHeaders().add("perceptron-import-as", utf8(purpose));
    }

    @Test
    void shouldRefuseToCompareWithWhatIsNoSuchWeights(EngineDriver engine) {
        configure(engine, "source", "{\"algorithm\":\"multiclass\"}");
        engine.send("source", "{\"id\":\"1\",\"label\":\"a\",\"features\":[2,0]}", 1);
        engine.send("source", "{\"id\":\"2\",\"label\":\"b\",\"features\":[0,2]}", 1);
        byte[] several = snapshot(engine).get(0);
        engine.send("source", "{\"action\":\"DELETE\"}", 1);
        configure(engine, "source", "{\"hash.bits\":\"9\"}");
        engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[2,0]}", 1);
        byte[] hashed = snapshot(engine).get(0);
        engine.send("source", "{\"action\":\"DELETE\"}", 1);
        configure(engine, "source", "{\"kernel\":\"poly(c=1,k=2)\"}");
        engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[2,0]}", 1);
        byte[] kernel = snapshot(engine).get(0);
        configure(engine, "target", "{}");
        for (byte[] chunk : List.of(several, hashed, kernel)) {
            engine.send(TARGET, chunk, importAs("comparator"), 3);
        }
        engine.send(TARGET, hashed, importAs("rival"), 3);
        engine.send(utf8("nobody"), hashed, importAs("comparator"), 3);
        assertThat(engine.messages())
                .satisfiesExactly(
                        message ->
                                assertThat(message).contains("must be those of two classes, got algorithm=multiclass"),
                        message -> assertThat(message).contains("must have hash.bits = 18"),
                        message -> assertThat(message).contains("must be those of features, got coefficients"),
                        message -> assertThat(message)
                                .contains(
                                        "must be model, model@OFFSET, comparator, or challenger and its options, got 'rival'"),
                        message -> assertThat(message).contains("must be for a model that exists"));
        assertThat(engine.events(Topic.MODELS))
                .noneMatch(status -> status.get("cause").toString().matches("IMPORT|COMPARATOR"));
    }
}
