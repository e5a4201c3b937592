package io.perceptronstreams.embed;

import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Bytes;

/**
 * The inputs of a task since its last checkpoint, in slots of its store: after a crash they are learned again. So an
 * input costs one small write, and not all the blocks that it has changed.
 *
 * <p>The first input after a checkpoint takes the first slot again, in place of one that is not needed any more. Not
 * thread-safe.
 */
final class LearnJournal {
    /** Maximum number of inputs between two checkpoints. */
    static final int SLOTS = 8192;

    /** Maximum number of bytes of inputs between two checkpoints, but for the last one. */
    static final long MAX_BYTES = 32 << 20;

    private final LearnStore store;
    private long first;
    private long bytes;

    LearnJournal(LearnStore store) {
        this.store = store;
    }

    /** Receives an input. */
    @FunctionalInterface
    interface Visitor {
        void visit(long number, long timestamp, byte[] model, byte[] input);
    }

    /** Begins again after a checkpoint: {@code number} is that of the first input behind it. */
    void begin(long number) {
        first = number;
        bytes = 0;
    }

    /** Returns true if a checkpoint must come before the next input. */
    boolean isFull(long number) {
        return number - first >= SLOTS || bytes >= MAX_BYTES;
    }

    /** Size of the record of an input, in bytes. */
    static int size(byte[] model, byte[] input) {
        return 2 * Long.BYTES + Short.BYTES + model.length + input.length;
    }

    /**
     * Appends an input.
     *
     * @param number of the input, one more than that of the last one
     */
    void append(long number, long timestamp, byte[] model, byte[] input) {
        ByteBuffer entry = ByteBuffer.allocate(size(model, input));
        entry.putLong(number)
                .putLong(timestamp)
                .putShort((short) model.length)
                .put(model)
                .put(input);
        store.putAlone(key(number), entry.array());
        bytes += entry.capacity();
    }

    /** Removes the input that was appended last. */
    void remove(long number) {
        store.putAlone(key(number), null);
    }

    /** Visits the inputs since the checkpoint, in their order; returns the number of the next one. */
    long replay(Visitor visitor) {
        long number = first;
        while (number - first < SLOTS) {
            byte[] entry = store.get(key(number));
            ByteBuffer in = entry == null ? null : ByteBuffer.wrap(entry);
            if (in == null || in.getLong() != number) {
                // none, or one before the checkpoint
                break;
            }
            long timestamp = in.getLong();
            byte[] model = new byte[in.getShort()];
            in.get(model);
            byte[] input = new byte[in.remaining()];
            in.get(input);
            visitor.visit(number, timestamp, model, input);
            bytes += entry.length;
            number++;
        }
        return number;
    }

    private Bytes key(long number) {
        return store.journal((int) (number - first));
    }
}
