package io.perceptronstreams.monitor;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes of an answer until they are sent, in blocks: a long answer is never copied, and each block is taken from a
 * budget before it is allocated. Not thread-safe.
 */
final class AnswerBuffer extends OutputStream {
    private static final int MIN_BLOCK_BYTES = 512;
    private static final int MAX_BLOCK_BYTES = 64 * 1024;

    private final AnswerBudget budget;
    // filled up to their positions
    private final List<ByteBuffer> blocks = new ArrayList<>();
    private ByteBuffer last = ByteBuffer.allocate(0);

    AnswerBuffer(AnswerBudget budget) {
        this.budget = budget;
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    /** @throws RefusedException if the budget has too few bytes left */
    @Override
    public void write(byte[] bytes, int from, int count) {
        int written = 0;
        while (written < count) {
            if (!last.hasRemaining()) {
                addBlock(count - written);
            }
            int part = Math.min(last.remaining(), count - written);
            last.put(bytes, from + written, part);
            written += part;
        }
    }

    private void addBlock(int wanted) {
        int size = blocks.isEmpty() ? Math.max(MIN_BLOCK_BYTES, Math.min(wanted, MAX_BLOCK_BYTES)) : MAX_BLOCK_BYTES;
        budget.require(size);
        last = ByteBuffer.allocate(size);
        blocks.add(last);
    }

    /** The bytes in their order; to be called once, after the last was written. */
    List<ByteBuffer> flipped() {
        blocks.forEach(ByteBuffer::flip);
        return blocks;
    }
}
