package io.perceptronstreams.example;

import java.util.Locale;

/**
 * Fills a vector by the {@link FeatureRules} of a model: drops the features that it does not use, and appends products
 * of those that it crosses.
 *
 * <p>The value of a cross is the product of the values of its features, in ascending order of their hashes; its index
 * is {@link FeatureHasher#crossed}. Values of equal indices are added. Allocates nothing once its arrays have grown.
 */
public final class FeatureCrosser {
    private final FeatureGroups groups = new FeatureGroups();
    private final IndexSort sort = new IndexSort();
    private final int[] hashes = new int[Crosses.MAX_FACTORS];
    private final double[] values = new double[Crosses.MAX_FACTORS];
    private FeatureHasher hasher;
    private FeatureRules rules;
    private FeatureVector x;
    private int count;

    /**
     * Begins an example with named features.
     *
     * @param itsHasher has rules
     * @param vector is cleared
     */
    public void begin(FeatureHasher itsHasher, FeatureVector vector) {
        hasher = itsHasher;
        rules = itsHasher.rules();
        x = vector.resetSparse();
        groups.clear();
        count = 0;
    }

    /**
     * Adds a named feature.
     *
     * @throws RejectedException if the value is not finite, even if the feature is not used
     */
    public void add(byte[] utf8, int offset, int length, double value) {
        if (!Double.isFinite(value)) {
            throw new RejectedException(
                    RejectReason.NON_FINITE_VALUE,
                    "feature values must be finite, got " + value + " at position " + count);
        }
        count++;
        int group = rules.group(utf8, offset, length);
        if (group == FeatureRules.DROPPED) {
            return;
        }
        x.append(hasher.index(utf8, offset, length), value);
        if (rules.isCrossed(group)) {
            groups.add(group, FeatureHasher.murmur3(utf8, offset, length), value);
        }
    }

    /**
     * Completes an example with named features: appends the crosses, sorts and merges.
     *
     * @throws RejectedException if there are too many crosses, or one is not finite
     */
    public void end() {
        if (rules.hasCrosses()) {
            append();
        }
        x.sortAndMerge(sort);
    }

    /**
     * Applies the rules to a vector of features that have indices instead of names: they belong to
     * {@link Crosses#NAMELESS}. With crosses it becomes sparse.
     *
     * @param itsHasher has rules
     * @throws RejectedException if there are too many crosses, or one is not finite
     */
    public void apply(FeatureHasher itsHasher, FeatureVector vector) {
        hasher = itsHasher;
        rules = itsHasher.rules();
        x = vector;
        int group = rules.namelessGroup();
        if (group == FeatureRules.DROPPED) {
            x.resetSparse();
            return;
        }
        if (!rules.hasCrosses() || !rules.isCrossed(group)) {
            return;
        }
        groups.clear();
        for (int k = 0; k < x.size(); k++) {
            groups.add(group, x.index(k), x.values()[k]);
        }
        if (append()) {
            x.sortAndMerge(sort);
        }
    }

    /** Returns false if there is none. */
    private boolean append() {
        groups.sort(rules.groups());
        double sets = groups.sets(rules.patterns());
        if (sets > rules.crossesMax()) {
            throw new RejectedException(
                    RejectReason.UNSUPPORTED_FEATURES,
                    String.format(
                            Locale.ROOT,
                            "crosses must make at most crosses.max = %d features of an example, got %.0f (cross smaller"
                                    + " namespaces, or raise crosses.max)",
                            rules.crossesMax(),
                            sets));
        }
        if (sets == 0) {
            return false;
        }
        x.becomeSparse();
        x.ensureCapacity(x.size() + (int) sets);
        // 0 while all are finite: 0 times an infinity is NaN
        double check = 0;
        for (int[] pattern : rules.patterns()) {
            for (boolean isThere = groups.begin(pattern); isThere; isThere = groups.next()) {
                double product = pattern.length == 2 ? appendPair(groups.members()) : appendSet(pattern.length);
                check += 0 * product;
            }
        }
        if (check != 0) {
            throw new RejectedException(
                    RejectReason.NON_FINITE_VALUE,
                    "products of crossed features must be finite, got an overflow (scale the features down)");
        }
        return true;
    }

    private double appendPair(int[] members) {
        double product = groups.value(members[0]) * groups.value(members[1]);
        x.append(hasher.crossed(groups.hash(members[0]), groups.hash(members[1])), product);
        return product;
    }

    private double appendSet(int size) {
        for (int k = 0; k < size; k++) {
            int feature = groups.members()[k];
            insert(k, groups.hash(feature), groups.value(feature));
        }
        double product = values[0];
        for (int k = 1; k < size; k++) {
            product *= values[k];
        }
        x.append(hasher.crossed(hashes, size), product);
        return product;
    }

    /** Inserts into the first {@code size} hashes, which ascend as unsigned numbers. */
    private void insert(int size, int hash, double value) {
        int at = size;
        while (at > 0 && Integer.compareUnsigned(hashes[at - 1], hash) > 0) {
            hashes[at] = hashes[at - 1];
            values[at] = values[at - 1];
            at--;
        }
        hashes[at] = hash;
        values[at] = value;
    }
}
