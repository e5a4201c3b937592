package io.perceptronstreams.sending;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** The order and the timestamps of examples and labels that {@link LabelSplitter} sends. */
final class LabelSplitterTest {
    private static final Map<Integer, Schema> SCHEMAS =
            Map.of(1, EventSchemas.schema("Example"), 2, EventSchemas.schema("Label"));

    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final ExampleSender sender = new ExampleSender(
            producer, "examples", List.of("m"), new EventWriter(SCHEMAS.get(1), 1), new EventWriter(SCHEMAS.get(2), 2));

    @Test
    void shouldSendEachLabelAfterThatManyExamples() throws IOException {
        LabelSplitter splitter = new LabelSplitter(sender, LabelDelay.parse("2ex"));
        for (int k = 1; k <= 4; k++) {
            splitter.send(example("e" + k, k), null);
        }
        assertThat(sent()).containsExactly("e1 null", "e2 null", "e3 null", "label e1 1", "e4 null", "label e2 2");

        assertThat(splitter.labels()).isEqualTo(2);

        splitter.finish(() -> false);
        assertThat(splitter.labels()).isEqualTo(4);
        assertThat(sent()).endsWith("label e2 2", "label e3 3", "label e4 4").hasSize(8);
    }

    @Test
    void shouldSendALabelRightAfterItsExampleWithoutADelay() throws IOException {
        LabelSplitter splitter = new LabelSplitter(sender, LabelDelay.parse("0ex"));
        splitter.send(example("e1", -1), 5L);
        splitter.send(example("e2", 1), 6L);

        assertThat(sent()).containsExactly("e1 null", "label e1 -1", "e2 null", "label e2 1");
        assertThat(times()).containsExactly(5L, 5L, 6L, 6L);
    }

    @Test
    void shouldDelayLabelsInTheTimeOfTheExamples() throws IOException {
        LabelSplitter splitter = new LabelSplitter(sender, LabelDelay.parse("100ms"));
        splitter.send(example("e1", 1), 1_000L);
        splitter.send(example("e2", 1), 1_099L);
        splitter.send(example("e3", 1), 1_100L);

        assertThat(sent()).containsExactly("e1 null", "e2 null", "label e1 1", "e3 null");
        assertThat(times()).containsExactly(1_000L, 1_099L, 1_100L, 1_100L);
        splitter.finish(() -> false);
        assertThat(times()).endsWith(1_199L, 1_200L);
    }

    @Test
    void shouldSendNoLabelOfAnExampleWithoutOneAndNoneAfterAStop() throws IOException {
        LabelSplitter splitter = new LabelSplitter(sender, LabelDelay.parse("1ex"));
        splitter.send(example("e1", null), null);
        splitter.send(example("e2", 7), null);
        splitter.finish(() -> true);

        assertThat(sent()).containsExactly("e1 null", "e2 null");
    }

    private static Example example(String id, Integer label) {
        return new Example(id, label, new DenseVector(List.of(1.0)), 1.0);
    }

    private List<Long> times() {
        return producer.history().stream().map(ProducerRecord::timestamp).toList();
    }

    private List<String> sent() throws IOException {
        List<String> sent = new ArrayList<>();
        for (ProducerRecord<byte[], byte[]> record : producer.history()) {
            byte[] value = record.value();
            boolean isLabel = value[4] == 2;
            GenericRecord event = new GenericDatumReader<GenericRecord>(SCHEMAS.get((int) value[4]))
                    .read(null, DecoderFactory.get().binaryDecoder(value, 5, value.length - 5, null));
            sent.add((isLabel ? "label " + event.get("exampleId") : event.get("id")) + " " + event.get("label"));
        }
        return sent;
    }
}
