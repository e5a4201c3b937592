package io.perceptronstreams.monitor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.cluster.DeadLetter;
import java.io.IOException;

/**
 * Answer to an event that was sent to the log.
 *
 * @param outcome of the event, with its HTTP status
 * @param place of the event in the examples topic; null if the brokers have not acknowledged it
 * @param event the Prediction of an example, or the ModelStatus after a command, as one JSON object; null except for
 *     {@link Outcome#PREDICTED} and {@link Outcome#EXECUTED}
 * @param reason name of a {@link io.perceptronstreams.example.RejectReason}; null except for {@link Outcome#REJECTED}
 * @param error one line; null if there is none
 */
public record EventAnswer(Outcome outcome, Place place, String event, String reason, String error) {
    /**
     * Position in the examples topic.
     *
     * @param index number of the example in its record, from 0; null for a record of one event
     */
    public record Place(int partition, long offset, Integer index) {}

    /** Outcome of an event, the best first. */
    public enum Outcome {
        /** The engine has predicted the example. */
        PREDICTED(200),
        /** The engine has executed the command. */
        EXECUTED(200),
        /** The brokers have acknowledged the event; the request does not wait for the engine. */
        ACKNOWLEDGED(202),
        /** The event is invalid and was not sent. */
        INVALID(400),
        /** The engine has refused the event: it is a dead letter. */
        REJECTED(422),
        /** The event does not fit into a record of the examples topic, and is not in the log. */
        TOO_LARGE(413),
        /** The engine has processed the event, but its answer is too large. */
        OMITTED(413),
        /** The event is in the log, and the engine has not answered in time. */
        UNANSWERED(504),
        /** The brokers have not acknowledged the event. */
        NOT_ACKNOWLEDGED(503);

        private final int status;

        Outcome(int status) {
            this.status = status;
        }

        /** HTTP status. */
        public int status() {
            return status;
        }
    }

    public static EventAnswer predicted(Place place, String prediction) {
        return new EventAnswer(Outcome.PREDICTED, place, prediction, null, null);
    }

    public static EventAnswer executed(Place place, String status) {
        return new EventAnswer(Outcome.EXECUTED, place, status, null, null);
    }

    public static EventAnswer acknowledged(Place place) {
        return new EventAnswer(Outcome.ACKNOWLEDGED, place, null, null, null);
    }

    public static EventAnswer invalid(String error) {
        return new EventAnswer(Outcome.INVALID, null, null, null, error);
    }

    public static EventAnswer rejected(Place place, DeadLetter letter) {
        return new EventAnswer(Outcome.REJECTED, place, null, letter.reason(), letter.message());
    }

    public static EventAnswer tooLarge(String error) {
        return new EventAnswer(Outcome.TOO_LARGE, null, null, null, error);
    }

    public static EventAnswer omitted(Place place, String error) {
        return new EventAnswer(Outcome.OMITTED, place, null, null, error);
    }

    public static EventAnswer unanswered(Place place, String error) {
        return new EventAnswer(Outcome.UNANSWERED, place, null, null, error);
    }

    public static EventAnswer notAcknowledged(String error) {
        return new EventAnswer(Outcome.NOT_ACKNOWLEDGED, null, null, null, error);
    }

    /**
     * Writes one JSON object: error and reason, or the fields of Prediction or ModelStatus; then the model and the
     * position.
     */
    public void write(JsonGenerator json, String model) throws IOException {
        json.writeStartObject();
        writeFields(json, model);
        json.writeEndObject();
    }

    /** Like {@link #write}, without the braces. */
    public void writeFields(JsonGenerator json, String model) throws IOException {
        if (error != null) {
            json.writeStringField("error", error);
        }
        if (reason != null) {
            json.writeStringField("reason", reason);
        }
        json.writeStringField("model", model);
        if (event != null) {
            json.writeRaw(',');
            json.writeRaw(event, 1, event.length() - 2);
        }
        if (place != null) {
            json.writeObjectFieldStart("position");
            json.writeNumberField("partition", place.partition());
            json.writeNumberField("offset", place.offset());
            if (place.index() != null) {
                json.writeNumberField("index", place.index());
            }
            json.writeEndObject();
        }
        json.writeStringField("via", "log");
    }
}
