package io.perceptronstreams.monitor;

import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.serde.MistakeCauses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;

/** Contents of the dashboard for one model. Guarded by its {@link DashboardState}. */
final class ModelView {
    private static final int MAX_CHANGES = 30;
    private static final int MAX_MARKS = 50;
    private static final int SPARKLINE = 24;

    /** Maximum number of features of a mistake that are counted. */
    private static final int MAX_PARTS = 10;

    private final String name;
    private final History history = new History();
    private final Deque<Event> mistakes = new ArrayDeque<>();
    private final MistakeCauses causes = new MistakeCauses(MAX_PARTS);
    private final Deque<Change> changes = new ArrayDeque<>();
    // earliest first, in an order that does not depend on the order in which topics are read
    private final NavigableMap<Place, Mark> marks = new TreeMap<>();
    private final TopWeights weights = new TopWeights();
    private final LastAlarm alarm = new LastAlarm();
    private Map<String, String> settings = Map.of();
    private String algorithm;
    private String state = "LIVE";
    private long epoch;
    private long mistakesEpoch;
    private long statusAt = Long.MIN_VALUE;
    private long lastActive = Long.MIN_VALUE;
    private long version;
    private long examples;
    private long labelled;
    private long mistakeCount;
    private long marginMistakes;
    private long errors;
    private long rerouted;
    private double hingeLoss;
    private double norm = Double.NaN;
    private double radius = Double.NaN;
    private double gammaCeiling = Double.NaN;
    private Comparator comparator;
    private Confusion confusion;
    private LabelsView labels;
    private MetricsView metrics;

    /**
     * A row of the table of models, as described in docs/http.md. State, counts and norms are those of one ModelStatus,
     * so that their ratios and differences are exact.
     *
     * @param asOf event time of that status; null before the first
     * @param deadLetters rejected records with the model's name as key, as far as they were read
     */
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
            long deadLetters,
            Long asOf,
            Long lastActive,
            List<Double> sparkline) {}

    /** A status whose cause is a change, such as a command, the first example or quarantine. */
    record Change(
            long timestamp,
            String cause,
            String state,
            long epoch,
            long version,
            long examples,
            Map<String, String> changed) {}

    /**
     * A change or an alert, marked on the axis of the charts.
     *
     * @param epoch null if it is unknown, as are the following
     * @param examples of the epoch up to it
     * @param labelled of these
     */
    record Mark(long timestamp, String kind, String text, boolean isAlert, Long epoch, Long examples, Long labelled) {}

    /**
     * Order of marks: by event time, then by the record that caused them.
     *
     * @param source offset of that record
     * @param topic 0 for statuses, 1 for alerts
     * @param offset of the event in its topic
     */
    private record Place(long timestamp, long source, int topic, long offset) implements Comparable<Place> {
        private static final java.util.Comparator<Place> ORDER = java.util.Comparator.comparingLong(Place::timestamp)
                .thenComparingLong(Place::source)
                .thenComparingInt(Place::topic)
                .thenComparingLong(Place::offset);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * Comparison of the model with its comparator weights u, since they were set.
     *
     * @param bound upper bound of the updates since then; null after an overflow
     * @param updateBound upper bound of all updates of the epoch
     */
    record Comparator(long labelled, long updates, Double norm, Double hingeLoss, Double bound, Double updateBound) {}

    /** All values of a model except history and mistakes. */
    record Details(
            Summary summary,
            Double hingeLoss,
            Comparator comparator,
            Map<String, String> settings,
            List<Change> changes,
            Confusion confusionMatrix,
            LabelsView labels,
            MetricsView metrics,
            LastAlarm.View alarm) {}

    ModelView(String name) {
        this.name = name;
    }

    /**
     * Adds a ModelStatus. An epoch is over when a status of another one comes, also of a lower one, as after a reset to the
     * earliest offset.
     *
     * @param maxCells a confusion matrix with more counts is not kept
     */
    void status(Event status, Map<String, String> newSettings, int maxCells) {
        long newEpoch = status.number("epoch");
        if (newEpoch != epoch) {
            beginMistakes(newEpoch);
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
            // the first status has no previous settings to compare with
            mark(
                    status,
                    new Mark(
                            status.timestamp(),
                            cause,
                            settings.isEmpty() ? "" : text(changed),
                            known != null && known.isAlert(),
                            newEpoch,
                            status.number("seen"),
                            status.number("labelled")));
        }
        settings = newSettings;
        state = status.text("state");
        algorithm = status.text("algorithm");
        version = status.number("version");
        examples = status.number("seen");
        labelled = status.number("labelled");
        errors = status.number("errors");
        mistakeCount = status.number("mistakes");
        marginMistakes = status.number("marginMistakes");
        hingeLoss = status.real("hingeLoss");
        norm = status.real("weightNorm");
        radius = status.real("radius");
        rerouted = status.number("rerouted");
        gammaCeiling = status.real("gammaUpperBound");
        comparator = comparator(status);
        confusion = Confusion.of(status, maxCells);
        labels = LabelsView.of(status);
        metrics = MetricsView.of(status, "metrics");
        history.status(status, updateBound(), known == StatusCause.IMPORT || known == StatusCause.TAKEOVER);
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

    /** Adds a chunk of a WeightsSnapshot. */
    void weights(Event chunk) {
        weights.add(chunk);
    }

    /** Newest complete snapshot; null without one. */
    TopWeights.Snapshot weights() {
        return weights.newest();
    }

    /** Adds a MistakeCount; keeps at most {@code capacity} points of history. */
    void count(Event count, int capacity) {
        history.count(count, capacity);
        active(count);
    }

    /**
     * Adds a Mistake; keeps at most {@code capacity} of the latest.
     *
     * @param counted number of the latest whose causes are counted
     */
    void mistake(Event mistake, int capacity, int counted) {
        alarm.mistake(mistake, capacity);
        // that of earlier versions has none
        long of = mistake.value().get("epoch") instanceof Long number ? number : mistakesEpoch;
        if (of < epoch) {
            // of a former epoch, because the topics are read in any order
            return;
        }
        beginMistakes(of);
        add(mistakes, mistake, capacity);
        causes.add(mistake.value(), counted);
        active(mistake);
    }

    private void beginMistakes(long of) {
        if (of != mistakesEpoch) {
            mistakes.clear();
            causes.limit(0);
            mistakesEpoch = of;
        }
    }

    /** Adds an Alert. */
    void alert(Event alert) {
        boolean isAdvice = "ADVICE".equals(alert.text("kind"));
        if (!isAdvice) {
            alarm.alert(alert);
        }
        mark(
                alert,
                new Mark(
                        alert.timestamp(),
                        alert.text("kind"),
                        Truncation.text(alert.text("message"), Truncation.MAX_TEXT),
                        !isAdvice,
                        alert.optional("epoch"),
                        alert.optional("examples"),
                        alert.optional("labelled")));
        active(alert);
    }

    private void mark(Event event, Mark mark) {
        boolean isStatus = event.value().hasField("cause");
        marks.put(new Place(event.timestamp(), event.number("offset"), isStatus ? 0 : 1, event.offset()), mark);
        if (marks.size() > MAX_MARKS) {
            marks.pollFirstEntry();
        }
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

    /** Reduces the model to a smaller share of the memory. */
    void shrink(int points, int latestMistakes, int counted, int maxCells) {
        if (confusion != null && confusion.cells() > maxCells) {
            confusion = null;
        }
        while (history.size() > points) {
            history.thin(points);
        }
        while (mistakes.size() > latestMistakes) {
            mistakes.removeFirst();
        }
        causes.limit(counted);
        alarm.shrink(latestMistakes);
    }

    Summary summary(long deadLetters) {
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
                History.share(errors, labelled),
                last == null ? null : last.error(),
                history.examplesPerSecond(),
                History.finite(norm),
                History.finite(radius),
                History.finite(gammaCeiling),
                rerouted,
                deadLetters,
                time(statusAt),
                time(lastActive),
                history.sparkline(SPARKLINE));
    }

    private static Long time(long timestamp) {
        return timestamp == Long.MIN_VALUE ? null : timestamp;
    }

    Details details(long deadLetters) {
        return new Details(
                summary(deadLetters),
                History.finite(hingeLoss),
                comparator,
                settings,
                List.copyOf(changes),
                confusion,
                labels,
                metrics,
                alarm.view());
    }

    List<History.Point> history() {
        return history.points();
    }

    /** The open window as of the last status; null if nothing is in it. */
    History.Point openWindow() {
        return history.open();
    }

    List<Mark> marks() {
        return List.copyOf(marks.values());
    }

    /** The latest mistakes, latest first. */
    List<Event> mistakes(int limit) {
        List<Event> latest = new ArrayList<>();
        mistakes.descendingIterator().forEachRemaining(mistake -> {
            if (latest.size() < limit) {
                latest.add(mistake);
            }
        });
        return latest;
    }

    /** What its last mistakes have in common. */
    MistakeCauses causes() {
        return causes;
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

    /** Totals for the metrics. */
    ModelTotals totals() {
        return new ModelTotals(
                examples, labelled, errors, mistakeCount, marginMistakes, version, rerouted, labels, metrics);
    }
}
