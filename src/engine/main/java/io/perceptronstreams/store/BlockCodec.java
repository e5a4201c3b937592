package io.perceptronstreams.store;

import java.nio.ByteBuffer;

/**
 * Encodes a block of doubles: all of them, or only the non-zero ones if that is shorter.
 *
 * <p>A hashed feature often touches one number of a block: sparse, such a block takes 25 bytes of a commit instead of 2
 * KiB. The bits of every double are preserved, also of -0.0.
 */
final class BlockCodec {
    private static final byte DENSE = 0;
    private static final byte SPARSE = 1;
    private static final int MAX_SPARSE_LENGTH = 1 << 16;

    private BlockCodec() {}

    static byte[] encode(double[] block) {
        int nonZeros = 0;
        for (double value : block) {
            nonZeros += Double.doubleToRawLongBits(value) != 0 ? 1 : 0;
        }
        int sparse = 1 + Integer.BYTES + nonZeros * (Short.BYTES + Double.BYTES);
        int dense = 1 + block.length * Double.BYTES;
        if (sparse >= dense || block.length > MAX_SPARSE_LENGTH) {
            ByteBuffer bytes = ByteBuffer.allocate(dense).put(DENSE);
            bytes.asDoubleBuffer().put(block);
            return bytes.array();
        }
        ByteBuffer bytes = ByteBuffer.allocate(sparse).put(SPARSE).putInt(block.length);
        for (int i = 0; i < block.length; i++) {
            if (Double.doubleToRawLongBits(block[i]) != 0) {
                bytes.putShort((short) i).putDouble(block[i]);
            }
        }
        return bytes.array();
    }

    /**
     * Decodes a block.
     *
     * @throws RuntimeException if the bytes are not a block; allocates no more than one can have
     */
    static double[] decode(byte[] encoded) {
        ByteBuffer bytes = ByteBuffer.wrap(encoded);
        byte form = bytes.get();
        if (form == DENSE) {
            if (bytes.remaining() % Double.BYTES != 0) {
                throw new IllegalStateException(
                        "a stored block must end with a whole number, got " + encoded.length + " bytes");
            }
            double[] block = new double[bytes.remaining() / Double.BYTES];
            bytes.asDoubleBuffer().get(block);
            return block;
        }
        if (form != SPARSE) {
            throw new IllegalStateException("a stored block must start with 0 or 1, got " + form);
        }
        int length = bytes.getInt();
        if (length < 0 || length > MAX_SPARSE_LENGTH) {
            throw new IllegalStateException(
                    "a stored block must have at most " + MAX_SPARSE_LENGTH + " numbers in this form, got " + length);
        }
        double[] block = new double[length];
        while (bytes.hasRemaining()) {
            int i = bytes.getShort() & 0xffff;
            block[i] = bytes.getDouble();
        }
        return block;
    }
}
