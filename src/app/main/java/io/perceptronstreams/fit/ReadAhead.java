package io.perceptronstreams.fit;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.model.BatchTrainer;
import io.perceptronstreams.thread.StoppableThread;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The examples of a feed, read by a second thread while the first one learns.
 *
 * <p>Order and faults are those of the feed: a fault comes after the examples before it. Memory: {@value #BATCHES}
 * batches of {@value #BATCH} examples, whose objects are used again.
 */
public final class ReadAhead implements BatchTrainer.Source, Closeable {
    /** Examples in a batch: fewer would not be worth waking a thread. */
    static final int BATCH = 64;

    static final int BATCHES = 4;
    static final String THREAD = "examples";

    /** Reading a file ends within a batch; standard input may have nothing to read for ever. */
    private static final Duration CLOSE = Duration.ofSeconds(1);

    private final ExampleFeed feed;
    private final BlockingQueue<Batch> empty = new ArrayBlockingQueue<>(BATCHES);
    private final BlockingQueue<Batch> full = new ArrayBlockingQueue<>(BATCHES);
    private final StoppableThread thread;
    private Batch batch = new Batch();
    private int at;

    private static final class Batch {
        private final Example[] examples = new Example[BATCH];
        private final long[] lines = new long[BATCH];
        private int size;
        /** Why no batch follows; null at the end of the feed. */
        private Exception fault;

        private boolean isLast;

        void read(ExampleFeed feed) {
            size = 0;
            try {
                while (size < BATCH) {
                    if (examples[size] == null) {
                        examples[size] = new Example();
                    }
                    if (!feed.next(examples[size])) {
                        isLast = true;
                        return;
                    }
                    lines[size++] = feed.line();
                }
            } catch (IOException | RuntimeException e) {
                fault = e;
                isLast = true;
            }
        }
    }

    /**
     * Begins to read. The feed must not be used meanwhile, and is not closed.
     *
     * @param hasThread false to read in the thread that asks: on a single processor
     */
    public ReadAhead(ExampleFeed feed, boolean hasThread) {
        this.feed = feed;
        thread = hasThread ? new StoppableThread(THREAD, this::readAll) : null;
        if (hasThread) {
            for (int k = 1; k < BATCHES; k++) {
                empty.add(new Batch());
            }
            // a daemon: it must not hold the process when standard input stays silent
            thread.start();
        }
    }

    private void readAll() {
        try {
            for (boolean isLast = false; !isLast; ) {
                Batch next = empty.take();
                next.read(feed);
                isLast = next.isLast;
                full.put(next);
            }
        } catch (InterruptedException e) {
            // closed
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The next example, which is used again after some more calls; null at the end.
     *
     * @throws UncheckedIOException if the source cannot be read or a line is malformed
     * @throws CommandFailedException if an example is invalid
     */
    @Override
    public Example next() {
        while (at == batch.size) {
            if (batch.fault instanceof IOException e) {
                throw new UncheckedIOException(e);
            }
            if (batch.fault instanceof RuntimeException e) {
                throw e;
            }
            if (batch.isLast) {
                return null;
            }
            at = 0;
            advance();
        }
        return batch.examples[at++];
    }

    private void advance() {
        if (thread == null) {
            batch.read(feed);
            return;
        }
        try {
            empty.put(batch);
            batch = full.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for examples", e);
        }
    }

    @Override
    public long line() {
        return batch.lines[at - 1];
    }

    /** Stops reading. Afterwards the feed may be closed, unless its source is standard input. */
    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
            thread.join(CLOSE);
        }
    }
}
