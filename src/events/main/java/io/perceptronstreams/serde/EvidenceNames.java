package io.perceptronstreams.serde;

import io.perceptronstreams.example.CrossNames;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.NameSource;
import io.perceptronstreams.learner.Evidence;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.TreeSet;

/**
 * Finds the names of the features of a piece of evidence in the record of its example. Cost: O(names of the example).
 *
 * <p>Not thread-safe.
 */
final class EvidenceNames implements NameSource.Sink {
    /** Maximum number of names that are given for one index. */
    private static final int MAX_NAMES = 4;

    /** Maximum length of a name, in bytes; longer ones are left out. */
    private static final int MAX_BYTES = 256;

    private final CrossNames crosses = new CrossNames();
    private FeatureHasher hasher;
    private Evidence evidence;
    private TreeSet<String>[] found;

    /**
     * Returns a name for each part, null without one; several names with the same index are joined by {@code |} in
     * alphabetical order.
     *
     * @param itsHasher of the model
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    String[] of(Example example, Evidence ofExample, FeatureHasher itsHasher) {
        String[] names = new String[ofExample.size()];
        if (example.names() == null || !hasFeatures(ofExample)) {
            return names;
        }
        hasher = itsHasher;
        evidence = ofExample;
        found = new TreeSet[ofExample.size()];
        if (hasher.rules() == null) {
            example.names().forEach(this);
        } else {
            crosses.forEach(example.names(), hasher, this);
        }
        for (int k = 0; k < names.length; k++) {
            names[k] = found[k] == null ? null : String.join("|", found[k]);
        }
        found = null;
        evidence = null;
        return names;
    }

    private static boolean hasFeatures(Evidence evidence) {
        boolean hasFeatures = false;
        for (int k = 0; k < evidence.size(); k++) {
            hasFeatures |= evidence.index(k) != Evidence.NO_FEATURE;
        }
        return hasFeatures;
    }

    @Override
    public void accept(byte[] utf8, int offset, int length) {
        if (length > MAX_BYTES) {
            return;
        }
        int index = hasher.shownIndex(utf8, offset, length);
        for (int k = 0; k < evidence.size(); k++) {
            if (evidence.index(k) == index) {
                found[k] = found[k] == null ? new TreeSet<>() : found[k];
                if (found[k].size() < MAX_NAMES) {
                    // what is no UTF-8 becomes the replacement character
                    found[k].add(StandardCharsets.UTF_8
                            .decode(ByteBuffer.wrap(Arrays.copyOfRange(utf8, offset, offset + length)))
                            .toString());
                }
            }
        }
    }
}
