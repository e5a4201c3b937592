package io.perceptronstreams.topology;

import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Part of {@link MixedStream}: labels that come after or before their examples, twice, wrong or never, and examples
 * that come twice.
 */
final class MixedLabels {
    /** A record that comes later. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Later(String model, byte[] value) {}

    private static final Schema LABEL = EventSchemas.schema("Label");

    /** Settings of late labels, among those that are changed in the middle of the stream. */
    static final List<String> CHANGES = List.of(
            "{\"await.labels.ms\":6000}",
            "{\"await.labels.ms\":2500,\"await.examples.ms\":0}",
            "{\"await.labels.ms\":6000,\"await.examples.ms\":3000,\"dedupe.last\":40}",
            "{\"await.labels.ms\":0}",
            "{\"dedupe.last\":300}",
            "{\"dedupe.last\":0,\"await.labels.max\":20}",
            "{\"label.default\":\"1\",\"await.labels.max\":100000}",
            "{\"label.default\":\"\"}",
            "{\"labels.sources\":\"\"}",
            "{\"labels.sources\":\"user>review>bank\",\"corrections\":\"learn\"}",
            "{\"labels.sources\":\"review>bank>user\",\"corrections\":\"count\",\"corrections.ms\":4000}",
            "{\"corrections\":\"repair\",\"corrections.ms\":9000}");

    private static final List<String> SOURCES = List.of("review", "bank", "user", "nobody");

    private final Random random;
    private final EventWriter writer;
    private final List<Later> later = new ArrayList<>();

    // by model, the label before, which is another one for some examples
    private final Map<String, Object> last = new HashMap<>();

    MixedLabels(Random random, String topic, SchemaRegistry registry) {
        this.random = random;
        this.writer = new EventWriter(LABEL, registry.register(topic + "-Label", LABEL));
    }

    /** Returns a record whose time has come, or null. */
    Later next() {
        if (later.isEmpty() || random.nextInt(3) > 0) {
            return null;
        }
        // some of them wait long
        int place = random.nextInt(random.nextInt(4) == 0 ? later.size() : Math.min(later.size(), 20));
        return random.nextInt(12) == 0 ? later.get(place) : later.remove(place);
    }

    /** Returns the label that comes with an example, or null if it comes later or never. */
    Object split(String model, String id, Object label) {
        Object other = label == null ? null : last.getOrDefault(model, label);
        if (label != null) {
            last.put(model, label);
        }
        if (label == null || random.nextInt(5) > 1) {
            if (label != null && random.nextInt(8) == 0) {
                later.add(new Later(model, label(id, other)));
            }
            return label;
        }
        if (random.nextInt(15) > 0) {
            later.add(new Later(model, label(random.nextInt(80) == 0 ? "nobody" : id, label)));
            if (random.nextInt(4) == 0) {
                later.add(new Later(model, label(id, other)));
            }
        }
        return null;
    }

    /** May hold an example back until after its label, or send it again later. */
    byte[] hold(String model, String id, Object label, byte[] example) {
        if (label != null && random.nextInt(40) == 0) {
            later.add(new Later(model, example));
            return label(id, random.nextInt(6) == 0 ? "no class" : label);
        }
        if (random.nextInt(25) == 0) {
            later.add(new Later(model, example));
        }
        return example;
    }

    private byte[] label(String id, Object label) {
        String source = random.nextInt(3) == 0 ? null : SOURCES.get(random.nextInt(random.nextInt(5) == 0 ? 4 : 3));
        if (random.nextInt(3) == 0) {
            String said = source == null ? "" : ",\"source\":\"" + source + "\"";
            return ("{\"exampleId\":\"" + id + "\",\"label\":" + json(label) + said + "}")
                    .getBytes(StandardCharsets.UTF_8);
        }
        GenericRecord event = new GenericData.Record(LABEL);
        event.put("exampleId", id);
        event.put("label", label);
        event.put("weight", random.nextInt(10) == 0 ? 0.5 : 1.0);
        event.put("source", source);
        return writer.write(event);
    }

    private static String json(Object label) {
        return label instanceof List<?> tags
                ? tags.stream().map(MixedLabels::json).collect(Collectors.joining(",", "[", "]"))
                : label instanceof String name ? "\"" + name + "\"" : label.toString();
    }
}
