package io.perceptronstreams.evaluation;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.state.StoredBits;
import io.perceptronstreams.state.StoredFields;
import java.util.Arrays;

/**
 * Counts of examples and their outcomes, of a whole model or of one window.
 *
 * <p>A new counter is a constant of {@link Counter}, after the others, and a line where it is counted. Copies,
 * comparisons and stored state include it.
 */
public final class Counts {
    /** Kinds of counted events. */
    public enum Counter {
        EXAMPLES(null),
        LABELLED(EXAMPLES),
        /** Wrong emitted labels. */
        ERRORS(null),
        MISTAKES(ERRORS),
        MARGIN_MISTAKES(null),
        UPDATES(MISTAKES),
        /** Examples without a label in time, and without a default. */
        UNLABELLED(null),
        /** Examples learned with the default label. */
        DEFAULTED(null),
        /** Labels that came after their examples in time. */
        LATE(null),
        /** Refused examples whose ids had come before. */
        DUPLICATES(null),
        /** Tags of labelled sequences. */
        TAGS(null),
        /** Wrong emitted tags. */
        TAG_ERRORS(null),
        /** Examples without a prediction: no class is known. */
        ABSTAINED(null),
        /** Labelled examples that were predicted with a probability. */
        PROBABILITIES(null),
        /** Sum of (1 - p)² where a predicted label of probability p was right, and of p² where it was wrong. */
        SQUARED_MILLIONTHS(null),
        /** Sum of -ln p where a predicted label of probability p was right, and of -ln(1 - p) where it was wrong. */
        LOG_LOSS_MILLIONTHS(null),
        /** Labelled examples that were predicted with a set of labels. */
        SETS(null),
        /** Those of these whose set has the true label. */
        COVERED(SETS),
        /** Labels in these sets. */
        SET_LABELS(SETS),
        /** Those of these sets that have not one label. */
        UNSURE(null);

        // an earlier counter that is often equal: the difference to it is stored
        private final Counter close;

        Counter(Counter close) {
            this.close = close;
        }
    }

    // places of the close counters, or -1
    private static final int[] CLOSE = Arrays.stream(Counter.values())
            .mapToInt(each -> each.close == null ? -1 : place(each.close))
            .toArray();

    // the first counter of probabilities and sets; the others follow
    private static final int FORECASTS = place(Counter.PROBABILITIES);

    // most models count none of the others
    private static final int FIRST = place(Counter.TAGS);

    // by place; behind the end all are 0
    private long[] counts = new long[FIRST];
    private double hingeLoss;

    /**
     * Counts an example.
     *
     * @param truth null if it is not known yet
     */
    public void add(Label truth, Outcome outcome) {
        count(Counter.EXAMPLES, true);
        count(Counter.ABSTAINED, outcome.isAbstained());
        if (truth != null) {
            addLabel(truth, outcome);
        }
    }

    /** Counts the label of an example that is counted already. */
    public void addLabel(Label truth, Outcome outcome) {
        count(Counter.LABELLED, true);
        count(Counter.ERRORS, outcome.isError());
        count(Counter.MISTAKES, outcome.kind() == Outcome.Kind.MISTAKE);
        count(Counter.MARGIN_MISTAKES, outcome.kind() == Outcome.Kind.MARGIN_MISTAKE);
        count(Counter.UPDATES, outcome.isUpdated());
        hingeLoss += outcome.hingeLoss();
        if (truth instanceof Label.Tags tags) {
            add(Counter.TAGS, tags.tags().size());
            add(Counter.TAG_ERRORS, tags.differences(outcome.predicted()));
        }
        if (outcome.hasProbability()) {
            addForecast(outcome);
        }
    }

    private void addForecast(Outcome outcome) {
        count(Counter.PROBABILITIES, true);
        // whole numbers: the sum is that of any order, and exact
        add(Counter.SQUARED_MILLIONTHS, Correction.squaredMillionths(outcome.millionths(), outcome.isError()));
        add(Counter.LOG_LOSS_MILLIONTHS, outcome.logLossMillionths());
        if (outcome.labelSet() != null) {
            int size = outcome.labelSet().size();
            count(Counter.SETS, true);
            count(Counter.COVERED, outcome.isCovered());
            add(Counter.SET_LABELS, size);
            count(Counter.UNSURE, size != 1);
        }
    }

    /**
     * Replaces the label of a counted example. What counts the weights stays: mistakes, updates and hinge loss are
     * those of the moment at which they learned.
     */
    public void correct(Correction made) {
        change(Counter.ERRORS, made.isError(), made.wasError());
        if (made.after() instanceof Label.Tags after && made.before() instanceof Label.Tags before) {
            add(Counter.TAGS, after.tags().size() - before.tags().size());
            add(Counter.TAG_ERRORS, after.differences(made.emitted()) - before.differences(made.emitted()));
        }
        if (made.hasProbability()) {
            int p = made.millionths();
            add(
                    Counter.SQUARED_MILLIONTHS,
                    Correction.squaredMillionths(p, made.isError()) - Correction.squaredMillionths(p, made.wasError()));
            add(
                    Counter.LOG_LOSS_MILLIONTHS,
                    Outcome.logLossMillionths(p, made.isError()) - Outcome.logLossMillionths(p, made.wasError()));
        }
        if (made.hasSet()) {
            change(Counter.COVERED, made.isCovered(), made.wasCovered());
        }
    }

    private void change(Counter counter, boolean isCounted, boolean wasCounted) {
        add(counter, (isCounted ? 1 : 0) - (wasCounted ? 1 : 0));
    }

    /** Counts what the weights have learned from the label of an example that is counted already. */
    public void addLearned(Outcome outcome) {
        count(Counter.MISTAKES, outcome.kind() == Outcome.Kind.MISTAKE);
        count(Counter.MARGIN_MISTAKES, outcome.kind() == Outcome.Kind.MARGIN_MISTAKE);
        count(Counter.UPDATES, outcome.isUpdated());
        hingeLoss += outcome.hingeLoss();
    }

    /** Adds 1 to a count. */
    public void increment(Counter counter) {
        count(counter, true);
    }

    /** Returns true if nothing is counted. */
    public boolean isEmpty() {
        for (long count : counts) {
            if (count != 0) {
                return false;
            }
        }
        return true;
    }

    private void count(Counter counter, boolean isCounted) {
        add(counter, isCounted ? 1 : 0);
    }

    private void add(Counter counter, long number) {
        if (number != 0) {
            put(place(counter), of(counter) + number);
        }
    }

    private void put(int place, long count) {
        if (place >= counts.length) {
            if (count == 0) {
                return;
            }
            counts = Arrays.copyOf(counts, CLOSE.length);
        }
        counts[place] = count;
    }

    private long at(int place) {
        return place < counts.length ? counts[place] : 0;
    }

    @SuppressWarnings("EnumOrdinal") // counts are stored in this order
    private static int place(Counter counter) {
        return counter.ordinal();
    }

    void clear() {
        Arrays.fill(counts, 0);
        hingeLoss = 0;
    }

    public Counts copy() {
        Counts copy = new Counts();
        copy.restore(this);
        return copy;
    }

    /**
     * Writes or restores the counts.
     *
     * @param isWhole false without what is counted of probabilities and sets, which {@link #exchangeForecasts} has
     */
    public void exchange(StoredFields fields, boolean isWhole) {
        int count = isWhole ? CLOSE.length : FORECASTS;
        long[] differences = Arrays.copyOf(counts, count);
        for (int place = 0; place < count; place++) {
            differences[place] -= CLOSE[place] < 0 ? 0 : at(CLOSE[place]);
        }
        long[] stored = fields.counts(differences);
        if (stored.length > CLOSE.length) {
            throw fields.fault("have " + CLOSE.length + " counters", stored.length);
        }
        if (fields.isReading()) {
            for (int place = 0; place < CLOSE.length; place++) {
                long close = CLOSE[place] < 0 ? 0 : at(CLOSE[place]);
                put(place, close + (place < stored.length ? stored[place] : 0));
            }
        }
        hingeLoss = fields.number(hingeLoss);
    }

    /**
     * Writes or restores what is counted of probabilities and sets, in few bits.
     *
     * @param total counts of which these are a part, in proportion to its labels; or null
     */
    void exchangeForecasts(StoredBits bits, Counts total) {
        if (!bits.flag(of(Counter.PROBABILITIES) > 0 || of(Counter.SETS) > 0)) {
            return;
        }
        double share = total == null ? 0 : (double) labelled() / Math.max(1, total.labelled());
        // mostly all labels have a probability and a set, and no set is empty
        StoredBits.Kind missing = new StoredBits.Kind(0);
        StoredBits.Kind sums = new StoredBits.Kind(24);
        exchange(bits, missing, Counter.PROBABILITIES, labelled());
        exchange(bits, sums, Counter.SQUARED_MILLIONTHS, part(share, total, Counter.SQUARED_MILLIONTHS, null));
        exchange(bits, sums, Counter.LOG_LOSS_MILLIONTHS, part(share, total, Counter.LOG_LOSS_MILLIONTHS, null));
        exchange(bits, missing, Counter.SETS, of(Counter.PROBABILITIES));
        long sets = of(Counter.SETS);
        if (sets > 0) {
            StoredBits.Kind others = new StoredBits.Kind(5);
            exchange(bits, others, Counter.COVERED, sets + part(share, total, Counter.COVERED, Counter.SETS));
            exchange(bits, others, Counter.SET_LABELS, sets + part(share, total, Counter.SET_LABELS, Counter.SETS));
            exchange(bits, missing, Counter.UNSURE, of(Counter.SET_LABELS) - sets);
        }
    }

    /** The part of a count, less another one, in these proportions. */
    private static long part(double share, Counts total, Counter counter, Counter less) {
        return total == null ? 0 : (long) (share * (total.of(counter) - (less == null ? 0 : total.of(less))));
    }

    private void exchange(StoredBits bits, StoredBits.Kind kind, Counter counter, long close) {
        put(place(counter), bits.near(kind, close, of(counter)));
    }

    /** Copies the counts of another object. */
    public void restore(Counts from) {
        counts = from.counts.clone();
        hingeLoss = from.hingeLoss;
    }

    /** Sets a stored count; returns this object. */
    public Counts set(Counter counter, long count) {
        put(place(counter), count);
        return this;
    }

    /** Sets a stored hinge loss; returns this object. */
    public Counts setHingeLoss(double sum) {
        hingeLoss = sum;
        return this;
    }

    public long of(Counter counter) {
        return at(place(counter));
    }

    public long examples() {
        return of(Counter.EXAMPLES);
    }

    public long labelled() {
        return of(Counter.LABELLED);
    }

    /** Wrong emitted labels. */
    public long errors() {
        return of(Counter.ERRORS);
    }

    public long mistakes() {
        return of(Counter.MISTAKES);
    }

    public long marginMistakes() {
        return of(Counter.MARGIN_MISTAKES);
    }

    public long updates() {
        return of(Counter.UPDATES);
    }

    /** Sum of max(0, h - y·u). */
    public double hingeLoss() {
        return hingeLoss;
    }
}
