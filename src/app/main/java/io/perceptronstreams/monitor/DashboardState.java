package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.access.ModelPattern;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Contents of the dashboard, in bounded memory. Thread-safe: one thread adds events, many read.
 *
 * <p>Beyond {@link #MAX_MODELS} models, the least recently active one is dropped. The models share {@link #MAX_POINTS}
 * points of history, {@link #MAX_MISTAKES} mistakes, {@link #MAX_COUNTED} whose causes are counted, {@link #MAX_CELLS}
 * counts of confusion matrices, and {@link #MAX_TRIALS} statuses whose challengers are kept, so that each has fewer of
 * them if there are more models.
 */
final class DashboardState {
    static final int MAX_MODELS = 10_000;
    static final int MAX_POINTS = 200_000;
    static final int MAX_MISTAKES = 20_000;
    static final int MAX_COUNTED = 50_000;
    static final int MAX_CELLS = 2_000_000;
    static final int MAX_TRIALS = 50_000;
    static final int MAX_LATEST = 1_000;
    static final int MAX_REASONS = 64;
    static final int MAX_DROPPED = 100_000;

    private static final int MODEL_POINTS = 300;
    private static final int MODEL_MISTAKES = 200;
    private static final int MODEL_COUNTED = 1_000;
    private static final int MODEL_TRIALS = 300;
    private static final int MIN_POINTS = 12;
    private static final int MIN_MISTAKES = 2;

    // least recently active first
    private final LinkedHashMap<String, ModelView> models = new LinkedHashMap<>();

    // names of dropped models that have not come back
    private final Set<String> dropped = new HashSet<>();
    private final Map<Integer, Event<ModelStatus>> defaults = new TreeMap<>();
    private final Map<Map<String, String>, Map<String, String>> settings = new HashMap<>();
    private final Map<Topic, Deque<Event<?>>> latest = Map.of(
            Topic.COUNTS, new ArrayDeque<>(), Topic.MISTAKES, new ArrayDeque<>(), Topic.ALERTS, new ArrayDeque<>());
    private final Deque<DeadLetterView> deadLetters = new ArrayDeque<>();
    // by key of the record, which need not be the name of a model; least recently counted first
    private final LinkedHashMap<String, Long> deadLettersByKey = new LinkedHashMap<>();
    private final Map<String, Long> reasons = new TreeMap<>();
    private final Map<String, Long> newReasons = new TreeMap<>();
    private final Map<String, Long> newAlerts = new TreeMap<>();
    private long deadLetterCount;
    private long newDeadLetterCount;
    private boolean hasCaughtUp;
    private int share = 1;

    /**
     * Causes that mistakes have in common.
     *
     * @param mistakes number of the mistakes
     * @param explained number of those with evidence
     */
    record Causes(String model, int mistakes, long explained, List<MistakeCauses.Cause> causes) {}

    /** Dead letters; the counts are of those that were read. */
    record DeadLetters(long total, Map<String, Long> byReason, List<DeadLetterView> latest) {}

    /**
     * Counters of events since {@link #caughtUp()}, so that the initial backlog after a restart does not look like a
     * burst.
     *
     * @param byReason dead letters by reason, at most {@link #MAX_REASONS} and "other"
     * @param byKind alerts by kind
     */
    record CounterDeltas(long deadLetters, Map<String, Long> byReason, Map<String, Long> byKind) {}

    /** Numbers of all models that are visible. */
    record Totals(int models, long droppedModels, long rerouted, long deadLetters) {}

    /**
     * History of a model with its open window, null without one, the marks on its axis, and the trials of its
     * challengers.
     *
     * @param droppedMarks number of earlier marks, which are not kept
     */
    record HistoryPage(
            String model,
            List<ObjectNode> points,
            ObjectNode open,
            List<ModelView.Mark> marks,
            long droppedMarks,
            List<TrialHistory.TrialPoint> trials) {}

    /** Adds an event of a model. */
    @SuppressWarnings("unchecked") // the class of the value decides
    synchronized void add(Event<?> event) {
        if (event.value() instanceof Alert alert && ModelDefaults.isStatusKey(event.model())) {
            // of a partition
            count(alert);
            push(latest.get(Topic.ALERTS), event);
            return;
        }
        ModelView model = model(event.model());
        if (event.value() instanceof ModelStatus status) {
            status.setSettings(shared(status));
            model.status((Event<ModelStatus>) event, cells(), trials());
        } else if (event.value() instanceof MistakeCount) {
            model.count((Event<MistakeCount>) event, points());
            push(latest.get(Topic.COUNTS), event);
        } else if (event.value() instanceof Mistake) {
            model.mistake((Event<Mistake>) event, mistakes(), counted());
            push(latest.get(Topic.MISTAKES), event);
        } else if (event.value() instanceof Alert alert) {
            count(alert);
            model.alert((Event<Alert>) event);
            push(latest.get(Topic.ALERTS), event);
        } else {
            model.weights((Event<WeightsSnapshot>) event);
        }
    }

    private void count(Alert alert) {
        if (hasCaughtUp) {
            newAlerts.merge(alert.getKind().toString(), 1L, Long::sum);
        }
    }

    /** Adds the status of the settings of models to be created in a partition. */
    synchronized void addDefaults(Event<ModelStatus> status) {
        int partition = status.value().getPartition();
        if (defaults.size() < MAX_MODELS || defaults.containsKey(partition)) {
            defaults.put(partition, status);
        }
    }

    /** Statuses with the settings of models to be created; only of partitions in which a command has changed them. */
    synchronized List<Event<ModelStatus>> defaults() {
        return List.copyOf(defaults.values());
    }

    synchronized void add(DeadLetterView letter) {
        deadLetterCount++;
        String reason = String.valueOf(letter.reason());
        count(reasons, reason);
        if (hasCaughtUp) {
            newDeadLetterCount++;
            count(newReasons, reason);
        }
        push(deadLetters, letter);
        if (letter.model() != null) {
            Long before = deadLettersByKey.remove(letter.model());
            deadLettersByKey.put(letter.model(), before == null ? 1 : before + 1);
            if (deadLettersByKey.size() > MAX_MODELS) {
                Iterator<String> oldest = deadLettersByKey.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
        }
    }

    private static void count(Map<String, Long> reasons, String reason) {
        boolean isKnown = reasons.containsKey(reason) || reasons.size() < MAX_REASONS;
        reasons.merge(isKnown ? reason : "other", 1L, Long::sum);
    }

    /** To be called once the initial backlog is read; later events count in the metrics. */
    synchronized void caughtUp() {
        hasCaughtUp = true;
    }

    /** Returns true if the initial backlog is read, so that totals are complete. */
    synchronized boolean hasCaughtUp() {
        return hasCaughtUp;
    }

    synchronized CounterDeltas counterDeltas() {
        return new CounterDeltas(newDeadLetterCount, new TreeMap<>(newReasons), new TreeMap<>(newAlerts));
    }

    /** Removes a model whose status was deleted from the topic. */
    synchronized void remove(String name) {
        models.remove(name);
        dropped.remove(name);
    }

    private static <T> void push(Deque<T> deque, T item) {
        deque.addLast(item);
        if (deque.size() > MAX_LATEST) {
            deque.removeFirst();
        }
    }

    private ModelView model(String name) {
        ModelView known = models.remove(name);
        if (known != null) {
            models.put(name, known);
            return known;
        }
        ModelView added = new ModelView(name);
        models.put(name, added);
        dropped.remove(name);
        if (models.size() > MAX_MODELS) {
            Iterator<String> silent = models.keySet().iterator();
            String first = silent.next();
            silent.remove();
            if (dropped.size() < MAX_DROPPED) {
                dropped.add(first);
            }
        }
        if (models.size() > share) {
            share *= 2;
            models.values().forEach(each -> each.shrink(points(), mistakes(), counted(), cells(), trials()));
        }
        return added;
    }

    private int points() {
        return Math.max(MIN_POINTS, Math.min(MODEL_POINTS, MAX_POINTS / share));
    }

    private int mistakes() {
        return Math.max(MIN_MISTAKES, Math.min(MODEL_MISTAKES, MAX_MISTAKES / share));
    }

    private int counted() {
        return Math.max(MIN_MISTAKES, Math.min(MODEL_COUNTED, MAX_COUNTED / share));
    }

    private int cells() {
        return Math.min(Truncation.MAX_CELLS, MAX_CELLS / share);
    }

    private int trials() {
        return Math.max(MIN_MISTAKES, Math.min(MODEL_TRIALS, MAX_TRIALS / share));
    }

    /** Shares equal settings between models, to save memory. */
    private Map<String, String> shared(ModelStatus status) {
        Map<String, String> sorted = new TreeMap<>(status.getSettings());
        if (settings.size() > MAX_LATEST) {
            settings.clear();
        }
        return settings.computeIfAbsent(sorted, key -> key);
    }

    /** A page of the table of models. */
    synchronized ModelTable.Page page(ModelTable.Query query) {
        List<ModelTable.Row> rows = new ArrayList<>(models.size());
        models.values().forEach(model -> rows.add(new ModelTable.Row(model, deadLettersOf(model.name()))));
        return query.page(rows, dropped(query.visible()));
    }

    synchronized Optional<ObjectNode> details(String model) {
        return Optional.ofNullable(models.get(model)).map(found -> found.details(deadLettersOf(model)));
    }

    /** Last status of a model; empty if no event of it was read. */
    synchronized Optional<ModelStatus> status(String model) {
        return Optional.ofNullable(models.get(model)).map(ModelView::status);
    }

    /** Last status of each model. */
    synchronized Map<String, ModelStatus> statuses() {
        Map<String, ModelStatus> statuses = new HashMap<>();
        models.forEach((name, model) -> statuses.put(name, model.status()));
        return statuses;
    }

    /** Causes that the last mistakes of a model have in common, the most frequent first; empty if it is not known. */
    synchronized Optional<Causes> causes(String model, MistakeCauses.Key key, int limit) {
        return Optional.ofNullable(models.get(model))
                .map(ModelView::causes)
                .map(all -> new Causes(
                        model,
                        all.size(),
                        all.explained(),
                        all.top(key).stream().limit(limit).toList()));
    }

    private long deadLettersOf(String model) {
        return deadLettersByKey.getOrDefault(model, 0L);
    }

    /** Number of dead letters that were read. */
    synchronized long deadLetterCount() {
        return deadLetterCount;
    }

    synchronized Optional<HistoryPage> history(String model) {
        return Optional.ofNullable(models.get(model))
                .map(found -> new HistoryPage(
                        model,
                        found.history(),
                        found.openWindow(),
                        found.marks(),
                        found.droppedMarks(),
                        found.trials()));
    }

    /** Newest snapshot of the weights of a model; null without one. */
    synchronized TopWeights.Snapshot weights(String model) {
        ModelView found = models.get(model);
        return found == null ? null : found.weights();
    }

    /** Totals of the models that a client may read. */
    synchronized Totals totals(ModelPattern visible) {
        List<ModelView> found = models.values().stream()
                .filter(model -> visible.matches(model.name()))
                .toList();
        return new Totals(
                found.size(),
                dropped(visible),
                found.stream().mapToLong(model -> model.status().getRerouted()).sum(),
                visible.isAll()
                        ? deadLetterCount
                        : deadLettersByKey.entrySet().stream()
                                .filter(each -> visible.matches(each.getKey()))
                                .mapToLong(Map.Entry::getValue)
                                .sum());
    }

    private long dropped(ModelPattern visible) {
        return visible.isAll()
                ? dropped.size()
                : dropped.stream().filter(visible::matches).count();
    }

    /**
     * Events of one model, or of all visible ones if {@code model} is null; latest first by event time, as partitions
     * are read in any order.
     */
    synchronized List<? extends Event<?>> latest(Topic topic, String model, ModelPattern visible, int limit) {
        if (topic == Topic.MISTAKES && model != null) {
            ModelView found = models.get(model);
            return found == null ? List.of() : found.mistakes(limit);
        }
        List<Event<?>> found = new ArrayList<>();
        Iterator<Event<?>> events = latest.get(topic).descendingIterator();
        while (events.hasNext()) {
            Event<?> event = events.next();
            if (model == null ? visible.matches(event.model()) : model.equals(event.model())) {
                found.add(event);
            }
        }
        found.sort(Comparator.comparingLong((Event<?> each) -> each.timestamp()).reversed());
        return List.copyOf(found.subList(0, Math.min(limit, found.size())));
    }

    /** Dead letters whose keys are visible models; of some models, those that are kept here are counted. */
    synchronized DeadLetters deadLetters(ModelPattern visible, int limit) {
        List<DeadLetterView> newest = new ArrayList<>();
        Map<String, Long> byReason = new TreeMap<>();
        Iterator<DeadLetterView> letters = deadLetters.descendingIterator();
        while (letters.hasNext()) {
            DeadLetterView letter = letters.next();
            if (visible.matches(letter.model())) {
                count(byReason, String.valueOf(letter.reason()));
                newest.add(letter);
            }
        }
        List<DeadLetterView> page = List.copyOf(newest.subList(0, Math.min(limit, newest.size())));
        return visible.isAll()
                ? new DeadLetters(deadLetterCount, new TreeMap<>(reasons), page)
                : new DeadLetters(newest.size(), byReason, page);
    }

    /** Number of models by state. */
    synchronized Map<String, Long> states() {
        Map<String, Long> states = new TreeMap<>();
        models.values().forEach(model -> states.merge(model.status().getState().toString(), 1L, Long::sum));
        return states;
    }

    /** Number of models. */
    synchronized int size() {
        return models.size();
    }

    /** Number of models that are not here because of {@link #MAX_MODELS}, at most {@link #MAX_DROPPED}. */
    synchronized long droppedModels() {
        return dropped.size();
    }
}
