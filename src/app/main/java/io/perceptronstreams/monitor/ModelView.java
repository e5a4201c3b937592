package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.AlertKind;
import io.perceptronstreams.event.Comparator;
import io.perceptronstreams.event.ConfusionMatrix;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelState;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.ModelVersion;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.labels.DelayHistogram;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.model.Versions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.avro.Schema;

/** Contents of the dashboard for one model. Guarded by its {@link DashboardState}. */
final class ModelView {
    private static final int MAX_CHANGES = 30;
    private static final int MAX_MARKS = 50;
    private static final int SPARKLINE = 24;

    /** Maximum number of features of a mistake that are counted. */
    private static final int MAX_PARTS = 10;

    private static final String TAG = "tag ";

    private static final long UNKNOWN = Long.MIN_VALUE;

    /** Fields of a status with several values, which a row of the table does not have. */
    private static final List<String> NESTED = ModelStatus.getClassSchema().getFields().stream()
            .filter(field -> isNested(field.schema()))
            .map(Schema.Field::name)
            .toList();

    private final String name;
    private final History history = new History();
    private final TrialHistory trials = new TrialHistory();
    private final Deque<Event<Mistake>> mistakes = new ArrayDeque<>();
    private final MistakeCauses causes = new MistakeCauses(MAX_PARTS);
    private final Deque<Mark> changes = new ArrayDeque<>();
    // earliest first, in an order that does not depend on the order in which topics are read
    private final NavigableMap<Place, Mark> marks = new TreeMap<>();
    private long droppedMarks;
    private final TopWeights weights = new TopWeights();
    private final LastAlarm alarm = new LastAlarm();
    private final PresentAdvice advice = new PresentAdvice();
    private long mistakesEpoch;
    private long lastActive = UNKNOWN;
    private Event<ModelStatus> status;

    /**
     * An alert, or a status whose cause is a change, such as a command, the first example or quarantine; marked on the
     * axis of the charts.
     *
     * @param kind of the alert, or cause of the status
     * @param text message of the alert, or named snapshots that came or went and changed settings; empty for the first
     *     status
     * @param state of the model; null for an alert, as are the updates
     * @param epoch null if it is unknown, as are the following
     * @param countsSince as in the event
     * @param examples counted up to it
     * @param labelled of these
     * @param changed settings that the status has changed
     */
    record Mark(
            long timestamp,
            String kind,
            String text,
            boolean isAlert,
            String state,
            Long updates,
            Long epoch,
            Long countsSince,
            Long examples,
            Long labelled,
            Map<String, String> changed) {}

    /**
     * Order of marks: by the record that caused them. Not by event time, because a command is of now where the examples
     * are of the past.
     *
     * @param source offset of that record
     * @param topic 0 for the alert of a trial, of which a promotion follows, 1 for statuses, 2 for other alerts
     * @param offset of the event in its topic
     */
    private record Place(long source, long timestamp, int topic, long offset) implements Comparable<Place> {
        private static final java.util.Comparator<Place> ORDER = java.util.Comparator.comparingLong(Place::source)
                .thenComparingLong(Place::timestamp)
                .thenComparingInt(Place::topic)
                .thenComparingLong(Place::offset);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    ModelView(String name) {
        this.name = name;
        ModelStatus none = new ModelStatus();
        none.setState(ModelState.LIVE);
        none.setSettings(Map.of());
        none.setLabelDelays(List.of());
        none.setChallengers(List.of());
        none.setVersions(List.of());
        status = new Event<>(-1, -1, UNKNOWN, name, none);
    }

    /**
     * Adds a ModelStatus. An epoch is over when a status of another one comes, also of a lower one, as after a reset to
     * the earliest offset.
     *
     * @param maxCells a confusion matrix with more counts is not kept
     * @param maxTrials number of statuses whose challengers are kept
     */
    void status(Event<ModelStatus> event, int maxCells, int maxTrials) {
        ModelStatus next = event.value();
        boolean isFirst = status.timestamp() == UNKNOWN;
        Map<String, String> changed = new LinkedHashMap<>(next.getSettings());
        changed.entrySet().removeAll(status.value().getSettings().entrySet());
        // the first status has no previous one to compare with
        String text = isFirst ? "" : text(changed, versions(next));
        if (next.getEpoch() != status.value().getEpoch()) {
            beginMistakes(next.getEpoch());
        }
        advice.changed(status.value(), next);
        status = event;
        StatusCause cause = StatusCause.named(next.getCause());
        if (cause == null || !cause.isProgress()) {
            Mark change = new Mark(
                    event.timestamp(),
                    next.getCause(),
                    text,
                    cause != null && cause.isAlert(),
                    next.getState().toString(),
                    next.getUpdates(),
                    next.getEpoch(),
                    next.getCountsSince(),
                    next.getExamples(),
                    next.getLabelled(),
                    Map.copyOf(changed));
            add(changes, change, MAX_CHANGES);
            mark(event, next.getOffset(), change);
        }
        Truncation.shortenLabels(next);
        dropConfusion(maxCells);
        history.status(event, updateBound(), isOtherModel(cause));
        trials.status(next, maxTrials);
        if (next.getLastExample() != null) {
            active(next.getLastExample());
        } else if (cause == StatusCause.FIRST_EXAMPLE
                || (cause != null && cause.isProgress() && cause != StatusCause.TICK)) {
            // of a version that did not have the field
            active(event.timestamp());
        }
    }

    /**
     * Returns true if other weights have come in place of the last ones, with which an engine that counted by epoch had
     * other counts.
     */
    private static boolean isOtherModel(StatusCause cause) {
        return cause == StatusCause.IMPORT || cause == StatusCause.TAKEOVER || cause == StatusCause.PROMOTED;
    }

    /** Drops a confusion matrix with too many counts, or with others than its labels have. */
    private void dropConfusion(int maxCells) {
        ConfusionMatrix matrix = status.value().getConfusion();
        if (matrix != null) {
            int cells = matrix.getCounts().size();
            int labels = matrix.getLabels().size();
            boolean isSquare = cells == labels * labels || cells == (labels + 1) * (labels + 1);
            if (!isSquare || cells > maxCells) {
                status.value().setConfusion(null);
            }
        }
    }

    /**
     * Named snapshots that have come or gone since the last status, as {@code tag v1} or {@code untag v1}, or the one
     * that a rollback has imported. A rollback gives a name to the weights before it, and its import has the updates of
     * the snapshot.
     */
    private List<String> versions(ModelStatus next) {
        if (next.getCause().equals(StatusCause.IMPORT.name())
                && !changes.isEmpty()
                && changes.getLast().text().startsWith(TAG + Versions.BEFORE_ROLLBACK)) {
            List<String> imported = next.getVersions().stream()
                    .filter(each -> each.getUpdates() == next.getUpdates()
                            && !(TAG + each.getName()).equals(changes.getLast().text()))
                    .map(ModelVersion::getName)
                    .toList();
            return List.of(imported.size() == 1 ? "rollback to " + imported.get(0) : "rollback");
        }
        List<String> old = names(status.value());
        List<String> now = names(next);
        return Stream.concat(
                        now.stream().filter(each -> !old.contains(each)).map(TAG::concat),
                        old.stream().filter(each -> !now.contains(each)).map("untag "::concat))
                .toList();
    }

    private static List<String> names(ModelStatus status) {
        return status.getVersions().stream().map(ModelVersion::getName).toList();
    }

    private static String text(Map<String, String> changed, List<String> versions) {
        StringJoiner text = new StringJoiner(", ");
        versions.forEach(text::add);
        new TreeMap<>(changed).forEach((name, value) -> text.add(name + "=" + value));
        return text.toString();
    }

    /**
     * Upper bound of all updates of the epoch: those before the comparator was set, and its bound; null without one.
     */
    private Double updateBound() {
        Comparator comparator = status.value().getComparator();
        boolean isKnown = comparator != null && comparator.getBound() != null && Double.isFinite(comparator.getBound());
        return isKnown
                ? (Double) (status.value().getUpdates() - comparator.getUpdates() + comparator.getBound())
                : null;
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
        // a command that closed the window may be of another time
        active(Math.min(count.timestamp(), count.value().getWindowEnd().toEpochMilli() - 1));
    }

    /**
     * Adds a Mistake; keeps at most {@code capacity} of the latest.
     *
     * @param counted number of the latest whose causes are counted
     */
    void mistake(Event<Mistake> mistake, int capacity, int counted) {
        alarm.mistake(mistake, capacity);
        Long known = mistake.value().getEpoch();
        // a mistake of an earlier version has none
        long of = known == null ? mistakesEpoch : known;
        if (history.isFormer(of)) {
            // the topics are read in any order
            return;
        }
        beginMistakes(of);
        add(mistakes, mistake, capacity);
        causes.add(mistake.value(), counted);
        active(mistake.timestamp());
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
        // nothing is wrong with the model
        boolean isAdvice = alert.getKind() == AlertKind.ADVICE || alert.getKind() == AlertKind.TRIAL;
        if (!isAdvice) {
            alarm.alert(event);
        }
        advice.add(alert);
        mark(
                event,
                alert.getOffset(),
                new Mark(
                        event.timestamp(),
                        alert.getKind().toString(),
                        Truncation.text(alert.getMessage(), Truncation.MAX_TEXT),
                        !isAdvice,
                        null,
                        null,
                        alert.getEpoch(),
                        alert.getCountsSince(),
                        alert.getExamples(),
                        alert.getLabelled(),
                        Map.of()));
    }

    private void mark(Event<?> event, long source, Mark mark) {
        boolean isTrial = event.value() instanceof Alert alert && alert.getKind() == AlertKind.TRIAL;
        int topic = event.value() instanceof ModelStatus ? 1 : isTrial ? 0 : 2;
        marks.put(new Place(source, event.timestamp(), topic, event.offset()), mark);
        if (marks.size() > MAX_MARKS) {
            marks.pollFirstEntry();
            droppedMarks++;
        }
    }

    /** Notes the event time of an example or label. */
    private void active(long timestamp) {
        lastActive = Math.max(lastActive, timestamp);
    }

    private static <T> void add(Deque<T> deque, T item, int capacity) {
        deque.addLast(item);
        while (deque.size() > capacity) {
            deque.removeFirst();
        }
    }

    /** Reduces the model to a smaller share of the memory. */
    void shrink(int points, int latestMistakes, int counted, int maxCells, int maxTrials) {
        dropConfusion(maxCells);
        while (history.size() > points) {
            history.thin(points);
        }
        while (mistakes.size() > latestMistakes) {
            mistakes.removeFirst();
        }
        causes.limit(counted);
        alarm.shrink(latestMistakes);
        trials.thin(maxTrials);
    }

    /** Fields of the last status that have one value, and numbers derived from them and the history. */
    ObjectNode row(long deadLetters) {
        return derived(deadLetters).without(NESTED);
    }

    /**
     * All fields of the last status, derived numbers, changes, the last alarm, and the advice with what became of it.
     */
    ObjectNode details(long deadLetters) {
        ObjectNode details = derived(deadLetters);
        details.path("metrics").path("classes").forEach(each -> {
            long examples = each.get("examples").asLong();
            long predicted = each.get("predicted").asLong();
            long correct = each.get("correct").asLong();
            ((ObjectNode) each)
                    .put("precision", History.share(correct, predicted))
                    .put("recall", History.share(correct, examples))
                    .put("f1", History.share(2 * correct, examples + predicted));
        });
        ArrayNode delays = details.putArray("delays");
        List<Long> limits = DelayHistogram.limits();
        List<Long> counts = status.value().getLabelDelays();
        for (int k = 0; k < Math.min(counts.size(), DelayHistogram.BUCKETS); k++) {
            delays.addObject()
                    .put("upToMs", k < limits.size() ? limits.get(k) : null)
                    .put("labels", counts.get(k));
        }
        ArrayNode advised = details.putArray("advice");
        for (Alert each : advice.of(status.value())) {
            PresentAdvice.Outcome outcome = advice.outcome(status.value(), each);
            advised.addObject()
                    .put("advice", each.getAdvice())
                    .put("message", each.getMessage())
                    .put("command", each.getCommand())
                    .put("state", outcome.state().name())
                    .put("errorRateBefore", outcome.before())
                    .put("errorRateAfter", outcome.after())
                    .put("labelledAfter", outcome.labelled());
        }
        return details.putPOJO("changes", List.copyOf(changes)).set("alarm", alarm.json());
    }

    private ObjectNode derived(long deadLetters) {
        ModelStatus last = status.value();
        return status.json()
                .put("timestamp", time(status.timestamp()))
                .put("errorRate", errorRate())
                .put("kappa", kappa())
                .put("kappaMajority", metric(Metrics::getKappaMajority))
                .put("kappaSame", metric(Metrics::getKappaSame))
                .put("windowError", windowError())
                .put("examplesPerSecond", examplesPerSecond())
                .put("updateBound", updateBound())
                .put(
                        "labelledShare",
                        History.share(last.getLate(), last.getLate() + last.getUnlabelled() + last.getDefaulted()))
                .put("pendingAgeMs", pendingAgeMs(last))
                .put("deadLetters", deadLetters)
                .put("lastActive", time(lastActive))
                .putPOJO("sparkline", history.recent(SPARKLINE).sparkline());
    }

    private static Long time(long timestamp) {
        return timestamp == UNKNOWN ? null : timestamp;
    }

    Double errorRate() {
        return History.share(status.value().getErrors(), status.value().getLabelled());
    }

    Double kappa() {
        return metric(Metrics::getKappa);
    }

    /** A metric of the epoch; null where it is undefined. */
    private Double metric(Function<Metrics, Double> metric) {
        Metrics metrics = status.value().getMetrics();
        return metrics == null ? null : metric.apply(metrics);
    }

    Double windowError() {
        return history.recent(SPARKLINE).windowError();
    }

    Double examplesPerSecond() {
        return history.recent(SPARKLINE).examplesPerSecond();
    }

    Long lastActive() {
        return time(lastActive);
    }

    /** Event time that the waiting example that is due first has waited; null without one. */
    static Long pendingAgeMs(ModelStatus status) {
        Long now = status.getStreamTime();
        return now == null || status.getOldestPending() == null ? null : (Long) (now - status.getOldestPending());
    }

    List<ObjectNode> history() {
        return history.points();
    }

    /** The open window as of the last status; null if nothing is in it. */
    ObjectNode openWindow() {
        return history.openPoint();
    }

    List<TrialHistory.TrialPoint> trials() {
        return trials.points();
    }

    List<Mark> marks() {
        return List.copyOf(marks.values());
    }

    /** Number of earlier marks, which are not kept. */
    long droppedMarks() {
        return droppedMarks;
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

    /** Causes that its last mistakes have in common. */
    MistakeCauses causes() {
        return causes;
    }

    String name() {
        return name;
    }

    /** The last status; without one, a status with zeros. */
    ModelStatus status() {
        return status.value();
    }

    /** Returns true if values of a schema have several parts: records, lists and maps. */
    static boolean isNested(Schema avro) {
        return switch (avro.getType()) {
            case RECORD, MAP, ARRAY -> true;
            case UNION -> avro.getTypes().stream().anyMatch(ModelView::isNested);
            default -> false;
        };
    }
}
