package io.perceptronstreams.cluster;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Headers of a record in the dead-letter topic: the reason for the rejection and the position of the original record.
 *
 * <p>All header names except the reason's come from Kafka Streams ({@code __streams.errors.*}, KIP-1034), so that
 * the same tools read both.
 *
 * @param reason name of a {@link io.perceptronstreams.example.RejectReason}; like all components, null if the header is
 *     missing
 * @param message the violated rule, the value, and the remedy
 * @param topic of the original record
 * @param sourcePartition of the original record
 * @param sourceOffset of the original record
 * @param examples numbers of the examples, from 0, if they are some of the original record's; null if it is all of the
 *     record
 */
public record DeadLetter(
        String reason, String message, String topic, Long sourcePartition, Long sourceOffset, List<Integer> examples) {
    public static final String REASON = "perceptron-reason";

    /** Header in place of contents too large to copy; its value is the number of omitted bytes. */
    public static final String OMITTED = "perceptron-omitted-bytes";

    /** Header of a record that was sent again: the place of its dead letter, as {@code perceptron-dead-letters-0@7}. */
    public static final String REPLAY_OF = "perceptron-replay-of";

    /** Header of a record that was sent again: the number of times. */
    public static final String REPLAYS = "perceptron-replays";

    /** Maximum length of the message, in UTF-16 units. */
    public static final int MAX_MESSAGE = 500;

    /** Header of some examples of a record: their numbers there, from 0, ascending, as {@code 3} or {@code 3,4,7}. */
    public static final String BATCH_INDEX = "perceptron-batch-index";

    // of at most 4 digits each: no more than a thousand examples
    private static final String NUMBERS = "\\d{1,4}(,\\d{1,4}){0,999}";

    private static final String EXCEPTION = "__streams.errors.exception";
    private static final String MESSAGE = "__streams.errors.message";
    private static final String TOPIC = "__streams.errors.topic";
    private static final String PARTITION = "__streams.errors.partition";
    private static final String OFFSET = "__streams.errors.offset";

    private static final List<String> ADDED =
            List.of(REASON, EXCEPTION, MESSAGE, TOPIC, PARTITION, OFFSET, BATCH_INDEX);

    /** Reasons that only commands and weights have. */
    private static final Set<String> REASONS_OF_COMMANDS = Set.of(
            RejectReason.INVALID_COMMAND.name(),
            RejectReason.INVALID_WEIGHTS.name(),
            RejectReason.NOT_AUTHORISED.name());

    /** Returns true for a reason that only commands and weights have. */
    public static boolean isOfCommands(String reason) {
        return REASONS_OF_COMMANDS.contains(reason);
    }

    /** Reads the headers of a dead letter. */
    public static DeadLetter of(Headers headers) {
        return new DeadLetter(
                text(headers, REASON),
                text(headers, MESSAGE),
                text(headers, TOPIC),
                number(headers, PARTITION),
                number(headers, OFFSET),
                examples(text(headers, BATCH_INDEX)));
    }

    /** Returns it with another message. */
    public DeadLetter withMessage(String other) {
        return new DeadLetter(reason, other, topic, sourcePartition, sourceOffset, examples);
    }

    private static List<Integer> examples(String numbers) {
        return numbers == null || !numbers.matches(NUMBERS)
                ? null
                : Arrays.stream(numbers.split(",", -1)).map(Integer::valueOf).toList();
    }

    /** Value of the header {@link #BATCH_INDEX}. */
    public static String toText(List<Integer> examples) {
        return examples.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** Adds the headers of a dead letter: the reason and the position of the original record. */
    public static void addTo(Headers headers, RejectedException why, String topic, int partition, long offset) {
        headers.add(REASON, utf8(why.reason().name()))
                .add(EXCEPTION, utf8(why.getClass().getName()))
                .add(MESSAGE, utf8(Utf8Slice.shortened(why.getMessage(), MAX_MESSAGE)))
                .add(TOPIC, utf8(topic))
                .add(PARTITION, utf8(Integer.toString(partition)))
                .add(OFFSET, utf8(Long.toString(offset)));
    }

    /**
     * Offset of the original record, and the numbers of the examples, as {@code 17#3} or {@code 17#3,4,7}, if it has
     * others.
     */
    public String source() {
        return sourceOffset + (examples == null ? "" : "#" + toText(examples));
    }

    /** Returns true if this is the dead letter of the record at a position. */
    public boolean isOf(String sourceTopic, int partition, long offset) {
        return sourceTopic.equals(topic)
                && Long.valueOf(partition).equals(sourcePartition)
                && Long.valueOf(offset).equals(sourceOffset);
    }

    /** Number of times that the original record had been sent again before it became this dead letter. */
    public static long replays(Headers headers) {
        Long replays = number(headers, REPLAYS);
        return replays == null ? 0 : replays;
    }

    /** Headers of the original record, in their order: headers of the dead letter that {@link #addTo} has not added. */
    public static List<Header> original(Headers headers) {
        List<Header> original = new ArrayList<>(List.of(headers.toArray()));
        for (String name : ADDED) {
            // only the last one: the original may have been the dead letter of another program
            for (int k = original.size() - 1; k >= 0; k--) {
                if (original.get(k).key().equals(name)) {
                    original.remove(k);
                    break;
                }
            }
        }
        return original;
    }

    private static String text(Headers headers, String name) {
        // the last one: a record that was a dead letter before has older headers of the same name
        Header found = headers.lastHeader(name);
        return found == null || found.value() == null ? null : new String(found.value(), StandardCharsets.UTF_8);
    }

    private static Long number(Headers headers, String name) {
        String text = text(headers, name);
        return text == null || !text.matches("-?\\d{1,18}") ? null : Long.valueOf(text);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
