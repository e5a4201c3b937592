package io.perceptronstreams.topology;

import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Recounts predictions and mistakes of each model and compares them with the engine's counts: in windows, in their
 * totals, and in the totals of every mistake.
 *
 * <p>It uses only fields of events, no class of the engine. Every prediction belongs to exactly one window, in the
 * order of the log, or to the last window, which may still be open. The totals count on whatever weights predict; only
 * a prediction with {@code examples} 1 begins them again.
 */
final class Recount {
    private final Map<String, Log> logs = new HashMap<>();
    private final Map<Topic, Long> leftOut = new HashMap<>();

    /** What has been written of one model, each in its order. */
    private static final class Log {
        private final Deque<Event> predictions = new ArrayDeque<>();
        private final Deque<Event> mistakes = new ArrayDeque<>();
        private final List<Event> counts = new ArrayList<>();
    }

    /** @param isOfSeveral one of several predictions of a record, whose timestamp is the latest one of its examples */
    private record Event(long timestamp, boolean isOfSeveral, GenericRecord value) {
        long number(String field) {
            return (Long) value.get(field);
        }

        boolean isMistakeOf(Event prediction) {
            return (timestamp == prediction.timestamp || (prediction.isOfSeveral && timestamp < prediction.timestamp))
                    && number("examples") == prediction.number("examples")
                    && value.get("exampleId")
                            .toString()
                            .equals(prediction.value.get("exampleId").toString());
        }
    }

    /**
     * How much there was.
     *
     * @param open predictions behind the last window
     * @param epochs totals that started from 0
     * @param leftOut events of models with late labels
     */
    record Summary(long windows, long predictions, long mistakes, long open, long epochs, Map<Topic, Long> leftOut) {
        Summary(long windows, long predictions, long mistakes, long open, long epochs) {
            this(windows, predictions, mistakes, open, epochs, Map.of());
        }

        /** All events of a topic. */
        long events(Topic topic) {
            long counted = switch (topic) {
                case PREDICTIONS -> predictions;
                case MISTAKES -> mistakes;
                case COUNTS -> windows;
                default -> throw new IllegalArgumentException(topic + " counts nothing");
            };
            return counted + leftOut.getOrDefault(topic, 0L);
        }

        Summary plus(Summary other) {
            return new Summary(
                    windows + other.windows,
                    predictions + other.predictions,
                    mistakes + other.mistakes,
                    open + other.open,
                    epochs + other.epochs,
                    sum(leftOut, other.leftOut));
        }
    }

    private static Map<Topic, Long> sum(Map<Topic, Long> some, Map<Topic, Long> others) {
        Map<Topic, Long> sum = new HashMap<>(some);
        others.forEach((topic, count) -> sum.merge(topic, count, Long::sum));
        return sum;
    }

    /** Numbers that grow by what is counted: labelled, errors, mistakes, margin mistakes. */
    private static final class Tally {
        private static final String[] IN_WINDOW = {"labelled", "errors", "mistakes", "marginMistakes"};
        private static final String[] IN_TOTAL = {"totalLabelled", "totalErrors", "totalMistakes", "totalMarginMistakes"
        };

        private final long[] numbers = new long[IN_WINDOW.length];

        void add(Event prediction, Event mistake) {
            Object correct = prediction.value.get("correct");
            numbers[0] += correct == null ? 0 : 1;
            numbers[1] += Boolean.FALSE.equals(correct) ? 1 : 0;
            boolean isMistake =
                    mistake != null && mistake.value.get("kind").toString().equals("MISTAKE");
            numbers[2] += isMistake ? 1 : 0;
            numbers[3] += mistake != null && !isMistake ? 1 : 0;
        }

        void checkWindow(Event count, String where) {
            for (int i = 0; i < numbers.length; i++) {
                equal(count.number(IN_WINDOW[i]), numbers[i], where + ": " + IN_WINDOW[i]);
            }
        }

        void checkTotals(Event count, String where) {
            for (int i = 0; i < numbers.length; i++) {
                equal(count.number(IN_TOTAL[i]), numbers[i], where + ": " + IN_TOTAL[i]);
            }
        }
    }

    /** All that a read-committed reader finds on the brokers. */
    static Summary ofCluster(String bootstrapServers, int partitions, Function<byte[], GenericRecord> decode) {
        Summary summary = new Summary(0, 0, 0, 0, 0);
        for (int partition = 0; partition < partitions; partition++) {
            // a model lies on one partition: no more than that is kept in memory
            Recount recount = new Recount();
            for (Topic topic : List.of(Topic.PREDICTIONS, Topic.MISTAKES, Topic.COUNTS)) {
                try (TopicLog log = new TopicLog(bootstrapServers, topic.name("perceptron"), partition)) {
                    while (log.hasNext()) {
                        ConsumerRecord<byte[], byte[]> record = log.next();
                        recount.add(
                                topic,
                                new String(record.key(), StandardCharsets.UTF_8),
                                record.timestamp(),
                                decode.apply(record.value()));
                    }
                }
            }
            summary = summary.plus(recount.check());
        }
        return summary;
    }

    /** Adds an event; those of models with late labels are left out, because a right label makes no event. */
    void add(Topic topic, String model, long timestamp, GenericRecord value) {
        if (topic == Topic.PREDICTIONS) {
            List<GenericRecord> predictions = predictions(value);
            boolean isOfSeveral = predictions.get(0) != value;
            predictions.forEach(each -> add(topic, model, new Event(timestamp, isOfSeveral, each)));
        } else {
            add(topic, model, new Event(timestamp, false, value));
        }
    }

    /** The predictions of a PredictionBatch, or a Prediction itself. */
    static List<GenericRecord> predictions(GenericRecord value) {
        return value.hasField("predictions")
                ? ((List<?>) value.get("predictions"))
                        .stream().map(GenericRecord.class::cast).toList()
                : List.of(value);
    }

    private void add(Topic topic, String model, Event event) {
        if (MixedModel.ALL.stream()
                .anyMatch(each -> each.awaits() && each.name().equals(model))) {
            leftOut.merge(topic, 1L, Long::sum);
            return;
        }
        Log log = logs.computeIfAbsent(model, name -> new Log());
        switch (topic) {
            case PREDICTIONS -> log.predictions.add(event);
            case MISTAKES -> log.mistakes.add(event);
            case COUNTS -> log.counts.add(event);
            default -> throw new IllegalArgumentException(topic + " counts nothing");
        }
    }

    /** @throws AssertionError at the first number that is another one */
    Summary check() {
        Summary summary = new Summary(0, 0, 0, 0, 0, leftOut);
        for (Map.Entry<String, Log> each : logs.entrySet()) {
            summary = summary.plus(new OneModel(each.getKey(), each.getValue()).check());
        }
        return summary;
    }

    /** The walk through the log of one model. */
    private static final class OneModel {
        private final String name;
        private final Log log;
        private long predictions;
        private long mistakes;
        private long epochs;
        private long seen;
        private long epochNumber;
        private Tally total = new Tally();

        OneModel(String name, Log log) {
            this.name = name;
            this.log = log;
        }

        Summary check() {
            for (Event count : log.counts) {
                Tally window = new Tally();
                String where = name + ", window from " + count.number("windowStart") + " to total "
                        + count.number("totalExamples");
                for (long k = 0; k < count.number("examples"); k++) {
                    boolean isNewEpoch = take(window, where);
                    if (isNewEpoch && k > 0) {
                        throw new AssertionError(where + " must be of one epoch");
                    }
                }
                window.checkWindow(count, where);
                equal(count.number("totalExamples"), seen, where + ": totalExamples");
                total.checkTotals(count, where);
            }
            long counted = predictions;
            while (!log.predictions.isEmpty()) {
                take(new Tally(), name + ", after the last window");
            }
            equal(log.mistakes.size(), 0, name + ": mistakes that no prediction belongs to");
            return new Summary(log.counts.size(), predictions, mistakes, predictions - counted, epochs);
        }

        /** Takes the next prediction with its mistake, if it was one; true if it began an epoch. */
        private boolean take(Tally window, String where) {
            Event prediction = log.predictions.poll();
            if (prediction == null) {
                throw new AssertionError(where + " must have another prediction");
            }
            boolean isNewEpoch = seen == 0 || prediction.number("epoch") != epochNumber;
            epochNumber = prediction.number("epoch");
            if (prediction.number("examples") == 1) {
                seen = 0;
                epochs++;
                total = new Tally();
            }
            seen++;
            equal(prediction.number("examples"), seen, name + ", prediction: examples");
            predictions++;
            Event mistake = log.mistakes.peek();
            boolean isOfThis = mistake != null && mistake.isMistakeOf(prediction);
            mistakes += isOfThis ? 1 : 0;
            window.add(prediction, isOfThis ? mistake : null);
            total.add(prediction, isOfThis ? mistake : null);
            if (isOfThis) {
                log.mistakes.remove();
                checkMistake(mistake);
            }
            return isNewEpoch;
        }

        private void checkMistake(Event mistake) {
            String where = name + ", mistake at " + seen;
            equal(mistake.number("labelled"), total.numbers[0], where + ": labelled");
            equal(mistake.number("mistakes"), total.numbers[2], where + ": mistakes");
            equal(mistake.number("marginMistakes"), total.numbers[3], where + ": marginMistakes");
        }
    }

    private static void equal(long actual, long recounted, String what) {
        if (actual != recounted) {
            throw new AssertionError(what + " must be " + recounted + " as recounted, got " + actual);
        }
    }
}
