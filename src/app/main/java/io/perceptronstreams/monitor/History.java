package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.event.Forecasts;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.model.StatusCause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.apache.avro.Schema;

/**
 * History of a model: its counting windows, and the open window, which is the difference between the last status and
 * the last closed window. If there are too many windows, neighbours are joined. Joining adds the counts of windows, so
 * that their totals do not change.
 *
 * <p>Memory: a window is kept in Avro, in 100 to 250 bytes, without its counts by class and the metrics and
 * forecasts of the epoch.
 */
final class History {
    private static final String TOTAL = "total";

    /** Totals, such as {@code totalExamples}. */
    private static final List<Schema.Field> TOTALS = MistakeCount.getClassSchema().getFields().stream()
            .filter(field -> field.name().startsWith(TOTAL))
            .toList();

    /** Counts of a window. */
    private static final List<Schema.Field> COUNTS = MistakeCount.getClassSchema().getFields().stream()
            .filter(History::isCount)
            .filter(field -> !field.name().startsWith(TOTAL) && !field.name().equals("pending"))
            .toList();

    private static final List<Schema.Field> COUNTS_OF_METRICS = Metrics.getClassSchema().getFields().stream()
            .filter(History::isCount)
            .toList();

    private static final List<Schema.Field> COUNTS_OF_FORECASTS = Forecasts.getClassSchema().getFields().stream()
            .filter(field -> field.schema().getType() == Schema.Type.LONG)
            .toList();

    private final List<Window> windows = new ArrayList<>();
    // the last closed window, with all its fields
    private MistakeCount closed;
    private Event<ModelStatus> status;
    private double updateBound;
    private long spanStart;
    // highest epoch of the statuses, until one of a lower epoch comes without a promotion
    private long highest;
    // a status with the totals at the start of the counts: of an engine that counted by epoch those of an imported
    // model
    private ModelStatus start;
    // null after a change
    private Recent recent;

    /** A closed window. */
    private static final class Window {
        private final long timestamp;
        private final byte[] avro;

        Window(long timestamp, MistakeCount count) {
            this.timestamp = timestamp;
            try {
                avro = count.toByteBuffer().array();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        MistakeCount count() {
            try {
                return MistakeCount.fromByteBuffer(ByteBuffer.wrap(avro));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Numbers of the last windows, or of the open one before the first is closed.
     *
     * @param windowError errors/labelled of the last window; null without labels
     * @param examplesPerSecond examples per second of event time in the last windows that together last a second, or in
     *     all; null without windows. A window that ends early may last a millisecond.
     * @param sparkline errors/labelled of the last windows
     */
    record Recent(Double windowError, Double examplesPerSecond, List<Double> sparkline) {}

    private static boolean isCount(Schema.Field field) {
        Schema.Type type = field.schema().getType();
        return type == Schema.Type.DOUBLE
                || (type == Schema.Type.LONG && field.schema().getLogicalType() == null);
    }

    /** Adds a MistakeCount; keeps at most {@code capacity} windows. */
    void count(Event<MistakeCount> event, int capacity) {
        if (windows.size() >= capacity) {
            thin(capacity);
        }
        closed = event.value();
        MistakeCount kept = MistakeCount.newBuilder(closed).build();
        kept.setTotalMetrics(null);
        kept.setTotalForecasts(null);
        if (kept.getMetrics() != null) {
            kept.getMetrics().setClasses(List.of());
        }
        windows.add(new Window(event.timestamp(), kept));
        recent = null;
    }

    /**
     * Adds a ModelStatus.
     *
     * @param bound upper bound of all updates from the comparator; null without one
     * @param isMoved whether an import, a takeover or a promotion has put other weights in the place of the last ones,
     *     and with an engine that counted by epoch their totals, too
     */
    void status(Event<ModelStatus> event, Double bound, boolean isMoved) {
        ModelStatus last = status == null ? null : status.value();
        ModelStatus next = event.value();
        boolean isBeginning = next.getCause().equals(StatusCause.FIRST_EXAMPLE.name());
        if (last == null || last.getEpoch() != next.getEpoch()) {
            highest = isMoved ? Math.max(highest, next.getEpoch()) : next.getEpoch();
        }
        boolean isOtherCount = last == null
                || !isSameCount(last.getCountsSince(), last.getEpoch(), next.getCountsSince(), next.getEpoch());
        if (isBeginning || isOtherCount) {
            // of a first example, because the command before it may be of another time
            spanStart = event.timestamp();
        }
        if (isOtherCount) {
            start = isMoved && next.getCountsSince() == null ? next : new ModelStatus();
        }
        status = event;
        updateBound = bound == null ? Double.NaN : bound;
        recent = null;
    }

    /**
     * Returns true for an epoch before that of the last status. Its number is higher where a promotion has brought back
     * a lower one.
     */
    boolean isFormer(long epoch) {
        return status != null && epoch != status.value().getEpoch() && epoch <= highest;
    }

    /**
     * Returns true if two events count from the same record on; those of engines that counted by epoch, in the same
     * epoch.
     */
    static boolean isSameCount(Long since, Long epoch, Long otherSince, Long otherEpoch) {
        return (since != null && otherSince != null) ? since.equals(otherSince) : Objects.equals(epoch, otherEpoch);
    }

    /** Returns true if the last status counts from a later record on than the last closed window. */
    private boolean isClosedFormer() {
        Long ofClosed = closed.getCountsSince();
        Long ofStatus = status.value().getCountsSince();
        return (ofClosed != null && ofStatus != null)
                ? ofClosed < ofStatus
                : closed.getEpoch() != null && isFormer(closed.getEpoch());
    }

    /** The open window as of the last status; null if it has no examples and labels, or was closed since. */
    MistakeCount open() {
        if (status == null) {
            return null;
        }
        ModelStatus now = status.value();
        boolean isSame = closed != null
                && ((closed.getEpoch() == null && closed.getCountsSince() == null)
                        || isSameCount(
                                closed.getCountsSince(), closed.getEpoch(), now.getCountsSince(), now.getEpoch()));
        if (closed != null && !isSame && !isClosedFormer()) {
            // the topics are read in any order
            return null;
        }
        boolean isFirst = !isSame;
        MistakeCount open = new MistakeCount();
        for (Schema.Field total : TOTALS) {
            String name = total.name().substring(TOTAL.length());
            name = name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
            Object current = now.get(name);
            open.put(total.pos(), current);
            Schema.Field count = open.getSchema().getField(name);
            if (count != null) {
                open.put(count.pos(), sum(current, isFirst ? start.get(name) : closed.get(total.pos()), -1));
            }
        }
        if (open.getExamples() < 0 || open.getLabelled() < 0 || open.getExamples() + open.getLabelled() == 0) {
            return null;
        }
        open.setTotalMetrics(null);
        open.setTotalForecasts(null);
        // not that of a status, which a command of another time may have made
        long newest = now.getLastExample() == null ? status.timestamp() : now.getLastExample();
        long begin =
                isFirst ? Math.min(spanStart, newest) : closed.getWindowEnd().toEpochMilli() - 1;
        open.setWindowStart(Instant.ofEpochMilli(begin));
        open.setWindowEnd(Instant.ofEpochMilli(Math.max(begin, newest) + 1));
        open.setPending(now.getPending());
        open.setEpoch(now.getEpoch());
        open.setCountsSince(now.getCountsSince());
        open.setOfWeights(now.getOfWeights());
        open.setWeightNorm(now.getWeightNorm());
        open.setRadius(now.getRadius());
        open.setGammaUpperBound(now.getGammaUpperBound());
        open.setUpdateBound(updateBound);
        return open;
    }

    /** Sum, or with sign -1 difference, of two counts, or of the counts of two records; null counts as 0. */
    private static Object sum(Object last, Object other, int sign) {
        if (last instanceof Long count) {
            return count + sign * (other == null ? 0 : (Long) other);
        }
        if (last instanceof Double number) {
            return number + sign * (other == null ? 0 : (Double) other);
        }
        if (last == null && (other == null || sign < 0)) {
            return null;
        }
        return last instanceof Forecasts || other instanceof Forecasts
                ? sumOfForecasts((Forecasts) last, (Forecasts) other, sign)
                : sumOfMetrics((Metrics) last, (Metrics) other, sign);
    }

    private static Metrics sumOfMetrics(Metrics last, Metrics other, int sign) {
        Metrics metrics = new Metrics();
        metrics.setClasses(List.of());
        metrics.setAuc(last == null ? null : last.getAuc());
        for (Schema.Field field : COUNTS_OF_METRICS) {
            long count = last == null ? 0 : (Long) last.get(field.pos());
            metrics.put(field.pos(), sum(count, other == null ? null : other.get(field.pos()), sign));
        }
        return metrics;
    }

    /** Null if no label is left. Its means are weighted by the labels. */
    private static Forecasts sumOfForecasts(Forecasts last, Forecasts other, int sign) {
        long ofLast = last == null ? 0 : last.getLabelled();
        long ofOther = other == null ? 0 : sign * other.getLabelled();
        long labelled = ofLast + ofOther;
        if (labelled <= 0) {
            return null;
        }
        Forecasts forecasts = new Forecasts();
        forecasts.setRanges(List.of());
        for (Schema.Field field : COUNTS_OF_FORECASTS) {
            Object count = last == null ? 0L : last.get(field.pos());
            forecasts.put(field.pos(), sum(count, other == null ? null : other.get(field.pos()), sign));
        }
        forecasts.setBrierScore(weighted(ofLast, last, ofOther, other, Forecasts::getBrierScore) / labelled);
        forecasts.setLogLoss(weighted(ofLast, last, ofOther, other, Forecasts::getLogLoss) / labelled);
        return forecasts;
    }

    private static double weighted(
            long ofLast, Forecasts last, long ofOther, Forecasts other, ToDoubleFunction<Forecasts> mean) {
        // a difference of means of equal examples may be a rounding error below 0
        return Math.max(
                0,
                (last == null ? 0 : ofLast * mean.applyAsDouble(last))
                        + (other == null ? 0 : ofOther * mean.applyAsDouble(other)));
    }

    /**
     * Joins neighbours until at most about half of {@code capacity} points are left, which have about the same number
     * of examples, and drops the oldest if that is not enough: windows of two epochs are not joined. The last window
     * stays as it is.
     */
    void thin(int capacity) {
        if (windows.size() < 2) {
            return;
        }
        List<Window> all = List.copyOf(windows);
        long total = 0;
        for (Window window : all) {
            total += size(window.count());
        }
        // two neighbours that are not joined have more than this, so that at most half of the capacity is left
        long most = 4 * total / Math.max(1, capacity);
        windows.clear();
        Window last = all.get(0);
        MistakeCount open = last.count();
        for (Window next : all.subList(1, all.size() - 1)) {
            MistakeCount count = next.count();
            if (isOneEpoch(open, count) && size(open) + size(count) <= most) {
                open = joined(open, count);
                last = new Window(next.timestamp, open);
            } else {
                windows.add(last);
                last = next;
                open = count;
            }
        }
        windows.add(last);
        windows.add(all.get(all.size() - 1));
        int tooMany = windows.size() - Math.max(2, capacity * 3 / 4);
        if (tooMany > 0) {
            windows.subList(0, tooMany).clear();
        }
        recent = null;
    }

    private static boolean isOneEpoch(MistakeCount first, MistakeCount second) {
        return first.getTotalExamples() <= second.getTotalExamples()
                && Objects.equals(first.getEpoch(), second.getEpoch());
    }

    /** Examples of a window, or labels where these come late. */
    private static long size(MistakeCount count) {
        return Math.max(count.getExamples(), count.getLabelled());
    }

    private static MistakeCount joined(MistakeCount first, MistakeCount second) {
        second.setWindowStart(first.getWindowStart());
        COUNTS.forEach(field -> second.put(field.pos(), sum(second.get(field.pos()), first.get(field.pos()), 1)));
        second.setMetrics((Metrics) sum(second.getMetrics(), first.getMetrics(), 1));
        second.setForecasts((Forecasts) sum(second.getForecasts(), first.getForecasts(), 1));
        return second;
    }

    int size() {
        return windows.size();
    }

    /** Numbers of the last {@code sparkline} windows. */
    Recent recent(int sparkline) {
        if (recent == null) {
            recent = windows.isEmpty() ? recent(open()) : lastWindows(sparkline);
        }
        return recent;
    }

    private static Recent recent(MistakeCount open) {
        return open == null
                ? new Recent(null, null, List.of())
                : new Recent(
                        error(open),
                        // a millisecond is no rate
                        lengthMs(open) > 1 ? share(1_000 * open.getExamples(), lengthMs(open)) : null,
                        Collections.singletonList(error(open)));
    }

    private Recent lastWindows(int sparkline) {
        List<Double> errors = new ArrayList<>();
        long examples = 0;
        long lengthMs = 0;
        for (int k = windows.size() - 1; k >= 0 && (lengthMs < 1_000 || errors.size() < sparkline); k--) {
            MistakeCount count = windows.get(k).count();
            if (errors.size() < sparkline) {
                errors.add(0, error(count));
            }
            if (lengthMs < 1_000) {
                examples += count.getExamples();
                lengthMs += lengthMs(count);
            }
        }
        return new Recent(errors.get(errors.size() - 1), share(1_000 * examples, lengthMs), errors);
    }

    private static Double error(MistakeCount count) {
        return share(count.getErrors(), count.getLabelled());
    }

    private static long lengthMs(MistakeCount count) {
        return count.getWindowEnd().toEpochMilli() - count.getWindowStart().toEpochMilli();
    }

    /** All closed windows, oldest first. */
    List<ObjectNode> points() {
        List<ObjectNode> points = new ArrayList<>(windows.size());
        windows.forEach(window -> points.add(point(window.timestamp, window.count())));
        return points;
    }

    /** The open window as a point; null without one. */
    ObjectNode openPoint() {
        MistakeCount open = open();
        return open == null ? null : point(status.timestamp(), open);
    }

    /** The fields of a MistakeCount and the shares of errors: of the window, of the two baselines, and so far. */
    private static ObjectNode point(long timestamp, MistakeCount count) {
        Metrics metrics = count.getMetrics();
        return Event.json(count)
                .put("timestamp", timestamp)
                .put("error", error(count))
                .put(
                        "majorityError",
                        metrics == null ? null : share(metrics.getMajorityErrors(), metrics.getCompared()))
                .put("sameError", metrics == null ? null : share(metrics.getSameErrors(), metrics.getCompared()))
                .put("runningError", share(count.getTotalErrors(), count.getTotalLabelled()));
    }

    static Double share(long part, long whole) {
        return whole > 0 ? (double) part / (double) whole : null;
    }
}
