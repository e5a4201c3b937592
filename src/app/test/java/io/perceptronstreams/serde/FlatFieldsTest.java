package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.perceptronstreams.cli.Events;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Model;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events for readers that know no union but that of null and one type, such as Flink SQL. */
final class FlatFieldsTest {
    private static final Set<Schema.Type> PLAIN =
            Set.of(Schema.Type.STRING, Schema.Type.INT, Schema.Type.LONG, Schema.Type.DOUBLE, Schema.Type.BOOLEAN);

    // a record of three fields, for somebody who reads by hand
    private static final Schema LABELS = SchemaBuilder.record("Row")
            .fields()
            .optionalString("exampleId")
            .optionalString("labelText")
            .optionalString("predictedText")
            .endRecord();

    private final EventEncoder encoder = new EventEncoder(new EventIds(1, 7, 2, 3, 4, 5, 6), false);
    private final Example example = new Example();
    private final Model model = new Model();

    @ParameterizedTest
    @EnumSource(
            value = Topic.class,
            names = {"PREDICTIONS", "MISTAKES", "COUNTS", "MODELS", "WEIGHTS", "ALERTS"})
    void shouldBeReadableWithNullableFieldsOfOneType(Topic topic) throws IOException {
        GenericRecord event = Events.filled(EventSchemas.schema(topic));
        Schema flat = flat(event.getSchema());

        GenericRecord row = read(AvroBytes.of(1, event), event.getSchema(), flat);

        assertThat(flat.getFields()).hasSizeGreaterThan(4);
        for (Schema.Field field : flat.getFields()) {
            assertThat(row.get(field.name()))
                    .as(field.name())
                    .isNotNull()
                    .asString()
                    .isEqualTo(event.get(field.name()).toString());
        }
    }

    @Test
    void shouldHaveTheTextOfIntsNamesAndTags() throws IOException {
        assertThat(mistake(Label.of(-1))).containsExactly("-1", "1");
        model.delete();
        model.configure(Map.of("algorithm", "multiclass", "classes", "été,7,12"));
        assertThat(mistake(new Label.ClassName("7"))).containsExactly("7", "été");
        assertThat(mistake(Label.of(12))).element(0).isEqualTo("12");
        model.delete();
        assertThat(texts(Label.of(0), Label.of(-12), Label.of(Integer.MIN_VALUE)))
                .containsExactly("0", "-12", "-2147483648");
        assertThat(texts(new Label.Tags(List.of("DET", "NÖUN")), new Label.Tags(List.of())))
                .containsExactly("DET NÖUN", "");
    }

    @Test
    void shouldBeNullWhereThereIsNoPrediction() throws IOException {
        model.configure(Map.of("algorithm", "multiclass"));

        assertThat(mistake(new Label.ClassName("a"))).containsExactly("a", null);
    }

    @Test
    void shouldCutTagsThatWouldMakeTheEventTooLargeForARecord() {
        // two tags of 4,000, a blank between them: a third one would make more than 10,000
        String tag = "\uffee".repeat(4_000);

        assertThat(texts(new Label.Tags(Collections.nCopies(30, tag)))).containsExactly(tag + " " + tag + " …");
        assertThat(texts(new Label.Tags(List.of("x".repeat(20_000))))).containsExactly("…");
    }

    @Test
    void shouldAllocateNothingForTheText() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<Label> labels = List.of(Label.of(-1), Label.of(1), new Label.ClassName("sports"));
        AvroWriter out = new AvroWriter();
        long before = 0;
        for (int k = 0; k < 30_000; k++) {
            if (k == 20_000) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            out.start(1);
            for (int n = 0; n < labels.size(); n++) {
                out.writeLabelText(labels.get(n));
            }
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .as("bytes for 30,000 labels")
                .isLessThan(30_000);
    }

    /** The texts of label and prediction of a mistake; the prediction's event must have the same. */
    private List<String> mistake(Label label) throws IOException {
        example.id().set("e");
        example.setLabel(label);
        example.vector().resetSparse().append(0, -1);
        Outcome outcome = model.process(example, 0);
        GenericRecord mistake =
                read(encoder.mistake(example, outcome, model, null), EventSchemas.schema(Topic.MISTAKES), LABELS);
        GenericRecord prediction =
                read(encoder.prediction(example, outcome, 0, 1, 1), EventSchemas.schema(Topic.PREDICTIONS), LABELS);
        assertThat(prediction.get("labelText")).isEqualTo(mistake.get("predictedText"));
        List<String> texts = new ArrayList<>();
        for (String name : List.of("labelText", "predictedText")) {
            texts.add(mistake.get(name) == null ? null : mistake.get(name).toString());
        }
        return texts;
    }

    /** Written one after the other, and read by Avro. */
    private static List<String> texts(Label... labels) {
        List<String> texts = new ArrayList<>();
        AvroWriter out = new AvroWriter();
        for (Label label : labels) {
            byte[] bytes = out.start(1).writeLabelText(label).toBytes();
            try {
                var decoder = DecoderFactory.get()
                        .binaryDecoder(bytes, WireFormat.HEADER, bytes.length - WireFormat.HEADER, null);
                assertThat(decoder.readIndex()).isEqualTo(1);
                texts.add(decoder.readString());
                assertThat(decoder.isEnd()).isTrue();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return texts;
    }

    /** The schema that a table of nullable columns makes; columns of other types are left out. */
    private static Schema flat(Schema schema) {
        var fields = SchemaBuilder.record("Row").fields();
        for (Schema.Field field : schema.getFields()) {
            List<Schema> types = field.schema().isUnion()
                    ? field.schema().getTypes().stream()
                            .filter(type -> type.getType() != Schema.Type.NULL)
                            .toList()
                    : List.of(field.schema());
            if (types.size() == 1 && PLAIN.contains(types.get(0).getType())) {
                fields = fields.name(field.name())
                        .type(Schema.createUnion(
                                Schema.create(Schema.Type.NULL),
                                Schema.create(types.get(0).getType())))
                        .noDefault();
            }
        }
        return fields.endRecord();
    }

    private static GenericRecord read(byte[] value, Schema writer, Schema reader) throws IOException {
        return new GenericDatumReader<GenericRecord>(writer, reader)
                .read(
                        null,
                        DecoderFactory.get()
                                .binaryDecoder(value, WireFormat.HEADER, value.length - WireFormat.HEADER, null));
    }
}
