package io.perceptronstreams.gateway;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.monitor.AnswerBudget;
import io.perceptronstreams.monitor.EventAnswer;
import io.perceptronstreams.monitor.EventAnswer.Place;
import io.perceptronstreams.monitor.PublicFault;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.JsonBatchReader.Event;
import java.io.ByteArrayOutputStream;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;

/**
 * Events of one request on their way, in their records: what the brokers and the engine have answered so far.
 *
 * <p>Examples share records, labels and commands have records of their own. Thread-safe: the threads of the producer,
 * of the reader of answers and of the time-out complete it.
 */
final class PendingEvents {
    /** Maximum size of a record of several examples. */
    static final int MAX_BYTES = 512 * 1024;

    /** Bytes of the other fields of an answer, and of the objects that hold it, at most. */
    private static final int ANSWER_BYTES = 512;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final String model;
    private final boolean isWaiting;
    private final int timeoutMs;
    private final AnswerBudget budget;
    private final String request;
    private volatile List<SentRecord> records;
    private final AtomicInteger missing;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private volatile String fault;

    /**
     * Creates the state of a request.
     *
     * @param isWaiting true if each event waits for the engine, too
     * @param budget memory of the predictions
     */
    PendingEvents(String model, List<Event> events, boolean isWaiting, int timeoutMs, AnswerBudget budget) {
        this.model = model;
        this.budget = budget;
        this.isWaiting = isWaiting;
        this.timeoutMs = timeoutMs;
        this.missing = new AtomicInteger(events.size());
        byte[] id = new byte[16];
        RANDOM.nextBytes(id);
        request = HexFormat.of().formatHex(id);
        List<SentRecord> all = new ArrayList<>();
        int first = 0;
        while (first < events.size()) {
            int end = end(events, first);
            all.add(new SentRecord(null, request + "-" + first, events.subList(first, end)));
            first = end;
        }
        records = all;
    }

    /** Gives each of these partitions a record of the only event; to be called before anything is sent. */
    void toPartitions(List<Integer> partitions, List<Event> event) {
        missing.set(partitions.size());
        records = partitions.stream()
                .map(each -> new SentRecord(each, request + "-" + each, event))
                .toList();
    }

    /** Returns the end of the events that share a record with the one at a position. */
    private static int end(List<Event> events, int first) {
        // with the brackets
        int bytes = 2 + events.get(first).value().length;
        int end = first + 1;
        while (end < events.size()
                && events.get(first).isExample()
                && events.get(end).isExample()) {
            bytes += 1 + events.get(end).value().length;
            if (bytes > MAX_BYTES) {
                break;
            }
            end++;
        }
        return end;
    }

    List<SentRecord> records() {
        return records;
    }

    /** Answers of all events, at the latest after the time-out; the time runs from this call. */
    CompletableFuture<List<EventAnswer>> answers() {
        return settled.orTimeout(timeoutMs, TimeUnit.MILLISECONDS)
                .handle((nothing, late) -> records.stream()
                        .flatMap(record -> record.events.stream())
                        .map(SentEvent::answer)
                        .toList());
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

    /** A record of one event, or of several examples. */
    final class SentRecord {
        private final Integer partition;
        private final String header;
        private final byte[] value;
        private final boolean isCommand;
        private final List<SentEvent> events = new ArrayList<>();

        // Of several examples: texts of the predictions so far, in the order of the examples that are not refused.
        private final List<Text> texts = new ArrayList<>();
        private int refused;
        private boolean isSent;
        private boolean isAnswered;

        SentRecord(Integer partition, String header, List<Event> several) {
            this.partition = partition;
            this.header = header;
            isCommand = several.get(0).command() != null;
            value = several.size() == 1 ? several.get(0).value() : array(several);
            for (int k = 0; k < several.size(); k++) {
                events.add(new SentEvent(this, several.size() == 1 ? null : k));
            }
        }

        private static byte[] array(List<Event> several) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.write('[');
            for (int k = 0; k < several.size(); k++) {
                if (k > 0) {
                    out.write(',');
                }
                out.writeBytes(several.get(k).value());
            }
            out.write(']');
            return out.toByteArray();
        }

        /** Value of the record header by which its answers are found. */
        String header() {
            return header;
        }

        byte[] value() {
            return value;
        }

        /** Partition to which it must go; null for that of the record key. */
        Integer partition() {
            return partition;
        }

        boolean isCommand() {
            return isCommand;
        }

        /** Returns true if a status with this key may be the answer to the command. */
        boolean isAnsweredBy(String key) {
            return model.equals(ModelDefaults.KEY) ? ModelDefaults.isStatusKey(key) : model.equals(key);
        }

        int size() {
            return events.size();
        }

        /** To be called before it is sent; returns false if an answer is given, so that it must not be sent. */
        synchronized boolean begin() {
            isSent = !isAnswered;
            return isSent;
        }

        private synchronized boolean isSentBeforeAnswer() {
            isAnswered = true;
            return isSent;
        }

        void acknowledged(RecordMetadata metadata, Exception exception) {
            events.forEach(event -> event.acknowledged(metadata, exception));
        }

        /**
         * Takes predictions, the next ones in the order of the examples. The reader of answers calls this and
         * {@link #rejected}.
         *
         * @return true if no answer is missing
         */
        boolean predicted(List<Prediction> answers) {
            // the text only: with many scores the objects of a record would take ten times as much
            answers.forEach(answer -> texts.add(text(EventJson.text(answer))));
            return isComplete();
        }

        /** Takes the status after a command, in JSON. */
        void executed(String status) {
            Text text = text(status);
            events.forEach(event -> event.answered(text));
        }

        private Text text(String text) {
            // the text, of which a character may take two bytes, and its copy in the answer
            String omitted = budget.take(ANSWER_BYTES + 3L * text.length());
            return new Text(omitted == null ? text : null, omitted);
        }

        /**
         * Takes the dead letter of examples, or of the record.
         *
         * @return true if no answer is missing
         */
        boolean rejected(DeadLetter letter) {
            List<Integer> numbers = letter.examples();
            if (size() == 1 || numbers == null || numbers.stream().anyMatch(each -> each >= size())) {
                events.forEach(event -> event.rejected(letter));
                return true;
            }
            numbers.forEach(each -> events.get(each).rejected(letter));
            refused += numbers.size();
            return isComplete();
        }

        /** Which example a prediction is of is known when all dead letters are. */
        private boolean isComplete() {
            if (texts.size() + refused < size()) {
                return false;
            }
            int next = 0;
            for (SentEvent event : events) {
                if (!event.isRejected() && next < texts.size()) {
                    event.answered(texts.get(next++));
                }
            }
            return true;
        }

        /** The answers of the engine are there, but cannot be read. */
        void unreadable(String reason) {
            events.forEach(event -> event.unreadable(reason));
        }
    }

    /**
     * A Prediction or ModelStatus in JSON.
     *
     * @param text null if it is omitted
     * @param omitted reason; null if it is not
     */
    private record Text(String text, String omitted) {}

    /** One event. */
    private final class SentEvent {
        private final SentRecord record;
        private final Integer index;
        private Place place;
        private Text answer;
        private DeadLetter letter;
        private String failure;
        private boolean isTooLarge;
        private String unread;
        private boolean isSettled;

        /** @param index number of the example in its record; null for a record of one event */
        SentEvent(SentRecord record, Integer index) {
            this.record = record;
            this.index = index;
        }

        synchronized void acknowledged(RecordMetadata metadata, Exception exception) {
            if (exception == null) {
                // as in the events, which are counted from the base of the generation
                long offset = Generation.ofExamples(metadata.topic()).offset(metadata.offset());
                place = new Place(metadata.partition(), offset, index);
            } else {
                failure = PublicFault.of(exception);
                isTooLarge = exception instanceof RecordTooLargeException;
            }
            settleIfComplete();
        }

        synchronized void answered(Text text) {
            answer = text;
            settleIfComplete();
        }

        synchronized void rejected(DeadLetter why) {
            letter = why;
            settleIfComplete();
        }

        synchronized boolean isRejected() {
            return letter != null;
        }

        synchronized void unreadable(String reason) {
            unread = reason;
            settleIfComplete();
        }

        private void settleIfComplete() {
            boolean isProcessed = answer != null || letter != null || unread != null;
            if (!isSettled && (failure != null || (place != null && (isProcessed || !isWaiting)))) {
                isSettled = true;
                if (missing.decrementAndGet() == 0) {
                    settled.complete(null);
                }
            }
        }

        private synchronized EventAnswer answer() {
            boolean isSent = record.isSentBeforeAnswer();
            if (place != null && letter != null) {
                return EventAnswer.rejected(place, letter);
            }
            if (place != null && answer != null && answer.omitted != null) {
                return EventAnswer.omitted(
                        place,
                        answer.omitted
                                + (record.isCommand
                                        ? "; the command is executed and its status in its topic: do not send it again"
                                        : "; the event is processed and its prediction in its topic: do not send it again"));
            }
            if (place != null && answer != null) {
                return record.isCommand
                        ? EventAnswer.executed(place, answer.text)
                        : EventAnswer.predicted(place, answer.text);
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
            if (isTooLarge) {
                return EventAnswer.tooLarge("event must fit into a record of the examples topic, got "
                        + record.value.length + " bytes" + (index == null ? "" : " with others of the request")
                        + " (it is not in the log: cut it" + (index == null ? "" : ", or send it alone")
                        + ", or raise max.message.bytes of the topic and producer.max.request.size of this program)");
            }
            return EventAnswer.notAcknowledged("brokers must acknowledge the event, got "
                    + (failure == null ? "nothing in " + timeoutMs + " ms" : failure)
                    + " (it may be in the log nevertheless"
                    + (record.isCommand
                            ? "; the model's next status shows it)"
                            : ": with dedupe.last, the same id can be sent again safely)"));
        }
    }
}
