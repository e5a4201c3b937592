package io.perceptronstreams.sending;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.client.ProgressBar;
import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.Label;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.MalformedExampleException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.thread.DaemonThread;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.avro.Schema;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;

/**
 * Sends the examples of a source, in order, each of them to every model.
 *
 * @param models names, all different
 * @param passes number of times to send the source
 * @param skipped number of first examples, of all passes together, that are not sent
 * @param limit maximum number of examples
 * @param rate maximum examples per second
 * @param labelsAfter delay of labels, which are then events of their own; null to send them with the examples
 * @param isLabelsOnly true to send labels without examples
 * @param labelSource of labels that are sent without their examples; null for none
 * @param batch maximum number of examples of a record
 * @param allowsExpired true to send examples that brokers will delete at once by their event times
 */
public record ExampleProducer(
        ExampleSource source,
        List<String> models,
        int passes,
        long skipped,
        long limit,
        double rate,
        LabelDelay labelsAfter,
        boolean isLabelsOnly,
        String labelSource,
        int batch,
        boolean allowsExpired) {

    /** Half of the maximum time that an example waits for others of its record. */
    private static final Duration HALF_LINGER = Duration.ofMillis(500);

    /**
     * Maximum time for the last acknowledgements, or for a line that standard input does not deliver, after a signal.
     */
    private static final Duration END_TIMEOUT = Duration.ofSeconds(1);

    /**
     * Result of a run for one model.
     *
     * @param labels number of labels that were events of their own
     * @param refusals of the examples, or null if they were not counted
     */
    public record Summary(
            String model, String topic, long examples, long labels, double seconds, RefusalCounts refusals) {
        private double rate() {
            return seconds > 0 ? (examples + labels) / seconds : 0;
        }

        /** Number of examples and labels that are known to be refused. */
        public long refused() {
            return refusals == null ? 0 : refusals.refused();
        }

        /** One line, and more of refused examples and advice. */
        public String toText() {
            String sent = String.format(
                    Locale.ROOT,
                    "sent %,d examples%s of %s to %s in %.2f s, %,.0f/s",
                    examples,
                    labels == 0 ? "" : String.format(Locale.ROOT, " and %,d labels", labels),
                    model,
                    topic,
                    seconds,
                    rate());
            if (refusals == null) {
                return sent;
            }
            List<String> lines = refusals.toLines(model);
            String end = refusals.isNoneRefused() ? ", none refused" : "";
            return lines.isEmpty() ? sent + end : sent + end + "\n" + String.join("\n", lines);
        }

        /** Names contain no characters that need escaping. */
        public String toJson() {
            return String.format(
                    Locale.ROOT,
                    "{\"model\":\"%s\",\"topic\":\"%s\",\"examples\":%d%s,\"seconds\":%.3f,\"rate\":%.1f%s}",
                    model,
                    topic,
                    examples,
                    labels == 0 ? "" : ",\"labels\":" + labels,
                    seconds,
                    rate(),
                    refusals == null ? "" : "," + refusals.toJsonFields());
        }
    }

    /**
     * Sends all examples, or those before a shutdown, and counts those that the engine refuses.
     *
     * @param timeout maximum time to wait for the engine; 0: refused examples are not counted
     * @param result receives the summaries of all models once; from another thread if the process ends before all
     *     acknowledgements
     * @throws CommandFailedException if a line is malformed or a record is rejected; the message has the number sent.
     *     After the result if only records were rejected that are too large
     */
    public void run(EngineConfig config, Duration timeout, Consumer<List<Summary>> result) throws Exception {
        models.forEach(ModelKey::ofNew);
        source.check();
        String topic = config.topic(Topic.EXAMPLES);
        Schema schema = EventSchemas.schema("Example");
        Progress progress = new Progress(topic, result);
        try (ShutdownSignal stop = new ShutdownSignal()) {
            stop.endWithin(END_TIMEOUT, progress::report);
            try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
                KafkaClients.requireTopic(config, topic);
                EventTimeCheck times = EventTimeCheck.of(config, source.notes(), allowsExpired);
                EventWriter writer = new EventWriter(schema, registry.register(topic + "-value", schema));
                KeptExamples kept = isKept() ? new KeptExamples(writer) : null;
                check(stop, times, kept);
                try (RefusalCheck check = timeout.isZero() ? null : new RefusalCheck(config);
                        Producer<byte[], byte[]> producer = KafkaClients.producer(config);
                        // what waits for an acknowledgement fails then
                        BrokerWatch brokers = BrokerWatch.begin(config, () -> producer.close(Duration.ZERO))) {
                    progress.start(new ExampleSender(
                            producer,
                            topic,
                            models,
                            writer,
                            labelWriter(registry, topic),
                            batch,
                            batchWriter(registry, topic)));
                    try {
                        sendInTime(
                                progress.sender,
                                kept,
                                times,
                                new DeclaredLabels(config, source.file(), timeout, source.notes()::write),
                                stop);
                    } catch (KafkaException | CommandFailedException e) {
                        throw brokers.fault() == null ? e : gone(brokers.fault(), progress.sender, e);
                    }
                    progress.sent();
                    if (check != null && !stop.isRequested()) {
                        progress.refusals =
                                check.await(progress.sender.receipts(), progress.sender.isLabelled(), timeout);
                    }
                    // before the producer is closed: all records have been acknowledged
                    progress.report();
                    if (progress.sender.tooLarge() != null) {
                        throw new CommandFailedException(progress.sender.tooLarge());
                    }
                }
            }
        }
    }

    private CommandFailedException gone(String fault, ExampleSender sender, RuntimeException cause) {
        return new CommandFailedException(
                fault + "; they have acknowledged " + acknowledged(sender.acknowledged(), sender.acknowledgedLabels()),
                cause);
    }

    String acknowledged(long examples, long labels) {
        String kinds = isLabelsOnly ? labels + " labels" : examples + " examples";
        return kinds + (labelsAfter == null ? "" : " and " + labels + " labels")
                + ", and may have others that were on their way" + rest(isLabelsOnly ? labels : examples);
    }

    /**
     * The option that sends the others; empty where labels follow their examples, some of which may be missing before
     * them. Rows without labels, of which none is sent, let {@code --labels-only} send some labels twice, but none is
     * left out.
     */
    private String rest(long acknowledged) {
        return labelsAfter != null
                ? ""
                : " (--skip " + (skipped + acknowledged) + " sends the rest, those on their way perhaps twice)";
    }

    /** Like {@link #send}; from a pipe that has no more examples for now, those that it had are sent, too. */
    private void sendInTime(
            ExampleSender sender, KeptExamples kept, EventTimeCheck times, DeclaredLabels labels, ShutdownSignal stop)
            throws IOException {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
                1, task -> new DaemonThread("linger", task), new ThreadPoolExecutor.DiscardPolicy());
        try {
            if (batch > 1) {
                stop.onShutdown(() -> timer.execute(sender::sendGathered));
                // a failure to send is found by the sender
                var unused = timer.scheduleWithFixedDelay(
                        sender::sendOld, HALF_LINGER.toMillis(), HALF_LINGER.toMillis(), TimeUnit.MILLISECONDS);
            }
            send(sender, kept, times, labels, stop);
        } finally {
            timer.shutdownNow();
        }
    }

    /**
     * Returns true if what is read to check it is what will be sent. Malformed examples that are skipped are counted
     * while the others are sent.
     */
    private boolean isKept() {
        return passes == 1 && labelsAfter == null && !isLabelsOnly && !source.skipsFaults();
    }

    /** @param kept receives the examples that are to be sent; null for none */
    void check(ShutdownSignal stop, EventTimeCheck times, KeptExamples kept) throws IOException {
        long end = limit > Long.MAX_VALUE - skipped ? Long.MAX_VALUE : skipped + limit;
        Oldest oldest = new Oldest();
        try (ProgressBar progress = ProgressBar.onTerminal(Long.MAX_VALUE)) {
            List<String> labels = source.checkExamples(
                    count -> {
                        progress.update(count);
                        oldest.isSent = count >= skipped;
                        return count < end && !stop.isRequested();
                    },
                    (example, time) -> {
                        oldest.add(time);
                        if (kept != null && oldest.isSent) {
                            kept.add(example, time);
                        }
                    },
                    times::refused);
            if (kept != null && labels != null) {
                kept.complete(labels);
            }
        } catch (MalformedExampleException e) {
            throw new CommandFailedException(
                    e.getMessage() + "; nothing was sent"
                            + (e.isSkipAdvised() ? " (--on-error skip sends the other examples)" : ""),
                    e);
        } catch (EOFException e) {
            throw new CommandFailedException(message(e) + "; nothing was sent", e);
        }
        String fault = oldest.time == null ? null : times.deleted(oldest.time, "the oldest of " + source.file());
        if (fault != null) {
            throw new CommandFailedException(fault + "; nothing was sent");
        }
    }

    /** The oldest event time of the examples that are to be sent. */
    private static final class Oldest {
        private boolean isSent;
        private Long time;

        void add(Long next) {
            if (isSent && next != null && (time == null || next < time)) {
                time = next;
            }
        }
    }

    /** The end of a compressed file that is cut has no message of its own. */
    private String message(IOException e) {
        return e instanceof EOFException
                ? source.file() + " must be complete, got its end in the middle of the compressed text"
                : e.getMessage();
    }

    private EventWriter batchWriter(SchemaRegistry registry, String topic) {
        Schema schema = EventSchemas.schema("ExampleBatch");
        return batch == 1 ? null : new EventWriter(schema, registry.register(topic + "-ExampleBatch", schema));
    }

    private EventWriter labelWriter(SchemaRegistry registry, String topic) {
        Schema schema = EventSchemas.schema("Label");
        return labelsAfter == null && !isLabelsOnly
                ? null
                : new EventWriter(schema, registry.register(topic + "-Label", schema));
    }

    /** The summaries of a run, which the command or the shutdown reports, whichever comes first. */
    private final class Progress {
        private final String topic;
        private final Consumer<List<Summary>> result;
        private final AtomicBoolean isReported = new AtomicBoolean();
        private volatile long start = System.nanoTime();
        private volatile long end;
        private volatile ExampleSender sender;
        private volatile List<RefusalCounts> refusals;

        Progress(String topic, Consumer<List<Summary>> result) {
            this.topic = topic;
            this.result = result;
        }

        void start(ExampleSender sender) {
            start = System.nanoTime();
            this.sender = sender;
        }

        void sent() {
            end = System.nanoTime();
        }

        void report() {
            if (isReported.compareAndSet(false, true)) {
                double seconds = ((end == 0 ? System.nanoTime() : end) - start) / 1e9;
                List<Summary> summaries = new ArrayList<>();
                for (int k = 0; k < models.size(); k++) {
                    ExampleSender.Receipt receipt =
                            sender == null ? null : sender.receipts().get(k);
                    summaries.add(new Summary(
                            models.get(k),
                            topic,
                            receipt == null ? 0 : receipt.examples(),
                            receipt == null ? 0 : receipt.labels(),
                            seconds,
                            refusals == null ? null : refusals.get(k)));
                }
                result.accept(summaries);
            }
        }
    }

    /**
     * Sends all examples, or those before a shutdown, and waits for their acknowledgements.
     *
     * @param kept the examples, if all are there; otherwise, or if it is null, they are read
     * @param labels sets those that the source declares
     * @return number of acknowledged examples
     */
    long send(ExampleSender sender, KeptExamples kept, EventTimeCheck times, DeclaredLabels labels, ShutdownSignal stop)
            throws IOException {
        long start = System.nanoTime();
        LabelSplitter splitter = labelsAfter == null ? null : new LabelSplitter(sender, labelsAfter, labelSource);
        AtomicLong read = new AtomicLong();
        try (ProgressBar progress = ProgressBar.onTerminal(limit)) {
            if (kept != null && kept.isComplete()) {
                sendKept(sender, kept, progress, labels, stop, start);
            } else {
                sendAll(sender, splitter, progress, times, labels, stop, start, read);
            }
            finish(splitter, stop);
        } catch (IOException e) {
            // a malformed line, or a file that ends early: otherwise the examples before it would wait for labels that
            // never come
            finish(splitter, stop);
            long examples = sender.finish();
            long late = sender.acknowledgedLabels();
            throw new CommandFailedException(
                    message(e) + "; " + examples + " examples" + (late == 0 ? "" : " and " + late + " labels")
                            + " before it were sent (when it is repaired, --skip " + read + " sends the rest)",
                    e);
        }
        return sender.finish();
    }

    private static void finish(LabelSplitter splitter, ShutdownSignal stop) {
        if (splitter != null) {
            splitter.finish(stop::isRequested);
        }
    }

    private void sendKept(
            ExampleSender sender,
            KeptExamples kept,
            ProgressBar progress,
            DeclaredLabels labels,
            ShutdownSignal stop,
            long start) {
        labels.set(models, kept.twoLabels());
        for (int sent = 0; sent < kept.size() && !stop.isRequested(); sent++) {
            RateLimiter.await(start, sent, rate);
            kept.send(sent, sender);
            progress.update(sent + 1L);
        }
    }

    /** @param read counts the examples that need not be read again */
    private void sendAll(
            ExampleSender sender,
            LabelSplitter splitter,
            ProgressBar progress,
            EventTimeCheck times,
            DeclaredLabels labels,
            ShutdownSignal stop,
            long start,
            AtomicLong read)
            throws IOException {
        long sent = 0;
        for (int pass = 1; pass <= passes && sent < limit && !stop.isRequested(); pass++) {
            try (ExampleReader reader = source.open(pass, times::refused)) {
                if (pass == 1) {
                    labels.set(models, source.twoLabels(reader));
                }
                boolean isLabelled = false;
                while (sent < limit && !stop.isRequested()) {
                    Example example = reader.next();
                    if (example == null) {
                        if (!isLabelled && read.get() > 0) {
                            source.noteUnlabelled(reader);
                        }
                        break;
                    }
                    // of a pipe, which could not be checked before
                    String fault = read.get() < skipped || reader.timestamp() == null
                            ? null
                            : times.deleted(reader.timestamp(), "example " + (read.get() + 1) + " of " + source.file());
                    if (fault != null) {
                        throw new IOException(fault);
                    }
                    isLabelled |= example.getLabel() != null;
                    if (read.getAndIncrement() >= skipped) {
                        RateLimiter.await(start, sent, rate);
                        send(example, reader.timestamp(), sender, splitter);
                        progress.update(++sent);
                    }
                }
            }
        }
    }

    private void send(Example example, Long timestamp, ExampleSender sender, LabelSplitter splitter) {
        if (splitter != null) {
            splitter.send(example, timestamp);
        } else if (isLabelsOnly) {
            Label label = LabelSplitter.label(example, labelSource);
            if (label != null) {
                sender.sendLabel(label, timestamp);
            }
        } else {
            sender.send(example, timestamp);
        }
    }
}
