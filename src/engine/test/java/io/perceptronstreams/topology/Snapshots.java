package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;

/** Snapshots of the model "source", and their import as "target". */
final class Snapshots {
    static final byte[] SOURCE = utf8("source");
    static final byte[] TARGET = utf8("target");

    private Snapshots() {}

    static GenericRecord state(GenericRecord chunk) {
        return (GenericRecord) chunk.get("state");
    }

    static GenericRecord block(GenericRecord chunk) {
        return (GenericRecord) ((List<?>) state(chunk).get("blocks")).get(0);
    }

    /** Of a chunk in JSON, from the state on. */
    static String state(byte[] json) {
        String text = new String(json, StandardCharsets.UTF_8);
        return text.substring(Math.max(0, text.indexOf("\"state\"")));
    }

    /**
     * Settings, counts and state of chunks: everything but the place in the log, the epoch, and what only a name
     * brings.
     */
    static List<String> states(List<byte[]> chunks, EngineDriver engine) {
        List<String> states = new ArrayList<>();
        for (byte[] value : chunks) {
            GenericRecord chunk = new GenericData.Record((GenericData.Record) engine.decode(value), true);
            chunk.put("epoch", 0L);
            chunk.put("offset", 0L);
            chunk.put("lastEpoch", null);
            chunk.put("countsSince", null);
            // doubles are written in full
            states.add(chunk.toString());
        }
        return states;
    }

    static void send(EngineDriver engine, List<byte[]> chunks) {
        chunks.forEach(chunk -> engine.send(TARGET, chunk, 2));
    }

    static void configure(EngineDriver engine, String model, String settings) {
        engine.send(model, "{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}", 0);
    }

    static List<byte[]> snapshot(EngineDriver engine) {
        return snapshot(engine, "source");
    }

    static List<byte[]> snapshot(EngineDriver engine, String model) {
        engine.records(Topic.WEIGHTS);
        engine.send(model, "{\"action\":\"SNAPSHOT\"}", 2);
        return engine.records(Topic.WEIGHTS).stream()
                .map(TestRecord::value)
                .filter(value -> value != null)
                .toList();
    }

    static List<byte[]> wideSnapshot(EngineDriver engine) {
        double[] weights =
                new Random(3).doubles(45_000).map(value -> -value * 1e-100).toArray();
        engine.send(SOURCE, Wire.example(engine.id("Example"), Wire.dense(weights)), 1);
        return snapshot(engine);
    }

    static GenericRecord only(List<GenericRecord> events) {
        assertThat(events).hasSize(1);
        return events.get(0);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
