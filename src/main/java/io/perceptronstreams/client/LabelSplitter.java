package io.perceptronstreams.client;

import io.perceptronstreams.serde.EventSchemas;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Sends labelled examples without their labels, and each label later as an event of its own.
 *
 * <p>A delay in ms is that of the examples' own timestamps; of examples without one, that of the clock.
 */
public final class LabelSplitter {
    static final Schema LABEL = EventSchemas.schema("Label");

    private static final double POLLS_PER_SECOND = 50;

    private record Waiting(GenericRecord label, long due, Long timestamp) {}

    private final ExampleSender sender;
    private final LabelDelay delay;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long sent;
    private long labels;

    /** Creates a splitter. */
    public LabelSplitter(ExampleSender sender, LabelDelay delay) {
        this.sender = sender;
        this.delay = delay;
    }

    /** Returns the Label of an example; null if it has none. */
    static GenericRecord label(GenericRecord example) {
        if (example.get("label") == null) {
            return null;
        }
        GenericRecord label = new GenericData.Record(LABEL);
        label.put("exampleId", example.get("id"));
        label.put("label", example.get("label"));
        label.put("weight", 1.0);
        return label;
    }

    /**
     * Sends an example, after the labels that are due before it.
     *
     * @param timestamp event time in ms; null for the time of sending
     */
    public void send(GenericRecord example, Long timestamp) {
        long now = now(timestamp);
        sendDue(now);
        GenericRecord label = label(example);
        example.put("label", null);
        sender.send(example, timestamp);
        sent++;
        if (label != null) {
            long due = (delay.isInExamples() ? sent : now) + delay.amount();
            waiting.add(new Waiting(label, due, labelTime(timestamp)));
        }
        if (delay.isInExamples()) {
            sendDue(sent);
        }
    }

    private Long labelTime(Long timestamp) {
        return timestamp == null ? null : timestamp + (delay.isInExamples() ? 0 : delay.amount());
    }

    private long now(Long timestamp) {
        return delay.isInExamples() ? sent : timestamp == null ? System.currentTimeMillis() : timestamp;
    }

    private void sendDue(long now) {
        while (!waiting.isEmpty() && waiting.peek().due <= now) {
            sendFirst();
        }
    }

    private void sendFirst() {
        Waiting first = waiting.remove();
        sender.sendLabel(first.label, first.timestamp);
        labels++;
    }

    /** Number of labels sent so far. */
    public long labels() {
        return labels;
    }

    /** Sends the labels that are left, those of the clock when they are due; stops early if asked to. */
    public void finish(BooleanSupplier isStopped) {
        while (!waiting.isEmpty() && !isStopped.getAsBoolean()) {
            Waiting first = waiting.peek();
            boolean isOfClock = !delay.isInExamples() && first.timestamp == null;
            if (isOfClock && System.currentTimeMillis() < first.due) {
                RateLimiter.await(System.nanoTime(), 1, POLLS_PER_SECOND);
            } else {
                sendFirst();
            }
        }
    }
}
