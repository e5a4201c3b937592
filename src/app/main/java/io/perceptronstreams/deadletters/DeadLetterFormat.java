package io.perceptronstreams.deadletters;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.cluster.DeadLetter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Formats dead letters as lines. */
public final class DeadLetterFormat {
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ");
    private static final int HEX_LINE = 16;

    /** Maximum number of bytes shown in hexadecimal digits. */
    private static final int MAX_SHOWN = 512;

    private DeadLetterFormat() {}

    /** One JSON object: position, reason and the rejected value in base64. */
    public static String json(ConsumerRecord<byte[], byte[]> record) {
        return EventFormat.json(json -> write(record, json));
    }

    /**
     * Like {@link #json(ConsumerRecord)}, with the original headers, as text, and the decoded value; null where it
     * cannot be decoded.
     */
    public static String json(ConsumerRecord<byte[], byte[]> record, DeadLetterValues values) {
        return EventFormat.json(json -> {
            write(record, json);
            json.writeNumberField("replays", DeadLetter.replays(record.headers()));
            json.writeObjectFieldStart("headers");
            for (Header header : DeadLetter.original(record.headers())) {
                json.writeStringField(header.key(), text(header.value()));
            }
            json.writeEndObject();
            json.writeFieldName("value");
            String value = values.json(record.value()).orElse(null);
            if (value == null) {
                json.writeNull();
            } else {
                json.writeRawValue(value);
            }
        });
    }

    private static void write(ConsumerRecord<byte[], byte[]> record, JsonGenerator json) throws IOException {
        DeadLetter letter = DeadLetter.of(record.headers());
        EventFormat.writePosition(record, json);
        json.writeStringField("reason", letter.reason());
        json.writeStringField("message", letter.message());
        json.writeStringField("topic", letter.topic());
        json.writeObjectField("sourcePartition", letter.sourcePartition());
        json.writeObjectField("sourceOffset", letter.sourceOffset());
        if (letter.examples() != null) {
            json.writePOJOField("batchIndices", letter.examples());
        }
        json.writeStringField(
                "valueBase64",
                record.value() == null ? null : Base64.getEncoder().encodeToString(record.value()));
    }

    /** Everything about one dead letter, a line for each fact; the value decoded and in hexadecimal digits. */
    public static List<String> lines(ConsumerRecord<byte[], byte[]> record, DeadLetterValues values) {
        DeadLetter letter = DeadLetter.of(record.headers());
        List<String> lines = new ArrayList<>();
        lines.add("reason: " + letter.reason());
        lines.add("message: " + letter.message());
        lines.add("record: " + letter.topic() + "-" + letter.sourcePartition() + "@" + letter.source());
        lines.add("time: " + Instant.ofEpochMilli(record.timestamp()));
        lines.add("key: " + EventFormat.model(record));
        lines.add("sent again: " + DeadLetter.replays(record.headers()) + " times");
        for (Header header : DeadLetter.original(record.headers())) {
            lines.add("header " + header.key() + ": " + text(header.value()));
        }
        byte[] value = record.value();
        lines.add("value: " + (value == null ? "none" : value.length + " bytes"));
        if (value != null) {
            values.json(value).ifPresent(json -> lines.add("  " + json));
            for (int from = 0; from < value.length && from < MAX_SHOWN; from += HEX_LINE) {
                int to = Math.min(from + HEX_LINE, value.length);
                lines.add(String.format(Locale.ROOT, "  %04x  %s", from, HEX.formatHex(value, from, to)));
            }
            if (value.length > MAX_SHOWN) {
                lines.add("  … (perceptron dead-letters export prints all bytes)");
            }
        }
        return lines;
    }

    private static String text(byte[] header) {
        return header == null ? null : new String(header, StandardCharsets.UTF_8);
    }

    /** Time, model, position, reason, source and message. */
    public static String text(ConsumerRecord<byte[], byte[]> record) {
        DeadLetter letter = DeadLetter.of(record.headers());
        return EventFormat.position(record) + "  " + letter.reason() + "  from " + letter.topic() + "-"
                + letter.sourcePartition() + "@" + letter.source() + "  " + letter.message();
    }
}
