package io.perceptronstreams.labels;

import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts of labels that correct others, and of the sources that agree or disagree, since the counts of a model began.
 * Not thread-safe.
 */
public final class Corrections {
    /** Name of {@code label.default} as a source. */
    public static final String DEFAULT = "default";

    /** Name of labels without a source. */
    public static final String UNNAMED = "";

    /** Maximum number of pairs; more only arise if a model changes its sources. */
    static final int MAX_PAIRS = 128;

    private long corrections;
    private long outstanding;
    private long left;

    // made with the first pair: most models have one source
    private SortedMap<Pair, long[]> pairs = Collections.emptySortedMap();

    private record Pair(String truth, String other) implements Comparable<Pair> {
        @Override
        public int compareTo(Pair pair) {
            int byTruth = truth.compareTo(pair.truth);
            return byTruth == 0 ? other.compareTo(pair.other) : byTruth;
        }
    }

    /**
     * How often one source has agreed with another.
     *
     * @param truth source of the label that an example had; {@link #DEFAULT} or {@link #UNNAMED} for others
     * @param other source of a label that came after it
     * @param agreed number of later labels that were the same
     * @param disagreed number of those that were another one
     */
    public record Agreement(String truth, String other, long agreed, long disagreed) {}

    /** The name of a source in {@link #agreements}. */
    static String name(String source) {
        return source == null ? UNNAMED : source;
    }

    /** The name of the source of a label that can be corrected. */
    static String name(Truth truth) {
        return truth.isDefault() ? DEFAULT : name(truth.source());
    }

    /**
     * Counts a label of another source than the one whose label the example has.
     *
     * @param source null for none
     */
    public void compare(Truth truth, String source, boolean isSame) {
        compare(name(truth), name(source), isSame);
    }

    /** Counts a label of another source than the one that came before it, both before their example. */
    public void compareEarly(String first, String source, boolean isSame) {
        compare(name(first), name(source), isSame);
    }

    private void compare(String truth, String other, boolean isSame) {
        Pair pair = new Pair(truth, other);
        if (!truth.equals(other) && (pairs.containsKey(pair) || pairs.size() < MAX_PAIRS)) {
            own().computeIfAbsent(pair, any -> new long[2])[isSame ? 0 : 1]++;
        }
    }

    private SortedMap<Pair, long[]> own() {
        if (pairs.isEmpty()) {
            pairs = new TreeMap<>();
        }
        return pairs;
    }

    /**
     * Counts a correction.
     *
     * @param isOutstanding true if the weights are to be repaired
     */
    public void corrected(boolean isOutstanding) {
        corrections++;
        outstanding += isOutstanding ? 1 : 0;
    }

    /** Counts an example that made room for others before its time for corrections was over. */
    public void left() {
        left++;
    }

    /** Labels that were replaced by others. */
    public long corrections() {
        return corrections;
    }

    /** Corrections that the present weights lack, of those that wait for a repair. */
    public long outstanding() {
        return outstanding;
    }

    /** Examples that could not be corrected for the whole time, because {@code await.labels.max} others came. */
    public long leftEarly() {
        return left;
    }

    /** Pairs of sources in alphabetical order. */
    public List<Agreement> agreements() {
        List<Agreement> all = new ArrayList<>(pairs.size());
        pairs.forEach((pair, counts) -> all.add(new Agreement(pair.truth, pair.other, counts[0], counts[1])));
        return all;
    }

    /** Notes that other weights have taken the place of those that lacked corrections. */
    public void repaired() {
        outstanding = 0;
    }

    /** Forgets all. */
    public void clear() {
        corrections = 0;
        outstanding = 0;
        left = 0;
        pairs = Collections.emptySortedMap();
    }

    /** Returns true if nothing is counted. */
    public boolean isEmpty() {
        return corrections == 0 && left == 0 && pairs.isEmpty();
    }

    /** Writes or restores all. */
    public void exchange(StoredFields fields) {
        corrections = fields.unsigned(corrections);
        outstanding = fields.unsigned(outstanding);
        left = fields.unsigned(left);
        List<Agreement> all = agreements();
        int count = fields.upTo(MAX_PAIRS, all.size());
        for (int k = 0; k < count; k++) {
            Agreement each = fields.isReading() ? new Agreement(null, null, 0, 0) : all.get(k);
            Pair pair = new Pair(fields.text(each.truth), fields.text(each.other));
            long[] counts = {fields.unsigned(each.agreed), fields.unsigned(each.disagreed)};
            if (fields.isReading()) {
                own().put(pair, counts);
            }
        }
    }

    /** Estimated heap of what grows, in bytes. */
    public long heapBytes() {
        return 250L * pairs.size();
    }
}
