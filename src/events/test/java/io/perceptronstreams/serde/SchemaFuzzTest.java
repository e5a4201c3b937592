package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Fuzz;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.SchemaRegistry;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values under schemas that are mutations of ours are read or rejected with a message. */
final class SchemaFuzzTest {
    private static final FeatureHasher HASHER = new FeatureHasher(18);
    private static final List<String> EVENTS = List.of("Example", "Label", "ModelCommand", "WeightsSnapshot");
    private static final int SCHEMAS = 40;
    private static final int VALUES_OF_SCHEMA = 10;

    /** Words of a schema that replace one another. */
    private static final List<String> WORDS = List.of(
            "\"null\"",
            "\"boolean\"",
            "\"int\"",
            "\"long\"",
            "\"float\"",
            "\"double\"",
            "\"bytes\"",
            "\"string\"",
            "\"array\"",
            "\"map\"",
            "\"record\"",
            "\"Example\"",
            "\"DenseVector\"",
            "\"SparseVector\"",
            "\"values\"",
            "\"indices\"",
            "\"features\"",
            "\"label\"",
            "\"id\"");

    static LongStream seeds() {
        return Fuzz.seeds("schemas", 0.03, SCHEMAS * VALUES_OF_SCHEMA);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("fuzz")
    void shouldReadOrRejectValuesOfMutatedSchemas(long seed) {
        Random random = new Random(seed);
        int valid = 0;
        for (int k = 0; k < SCHEMAS; k++) {
            String name = EVENTS.get(random.nextInt(4) == 0 ? random.nextInt(EVENTS.size()) : 0);
            Schema schema = schema(name, random);
            if (schema != null) {
                valid++;
                decode(schema, random);
            }
        }
        assertThat(valid).as("seed %d", seed).isPositive();
    }

    /** A mutation, or null if it is no schema. */
    private static Schema schema(String event, Random random) {
        String text = EventSchemas.schema(event).toString();
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            String from = WORDS.get(random.nextInt(WORDS.size()));
            int at = text.indexOf(from, random.nextInt(text.length()));
            if (at >= 0) {
                text = text.substring(0, at)
                        + WORDS.get(random.nextInt(WORDS.size()))
                        + text.substring(at + from.length());
            }
        }
        try {
            return new Schema.Parser().parse(text);
        } catch (AvroRuntimeException e) {
            return null;
        }
    }

    private static void decode(Schema schema, Random random) {
        InputDecoder decoder = new InputDecoder(new OneSchema(schema));
        Example example = new Example();
        for (int k = 0; k < VALUES_OF_SCHEMA; k++) {
            byte[] value = AvroBytes.of(1, RandomExamples.next(random));
            if (k % 2 == 1) {
                value[WireFormat.HEADER + random.nextInt(value.length - WireFormat.HEADER)] = (byte) random.nextInt();
            }
            try {
                decoder.decode(value, HASHER, example);
            } catch (RejectedException e) {
                assertThat(e).hasMessageNotContaining("\n");
            }
        }
    }

    /** Has one schema, for every id. */
    private record OneSchema(Schema schema) implements SchemaRegistry {
        @Override
        public Schema schema(int id) {
            return schema;
        }

        @Override
        public int register(String subject, Schema schema) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
