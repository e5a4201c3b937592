package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.learner.Model;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Window;
import io.perceptronstreams.serde.EventEncoder.Origin;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventEncoderTest {
    private static final EventIds IDS = new EventIds(1, 2, 3, 70_000, -5, Integer.MAX_VALUE);

    private final EventEncoder encoder = new EventEncoder(IDS, false);
    private final EventEncoder jsonEncoder = new EventEncoder(IDS, true);
    private final Example example = new Example();
    private final Model model = new Model();

    static LongStream seeds() {
        return Seeds.all();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldWriteTheBytesThatAvroWrites(long seed) throws IOException {
        Random random = new Random(seed);
        model.configure(Map.of("h", "0.5", "window.ms", "100"));
        long time = 0;
        for (int k = 0; k < 400; k++) {
            if (random.nextInt(60) == 0) {
                model.configure(Map.of("labels", random.nextBoolean() ? "" : "ß" + random.nextInt(9) + ",−"));
            }
            next(random);
            Outcome outcome = model.process(example, time += random.nextInt(30));
            Origin origin = new Origin(random.nextInt(100), random.nextLong() >>> 1);
            long version = random.nextLong() >>> random.nextInt(64);
            check(
                    "Prediction",
                    1,
                    encoder.prediction(example, outcome, version, k),
                    jsonEncoder.prediction(example, outcome, version, k));
            if (outcome.kind() != Outcome.Kind.CORRECT) {
                check(
                        "Mistake",
                        2,
                        encoder.mistake(example, outcome, model),
                        jsonEncoder.mistake(example, outcome, model));
            }
            Window.Closed window = model.window().takeClosed();
            if (window != null) {
                check("MistakeCount", 3, encoder.mistakeCount(window), jsonEncoder.mistakeCount(window));
            }
            String text = RandomExamples.text(random, 300);
            check(
                    "ModelStatus",
                    70_000,
                    encoder.modelStatus(model, text, origin),
                    jsonEncoder.modelStatus(model, text, origin));
            check(
                    "Alert",
                    Integer.MAX_VALUE,
                    encoder.quarantineAlert(model, text, origin),
                    jsonEncoder.quarantineAlert(model, text, origin));
            check(
                    "WeightsSnapshot",
                    -5,
                    encoder.weightsSnapshot(model, origin).get(0),
                    jsonEncoder.weightsSnapshot(model, origin).get(0));
        }
    }

    private void next(Random random) {
        example.id().set(RandomExamples.text(random, 60));
        example.vector().clearSparse();
        int index = 0;
        for (int k = random.nextInt(8); k > 0; k--) {
            example.vector().append(index += 1 + random.nextInt(5000), random.nextGaussian());
        }
        List<String> names = model.settings().labels();
        int sign = random.nextInt(2);
        example.setLabel(
                random.nextInt(4) == 0
                        ? null
                        : names.isEmpty() ? Label.of(2 * sign - 1) : new Label.Named(names.get(sign)));
    }

    private void check(String event, int id, byte[] value, byte[] json) throws IOException {
        GenericRecord read = AvroBytes.read(event, value);
        if (read.hasField("settings")) {
            // Avro reads maps into an order of its own
            Map<String, String> settings = new LinkedHashMap<>(model.settings().toMap());
            Map<String, String> got = new HashMap<>();
            ((Map<?, ?>) read.get("settings")).forEach((name, set) -> got.put(name.toString(), set.toString()));
            assertThat(got).isEqualTo(settings);
            read.put("settings", settings);
        }
        assertThat(value).as(event).isEqualTo(AvroBytes.of(id, read));
        JsonNode tree = new ObjectMapper().readTree(json);
        assertThat(tree.size()).isEqualTo(read.getSchema().getFields().size());
        read.getSchema().getFields().forEach(field -> {
            if (read.get(field.name()) instanceof Double number) {
                assertThat(tree.get(field.name()).doubleValue()).isEqualTo(number);
            } else if (!(read.get(field.name()) instanceof Iterable) && !(read.get(field.name()) instanceof Map)) {
                assertThat(tree.get(field.name()).asText()).isEqualTo(String.valueOf(read.get(field.name())));
            }
        });
    }
}
