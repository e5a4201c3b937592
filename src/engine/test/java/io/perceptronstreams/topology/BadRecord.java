package io.perceptronstreams.topology;

import io.perceptronstreams.example.RejectReason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * An invalid record and the reason for its rejection.
 *
 * @param model record key, or null
 * @param value created from the registry of the engine
 * @param settings of the engine
 * @param partitions configured number of partitions of the examples topic
 * @param prelude JSON values to send before, by model
 */
public record BadRecord(
        String name,
        RejectReason reason,
        String model,
        Function<EngineDriver, byte[]> value,
        long timestamp,
        Map<String, String> settings,
        int partitions,
        Map<String, List<String>> prelude) {

    /**
     * The model of the good examples before and after, and of the bad record unless it says otherwise; on partition 0
     * of 2.
     */
    static final String NEIGHBOUR = "a";

    static BadRecord bytes(String name, RejectReason reason, Function<EngineDriver, byte[]> value) {
        return new BadRecord(name, reason, NEIGHBOUR, value, 2000, Map.of(), 1, Map.of());
    }

    static BadRecord json(String name, RejectReason reason, String json) {
        return bytes(name, reason, engine -> utf8(json));
    }

    /** An Avro example with a feature union, label +1 and weight 1. */
    static BadRecord features(String name, RejectReason reason, Wire.Body features) {
        return bytes(name, reason, engine -> Wire.example(engine.id("Example"), features));
    }

    /** An Avro example with these parts, their branches of the unions included. */
    static BadRecord example(String name, RejectReason reason, Wire.Body label, Wire.Body features, double weight) {
        return bytes(name, reason, engine -> Wire.example(engine.id("Example"), label, features, weight));
    }

    /** A value with one of our schemas. */
    static BadRecord event(String name, RejectReason reason, String schema, Wire.Body body) {
        return bytes(name, reason, engine -> Wire.value(engine.id(schema), body));
    }

    /** Of another model, to which these values were sent before. */
    BadRecord of(String other, String... before) {
        return withKey(other).after(other, before);
    }

    BadRecord withKey(String key) {
        return new BadRecord(name, reason, key, value, timestamp, settings, partitions, prelude);
    }

    byte[] key() {
        return model == null ? null : utf8(model);
    }

    BadRecord withTimestamp(long ms) {
        return new BadRecord(name, reason, model, value, ms, settings, partitions, prelude);
    }

    BadRecord withSetting(String setting, String is) {
        return new BadRecord(name, reason, model, value, timestamp, Map.of(setting, is), partitions, prelude);
    }

    BadRecord withPartitions(int count) {
        return new BadRecord(name, reason, model, value, timestamp, settings, count, prelude);
    }

    BadRecord after(String other, String... json) {
        Map<String, List<String>> more = new TreeMap<>(prelude);
        more.put(other, List.of(json));
        return new BadRecord(name, reason, model, value, timestamp, settings, partitions, more);
    }

    @Override
    public String toString() {
        return name;
    }

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
