package io.perceptronstreams.structured;

/**
 * The tables that sequence learners fill for one example: scores of tags and of pairs of tags, paths, differences.
 *
 * <p>They belong to the thread, not to the learner, because those of one model with 1,000 tags take up to 14 MB. A
 * learner gets the object of its thread once per call; nothing in it is read after the call.
 *
 * <p>Memory: at most about 200 MB per thread, with the largest examples that {@link SequencePerceptron} accepts; about
 * 100 KB for 45 tags and 50 tokens. {@code Model.heapBytes} does not include it: see {@link #heapBytesOfThread}. Not
 * thread-safe.
 */
public final class SequenceScratch {
    private static final ThreadLocal<SequenceScratch> OF_THREAD = ThreadLocal.withInitial(SequenceScratch::new);

    final TagScores scores = new TagScores();
    final TagScores averagedScores = new TagScores();
    final Viterbi viterbi = new Viterbi();
    final FeatureDifference emitted = new FeatureDifference();
    final FeatureDifference moved = new FeatureDifference();

    // The best sequences of an example by the weights that learn and by the averaged ones, and the best wrong one. May
    // be
    // longer than the example.
    private int[] best = new int[0];
    private int[] rival = new int[0];
    private int[] averagedBest = new int[0];

    private SequenceScratch() {}

    /** The scratch of the calling thread. */
    static SequenceScratch ofThread() {
        return OF_THREAD.get();
    }

    /** The path for the weights that learn, with room for {@code n} tags. */
    int[] best(int n) {
        best = sized(best, n);
        return best;
    }

    /** The path of the best wrong sequence, with room for {@code n} tags. */
    int[] rival(int n) {
        rival = sized(rival, n);
        return rival;
    }

    /** The path for the averaged weights, with room for {@code n} tags. */
    int[] averagedBest(int n) {
        averagedBest = sized(averagedBest, n);
        return averagedBest;
    }

    /** Returns an array of at least {@code n} numbers: {@code path} unless it is too short or much too long. */
    static int[] sized(int[] path, int n) {
        return path.length < n || path.length > Math.max(64, 4 * n) ? new int[Math.max(64, n)] : path;
    }

    /** Estimated heap of the calling thread's tables, in bytes. Cost: O(1). */
    public static long heapBytesOfThread() {
        return OF_THREAD.get().heapBytes();
    }

    /** Drops the tables of the calling thread if they are larger: it may not need them again for long. */
    public static void limitHeapOfThread(long maxBytes) {
        if (heapBytesOfThread() > maxBytes) {
            OF_THREAD.remove();
        }
    }

    private long heapBytes() {
        return scores.heapBytes()
                + averagedScores.heapBytes()
                + viterbi.heapBytes()
                + emitted.heapBytes()
                + moved.heapBytes()
                + 4L * (best.length + rival.length + averagedBest.length);
    }
}
