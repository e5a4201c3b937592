package io.perceptronstreams.evaluation;

import static io.perceptronstreams.algorithm.Algorithm.Trait.SEVERAL_CLASSES;
import static io.perceptronstreams.algorithm.Algorithm.Trait.TAGS;
import static io.perceptronstreams.algorithm.Algorithm.Trait.TWO_CLASSES;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Number of labelled examples per pair of true and emitted label, for two-class and multiclass models.
 *
 * <p>An example without an emitted label, because the model had no class yet, counts only in {@link #seen}. The sum of
 * all cells and of {@link #otherErrors} is the number of counted examples; the sum off the diagonal, with
 * {@link #otherErrors}, is the number of their errors.
 *
 * <p>Where a two-class model continues the counts of a model with other labels, each label has the row of its name, as
 * in a multiclass model.
 *
 * <p>Of a multiclass model the first {@link #MAX_LABELS} labels have rows and columns of their own, in order of
 * appearance, as far as their names have at most {@link #MAX_CHARACTERS} UTF-16 units together. All others share the
 * last row and column.
 *
 * <p>Empty for sequences and candidates: their labels are lists of tags, or outputs of a single example, of which a
 * pair hardly occurs twice. Cost: O(1) per example. Not thread-safe.
 */
public final class ConfusionMatrix {
    /** Maximum number of labels with rows of their own. */
    public static final int MAX_LABELS = 32;

    /** Maximum length of their names together, in UTF-16 units. */
    public static final int MAX_CHARACTERS = 2_048;

    /** Place of a label that was not emitted. */
    static final int NOTHING = -1;

    /** Place of the labels without a row; the others follow. */
    static final int OTHER = 0;

    private static final int NEGATIVE = 1;
    private static final int POSITIVE = 2;

    private static final long[] NONE = {};

    // of a multiclass model, and of models of several kinds; the labels of a two-class model are in its settings
    private Map<String, Integer> places = Map.of();
    private List<String> names = List.of();
    private int characters;
    // row by row, by place of the true label, then of the emitted one; empty if nothing is counted
    private long[] cells = NONE;
    private int side;
    private long otherErrors;
    // sums over the cells and otherErrors: by place of the true label, and of all
    private long[] actuals = NONE;
    private long examples;
    // by place of the true label, and 0 behind the end: examples without an emitted one
    private long[] unanswered = NONE;
    // places whose sum is not 0
    private int classes;

    /** Place of the true label of a learner that has classes; of two classes to be given to {@link #ofSide}. */
    int actual(Label truth, Outcome outcome, Learner learner, Algorithm algorithm, Settings settings) {
        // an int may stand for a name: the outcome compares them
        if (algorithm.has(SEVERAL_CLASSES)) {
            return place((outcome.isError() ? truth : outcome.predicted()).toString());
        }
        int emitted = emitted(outcome, algorithm, settings);
        if (emitted == NOTHING) {
            // predicted before the first label of all had decided the learner
            String positive = settings.get(Settings.LABELS).isEmpty()
                    ? Label.PLUS_ONE.toString()
                    : settings.get(Settings.LABELS).get(1);
            return learner.className(truth).equals(positive) ? POSITIVE : NEGATIVE;
        }
        return outcome.isError() ? NEGATIVE + POSITIVE - emitted : emitted;
    }

    /**
     * Place of the emitted label of a learner that has classes, of two classes to be given to {@link #ofSide};
     * {@link #NOTHING} without one.
     */
    int emitted(Outcome outcome, Algorithm algorithm, Settings settings) {
        if (outcome.isAbstained()) {
            return NOTHING;
        }
        return algorithm.has(SEVERAL_CLASSES)
                ? place(outcome.predicted().toString())
                : isPositive(outcome.predicted(), settings) ? POSITIVE : NEGATIVE;
    }

    /** Returns true if this is the place of the class +1 of a two-class model, before {@link #ofSide}. */
    static boolean isPositive(int place) {
        return place == POSITIVE;
    }

    /** The place of a class of a two-class model: another one only if the labels have rows by their names. */
    int ofSide(int side, Settings settings) {
        return names.isEmpty() || side == NOTHING
                ? side
                : place(twoLabels(settings).get(side - NEGATIVE));
    }

    /** Gives the labels of a two-class model rows by their names; does nothing if nothing is counted. */
    void nameLabels(Settings settings) {
        if (!isEmpty() && names.isEmpty()) {
            twoLabels(settings).forEach(this::addName);
        }
    }

    /** The labels of a two-class model, the negative class first. */
    public static List<String> twoLabels(Settings settings) {
        return settings.get(Settings.LABELS).isEmpty()
                ? List.of(settings.get(Settings.NEGATIVE_LABEL).label().toString(), Label.PLUS_ONE.toString())
                : settings.get(Settings.LABELS);
    }

    /** Counts an example by the places of its labels. */
    void add(int actual, int emitted, boolean isError) {
        growTo(names.isEmpty() && Math.max(actual, emitted) > OTHER ? POSITIVE : names.size());
        if (emitted == NOTHING) {
            if (unanswered.length < side) {
                unanswered = Arrays.copyOf(unanswered, side);
            }
            unanswered[actual]++;
            return;
        }
        if (actual == OTHER && emitted == OTHER && isError) {
            otherErrors++;
        } else {
            cells[actual * side + emitted]++;
        }
        addActual(actual, 1);
    }

    private void addActual(int place, long count) {
        classes += actuals[place] == 0 && count > 0 ? 1 : 0;
        actuals[place] += count;
        examples += count;
        classes -= actuals[place] == 0 && count < 0 ? 1 : 0;
    }

    /**
     * Removes an example by the places of its labels.
     *
     * @return false if none is counted there
     */
    boolean remove(int actual, int emitted, boolean isError) {
        if (!names.isEmpty()) {
            // a label that was counted under another name, or before the model had classes, has got its place only now
            growTo(names.size());
        }
        if (Math.max(actual, emitted) >= side) {
            return false;
        }
        if (emitted == NOTHING) {
            if (unanswered(actual) == 0) {
                return false;
            }
            unanswered[actual]--;
            return true;
        }
        if (actual == OTHER && emitted == OTHER && isError) {
            if (otherErrors == 0) {
                return false;
            }
            otherErrors--;
        } else {
            if (cells[actual * side + emitted] == 0) {
                return false;
            }
            cells[actual * side + emitted]--;
        }
        addActual(actual, -1);
        return true;
    }

    /** Place of a label as predictions name it, of two classes to be given to {@link #ofSide}. */
    int place(Label named, Algorithm algorithm, Settings settings) {
        if (named == null) {
            return NOTHING;
        }
        return algorithm.has(SEVERAL_CLASSES)
                ? place(named.toString())
                : isPositive(named, settings) ? POSITIVE : NEGATIVE;
    }

    private void sumActuals() {
        actuals = new long[side];
        examples = 0;
        classes = 0;
        for (int k = 0; k < cells.length; k++) {
            addActual(k / side, cells[k]);
        }
        if (otherErrors > 0) {
            addActual(OTHER, otherErrors);
        }
    }

    /**
     * Returns true if a label that was emitted earlier is wrong.
     *
     * @param emitted null if there was none
     * @param now comparison of the current prediction with the same true label
     */
    public static boolean isWrong(Label emitted, Label truth, Outcome now, Algorithm algorithm, Settings settings) {
        if (emitted == null) {
            return true;
        }
        if (algorithm.has(TWO_CLASSES)) {
            boolean isTruthPositive = isPositive(now.predicted(), settings) != now.isError();
            return isPositive(emitted, settings) != isTruthPositive;
        }
        // an int may stand for a name
        return algorithm.has(TAGS)
                ? !emitted.equals(truth)
                : !emitted.toString().equals(truth.toString());
    }

    /** Returns true if a label of two classes is the one that has positive scores. */
    public static boolean isPositive(Label emitted, Settings settings) {
        List<String> labels = settings.get(Settings.LABELS);
        // an int was emitted before the classes had names
        boolean isSign = labels.isEmpty() || emitted instanceof Label.Int;
        return isSign ? emitted.equals(Label.PLUS_ONE) : emitted.toString().equals(labels.get(1));
    }

    private int place(String name) {
        Integer known = places.get(name);
        if (known != null) {
            return known;
        }
        if (names.size() == MAX_LABELS || characters + name.length() > MAX_CHARACTERS) {
            return OTHER;
        }
        addName(name);
        return names.size();
    }

    private void addName(String name) {
        if (names.isEmpty()) {
            names = new ArrayList<>();
            places = new HashMap<>();
        }
        names.add(name);
        places.put(name, names.size());
        characters += name.length();
    }

    private void growTo(int labels) {
        if (side <= labels) {
            int longer = labels + 1;
            long[] larger = new long[longer * longer];
            for (int row = 0; row < side; row++) {
                System.arraycopy(cells, row * side, larger, row * longer, side);
            }
            cells = larger;
            side = longer;
            actuals = Arrays.copyOf(actuals, side);
        }
    }

    /** Returns true if nothing is counted. */
    public boolean isEmpty() {
        return cells.length == 0;
    }

    /** Number of labels with rows of their own. */
    public int size() {
        return Math.max(0, side - 1);
    }

    /**
     * Names of the labels with rows by their names, in order of these; empty for a model that always had two classes.
     */
    public List<String> names() {
        return List.copyOf(names);
    }

    /** The labels in order of their rows: the negative class first if there are two. */
    public List<String> labels(Settings settings) {
        if (!names.isEmpty() || isEmpty()) {
            return names();
        }
        return twoLabels(settings);
    }

    /** The labels of which examples were counted, in order of their rows. */
    public List<String> seenLabels(Settings settings) {
        List<String> seen = new ArrayList<>();
        List<String> labels = labels(settings);
        for (int row = 0; row < labels.size(); row++) {
            if (actuals[place(row)] > 0) {
                seen.add(labels.get(row));
            }
        }
        return seen;
    }

    /**
     * A count.
     *
     * @param actual row of the true label; {@link #size} for the labels without a row
     * @param emitted column of the emitted label; the same
     */
    public long count(int actual, int emitted) {
        return cells[place(actual) * side + place(emitted)];
    }

    private int place(int row) {
        return row == size() ? OTHER : row + 1;
    }

    /** Errors in which neither the true nor the emitted label has a row of its own. */
    public long otherErrors() {
        return otherErrors;
    }

    /** Returns true if a label without a row was counted. */
    public boolean hasOther() {
        long sum = otherErrors;
        for (int place = 0; place < side; place++) {
            sum += cells[place * side + OTHER] + cells[OTHER * side + place];
        }
        return sum > 0;
    }

    /** Number of counted examples. */
    public long examples() {
        return examples;
    }

    /** Number of counted examples with a wrong label emitted. */
    public long errors() {
        long right = 0;
        for (int place = 0; place < side; place++) {
            right += correct(place);
        }
        return examples - right;
    }

    /** Number of counted examples whose true label has this row. */
    public long actual(int row) {
        return actuals[row + 1];
    }

    /** Number of examples whose true label has this place, also of those without an emitted label. */
    long seen(int place) {
        return actuals[place] + unanswered(place);
    }

    private long unanswered(int place) {
        return place < unanswered.length ? unanswered[place] : 0;
    }

    /** Number of examples for which a label of this place was emitted. */
    long predicted(int place) {
        long sum = place == OTHER ? otherErrors : 0;
        for (int row = 0; row < side; row++) {
            sum += cells[row * side + place];
        }
        return sum;
    }

    /** Number of examples whose true label has this place and was emitted. */
    long correct(int place) {
        return cells[place * side + place];
    }

    /**
     * Returns the row of the most or the least frequent true label, the first one on a tie; -1 if fewer than two labels
     * with rows were true ones.
     */
    public int extreme(boolean isMost) {
        int found = -1;
        int labels = 0;
        for (int row = 0; row < size(); row++) {
            long count = actual(row);
            if (count > 0) {
                labels++;
                boolean isMore = found < 0 || (isMost ? count > actual(found) : count < actual(found));
                found = isMore ? row : found;
            }
        }
        return labels < 2 ? -1 : found;
    }

    /**
     * Factor that gives all classes the same weight in sum: n/(classes·m) after n counted examples, m of them of this
     * class. 1 for a class that was not counted or has no row of its own, and until there are two classes. Cost: O(1).
     */
    public double balance(String className, Settings settings) {
        if (classes < 2) {
            return 1;
        }
        int place = names.isEmpty() ? labels(settings).indexOf(className) + 1 : places.getOrDefault(className, OTHER);
        long seen = place == OTHER ? 0 : actuals[place];
        return seen == 0 ? 1 : (double) examples / ((double) classes * seen);
    }

    /**
     * Writes or restores the matrix: the counts row by row in the order of {@link #count}.
     *
     * @throws IllegalArgumentException if such a matrix cannot exist
     */
    public void exchange(StoredFields fields) {
        if (!fields.flag(!isEmpty())) {
            return;
        }
        List<String> stored = fields.texts(names);
        long others = fields.unsigned(otherErrors);
        int rows = stored.isEmpty() ? POSITIVE : stored.size() + 1;
        long[] counts = new long[fields.isReading() ? 0 : rows * rows];
        for (int k = 0; k < counts.length; k++) {
            counts[k] = count(k / rows, k % rows);
        }
        counts = fields.counts(counts);
        if (fields.isReading()) {
            restore(stored, counts.length > rows * rows ? counts : Arrays.copyOf(counts, rows * rows), others);
        }
        long[] without = fields.counts(unanswered);
        if (without.length > side) {
            throw fields.fault("count at most " + side + " classes", without.length);
        }
        unanswered = without;
    }

    /**
     * Restores the stored counts of a new matrix.
     *
     * @param storedNames as {@link #names}; empty for two classes
     * @param counts row by row in the order of {@link #count}: of the two classes, or of all labels and the rest
     * @throws IllegalArgumentException if such a matrix cannot exist
     */
    public void restore(List<String> storedNames, long[] counts, long storedOtherErrors) {
        int labels = storedNames.isEmpty() ? POSITIVE : storedNames.size();
        int rows = storedNames.isEmpty() ? labels : labels + 1;
        if (labels > MAX_LABELS || counts.length != rows * rows || storedOtherErrors < 0) {
            throw new IllegalArgumentException("a confusion matrix must have at most " + MAX_LABELS
                    + " labels and one count per pair, got " + labels + " labels and " + counts.length + " counts");
        }
        storedNames.forEach(this::addName);
        growTo(labels);
        for (int k = 0; k < counts.length; k++) {
            if (counts[k] < 0) {
                throw new IllegalArgumentException("counts must not be negative, got " + counts[k]);
            }
            cells[place(k / rows) * side + place(k % rows)] = counts[k];
        }
        otherErrors = storedOtherErrors;
        sumActuals();
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return 8L * (cells.length + actuals.length + unanswered.length) + 128L * names.size() + 2L * characters;
    }
}
