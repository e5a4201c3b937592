package io.perceptronstreams.topology;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Event times of records of {@link MixedStream} in {@link ReferenceEngine}. */
final class ReferenceTime {
    private static final long HOUR_MS = 3_600_000;
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private ReferenceTime() {}

    /** Returns the event time of a record: its own, or the latest one of its examples. */
    static long of(ConsumerRecord<byte[], byte[]> record) {
        long own = record.timestamp();
        JsonNode json = record.value() == null ? null : parse(record.value()).orElse(null);
        if (json == null) {
            return own;
        }
        if (json.isObject()) {
            return valid(json, own).orElse(own);
        }
        long latest = Long.MIN_VALUE;
        for (JsonNode each : json) {
            latest = Math.max(latest, valid(each, own).orElse(own));
        }
        return json.isEmpty() ? own : latest;
    }

    /**
     * Returns the event time of one of several examples in JSON, or in Avro, where it has none; empty if it is invalid.
     */
    static OptionalLong ofPart(byte[] example, long own) {
        return example[0] == 0
                ? OptionalLong.of(own)
                : parse(example).map(each -> valid(each, own)).orElse(OptionalLong.of(own));
    }

    /** Returns true for one example in JSON whose time is invalid. */
    static boolean isInvalid(byte[] value, long own) {
        return value != null
                && parse(value)
                        .filter(json -> json.isObject() && valid(json, own).isEmpty())
                        .isPresent();
    }

    private static OptionalLong valid(JsonNode json, long own) {
        JsonNode timestamp = json.get("timestamp");
        if (timestamp == null) {
            return OptionalLong.of(own);
        }
        long time = timestamp.longValue();
        return time < 0 || time > own + HOUR_MS ? OptionalLong.empty() : OptionalLong.of(time);
    }

    private static Optional<JsonNode> parse(byte[] value) {
        if (value.length == 0 || (value[0] != '{' && value[0] != '[')) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readTree(new String(value, StandardCharsets.UTF_8)));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }
}
