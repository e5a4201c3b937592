package io.perceptronstreams.monitor;

import io.perceptronstreams.model.StatusCause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;

/** What is known of one model. Guarded by the {@link DashboardState} that owns it. */
final class ModelView {
    private static final int MAX_CHANGES = 30;
    private static final int MAX_MARKS = 50;
    private static final int SPARKLINE = 24;

    /** Causes of statuses that say how far the model is, and of no change. */
    private final String name;

    private final History history = new History();
    private final Confusion confusion = new Confusion();
    private final Deque<Event> mistakes = new ArrayDeque<>();
    private final Deque<Change> changes = new ArrayDeque<>();
    private final Deque<Mark> marks = new ArrayDeque<>();
    private final TopWeights weights = new TopWeights();
    private final LastAlarm alarm = new LastAlarm();
    private Map<String, String> settings = Map.of();
    private String algorithm;
    private String state = "LIVE";
    private long epoch;
    private long epochStart = Long.MIN_VALUE;
    private long statusAt = Long.MIN_VALUE;
    private long lastActive = Long.MIN_VALUE;
    private long version;
    private long examples;
    private long labelled;
    private long mistakeCount;
    private long marginMistakes;
    private long errors;
    private long errorsOf;
    private long rerouted;
    private double hingeLoss;
    private double norm = Double.NaN;
    private double radius = Double.NaN;
    private double gammaCeiling = Double.NaN;
    private Comparator comparator;

    /** A row of the table of models; its parts are described in docs/http.md. */
    record Summary(
            String name,
            String algorithm,
            String state,
            long epoch,
            long version,
            long examples,
            long labelled,
            long errors,
            long mistakes,
            long marginMistakes,
            Double errorRate,
            Double windowError,
            Double examplesPerSecond,
            Double weightNorm,
            Double radius,
            Double gammaCeiling,
            long rerouted,
            Long lastActive,
            List<Double> sparkline) {}

    /** A status with a cause other than time that went by: a command, the first example, the quarantine. */
    record Change(
            long timestamp,
            String cause,
            String state,
            long epoch,
            long version,
            long examples,
            Map<String, String> changed) {}

    /** Something to mark on the time axis: a change, or an alert. */
    record Mark(long timestamp, String kind, String text, boolean isAlert) {}

    /**
     * The model beside pinned weights u, since they were.
     *
     * @param bound what the updates since then can be at most; null if it overflowed
     * @param updateBound what all updates of the epoch can be at most
     */
    record Comparator(long labelled, long updates, Double norm, Double hingeLoss, Double bound, Double updateBound) {}

    /** All there is to say of one model, but its history and mistakes. */
    record Details(
            Summary summary,
            Double hingeLoss,
            Comparator comparator,
            Map<String, String> settings,
            List<Change> changes,
            List<Confusion.Cell> confusion,
            Long confusionSince,
            LastAlarm.View alarm) {}

    ModelView(String name) {
        this.name = name;
    }

    /** Takes a ModelStatus, for a history of at most {@code capacity} points; one that is older than the last is not news. */
    void status(Event status, Map<String, String> newSettings, int capacity) {
        long newEpoch = status.number("epoch");
        if (newEpoch < epoch) {
            return;
        }
        boolean isNewEpoch = newEpoch > epoch;
        if (isNewEpoch) {
            confusion.clear();
            mistakes.clear();
            epochStart = status.timestamp();
        }
        epoch = newEpoch;
        statusAt = status.timestamp();
        String cause = status.text("cause");
        StatusCause known = StatusCause.named(cause);
        if (known == null || !known.isProgress()) {
            Map<String, String> changed = new LinkedHashMap<>(newSettings);
            changed.entrySet().removeIf(entry -> entry.getValue().equals(settings.get(entry.getKey())));
            changed = Map.copyOf(changed);
            add(
                    changes,
                    new Change(
                            status.timestamp(),
                            cause,
                            status.text("state"),
                            epoch,
                            status.number("version"),
                            status.number("seen"),
                            changed),
                    MAX_CHANGES);
            // the first that is known changed nothing
            mark(status.timestamp(), cause, settings.isEmpty() ? "" : text(changed), known != null && known.isAlert());
        }
        settings = newSettings;
        state = status.text("state");
        algorithm = status.text("algorithm");
        version = status.number("version");
        examples = status.number("seen");
        labelled = status.number("labelled");
        errors = status.number("errors");
        errorsOf = labelled;
        mistakeCount = status.number("mistakes");
        marginMistakes = status.number("marginMistakes");
        hingeLoss = status.real("hingeLoss");
        norm = status.real("weightNorm");
        radius = status.real("radius");
        rerouted = status.number("rerouted");
        gammaCeiling = status.real("gammaUpperBound");
        comparator = comparator(status);
        if (!isNewEpoch) {
            // the window that a reset closes is one of the epoch before
            history.status(status.timestamp(), norm, radius, gammaCeiling, updateBound(), capacity);
        }
        active(status);
    }

    private static String text(Map<String, String> changed) {
        StringJoiner text = new StringJoiner(", ");
        new TreeMap<>(changed).forEach((name, value) -> text.add(name + "=" + value));
        return text.toString();
    }

    private Comparator comparator(Event status) {
        if (!(status.value().get("comparator") instanceof GenericRecord record)) {
            return null;
        }
        Event pinned = new Event(status.partition(), status.offset(), status.timestamp(), name, record);
        long updates = pinned.number("updates");
        double bound = pinned.real("bound");
        return new Comparator(
                pinned.number("labelled"),
                updates,
                History.finite(pinned.real("norm")),
                History.finite(pinned.real("hingeLoss")),
                History.finite(bound),
                History.finite(version - updates + bound));
    }

    private double updateBound() {
        return comparator == null || comparator.updateBound() == null ? Double.NaN : comparator.updateBound();
    }

    /** Takes a WeightsSnapshot. */
    void weights(Event chunk) {
        weights.add(chunk);
    }

    /** The newest whole snapshot; null if none was read. */
    TopWeights.Snapshot weights() {
        return weights.newest();
    }

    /** Takes a MistakeCount; keeps at most {@code capacity} points of history. */
    void count(Event count, int capacity) {
        history.count(count, capacity);
        active(count);
    }

    /** Takes a Mistake; keeps at most {@code capacity} of the latest. */
    void mistake(Event mistake, int capacity) {
        alarm.mistake(mistake, capacity);
        if (mistake.timestamp() < epochStart) {
            // of an epoch that is over; the topics are read in no fixed order
            return;
        }
        add(mistakes, mistake, capacity);
        confusion.count(mistake);
        if (mistake.number("seen") > examples && mistake.timestamp() >= statusAt) {
            examples = mistake.number("seen");
            labelled = mistake.number("labelled");
            version = mistake.number("updates");
            mistakeCount = mistake.number("mistakes");
            marginMistakes = mistake.number("marginMistakes");
            norm = mistake.real("weightNorm");
            radius = mistake.real("radius");
        }
        active(mistake);
    }

    /** Takes an Alert. */
    void alert(Event alert) {
        alarm.alert(alert);
        mark(alert.timestamp(), alert.text("kind"), Truncation.text(alert.text("message"), Truncation.MAX_TEXT), true);
        active(alert);
    }

    private void mark(long timestamp, String kind, String text, boolean isAlert) {
        add(marks, new Mark(timestamp, kind, text, isAlert), MAX_MARKS);
    }

    private void active(Event event) {
        lastActive = Math.max(lastActive, event.timestamp());
    }

    private static <T> void add(Deque<T> deque, T item, int capacity) {
        deque.addLast(item);
        while (deque.size() > capacity) {
            deque.removeFirst();
        }
    }

    /** Gives up what is beyond a smaller share of the memory. */
    void shrink(int points, int latestMistakes) {
        while (history.size() > points) {
            history.thin(points);
        }
        while (mistakes.size() > latestMistakes) {
            mistakes.removeFirst();
        }
        alarm.shrink(latestMistakes);
    }

    Summary summary() {
        History.Point last = history.last();
        return new Summary(
                name,
                algorithm,
                state,
                epoch,
                version,
                examples,
                labelled,
                errors,
                mistakeCount,
                marginMistakes,
                History.share(errors, errorsOf),
                last == null ? null : last.error(),
                last == null ? null : History.share(1000 * last.examples(), last.windowEnd() - last.windowStart()),
                History.finite(norm),
                History.finite(radius),
                History.finite(gammaCeiling),
                rerouted,
                lastActive == Long.MIN_VALUE ? null : lastActive,
                history.sparkline(SPARKLINE));
    }

    Details details() {
        return new Details(
                summary(),
                History.finite(hingeLoss),
                comparator,
                settings,
                List.copyOf(changes),
                confusion.cells(),
                confusion.since(),
                alarm.view());
    }

    List<History.Point> history() {
        return history.points();
    }

    List<Mark> marks() {
        return List.copyOf(marks);
    }

    /** The latest first. */
    List<Event> mistakes(int limit) {
        List<Event> latest = new ArrayList<>();
        mistakes.descendingIterator().forEachRemaining(mistake -> {
            if (latest.size() < limit) {
                latest.add(mistake);
            }
        });
        return latest;
    }

    String name() {
        return name;
    }

    String state() {
        return state;
    }

    Map<String, String> settings() {
        return settings;
    }

    /** Learned and refused, for the metrics. */
    ModelTotals totals() {
        return new ModelTotals(examples, labelled, errors, mistakeCount, marginMistakes, version, rerouted);
    }
}
