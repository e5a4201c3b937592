package io.perceptronstreams.example;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Limits on the values of an example, for all decoders. Each method throws a {@link RejectedException} with the reason.
 */
public final class ExampleLimits {
    /** Maximum length of an id; bounds the size of the Prediction, which repeats it. */
    public static final int MAX_ID_BYTES = 1024;

    private static final long EXPONENT = 0x7ff0_0000_0000_0000L;
    private static final long LOWEST_OF_EXPONENT = 0x0010_0000_0000_0000L;

    private ExampleLimits() {}

    /** Returns the length of an id, if it is UTF-8 of at most {@link #MAX_ID_BYTES} bytes. */
    public static int checkedId(byte[] bytes, int start, int length) {
        if (length > MAX_ID_BYTES) {
            throw new RejectedException(
                    RejectReason.INVALID_ID, "id must have at most " + MAX_ID_BYTES + " bytes, got " + length);
        }
        for (int k = start; k < start + length; k++) {
            if (bytes[k] < 0) {
                checkUtf8(bytes, start, length);
                break;
            }
        }
        return length;
    }

    private static void checkUtf8(byte[] bytes, int start, int length) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, start, length));
        } catch (CharacterCodingException e) {
            throw new RejectedException(RejectReason.INVALID_ID, "id must be UTF-8, got other bytes");
        }
    }

    /** Returns the weight, if it is positive and finite. */
    public static double checkedWeight(double weight) {
        if (weight > 0 && weight < Double.POSITIVE_INFINITY) {
            return weight;
        }
        throw new RejectedException(
                RejectReason.INVALID_WEIGHT, "weight must be a positive finite number, got " + weight);
    }

    /** Rejects NaN and infinities, by their exponent bits: a sum of doubles would be a chain of dependent additions. */
    public static void checkFinite(double[] values, int size) {
        long signs = 0;
        for (int k = 0; k < size; k++) {
            // the largest exponent plus 1 carries into the sign bit
            signs |= (Double.doubleToRawLongBits(values[k]) & EXPONENT) + LOWEST_OF_EXPONENT;
        }
        if (signs < 0) {
            int k = 0;
            while (Double.isFinite(values[k])) {
                k++;
            }
            throw new RejectedException(
                    RejectReason.NON_FINITE_VALUE,
                    "feature values must be finite, got " + values[k] + " at position " + k);
        }
    }

    /** The exception for an index that is negative or not larger than the last one. */
    public static RejectedException wrongIndex(int index, int last) {
        return new RejectedException(
                RejectReason.INVALID_INDICES,
                index < 0
                        ? "indices must not be negative, got " + index
                        : "indices must ascend and be unique, got " + index + " after " + last);
    }
}
