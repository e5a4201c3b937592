package io.perceptronstreams.model;

import java.util.List;
import java.util.Map;

/**
 * One chunk of a WeightsSnapshot, as far as it says how a model goes on: not the weights that are there to be read.
 *
 * @param header what all chunks of one snapshot have in common
 * @param number from 0
 * @param numbers the next ones of the learner's numbers
 * @param names the next ones of the learner's names
 */
@SuppressWarnings("ArrayRecordComponent") // chunks are not compared, and their numbers too many for objects
public record WeightsChunk(Header header, int number, double[] numbers, List<String> names, List<Block> blocks) {
    /** Size limit of a chunk as it is sent, which is far below the limit of a message. */
    public static final int MAX_BYTES = 512 * 1024;

    /**
     * What all chunks of one snapshot have in common.
     *
     * @param chunks how many there are
     */
    public record Header(
            long epoch,
            long version,
            int partition,
            long offset,
            int chunks,
            long seen,
            long labelled,
            long mistakes,
            String algorithm,
            Map<String, String> settings,
            long errors,
            long marginMistakes,
            double hingeLoss) {}

    /** A block of weights, or a piece of it; what stands at no position is 0. */
    public record Block(int vector, int number, int length, int[] positions, double[] values) {}

    /** Whether this is the last chunk of its snapshot. */
    public boolean isLast() {
        return number == header.chunks - 1;
    }
}
