package io.perceptronstreams.monitor;

import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.AlertKind;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.WeightsSnapshot;
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

/** Contents of the dashboard for one model. Guarded by its {@link DashboardState}. */
final class ModelView {
    private static final int MAX_CHANGES = 30;
    private static final int MAX_MARKS = 50;
    private static final int SPARKLINE = 24;

    /** Maximum number of features of a mistake that are counted. */
    private static final int MAX_PARTS = 10;

    private final String name;
    private final History history = new History();
    private final Deque<Event<Mistake>> mistakes = new ArrayDeque<>();
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
    private long updates;
    private long examples;
    private long labelled;
    private long mistakeCount;
    private long marginMistakes;
    private long errors;
    private long rerouted;
    private double hingeLoss;
    private double norm = Double.NaN;
    private double radius = Double.NaN;
    private double gammaUpperBound = Double.NaN;
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
            long updates,
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
            Double gammaUpperBound,
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
            long updates,
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
    void status(Event<ModelStatus> event, Map<String, String> newSettings, int maxCells) {
        ModelStatus status = event.value();
        long newEpoch = status.getEpoch();
        if (newEpoch != epoch) {
            beginMistakes(newEpoch);
        }
        epoch = newEpoch;
        statusAt = event.timestamp();
        String cause = status.getCause();
        StatusCause known = StatusCause.named(cause);
        if (known == null || !known.isProgress()) {
            Map<String, String> changed = new LinkedHashMap<>(newSettings);
            changed.entrySet().removeIf(entry -> entry.getValue().equals(settings.get(entry.getKey())));
            changed = Map.copyOf(changed);
            add(
                    changes,
                    new Change(
                            event.timestamp(),
                            cause,
                            status.getState().toString(),
                            epoch,
                            status.getUpdates(),
                            status.getExamples(),
                            changed),
                    MAX_CHANGES);
            // the first status has no previous settings to compare with
            mark(
                    event,
                    status.getOffset(),
                    new Mark(
                            event.timestamp(),
                            cause,
                            settings.isEmpty() ? "" : text(changed),
                            known != null && known.isAlert(),
                            newEpoch,
                            status.getExamples(),
                            status.getLabelled()));
        }
        settings = newSettings;
        state = status.getState().toString();
        algorithm = status.getAlgorithm();
        updates = status.getUpdates();
        examples = status.getExamples();
        labelled = status.getLabelled();
        errors = status.getErrors();
        mistakeCount = status.getMistakes();
        marginMistakes = status.getMarginMistakes();
        hingeLoss = status.getHingeLoss();
        norm = status.getWeightNorm();
        radius = status.getRadius();
        rerouted = status.getRerouted();
        gammaUpperBound = real(status.getGammaUpperBound());
        comparator = comparator(status.getComparator());
        confusion = Confusion.of(status.getConfusion(), maxCells);
        labels = LabelsView.of(status);
        metrics = MetricsView.of(status.getMetrics());
        history.status(event, updateBound(), known == StatusCause.IMPORT || known == StatusCause.TAKEOVER);
        active(event);
    }

    private static String text(Map<String, String> changed) {
        StringJoiner text = new StringJoiner(", ");
        new TreeMap<>(changed).forEach((name, value) -> text.add(name + "=" + value));
        return text.toString();
    }

    private Comparator comparator(io.perceptronstreams.event.Comparator pinned) {
        if (pinned == null) {
            return null;
        }
        long sincePin = pinned.getUpdates();
        double bound = real(pinned.getBound());
        return new Comparator(
                pinned.getLabelled(),
                sincePin,
                History.finite(pinned.getNorm()),
                History.finite(pinned.getHingeLoss()),
                History.finite(bound),
                History.finite(updates - sincePin + bound));
    }

    private static double real(Double number) {
        return number == null ? Double.NaN : number;
    }

    private double updateBound() {
        return comparator == null || comparator.updateBound() == null ? Double.NaN : comparator.updateBound();
    }

    /** Adds a chunk of a WeightsSnapshot. */
    void weights(Event<WeightsSnapshot> chunk) {
        weights.add(chunk);
    }

    /** Newest complete snapshot; null without one. */
    TopWeights.Snapshot weights() {
        return weights.newest();
    }

    /** Adds a MistakeCount; keeps at most {@code capacity} points of history. */
    void count(Event<MistakeCount> count, int capacity) {
        history.count(count, capacity);
        active(count);
    }

    /**
     * Adds a Mistake; keeps at most {@code capacity} of the latest.
     *
     * @param counted number of the latest whose causes are counted
     */
    void mistake(Event<Mistake> mistake, int capacity, int counted) {
        alarm.mistake(mistake, capacity);
        Long known = mistake.value().getEpoch();
        // that of earlier versions has none
        long of = known == null ? mistakesEpoch : known;
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
    void alert(Event<Alert> event) {
        Alert alert = event.value();
        boolean isAdvice = alert.getKind() == AlertKind.ADVICE;
        if (!isAdvice) {
            alarm.alert(event);
        }
        mark(
                event,
                alert.getOffset(),
                new Mark(
                        event.timestamp(),
                        alert.getKind().toString(),
                        Truncation.text(alert.getMessage(), Truncation.MAX_TEXT),
                        !isAdvice,
                        alert.getEpoch(),
                        alert.getExamples(),
                        alert.getLabelled()));
        active(event);
    }

    private void mark(Event<?> event, long source, Mark mark) {
        int topic = event.value() instanceof ModelStatus ? 0 : 1;
        marks.put(new Place(event.timestamp(), source, topic, event.offset()), mark);
        if (marks.size() > MAX_MARKS) {
            marks.pollFirstEntry();
        }
    }

    private void active(Event<?> event) {
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
                updates,
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
                History.finite(gammaUpperBound),
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
    List<Event<Mistake>> mistakes(int limit) {
        List<Event<Mistake>> latest = new ArrayList<>();
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
                examples, labelled, errors, mistakeCount, marginMistakes, updates, rerouted, labels, metrics);
    }
}
