package io.perceptronstreams.embed;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Inputs of a task since its last checkpoint, in pages of its store, to be learned again after a crash. A few inputs
 * are smaller than the blocks of weights that they have changed.
 *
 * <p>Inputs are appended in memory, and written at each commit of the task. A journal is full when it is larger than
 * the last checkpoint: then the next commit is a checkpoint, and nothing is appended until then. After a checkpoint
 * pages are overwritten from the first on. Not thread-safe.
 */
final class LearnJournal {
    /** Minimum size of a full journal, in bytes: checkpoints of small models are smaller. */
    static final int MIN_BYTES = 256 << 10;

    private static final int PAGE_BYTES = 64 << 10;

    private final LearnStore store;
    // the first number in it, then inputs: length, timestamp, length of the name, name, bytes
    private ByteBuffer page = ByteBuffer.allocate(2 * PAGE_BYTES);
    private final List<byte[]> complete = new ArrayList<>();
    private int pages;
    private long bytes;
    private long limit = MIN_BYTES;
    private boolean isFull;

    LearnJournal(LearnStore store) {
        this.store = store;
    }

    /** Receives an input. */
    @FunctionalInterface
    interface Visitor {
        void visit(long number, long timestamp, byte[] model, byte[] input);
    }

    /**
     * Begins again after a checkpoint.
     *
     * @param written number of bytes of the checkpoint
     */
    void begin(long written) {
        page.clear();
        complete.clear();
        pages = 0;
        bytes = 0;
        limit = Math.max(MIN_BYTES, written);
        isFull = false;
    }

    /** Returns true if the next commit must be a checkpoint; until then inputs need not be appended. */
    boolean isFull() {
        return isFull;
    }

    /** Appends an input in memory, unless it makes the journal full. */
    void append(long number, long timestamp, byte[] model, byte[] input) {
        int size = Integer.BYTES + Long.BYTES + Short.BYTES + model.length + input.length;
        bytes += size;
        // a page must fit into a record
        if (bytes > limit || size > PAGE_BYTES) {
            isFull = true;
            page.clear();
            complete.clear();
            return;
        }
        if (page.position() == 0) {
            page.putLong(number);
        }
        page.putInt(size - Integer.BYTES).putLong(timestamp).putShort((short) model.length);
        page.put(model).put(input);
        if (page.position() >= PAGE_BYTES) {
            endPage();
        }
    }

    private void endPage() {
        complete.add(Arrays.copyOf(page.array(), page.position()));
        page.clear();
    }

    /** Writes the appended inputs. */
    void write() {
        if (page.position() > 0) {
            endPage();
        }
        for (byte[] each : complete) {
            store.putAlone(store.journal(pages), each);
            pages++;
        }
        complete.clear();
    }

    /**
     * Visits the inputs since the checkpoint, in their order.
     *
     * @param first number of the first one
     * @return number of the next one
     */
    long replay(long first, Visitor visitor) {
        long number = first;
        for (byte[] entry = store.get(store.journal(pages)); entry != null; entry = store.get(store.journal(pages))) {
            ByteBuffer in = ByteBuffer.wrap(entry);
            if (in.getLong() != number) {
                // a page from before the checkpoint
                break;
            }
            while (in.hasRemaining()) {
                int end = in.getInt() + in.position();
                long timestamp = in.getLong();
                byte[] model = new byte[in.getShort()];
                in.get(model);
                byte[] input = new byte[end - in.position()];
                in.get(input);
                visitor.visit(number, timestamp, model, input);
                number++;
            }
            bytes += entry.length;
            pages++;
        }
        return number;
    }
}
