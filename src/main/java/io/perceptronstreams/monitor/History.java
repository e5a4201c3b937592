package io.perceptronstreams.monitor;

import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * History of a model: one point for each counting window, and one for the open window, which is the difference between the
 * last status and the last closed window. If there are too many points, neighbours are merged.
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
    private static final int NORM = 20;
    private static final int RADIUS = 21;
    private static final int GAMMA = 22;
    private static final int UPDATE_BOUND = 23;
    private static final int EPOCH = 24;
    private static final int COLUMNS = 25;

    /** Columns that have the sums of a window and, in {@link #totals}, those of the epoch. */
    private static final int SUMS = SAME_ERRORS - EXAMPLES + 1;

    private double[] cells = new double[0];
    private int size;

    // Totals of the epoch in the order of the sums: at the end of the last window, of the last status, and before its
    // epoch.
    private double[] ended = new double[SUMS];
    private double[] present = new double[SUMS];
    private double[] moved = new double[SUMS];

    // A row like that of a point, with the values of the last status; null before it.
    private double[] status;

    private double epochStart;

    /**
     * Counts of one or more consecutive windows.
     *
     * @param timestamp of the record that closed the last window, or of the last status if it is open, in ms
     * @param error errors/labelled in these windows; null without labels
     * @param majorityError share of errors of predicting the commonest label so far in these windows; null if unknown
     * @param sameError the same of the last label
     * @param auc area under the ROC curve of the last scores at the end; null if unknown
     * @param runningError total errors/labelled at the end
     * @param gammaUpperBound maximum margin of any separator; null if the certificate does not apply
     * @param updateBound upper bound of totalUpdates from the comparator; null without one
     * @param epoch null if it is unknown
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
            Double gammaUpperBound,
            Double updateBound,
            Long epoch) {}

    /** Adds a MistakeCount; keeps at most {@code capacity} points. */
    void count(Event<MistakeCount> event, int capacity) {
        MistakeCount count = event.value();
        if (size >= capacity) {
            thin(capacity);
        }
        if ((size + 1) * COLUMNS > cells.length) {
            cells = Arrays.copyOf(cells, Math.max(8, Math.min(2 * size, capacity)) * COLUMNS);
        }
        int row = size++ * COLUMNS;
        cells[row + AT] = event.timestamp();
        cells[row + START] = count.getWindowStart().toEpochMilli();
        cells[row + END] = count.getWindowEnd().toEpochMilli();
        cells[row + EXAMPLES] = count.getExamples();
        cells[row + LABELLED] = count.getLabelled();
        cells[row + ERRORS] = count.getErrors();
        cells[row + MISTAKES] = count.getMistakes();
        cells[row + MARGIN_MISTAKES] = count.getMarginMistakes();
        cells[row + HINGE_LOSS] = count.getHingeLoss();
        MetricsView metrics = MetricsView.of(count.getMetrics());
        cells[row + COMPARED] = metrics == null ? 0 : metrics.compared();
        cells[row + MAJORITY_ERRORS] = metrics == null ? 0 : metrics.majorityErrors();
        cells[row + SAME_ERRORS] = metrics == null ? 0 : metrics.sameErrors();
        cells[row + AUC] = metrics == null || metrics.auc() == null ? Double.NaN : metrics.auc();
        cells[row + TOTAL_EXAMPLES] = count.getTotalExamples();
        cells[row + TOTAL_LABELLED] = count.getTotalLabelled();
        cells[row + TOTAL_ERRORS] = count.getTotalErrors();
        cells[row + TOTAL_MISTAKES] = count.getTotalMistakes();
        cells[row + TOTAL_MARGIN_MISTAKES] = count.getTotalMarginMistakes();
        cells[row + TOTAL_UPDATES] = count.getTotalUpdates();
        cells[row + TOTAL_HINGE_LOSS] = count.getTotalHingeLoss();
        cells[row + NORM] = real(count.getWeightNorm());
        cells[row + RADIUS] = real(count.getRadius());
        cells[row + GAMMA] = real(count.getGammaUpperBound());
        cells[row + UPDATE_BOUND] = real(count.getUpdateBound());
        cells[row + EPOCH] = real(count.getEpoch());
        ended = totals(row, cells, MetricsView.of(count.getTotalMetrics()));
    }

    /** The totals of a row, in the order of the sums. */
    private static double[] totals(int row, double[] cells, MetricsView metrics) {
        return new double[] {
            cells[row + TOTAL_EXAMPLES],
            cells[row + TOTAL_LABELLED],
            cells[row + TOTAL_ERRORS],
            cells[row + TOTAL_MISTAKES],
            cells[row + TOTAL_MARGIN_MISTAKES],
            cells[row + TOTAL_HINGE_LOSS],
            metrics == null ? 0 : metrics.compared(),
            metrics == null ? 0 : metrics.majorityErrors(),
            metrics == null ? 0 : metrics.sameErrors()
        };
    }

    /**
     * Adds a ModelStatus.
     *
     * @param isMoved whether its totals are those of another model, which an import or a takeover has put in its place
     */
    void status(Event<ModelStatus> event, double updateBound, boolean isMoved) {
        ModelStatus value = event.value();
        MetricsView metrics = MetricsView.of(value.getMetrics());
        double[] row = new double[COLUMNS];
        row[AT] = event.timestamp();
        row[EPOCH] = value.getEpoch();
        row[TOTAL_EXAMPLES] = value.getExamples();
        row[TOTAL_LABELLED] = value.getLabelled();
        row[TOTAL_ERRORS] = value.getErrors();
        row[TOTAL_MISTAKES] = value.getMistakes();
        row[TOTAL_MARGIN_MISTAKES] = value.getMarginMistakes();
        row[TOTAL_UPDATES] = value.getUpdates();
        row[TOTAL_HINGE_LOSS] = value.getHingeLoss();
        row[AUC] = metrics == null || metrics.auc() == null ? Double.NaN : metrics.auc();
        row[NORM] = value.getWeightNorm();
        row[RADIUS] = value.getRadius();
        row[GAMMA] = real(value.getGammaUpperBound());
        row[UPDATE_BOUND] = updateBound;
        present = totals(0, row, metrics);
        if (status == null || status[EPOCH] != row[EPOCH]) {
            epochStart = row[AT];
            moved = isMoved ? present : new double[SUMS];
        }
        status = row;
    }

    /** The open window as of the last status; null if it has no examples and labels, or was closed since. */
    Point open() {
        if (status == null) {
            return null;
        }
        double lastEpoch = size == 0 ? Double.NaN : cell(size - 1, EPOCH);
        if (lastEpoch > status[EPOCH]) {
            // the topics are read in any order
            return null;
        }
        boolean isFirst = size == 0 || lastEpoch < status[EPOCH];
        double[] before = isFirst ? moved : ended;
        double[] row = status.clone();
        for (int sum = 0; sum < SUMS; sum++) {
            row[EXAMPLES + sum] = present[sum] - before[sum];
        }
        if (row[EXAMPLES] < 0 || row[LABELLED] < 0 || row[EXAMPLES] + row[LABELLED] == 0) {
            return null;
        }
        row[START] = isFirst ? epochStart : cell(size - 1, END) - 1;
        row[END] = Math.max(row[START], row[AT]) + 1;
        return point(row, 0);
    }

    /** Halves the number of points, and drops the oldest if that is not enough: points of two epochs are not merged. */
    void thin(int capacity) {
        if (size < 2) {
            return;
        }
        int kept = 0;
        int point = 0;
        while (point < size) {
            boolean isPair = point + 1 < size
                    && cell(point, TOTAL_EXAMPLES) <= cell(point + 1, TOTAL_EXAMPLES)
                    && Double.compare(cell(point, EPOCH), cell(point + 1, EPOCH)) == 0;
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

    /** Errors/labelled of the last {@code maxPoints} points, or of the open window if there are none; null without labels. */
    List<Double> sparkline(int maxPoints) {
        List<Double> errors = new ArrayList<>();
        Point open = size == 0 ? open() : null;
        if (open != null) {
            errors.add(open.error());
        }
        for (int point = Math.max(0, size - maxPoints); point < size; point++) {
            errors.add(share((long) cell(point, ERRORS), (long) cell(point, LABELLED)));
        }
        return errors;
    }

    /** The last point, or that of the open window if there is none; null without both. */
    Point last() {
        return size == 0 ? open() : point(cells, size - 1);
    }

    /**
     * Examples per second of event time in the last points that together last a second, or in all; null without points. A
     * window that ends early may last a millisecond.
     */
    Double examplesPerSecond() {
        double examples = 0;
        double length = 0;
        for (int point = size - 1; point >= 0 && length < 1_000; point--) {
            examples += cell(point, EXAMPLES);
            length += cell(point, END) - cell(point, START);
        }
        Point open = size == 0 ? open() : null;
        if (open != null) {
            examples = open.examples();
            length = open.windowEnd() - open.windowStart();
        }
        return share(1_000 * (long) examples, (long) length);
    }

    /** All points, oldest first. */
    List<Point> points() {
        List<Point> points = new ArrayList<>(size);
        for (int point = 0; point < size; point++) {
            points.add(point(cells, point));
        }
        return points;
    }

    private static Point point(double[] cells, int k) {
        int row = k * COLUMNS;
        return new Point(
                (long) cells[row + AT],
                (long) cells[row + START],
                (long) cells[row + END],
                (long) cells[row + EXAMPLES],
                (long) cells[row + LABELLED],
                (long) cells[row + ERRORS],
                (long) cells[row + MISTAKES],
                (long) cells[row + MARGIN_MISTAKES],
                finite(cells[row + HINGE_LOSS]),
                share((long) cells[row + ERRORS], (long) cells[row + LABELLED]),
                share((long) cells[row + MAJORITY_ERRORS], (long) cells[row + COMPARED]),
                share((long) cells[row + SAME_ERRORS], (long) cells[row + COMPARED]),
                (long) cells[row + TOTAL_EXAMPLES],
                (long) cells[row + TOTAL_LABELLED],
                (long) cells[row + TOTAL_ERRORS],
                (long) cells[row + TOTAL_MISTAKES],
                (long) cells[row + TOTAL_MARGIN_MISTAKES],
                (long) cells[row + TOTAL_UPDATES],
                finite(cells[row + TOTAL_HINGE_LOSS]),
                share((long) cells[row + TOTAL_ERRORS], (long) cells[row + TOTAL_LABELLED]),
                finite(cells[row + AUC]),
                finite(cells[row + NORM]),
                finite(cells[row + RADIUS]),
                finite(cells[row + GAMMA]),
                finite(cells[row + UPDATE_BOUND]),
                Double.isNaN(cells[row + EPOCH]) ? null : (long) cells[row + EPOCH]);
    }

    private static double real(Number number) {
        return number == null ? Double.NaN : number.doubleValue();
    }

    /** Returns null for NaN and infinities, which JSON does not have. */
    static Double finite(Double number) {
        return number != null && Double.isFinite(number) ? number : null;
    }

    static Double share(long part, long whole) {
        return whole > 0 ? (double) part / (double) whole : null;
    }
}
