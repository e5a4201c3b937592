package io.perceptronstreams.model;

import io.perceptronstreams.evaluation.Counts;
import java.util.List;
import java.util.Map;

/**
 * One chunk of a WeightsSnapshot: the part from which a model is rebuilt, without the readable weights.
 *
 * @param header common to all chunks of a snapshot
 * @param number from 0
 * @param numbers next of the learner's numbers
 * @param names next of the learner's names
 * @param calibration numbers of probabilities and sets of labels, in the first chunk; otherwise empty
 * @param featureNames next of the names of features
 */
@SuppressWarnings("ArrayRecordComponent") // chunks are not compared, and their numbers too many for objects
public record WeightsChunk(
        Header header,
        int number,
        double[] numbers,
        List<String> names,
        double[] calibration,
        List<Block> blocks,
        List<FeatureName> featureNames) {
    /** Maximum size of a sent chunk, far below the limit of a message. */
    public static final int MAX_BYTES = 512 * 1024;

    /**
     * Fields common to all chunks of a snapshot.
     *
     * @param chunks number of chunks
     * @param named what a snapshot with a name has besides; null of others, and where all of it is that of others
     */
    public record Header(
            long epoch,
            long updates,
            int partition,
            long offset,
            int chunks,
            long examples,
            long labelled,
            long mistakes,
            String algorithm,
            Map<String, String> settings,
            long errors,
            long marginMistakes,
            double hingeLoss,
            Named named) {
        /** The counts of the weights. */
        public Counts totals() {
            return new Counts()
                    .set(Counts.Counter.EXAMPLES, examples)
                    .set(Counts.Counter.LABELLED, labelled)
                    .set(Counts.Counter.ERRORS, errors)
                    .set(Counts.Counter.MISTAKES, mistakes)
                    .set(Counts.Counter.MARGIN_MISTAKES, marginMistakes)
                    .set(Counts.Counter.UPDATES, updates)
                    .setHingeLoss(hingeLoss);
        }
    }

    /**
     * What a snapshot with a name has, so that a run can start from it; an import leaves it out.
     *
     * @param emitted counts of what the model has emitted; null if they are those of the weights
     * @param lastEpoch largest epoch of the model and its challengers; null if it is that of the model
     * @param countsSince as {@link EpochCounts#since}; null if it is unknown
     */
    public record Named(Emitted emitted, Long lastEpoch, Long countsSince) {}

    /** Counts of what a model has emitted, with these and with earlier weights. */
    public record Emitted(
            long examples, long labelled, long errors, long mistakes, long marginMistakes, double hingeLoss) {
        Counts totals() {
            return new Counts()
                    .set(Counts.Counter.EXAMPLES, examples)
                    .set(Counts.Counter.LABELLED, labelled)
                    .set(Counts.Counter.ERRORS, errors)
                    .set(Counts.Counter.MISTAKES, mistakes)
                    .set(Counts.Counter.MARGIN_MISTAKES, marginMistakes)
                    .setHingeLoss(hingeLoss);
        }
    }

    /** A block of weights, or a piece of it; missing positions are 0. */
    public record Block(int vector, int number, int length, int[] positions, double[] values) {}

    /** A name of a feature, in UTF-8. */
    public record FeatureName(int index, byte[] name) {}

    /** Returns true for the last chunk of its snapshot. */
    public boolean isLast() {
        return number == header.chunks - 1;
    }
}
