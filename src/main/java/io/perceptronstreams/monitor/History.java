package io.perceptronstreams.monitor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * History of a model over event time: one point for each counting window. If there are too many points, neighbours are
 * merged.
 *
 * <p>Each point is a row of doubles; counts are exact below 2^53. Merging adds the counts of windows, so that their
 * totals do not change.
 */
final class History {
    private static final int AT = 0;
    private static final int START = 1;
    private static final int END = 2;
    // sums over the windows of a point
    private static final int EXAMPLES = 3;
    private static final int LABELLED = 4;
    private static final int ERRORS = 5;
    private static final int MISTAKES = 6;
    private static final int MARGIN_MISTAKES = 7;
    private static final int HINGE_LOSS = 8;
    private static final int COMPARED = 9;
    private static final int MAJORITY_ERRORS = 10;
    private static final int SAME_ERRORS = 11;
    // the model's totals at the end of the last window
    private static final int TOTAL_EXAMPLES = 12;
    private static final int TOTAL_LABELLED = 13;
    private static final int TOTAL_ERRORS = 14;
    private static final int TOTAL_MISTAKES = 15;
    private static final int TOTAL_MARGIN_MISTAKES = 16;
    private static final int TOTAL_UPDATES = 17;
    private static final int TOTAL_HINGE_LOSS = 18;
    private static final int AUC = 19;
    // from the status of the last window; NaN until it arrives
    private static final int NORM = 20;
    private static final int RADIUS = 21;
    private static final int GAMMA = 22;
    private static final int UPDATE_BOUND = 23;
    private static final int COLUMNS = 24;

    private double[] cells = new double[0];
    private int size;
    // statuses whose windows are not read yet, by time: |w|, R, gamma, bound on updates
    private final TreeMap<Long, double[]> early = new TreeMap<>();

    /**
     * Counts of one or more consecutive windows.
     *
     * @param timestamp of the record that closed the last window, in ms
     * @param error errors/labelled in these windows; null without labels
     * @param majorityError share of errors of predicting the commonest label so far in these windows; null if unknown
     * @param sameError the same of the last label
     * @param auc area under the ROC curve of the last scores at the end; null if unknown
     * @param runningError total errors/labelled at the end
     * @param gammaCeiling maximum margin of any separator; null if the certificate does not apply
     * @param updateBound upper bound of totalUpdates from the comparator; null without one
     */
    record Point(
            long timestamp,
            long windowStart,
            long windowEnd,
            long examples,
            long labelled,
            long errors,
            long mistakes,
            long marginMistakes,
            Double hingeLoss,
            Double error,
            Double majorityError,
            Double sameError,
            long totalExamples,
            long totalLabelled,
            long totalErrors,
            long totalMistakes,
            long totalMarginMistakes,
            long totalUpdates,
            Double totalHingeLoss,
            Double runningError,
            Double auc,
            Double weightNorm,
            Double radius,
            Double gammaCeiling,
            Double updateBound) {}

    /** Adds a MistakeCount; keeps at most {@code capacity} points. */
    void count(Event count, int capacity) {
        if (size >= capacity) {
            thin(capacity);
        }
        if ((size + 1) * COLUMNS > cells.length) {
            cells = Arrays.copyOf(cells, Math.max(8, Math.min(2 * size, capacity)) * COLUMNS);
        }
        int row = size++ * COLUMNS;
        cells[row + AT] = count.timestamp();
        cells[row + START] = count.number("windowStart");
        cells[row + END] = count.number("windowEnd");
        cells[row + EXAMPLES] = count.number("examples");
        cells[row + LABELLED] = count.number("labelled");
        cells[row + ERRORS] = count.number("errors");
        cells[row + MISTAKES] = count.number("mistakes");
        cells[row + MARGIN_MISTAKES] = count.number("marginMistakes");
        cells[row + HINGE_LOSS] = count.real("hingeLoss");
        MetricsView metrics = MetricsView.of(count, "metrics");
        cells[row + COMPARED] = metrics == null ? 0 : metrics.compared();
        cells[row + MAJORITY_ERRORS] = metrics == null ? 0 : metrics.majorityErrors();
        cells[row + SAME_ERRORS] = metrics == null ? 0 : metrics.sameErrors();
        cells[row + AUC] = metrics == null || metrics.auc() == null ? Double.NaN : metrics.auc();
        cells[row + TOTAL_EXAMPLES] = count.number("totalExamples");
        cells[row + TOTAL_LABELLED] = count.number("totalLabelled");
        cells[row + TOTAL_ERRORS] = count.number("totalErrors");
        cells[row + TOTAL_MISTAKES] = count.number("totalMistakes");
        cells[row + TOTAL_MARGIN_MISTAKES] = count.number("totalMarginMistakes");
        cells[row + TOTAL_UPDATES] = count.number("totalUpdates");
        cells[row + TOTAL_HINGE_LOSS] = count.real("totalHingeLoss");
        cells[row + NORM] = Double.NaN;
        cells[row + RADIUS] = Double.NaN;
        cells[row + GAMMA] = Double.NaN;
        cells[row + UPDATE_BOUND] = Double.NaN;
        double[] status = early.remove(count.timestamp());
        if (status != null) {
            state(row, status[0], status[1], status[2], status[3]);
        }
    }

    /**
     * Adds a status to the window that the same record closed, or keeps it until that window arrives, because the
     * topics are read in any order.
     *
     * @param capacity maximum number of statuses that are kept; 0 if this one closed no window
     */
    void status(long timestamp, double norm, double radius, double gamma, double updateBound, int capacity) {
        for (int point = size - 1; point >= 0; point--) {
            if (cells[point * COLUMNS + AT] == timestamp) {
                state(point * COLUMNS, norm, radius, gamma, updateBound);
                return;
            }
        }
        if (capacity == 0) {
            return;
        }
        early.put(timestamp, new double[] {norm, radius, gamma, updateBound});
        while (early.size() > capacity) {
            early.pollFirstEntry();
        }
    }

    private void state(int row, double norm, double radius, double gamma, double updateBound) {
        cells[row + NORM] = norm;
        cells[row + RADIUS] = radius;
        cells[row + GAMMA] = gamma;
        cells[row + UPDATE_BOUND] = updateBound;
    }

    /** Halves the number of points, and drops the oldest if that is not enough: points of two epochs are not merged. */
    void thin(int capacity) {
        if (size < 2) {
            return;
        }
        int kept = 0;
        int point = 0;
        while (point < size) {
            boolean isPair = point + 1 < size && cell(point, TOTAL_EXAMPLES) <= cell(point + 1, TOTAL_EXAMPLES);
            if (isPair) {
                merge(point, point + 1);
            }
            int from = isPair ? point + 1 : point;
            System.arraycopy(cells, from * COLUMNS, cells, kept++ * COLUMNS, COLUMNS);
            point = from + 1;
        }
        size = kept;
        int tooMany = size - capacity * 3 / 4;
        if (tooMany > 0) {
            System.arraycopy(cells, tooMany * COLUMNS, cells, 0, (size - tooMany) * COLUMNS);
            size -= tooMany;
        }
        cells = Arrays.copyOf(cells, Math.max(8, capacity) * COLUMNS);
    }

    private void merge(int first, int second) {
        int row = second * COLUMNS;
        cells[row + START] = cell(first, START);
        for (int column = EXAMPLES; column <= SAME_ERRORS; column++) {
            cells[row + column] += cell(first, column);
        }
    }

    private double cell(int point, int column) {
        return cells[point * COLUMNS + column];
    }

    int size() {
        return size;
    }

    /** Errors/labelled of the last {@code maxPoints} points; null without labels. */
    List<Double> sparkline(int maxPoints) {
        List<Double> errors = new ArrayList<>();
        for (int point = Math.max(0, size - maxPoints); point < size; point++) {
            errors.add(share((long) cell(point, ERRORS), (long) cell(point, LABELLED)));
        }
        return errors;
    }

    /** The last point, or null. */
    Point last() {
        return size == 0 ? null : point(size - 1);
    }

    /** All points, oldest first. */
    List<Point> points() {
        List<Point> points = new ArrayList<>(size);
        for (int point = 0; point < size; point++) {
            points.add(point(point));
        }
        return points;
    }

    private Point point(int k) {
        return new Point(
                (long) cell(k, AT),
                (long) cell(k, START),
                (long) cell(k, END),
                (long) cell(k, EXAMPLES),
                (long) cell(k, LABELLED),
                (long) cell(k, ERRORS),
                (long) cell(k, MISTAKES),
                (long) cell(k, MARGIN_MISTAKES),
                finite(cell(k, HINGE_LOSS)),
                share((long) cell(k, ERRORS), (long) cell(k, LABELLED)),
                share((long) cell(k, MAJORITY_ERRORS), (long) cell(k, COMPARED)),
                share((long) cell(k, SAME_ERRORS), (long) cell(k, COMPARED)),
                (long) cell(k, TOTAL_EXAMPLES),
                (long) cell(k, TOTAL_LABELLED),
                (long) cell(k, TOTAL_ERRORS),
                (long) cell(k, TOTAL_MISTAKES),
                (long) cell(k, TOTAL_MARGIN_MISTAKES),
                (long) cell(k, TOTAL_UPDATES),
                finite(cell(k, TOTAL_HINGE_LOSS)),
                share((long) cell(k, TOTAL_ERRORS), (long) cell(k, TOTAL_LABELLED)),
                finite(cell(k, AUC)),
                finite(cell(k, NORM)),
                finite(cell(k, RADIUS)),
                finite(cell(k, GAMMA)),
                finite(cell(k, UPDATE_BOUND)));
    }

    /** Returns null for NaN and infinities, which JSON does not have. */
    static Double finite(double number) {
        return Double.isFinite(number) ? number : null;
    }

    static Double share(long part, long whole) {
        return whole > 0 ? (double) part / (double) whole : null;
    }
}
