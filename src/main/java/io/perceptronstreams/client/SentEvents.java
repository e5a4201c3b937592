package io.perceptronstreams.client;

import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.monitor.AnswerBudget;
import io.perceptronstreams.monitor.EventAnswer;
import io.perceptronstreams.monitor.EventAnswer.Place;
import io.perceptronstreams.serde.DeadLetter;
import io.perceptronstreams.serde.EventJson;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Events of one request on their way: what the brokers and the engine have answered so far.
 *
 * <p>Thread-safe: the threads of the producer, of the reader of answers and of the time-out complete it.
 */
final class SentEvents {
    /** Bytes of the other fields of an answer, and of the objects that hold it, at most. */
    private static final int ANSWER_BYTES = 512;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final boolean isWaiting;
    private final int timeoutMs;
    private final AnswerBudget budget;
    private final List<SentEvent> events = new ArrayList<>();
    private final AtomicInteger missing;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private volatile String fault;

    /**
     * Creates the state of a request.
     *
     * @param isWaiting true if each event waits for the engine, too
     * @param budget memory of the predictions
     */
    SentEvents(int count, boolean isWaiting, int timeoutMs, AnswerBudget budget) {
        this.budget = budget;
        this.isWaiting = isWaiting;
        this.timeoutMs = timeoutMs;
        this.missing = new AtomicInteger(count);
        byte[] id = new byte[16];
        RANDOM.nextBytes(id);
        String request = HexFormat.of().formatHex(id);
        for (int k = 0; k < count; k++) {
            events.add(new SentEvent(request + "-" + k));
        }
    }

    List<SentEvent> events() {
        return events;
    }

    /** Answers of all events, at the latest after the time-out; the time runs from this call. */
    CompletableFuture<List<EventAnswer>> answers() {
        return settled.orTimeout(timeoutMs, TimeUnit.MILLISECONDS)
                .handle((nothing, late) ->
                        events.stream().map(SentEvent::answer).toList());
    }

    /** Gives the answers at once; the events that are not sent get the reason. */
    void fail(String reason) {
        fault = reason;
        settled.complete(null);
    }

    /** Returns true if the answers are given, so that nothing more may be sent. */
    boolean isSettled() {
        return settled.isDone();
    }

    /** One event. */
    final class SentEvent {
        private final String header;
        private Place place;
        private String prediction;
        private String omitted;
        private DeadLetter letter;
        private String failure;
        private String unread;
        private boolean isSettled;
        private boolean isSent;
        private boolean isAnswered;

        SentEvent(String header) {
            this.header = header;
        }

        /** Value of the record header by which its answers are found. */
        String header() {
            return header;
        }

        /** To be called before it is sent; returns false if its answer is given, so that it must not be sent. */
        synchronized boolean begin() {
            isSent = !isAnswered;
            return isSent;
        }

        synchronized void acknowledged(RecordMetadata metadata, Exception exception) {
            if (exception == null) {
                place = new Place(metadata.partition(), metadata.offset());
            } else {
                failure = String.valueOf(exception.getMessage());
            }
            settleIfComplete();
        }

        /** Keeps the text only: with many scores the objects of a record would take ten times as much. */
        synchronized void predicted(Prediction answer) {
            String text = EventJson.text(answer);
            // the text, of which a character may take two bytes, and its copy in the answer
            omitted = budget.take(ANSWER_BYTES + 3L * text.length());
            prediction = omitted == null ? text : null;
            settleIfComplete();
        }

        synchronized void rejected(DeadLetter answer) {
            letter = answer;
            settleIfComplete();
        }

        /** The answer of the engine is there, but cannot be read. */
        synchronized void unreadable(String reason) {
            unread = reason;
            settleIfComplete();
        }

        private void settleIfComplete() {
            boolean isProcessed = prediction != null || omitted != null || letter != null || unread != null;
            if (!isSettled && (failure != null || (place != null && (isProcessed || !isWaiting)))) {
                isSettled = true;
                if (missing.decrementAndGet() == 0) {
                    settled.complete(null);
                }
            }
        }

        private synchronized EventAnswer answer() {
            isAnswered = true;
            if (place != null && prediction != null) {
                return EventAnswer.predicted(place, prediction);
            }
            if (place != null && omitted != null) {
                return EventAnswer.omitted(
                        place,
                        omitted + "; the event is processed and its prediction in its topic: do not send it again");
            }
            if (place != null && letter != null) {
                return EventAnswer.rejected(place, letter);
            }
            if (place != null && !isWaiting) {
                return EventAnswer.acknowledged(place);
            }
            if (place != null) {
                return EventAnswer.unanswered(
                        place,
                        "the engine must answer, got " + (unread == null ? "nothing in " + timeoutMs + " ms" : unread)
                                + " (the event is in the log and is processed when the"
                                + " engine runs: do not send it again)");
            }
            if (!isSent) {
                return EventAnswer.notAcknowledged(
                        "brokers must be available, got " + (fault == null ? "nothing in " + timeoutMs + " ms" : fault)
                                + " (nothing was sent: send the event again)");
            }
            return EventAnswer.notAcknowledged("brokers must acknowledge the event, got "
                    + (failure == null ? "nothing in " + timeoutMs + " ms" : failure)
                    + " (it may be in the log nevertheless: with dedupe.last, the same id can be sent again safely)");
        }
    }
}
