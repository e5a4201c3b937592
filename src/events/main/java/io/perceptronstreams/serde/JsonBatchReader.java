package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads events that a client sends to one model: a JSON event as in the examples topic, or an array of them.
 *
 * <p>The engine's reader reads each event, so that invalid ones are found before any is sent. The client's bytes
 * are sent unchanged. Not thread-safe.
 */
public final class JsonBatchReader {
    /** Maximum number of events of an array. */
    public static final int MAX_EVENTS = 1_000;

    /**
     * Maximum length of an event, in bytes: its dead letter fits into a record with default limits, headers included.
     */
    public static final int MAX_EVENT_BYTES = 512 * 1024;

    /** Purpose of a client's events. */
    public enum Purpose {
        /** Predictions of examples without labels. */
        PREDICT,
        /** Learning from examples, with or without labels. */
        LEARN,
        /** Learning from labels of examples that were sent before. */
        LABEL,
        /** One command. */
        COMMAND
    }

    /**
     * An event to send.
     *
     * @param isExample false for a label and a command
     * @param hasLabel true for an example with a label, and for a label
     * @param command null for an example and a label
     * @param value its JSON
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Event(boolean isExample, boolean hasLabel, ModelCommand command, byte[] value) {}

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

    /** Uses an event of a text, which {@link #reader} has read. */
    private interface Use {
        void accept(String text, int start, int end, String place);
    }

    private final FeatureHasher hasher = Settings.DEFAULTS.hasher();
    private final JsonExampleReader reader = new JsonExampleReader();
    private final Example example = new Example();

    /**
     * Reads all events.
     *
     * @param body in UTF-8
     * @throws TooLargeException if there are more than {@link #MAX_EVENTS}, or one has more than
     *     {@link #MAX_EVENT_BYTES}
     * @throws IllegalArgumentException if an event is invalid, with its place, the rule and the remedy
     */
    public Batch read(byte[] body, Purpose purpose) {
        List<Event> events = new ArrayList<>();
        boolean isArray = forEach(body, purpose, (text, start, end, place) -> {
            byte[] value = text.substring(start, end).getBytes(StandardCharsets.UTF_8);
            if (value.length > MAX_EVENT_BYTES) {
                throw new TooLargeException(
                        place + "an event must have at most " + MAX_EVENT_BYTES + " bytes, got " + value.length);
            }
            if (purpose == Purpose.COMMAND) {
                ModelCommand command = InputDecoder.jsonCommand(value);
                command.check();
                events.add(new Event(false, false, command, value));
                return;
            }
            if (purpose != Purpose.LABEL) {
                reader.fill(hasher, example);
            }
            events.add(new Event(purpose != Purpose.LABEL, reader.label() != null, null, value));
        });
        return new Batch(isArray, events);
    }

    /**
     * Reads all examples without labels, for an answer without the log.
     *
     * @param body as for {@link #read}
     * @param ofModel hasher of the model that will predict
     * @throws TooLargeException if there are more than {@link #MAX_EVENTS}
     * @throws IllegalArgumentException if an example is invalid
     */
    public Examples examples(byte[] body, FeatureHasher ofModel) {
        List<Example> examples = new ArrayList<>();
        boolean isArray = forEach(body, Purpose.PREDICT, (text, start, end, place) -> {
            Example next = new Example();
            reader.fill(ofModel, next);
            // names of the last example only
            next.setNames(null);
            examples.add(next);
        });
        return new Examples(isArray, examples);
    }

    /** Returns true if the events are in an array. */
    private boolean forEach(byte[] body, Purpose purpose, Use use) {
        if (body.length > 1 && (body[0] == 0 || body[1] == 0 || (body[0] & 0xff) >= 0xef)) {
            throw new IllegalArgumentException("text must be JSON in UTF-8 without a byte order mark, got other bytes");
        }
        try {
            String text = JsonInput.decoded(body, 0, body.length);
            try (JsonParser json = JsonInput.parser(text)) {
                boolean isArray = json.nextToken() == JsonToken.START_ARRAY;
                if (isArray && purpose == Purpose.COMMAND) {
                    throw new IllegalArgumentException(
                            "a request must have one command, got an array (send each in a request of its own)");
                }
                if (isArray) {
                    int events = 0;
                    while (json.nextToken() != JsonToken.END_ARRAY) {
                        requireCount(++events);
                        event(json, text, purpose, "event " + events + " of the array: ", use);
                    }
                    requireCount(events);
                } else {
                    event(json, text, purpose, "", use);
                }
                if (json.nextToken() != null) {
                    throw new IllegalArgumentException("text must end after the event or array, got more ("
                            + (purpose == Purpose.COMMAND
                                    ? "send each command in a request of its own"
                                    : "send several events as an array: [{…},{…}]")
                            + ")");
                }
                return isArray;
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("text must be JSON, got: " + JsonFault.placed(e), e);
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

    /** Reads the event whose first token is the current one; afterwards the current one is its last. */
    private void event(JsonParser json, String text, Purpose purpose, String place, Use use) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw new IllegalArgumentException(place + "an event must be a JSON object, got "
                    + (json.currentToken() == null ? "nothing" : "another value"));
        }
        int start = (int) json.currentTokenLocation().getCharOffset();
        try {
            boolean isRead = reader.read(json);
            boolean isOther = purpose == Purpose.COMMAND
                    ? isRead || reader.has("model") || !reader.has("action")
                    : !isRead || (reader.exampleId() != null) != (purpose == Purpose.LABEL);
            if (isOther) {
                throw new IllegalArgumentException(place + otherEvent(purpose));
            }
            if (purpose != Purpose.COMMAND) {
                reader.timestamp();
            }
            if (purpose == Purpose.PREDICT && reader.label() != null) {
                throw new IllegalArgumentException(
                        place
                                + "an example to predict must have no label, got one (leave it out, or send the example to …/examples to learn from it)");
            }
            use.accept(text, start, (int) json.currentLocation().getCharOffset(), place);
        } catch (RejectedException e) {
            // of another event than the route takes, a fault of one of its fields is not what is wrong
            boolean isOther = switch (purpose) {
                case COMMAND -> !reader.has("action");
                // a label whose first field is wrong may have the others
                case LABEL ->
                    !reader.has("exampleId")
                            && (json.currentToken() == JsonToken.END_OBJECT
                                    || reader.has("id")
                                    || reader.has("features"));
                case LEARN, PREDICT -> reader.has("exampleId");
            };
            throw new IllegalArgumentException(place + (isOther ? otherEvent(purpose) : e.getMessage()), e);
        }
    }

    private static String name(Purpose purpose) {
        return switch (purpose) {
            case PREDICT, LEARN -> "an example";
            case LABEL -> "a label";
            case COMMAND -> "a command";
        };
    }

    private String otherEvent(Purpose purpose) {
        if (reader.has("model")) {
            return "an event must have no field model, got one (the address names the model; leave it out)";
        }
        if (reader.has("vectors")) {
            return "an event must be " + name(purpose)
                    + ", got one with the field vectors (perceptron weights import sends weights)";
        }
        if (purpose == Purpose.COMMAND) {
            return "a command must have an action, got none ({\"action\":\"CONFIGURE\",\"settings\":{\"h\":\"1\"}};"
                    + " examples go to …/examples, labels to …/labels)";
        }
        if (reader.has("action")) {
            return "an event must be " + name(purpose)
                    + ", got one with the field action (a command goes to …/commands)";
        }
        boolean isLabel = purpose == Purpose.LABEL;
        boolean isMisspelt = isLabel && reader.hasUnknown() && !reader.has("id") && !reader.has("features");
        if (isMisspelt || reader.has("exampleId") == isLabel) {
            return reader.unknownField(isLabel).getMessage();
        }
        return isLabel
                ? "a label must have an exampleId, got " + (reader.has("id") ? "id" : "none")
                        + (reader.has("features")
                                ? " (an example with its label goes to …/examples)"
                                : " ({\"exampleId\":\"7\",\"label\":1}: the id of the example that was sent before)")
                : "an example must have no exampleId, got one (a label of an earlier example goes to …/labels)";
    }
}
