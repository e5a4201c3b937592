package io.perceptronstreams.sending;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.Label;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * Sends labelled examples without their labels, and each label later as an event of its own.
 *
 * <p>A delay in ms counts in the examples' own timestamps, without timestamps by the clock.
 */
public final class LabelSplitter {
    private static final double POLLS_PER_SECOND = 50;

    private record Waiting(Label label, long due, Long timestamp) {}

    private final ExampleSender sender;
    private final LabelDelay delay;
    private final String source;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long sent;
    private long labels;

    /** Creates a splitter of labels without a source. */
    public LabelSplitter(ExampleSender sender, LabelDelay delay) {
        this(sender, delay, null);
    }

    /**
     * Creates a splitter.
     *
     * @param source of the labels; null for none
     */
    LabelSplitter(ExampleSender sender, LabelDelay delay, String source) {
        this.sender = sender;
        this.delay = delay;
        this.source = source;
    }

    /**
     * Returns the Label of an example; null if it has none.
     *
     * @param source null for none
     */
    static Label label(Example example, String source) {
        return example.getLabel() == null ? null : new Label(example.getId(), example.getLabel(), 1.0, source, null);
    }

    /**
     * Sends an example, after the labels that are due before it.
     *
     * @param timestamp event time in ms; null for the time of sending
     */
    public void send(Example example, Long timestamp) {
        long now = now(timestamp);
        sendDue(now);
        Label label = label(example, source);
        example.setLabel(null);
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

    /** Sends the remaining labels, those by the clock when they are due; stops early if asked to. */
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
