package io.perceptronstreams.demo;

import io.perceptronstreams.client.Columns;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.AlertKind;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeKind;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.WakeupException;

/** Prints a row at 1, 2, 4, 8, … examples of each model, from predictions and mistakes, and every alert. */
public final class DemoTable implements AutoCloseable {
    private static final Columns<Row> COLUMNS = new Columns<Row>()
            .add("stream", "%-10s", Row::model)
            .add("examples", " %,12d", Row::examples)
            .add("errors", " %,10d", Row::errors)
            .add("mistakes", " %,10d", row -> row.tally.mistakes)
            .add("since last", " %12.4f", Row::sinceLast)
            .add("examples/s", " %,12.0f", Row::rate);

    private final Map<String, Tally> tallies = new LinkedHashMap<>();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final EngineConfig config;
    private final PrintWriter out;
    private final SchemaRegistry registry;
    private final EventReader<Prediction> predictions;
    private final EventReader<Mistake> mistakes;
    private final EventReader<Alert> alerts;
    private final TopicScan scan;
    private long alarms;

    /** Counts of one model. */
    private static final class Tally {
        private final Queue<Row> due = new ArrayDeque<>();

        // values of `examples` at mistakes that no row contains yet
        private final Queue<Long> newMistakes = new ArrayDeque<>();
        private long examples;
        private long errors;
        private long nextRow = 1;
        private long start;
        private long mistakes;
        private long printedErrors;
        private long printedExamples;
    }

    /** A row to print, as soon as all its mistakes have been read. */
    private record Row(String model, Tally tally, long examples, long errors, long nanos) {
        double sinceLast() {
            return (errors - tally.printedErrors) / (double) (examples - tally.printedExamples);
        }

        /** Examples per second; null at the first. */
        Double rate() {
            return nanos == tally.start ? null : (Double) (examples / ((nanos - tally.start) / 1e9));
        }
    }

    public DemoTable(EngineConfig config, List<String> models, PrintWriter out) {
        this.config = config;
        this.out = out;
        models.forEach(model -> tallies.put(model, new Tally()));
        registry = SchemaRegistries.of(config.registry());
        predictions = EventReader.of(Prediction.class, registry);
        mistakes = EventReader.of(Mistake.class, registry);
        alerts = EventReader.of(Alert.class, registry);
        scan = TopicScan.open(
                config, config.topic(Topic.PREDICTIONS), config.topic(Topic.MISTAKES), config.topic(Topic.ALERTS));
    }

    /** Prints rows until every model has {@code examples} predictions or {@code isEnd} returns true. */
    public void printUntil(long examples, BooleanSupplier isEnd) {
        if (isEnd.getAsBoolean()) {
            return;
        }
        out.println(COLUMNS.header());
        out.flush();
        try {
            scan.fromBeginning();
            while (!isEnd.getAsBoolean() && !tallies.values().stream().allMatch(tally -> tally.examples >= examples)) {
                scan.poll().forEach(this::read);
                if (tallies.values().stream().anyMatch(tally -> !tally.due.isEmpty())) {
                    catchUp();
                    tallies.values().forEach(this::print);
                }
            }
            catchUp();
        } catch (WakeupException e) {
            // stopped: the records read so far count
        }
        tallies.values().forEach(this::print);
        tallies.values().forEach(DemoTable::countOpenMistakes);
    }

    private void read(ConsumerRecord<byte[], byte[]> record) {
        String model = new String(record.key(), StandardCharsets.UTF_8);
        Tally tally = tallies.get(model);
        if (record.topic().equals(config.topic(Topic.ALERTS))) {
            printAlert(model, alerts.read(record.value()));
        } else if (tally != null && record.topic().equals(config.topic(Topic.PREDICTIONS))) {
            predictions.readAll(record.value()).forEach(each -> count(model, tally, each));
        } else if (tally != null) {
            Mistake mistake = mistakes.read(record.value());
            if (mistake.getKind() == MistakeKind.MISTAKE) {
                tally.newMistakes.add(mistake.getExamples());
            }
        }
    }

    private void printAlert(String model, Alert alert) {
        // advice is an alert, too
        alarms += alert.getKind() == AlertKind.DRIFT ? 1 : 0;
        out.printf(Locale.ROOT, "%-10s ▲ %s%n", model, alert.getMessage());
        out.flush();
    }

    /** Reads to the current end of all topics, so that all records of a transaction are read. */
    private void catchUp() {
        scan.readTo(scan.ends(), () -> false, this::read);
    }

    private static void count(String model, Tally tally, Prediction prediction) {
        long now = System.nanoTime();
        tally.start = tally.examples == 0 ? now : tally.start;
        tally.examples++;
        tally.errors += Boolean.FALSE.equals(prediction.getCorrect()) ? 1 : 0;
        if (tally.examples == tally.nextRow) {
            tally.nextRow *= 2;
            tally.due.add(new Row(model, tally, tally.examples, tally.errors, now));
        }
    }

    private static void countOpenMistakes(Tally tally) {
        tally.mistakes += tally.newMistakes.size();
        tally.newMistakes.clear();
    }

    private void print(Tally tally) {
        for (Row row = tally.due.poll(); row != null; row = tally.due.poll()) {
            while (!tally.newMistakes.isEmpty() && tally.newMistakes.peek() <= row.examples) {
                tally.newMistakes.remove();
                tally.mistakes++;
            }
            out.println(COLUMNS.row(row));
            tally.printedErrors = row.errors;
            tally.printedExamples = row.examples;
        }
        out.flush();
    }

    public long examples(String model) {
        return tallies.get(model).examples;
    }

    public long errors(String model) {
        return tallies.get(model).errors;
    }

    public long mistakes(String model) {
        return tallies.get(model).mistakes;
    }

    /** Returns the number of alerts of a drift. */
    public long alarms() {
        return alarms;
    }

    /** Ends {@link #printUntil}; may be called from another thread. */
    public void wakeup() {
        scan.wakeup();
    }

    public void fail(Exception e) {
        failure.compareAndSet(null, e);
    }

    public boolean isFailed() {
        return failure.get() != null;
    }

    public void rethrowFailure() throws Exception {
        if (isFailed()) {
            throw failure.get();
        }
    }

    @Override
    public void close() {
        scan.close();
        registry.close();
    }
}
