package io.perceptronstreams.learner;

/**
 * The tables that sequence learners fill while they use one example: scores of tags and of pairs of tags, paths, differences.
 *
 * <p>They belong to the thread, not to the learner: the tables of one model with 1,000 tags take up to 14 MB, which 100 live models
 * would multiply. A learner takes the object of its thread once in each call; nothing in it is read after the call.
 *
 * <p>Memory: at most about 200 MB a thread, with the longest sequences and most tags that {@link SequencePerceptron} takes; some 100 KB
 * for 45 tags and 50 tokens. It is part of no model's {@code Model.heapBytes}: {@link #heapBytesOfThread} returns it. Not thread-safe.
 */
public final class SequenceScratch {
    private static final ThreadLocal<SequenceScratch> OF_THREAD = ThreadLocal.withInitial(SequenceScratch::new);

    final TagScores scores = new TagScores();
    final TagScores averagedScores = new TagScores();
    final Viterbi viterbi = new Viterbi();
    final FeatureDifference emitted = new FeatureDifference();
    final FeatureDifference moved = new FeatureDifference();

    // The best sequences of an example by the weights that learn, and by the averaged ones. May be longer than it is.
    private int[] best = new int[0];
    private int[] averagedBest = new int[0];

    private SequenceScratch() {}

    /** That of the calling thread. */
    static SequenceScratch ofThread() {
        return OF_THREAD.get();
    }

    /** The path for the weights that learn, with room for {@code n} tags. */
    int[] best(int n) {
        best = sized(best, n);
        return best;
    }

    /** The path for the averaged weights, with room for {@code n} tags. */
    int[] averagedBest(int n) {
        averagedBest = sized(averagedBest, n);
        return averagedBest;
    }

    /** An array of at least {@code n} numbers, this one where it is neither too short nor much too long. */
    static int[] sized(int[] path, int n) {
        return path.length < n || path.length > Math.max(64, 4 * n) ? new int[Math.max(64, n)] : path;
    }

    /** About how many bytes of heap the tables of the calling thread occupy. Cost: O(1). */
    public static long heapBytesOfThread() {
        return OF_THREAD.get().heapBytes();
    }

    private long heapBytes() {
        return scores.heapBytes()
                + averagedScores.heapBytes()
                + viterbi.heapBytes()
                + emitted.heapBytes()
                + moved.heapBytes()
                + 4L * (best.length + averagedBest.length);
    }
}
