package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.deadletters.DeadLetterFormat;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.avro.generic.GenericEnumSymbol;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EventFormatTest {
    private static final long SEED = 20260703;
    private static final String PLACE = "{\"model\":\"m\",\"partition\":0,\"offset\":5,\"timestamp\":1600000000123,";

    /** The place of the record that caused an event is not that of its own record. */
    @ParameterizedTest
    @EnumSource(
            value = Topic.class,
            names = {"PREDICTIONS", "MISTAKES", "COUNTS", "MODELS", "ALERTS"})
    void shouldPrintEveryFieldUnderItsSchemaName(Topic topic) {
        GenericRecord event = Events.filled(EventSchemas.schema(topic));

        assertThat(EventFormat.json(record(), event))
                .isEqualTo(PLACE
                        + event.getSchema().getFields().stream()
                                .map(field -> "\"" + printedName(field.name()) + "\":" + json(event.get(field.pos())))
                                .collect(Collectors.joining(","))
                        + "}");
    }

    private static String printedName(String field) {
        return switch (field) {
            case "partition" -> "sourcePartition";
            case "offset" -> "sourceOffset";
            default -> field;
        };
    }

    /** JSON of a value of {@link Events#filled}. */
    private static String json(Object value) {
        if (value instanceof List<?> list) {
            return "[" + json(list.get(0)) + "]";
        } else if (value instanceof Map<?, ?> map) {
            return "{\"a b\":" + json(map.get("a b")) + "}";
        } else if (value instanceof GenericRecord record) {
            return record.getSchema().getFields().stream()
                    .map(field -> "\"" + field.name() + "\":" + json(record.get(field.pos())))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        boolean isText = value instanceof String || value instanceof GenericEnumSymbol;
        return isText ? "\"" + value.toString().replace("\"", "\\\"") + "\"" : value.toString();
    }

    @Test
    void shouldPrintLabelsOnceAsText() {
        assertThat(EventFormat.text(record(), Events.filled(EventSchemas.schema("Mistake"))))
                .contains("  label=", "  predicted=")
                .doesNotContain("Text=");
    }

    @Test
    void shouldPrintUnionsPlain() {
        GenericRecord prediction = Events.filled(EventSchemas.schema("Prediction"));
        prediction.put("label", -1);
        prediction.put("scores", null);
        prediction.put("correct", null);

        assertThat(EventFormat.json(record(), prediction))
                .contains("\"label\":-1,", "\"scores\":null,", "\"correct\":null,");
    }

    /** JSON has neither NaN nor infinities; null in a field that must be a number could not be read back. */
    @ParameterizedTest
    @CsvSource({"NaN, null", "Infinity, 1.7976931348623157E308", "-Infinity, -1.7976931348623157E308"})
    void shouldPrintWhatJsonDoesNotHave(double score, String printed) {
        GenericRecord prediction = Events.filled(EventSchemas.schema("Prediction"));
        prediction.put("score", score);

        assertThat(EventFormat.json(record(), prediction)).contains("\"score\":" + printed + ",");
    }

    /** Numbers for which Double.toString prints an extra digit before JDK 19, and the ends of the range. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2.0E-3",
                "1.0E23",
                "2E23",
                "2.2250738585072014E-308",
                "4.9E-324",
                "8.41E21",
                "2.2E-322",
                "9.5E-322",
                "1.1E23",
                "0.1",
                "0.3333333333333333",
                "-0.0",
                "1e16",
                "1.7976931348623157E308"
            })
    void shouldPrintKnownOffendersInTheShortestForm(String value) {
        checkShortest(Double.parseDouble(value));
    }

    @Test
    void shouldPrintRandomDoublesInTheShortestForm() {
        Random random = new Random(SEED);
        for (int i = 0; i < 20_000; i++) {
            double value = i % 2 == 0 ? Double.longBitsToDouble(random.nextLong()) : random.nextGaussian();
            if (Double.isFinite(value)) {
                checkShortest(value);
            }
        }
    }

    private static void checkShortest(double value) {
        String printed =
                EventFormat.json(json -> json.writeNumberField("v", value)).replaceAll("\\{\"v\":(.*)}", "$1");
        assertThat(Double.doubleToRawLongBits(Double.parseDouble(printed)))
                .as(printed)
                .isEqualTo(Double.doubleToRawLongBits(value));
        if (value != 0) {
            int digits = new BigDecimal(printed).stripTrailingZeros().precision();
            // one digit is written as x.y: the nearest such number is used, as 4.9E-324, which is as short as 5.0E-324
            assertThat(digits)
                    .as("digits of %s, seed %d", printed, SEED)
                    .isLessThanOrEqualTo(Math.max(2, fewestDigits(value)));
        }
    }

    /** Tries both neighbours with one digit, two digits, and so on, of the exact value. */
    private static int fewestDigits(double value) {
        BigDecimal exact = new BigDecimal(value);
        for (int digits = 1; digits < 17; digits++) {
            for (RoundingMode mode : new RoundingMode[] {RoundingMode.DOWN, RoundingMode.UP}) {
                BigDecimal candidate = exact.round(new MathContext(digits, mode));
                if (candidate.doubleValue() == value) {
                    return candidate.stripTrailingZeros().precision();
                }
            }
        }
        return 17;
    }

    @Test
    void shouldPrintTimesAndFieldsForPeople() {
        GenericRecord alert = Events.filled(EventSchemas.schema("Alert"));

        assertThat(EventFormat.text(record(), alert))
                .isEqualTo(alert.getSchema().getFields().stream()
                        .map(field -> "  " + field.name() + "=" + text(alert.get(field.pos())))
                        .collect(Collectors.joining("", "2020-09-13T12:26:40.123Z  m  0@5", "")));
    }

    private static String text(Object value) {
        return value instanceof Double number ? String.format(Locale.ROOT, "%.8f", number) : value.toString();
    }

    @Test
    void shouldPrintWhereADeadLetterCameFrom() {
        ConsumerRecord<byte[], byte[]> letter = Events.record("perceptron-dead-letters", 5, "m", new byte[] {1, 2});
        header(letter, "perceptron-reason", "MALFORMED_AVRO");
        header(letter, "__streams.errors.message", "value must be Avro");
        header(letter, "__streams.errors.topic", "perceptron-examples");
        header(letter, "__streams.errors.partition", "3");
        header(letter, "__streams.errors.offset", "17");

        assertThat(DeadLetterFormat.json(letter))
                .isEqualTo(PLACE
                        + "\"reason\":\"MALFORMED_AVRO\",\"message\":\"value must be Avro\",\"topic\":\"perceptron-examples\","
                        + "\"sourcePartition\":3,\"sourceOffset\":17,\"valueBase64\":\"AQI=\"}");
        assertThat(DeadLetterFormat.text(letter))
                .endsWith("  m  0@5  MALFORMED_AVRO  from perceptron-examples-3@17  value must be Avro");
    }

    @Test
    void shouldPrintDeadLettersWithoutKeyValueAndHeaders() {
        assertThat(DeadLetterFormat.json(Events.record("perceptron-dead-letters", 5, null, null)))
                .isEqualTo(
                        PLACE.replace("\"m\"", "null")
                                + "\"reason\":null,\"message\":null,\"topic\":null,\"sourcePartition\":null,\"sourceOffset\":null,\"valueBase64\":null}");
    }

    private static void header(ConsumerRecord<byte[], byte[]> record, String name, String value) {
        record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    private static ConsumerRecord<byte[], byte[]> record() {
        return Events.record("t", 5, "m", null);
    }
}
