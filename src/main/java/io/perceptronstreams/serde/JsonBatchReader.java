package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads events that a client sends to one model: a JSON event as in the examples topic, or an array of them.
 *
 * <p>Each event is decoded as the engine decodes it, so that invalid ones are found before any is sent. The bytes to send
 * are those of the client, unchanged. Not thread-safe.
 */
public final class JsonBatchReader {
    /** Maximum number of events of an array. */
    public static final int MAX_EVENTS = 1_000;

    /** Maximum length of an event, in bytes: its dead letter fits into a record with default limits, headers included. */
    public static final int MAX_EVENT_BYTES = 512 * 1024;

    /** What the client wants of the events. */
    public enum Purpose {
        /** Predictions of examples without labels. */
        PREDICT,
        /** Learning from examples, with or without labels. */
        LEARN,
        /** Learning from labels of examples that were sent before. */
        LABEL
    }

    /**
     * An event to send.
     *
     * @param hasLabel true for an example with a label, and for a label
     * @param value its JSON
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Event(boolean hasLabel, byte[] value) {}

    /**
     * The events of a client.
     *
     * @param isArray false for a single event outside an array
     */
    public record Batch(boolean isArray, List<Event> events) {}

    /**
     * The examples of a client.
     *
     * @param isArray false for a single example outside an array
     */
    public record Examples(boolean isArray, List<Example> examples) {}

    /** The client sends too much at once. */
    public static final class TooLargeException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        TooLargeException(String message) {
            super(message);
        }
    }

    private final FeatureHasher hasher = Settings.DEFAULTS.hasher();
    private final JsonDecoder decoder = new JsonDecoder();
    private final JsonExampleReader reader = new JsonExampleReader();
    private final Example example = new Example();

    /**
     * Reads all events.
     *
     * @param body in UTF-8
     * @throws TooLargeException if there are more than {@link #MAX_EVENTS}, or one has more than {@link #MAX_EVENT_BYTES}
     * @throws IllegalArgumentException if an event is invalid, with its place, the rule and the remedy
     */
    public Batch read(byte[] body, Purpose purpose) {
        requireUtf8(body);
        // JsonInput's parser does not know places in bytes. This one has a table of names: of this text alone.
        JsonFactory factory = JsonFactory.builder()
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .build();
        try (JsonParser json = factory.createParser(body)) {
            boolean isArray = json.nextToken() == JsonToken.START_ARRAY;
            List<Event> events = new ArrayList<>();
            if (isArray) {
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    requireCount(events.size() + 1);
                    events.add(event(json, body, purpose, place(events.size() + 1)));
                }
                requireCount(events.size());
            } else {
                events.add(event(json, body, purpose, ""));
            }
            if (json.nextToken() != null) {
                throw new IllegalArgumentException("text must end after the event or array, got more"
                        + " (send several events as an array: [{…},{…}])");
            }
            return new Batch(isArray, events);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("text must be JSON, got: " + JsonFault.of(e)
                    + (e.getLocation() == null
                            ? ""
                            : " (byte " + e.getLocation().getByteOffset() + ")"));
        } catch (IOException e) {
            throw new IllegalArgumentException("text must be JSON in UTF-8, got: " + e.getMessage(), e);
        }
    }

    /**
     * Reads all examples without labels, for an answer without the log. Half the cost of {@link #read}, because the
     * bytes of each are not needed.
     *
     * @param body as for {@link #read}
     * @param ofModel hasher of the model that will predict
     * @throws TooLargeException if there are more than {@link #MAX_EVENTS}
     * @throws IllegalArgumentException if an example is invalid
     */
    public Examples examples(byte[] body, FeatureHasher ofModel) {
        requireUtf8(body);
        Examples common = common(body, ofModel);
        if (common != null) {
            return common;
        }
        JsonNode parsed;
        try {
            parsed = JsonDecoder.parse(body);
        } catch (RejectedException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        if (!parsed.isArray()) {
            return new Examples(false, List.of(example(parsed, ofModel, "")));
        }
        requireCount(parsed.size());
        List<Example> examples = new ArrayList<>(parsed.size());
        for (JsonNode event : parsed) {
            examples.add(example(event, ofModel, place(examples.size() + 1)));
        }
        return new Examples(true, examples);
    }

    /** Returns the examples; null if the tree must decide. */
    private Examples common(byte[] body, FeatureHasher ofModel) {
        List<Example> examples = new ArrayList<>();
        try (JsonParser json = JsonInput.ofUtf8(body)) {
            boolean isArray = json.nextToken() == JsonToken.START_ARRAY;
            if (isArray) {
                json.nextToken();
            }
            while (json.currentToken() == JsonToken.START_OBJECT) {
                Example next = new Example();
                if (!reader.read(json, ofModel, next) || next.label() != null || reader.hasTimestamp()) {
                    return null;
                }
                examples.add(next);
                if (examples.size() > MAX_EVENTS) {
                    return null;
                }
                json.nextToken();
            }
            boolean isClosed = !isArray || (json.currentToken() == JsonToken.END_ARRAY && json.nextToken() == null);
            boolean isCounted = isArray ? !examples.isEmpty() : examples.size() == 1;
            return isClosed && isCounted && json.currentToken() == null ? new Examples(isArray, examples) : null;
        } catch (IOException | RejectedException e) {
            return null;
        }
    }

    private Example example(JsonNode event, FeatureHasher ofModel, String place) {
        requireObject(event.isObject(), event.isMissingNode(), place);
        event.fieldNames().forEachRemaining(field -> checkField(field, Purpose.PREDICT, place));
        requireKind(!event.has("exampleId"), Purpose.PREDICT, place);
        Example next = new Example();
        byte[] timestamp = event.has("timestamp")
                ? ("{\"timestamp\":" + event.get("timestamp") + "}").getBytes(StandardCharsets.UTF_8)
                : new byte[0];
        check(() -> decoder.decode(event, 0, ofModel, next), timestamp, next, Purpose.PREDICT, place);
        return next;
    }

    private static void requireUtf8(byte[] body) {
        if (body.length > 1 && (body[0] == 0 || body[1] == 0 || (body[0] & 0xff) >= 0xef)) {
            throw new IllegalArgumentException("text must be JSON in UTF-8 without a byte order mark, got other bytes");
        }
    }

    private static void requireCount(int events) {
        if (events > MAX_EVENTS) {
            throw new TooLargeException(
                    "an array must have at most " + MAX_EVENTS + " events, got more (send them in several requests)");
        }
        if (events == 0) {
            throw new IllegalArgumentException("an array must have at least one event, got none");
        }
    }

    private static String place(int number) {
        return "event " + number + " of the array: ";
    }

    private static void requireObject(boolean isObject, boolean isMissing, String place) {
        if (!isObject) {
            throw new IllegalArgumentException(
                    place + "an event must be a JSON object, got " + (isMissing ? "nothing" : "another value"));
        }
    }

    private static void requireKind(boolean isExample, Purpose purpose, String place) {
        if (isExample == (purpose == Purpose.LABEL)) {
            throw new IllegalArgumentException(
                    place
                            + (isExample
                                    ? "a label must have an exampleId, got none (an example with its label goes to …/examples)"
                                    : "an example must have no exampleId, got one (a label of an earlier example goes to …/labels)"));
        }
    }

    /** Reads the event whose first token is the present one; afterwards the present one is its last. */
    private Event event(JsonParser json, byte[] body, Purpose purpose, String place) throws IOException {
        requireObject(json.currentToken() == JsonToken.START_OBJECT, json.currentToken() == null, place);
        int start = (int) json.currentTokenLocation().getByteOffset();
        boolean isExample = true;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            checkField(field, purpose, place);
            isExample &= !field.equals("exampleId");
            json.nextToken();
            json.skipChildren();
        }
        int end = (int) json.currentLocation().getByteOffset();
        if (end - start > MAX_EVENT_BYTES) {
            throw new TooLargeException(
                    place + "an event must have at most " + MAX_EVENT_BYTES + " bytes, got " + (end - start));
        }
        requireKind(isExample, purpose, place);
        byte[] value = Arrays.copyOfRange(body, start, end);
        return new Event(check(() -> decoder.decode(value, hasher, example), value, example, purpose, place), value);
    }

    private static void checkField(String field, Purpose purpose, String place) {
        switch (field) {
            case "model" ->
                throw new IllegalArgumentException(place
                        + "an event must have no field model, got one (the address names the model; leave it out)");
            case "action", "vectors" ->
                throw new IllegalArgumentException(place + "an event must be "
                        + (purpose == Purpose.LABEL ? "a label" : "an example") + ", got one with the field " + field
                        + " (perceptron models and weights send commands and weights)");
            default -> {
                // the decoder checks it
            }
        }
    }

    /**
     * Decodes an example or label; returns true for an example with a label, and for a label.
     *
     * @param timed JSON with the event's timestamp, if it has one
     */
    private static boolean check(Runnable decoding, byte[] timed, Example into, Purpose purpose, String place) {
        try {
            decoding.run();
            long timestamp = JsonTimestamp.of(timed, 0);
            if (JsonTimestamp.isInSeconds(timestamp)) {
                throw new IllegalArgumentException(JsonTimestamp.inSeconds(timestamp));
            }
        } catch (RejectedException e) {
            throw new IllegalArgumentException(place + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    place + "timestamp must be in ms since 1970 or as in 2026-01-31T12:00:00Z, got " + e.getMessage(),
                    e);
        }
        boolean hasLabel = purpose == Purpose.LABEL || into.label() != null;
        if (hasLabel && purpose == Purpose.PREDICT) {
            throw new IllegalArgumentException(
                    place
                            + "an example to predict must have no label, got one (leave it out, or send the example to …/examples to learn from it)");
        }
        return hasLabel;
    }
}
