package io.perceptronstreams.monitor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * All that is shown, in bounded memory: one thread puts events in, many read.
 *
 * <p>Models beyond {@link #MAX_MODELS} push out the one that was silent for longest. The models share {@link #MAX_POINTS} points of
 * history and {@link #MAX_MISTAKES} mistakes: the more models, the fewer of each.
 */
final class DashboardState {
    static final int MAX_MODELS = 10_000;
    static final int MAX_POINTS = 200_000;
    static final int MAX_MISTAKES = 20_000;
    static final int MAX_LATEST = 1_000;
    static final int MAX_REASONS = 64;

    private static final int MODEL_POINTS = 300;
    private static final int MODEL_MISTAKES = 200;
    private static final int MIN_POINTS = 12;
    private static final int MIN_MISTAKES = 2;

    // in order of access: the first is the one to drop
    private final LinkedHashMap<String, ModelView> models = new LinkedHashMap<>(64, 0.75f, true);
    private final Map<Map<String, String>, Map<String, String>> settings = new HashMap<>();
    private final Map<Feed, Deque<Event>> latest = new HashMap<>();
    private final Deque<DeadLetterView> deadLetters = new ArrayDeque<>();
    private final Map<String, Long> reasons = new TreeMap<>();
    private final Map<String, Long> newReasons = new TreeMap<>();
    private final Map<String, Long> newAlerts = new TreeMap<>();
    private long deadLetterCount;
    private long newDeadLetterCount;
    private long droppedModels;
    private boolean hasCaughtUp;
    private int share = 1;

    /** What is known of the dead letters; the counts are those of what was read. */
    record DeadLetters(long total, Map<String, Long> byReason, List<DeadLetterView> latest) {}

    /**
     * What has come since {@link #caughtUp()}, for counters: what a restart reads again would look like a rush.
     *
     * @param deadLetters all of them
     * @param byReason the same by reason, at most {@link #MAX_REASONS} and "other"
     * @param byKind alerts
     */
    record News(long deadLetters, Map<String, Long> byReason, Map<String, Long> byKind) {}

    /** A model's history and what is to be marked on it. */
    record Course(List<History.Point> points, List<ModelView.Mark> marks) {}

    DashboardState() {
        for (Feed feed : Feed.values()) {
            latest.put(feed, new ArrayDeque<>());
        }
    }

    /** Takes an event of a topic of events. */
    synchronized void add(Feed feed, Event event) {
        ModelView model = model(event.model());
        switch (feed) {
            case MODELS -> model.status(event, shared(event), points());
            case COUNTS -> model.count(event, points());
            case MISTAKES -> model.mistake(event, mistakes());
            case ALERTS -> {
                if (hasCaughtUp) {
                    newAlerts.merge(event.text("kind"), 1L, Long::sum);
                }
                model.alert(event);
            }
            case WEIGHTS -> model.weights(event);
            case DEAD_LETTERS -> throw new IllegalArgumentException("dead letters are no events");
        }
        if (feed != Feed.MODELS && feed != Feed.WEIGHTS) {
            push(latest.get(feed), event);
        }
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
    }

    private static void count(Map<String, Long> reasons, String reason) {
        boolean isKnown = reasons.containsKey(reason) || reasons.size() < MAX_REASONS;
        reasons.merge(isKnown ? reason : "other", 1L, Long::sum);
    }

    /** To be called once the initial backlog is read; later events count in the metrics. */
    synchronized void caughtUp() {
        hasCaughtUp = true;
    }

    /** Whether totals are complete, not those of some time ago. */
    synchronized boolean hasCaughtUp() {
        return hasCaughtUp;
    }

    synchronized News news() {
        return new News(newDeadLetterCount, new TreeMap<>(newReasons), new TreeMap<>(newAlerts));
    }

    /** Forgets a model whose status was removed from the topic. */
    synchronized void remove(String name) {
        models.remove(name);
    }

    private static <T> void push(Deque<T> deque, T item) {
        deque.addLast(item);
        if (deque.size() > MAX_LATEST) {
            deque.removeFirst();
        }
    }

    private ModelView model(String name) {
        ModelView known = models.get(name);
        if (known != null) {
            return known;
        }
        ModelView added = new ModelView(name);
        models.put(name, added);
        if (models.size() > MAX_MODELS) {
            Iterator<ModelView> silent = models.values().iterator();
            silent.next();
            silent.remove();
            droppedModels++;
        }
        if (models.size() > share) {
            share *= 2;
            models.values().forEach(each -> each.shrink(points(), mistakes()));
        }
        return added;
    }

    private int points() {
        return Math.max(MIN_POINTS, Math.min(MODEL_POINTS, MAX_POINTS / share));
    }

    private int mistakes() {
        return Math.max(MIN_MISTAKES, Math.min(MODEL_MISTAKES, MAX_MISTAKES / share));
    }

    /** One copy of equal settings: thousands of models have the same. */
    private Map<String, String> shared(Event status) {
        Map<String, String> own = new LinkedHashMap<>();
        if (status.value().get("settings") instanceof Map<?, ?> map) {
            map.forEach((key, value) -> own.put(key.toString(), value.toString()));
        }
        Map<String, String> sorted = new TreeMap<>(own);
        if (settings.size() > MAX_LATEST) {
            settings.clear();
        }
        return settings.computeIfAbsent(sorted, key -> key);
    }

    /** A row for every model, in no particular order. */
    synchronized List<ModelView.Summary> summaries() {
        List<ModelView.Summary> rows = new ArrayList<>(models.size());
        models.values().forEach(model -> rows.add(model.summary()));
        return rows;
    }

    synchronized Optional<ModelView.Details> details(String model) {
        return Optional.ofNullable(models.get(model)).map(ModelView::details);
    }

    synchronized Optional<Course> course(String model) {
        return Optional.ofNullable(models.get(model)).map(found -> new Course(found.history(), found.marks()));
    }

    /** The newest snapshot of a model's weights; null where there is none. */
    synchronized TopWeights.Snapshot weights(String model) {
        ModelView found = models.get(model);
        return found == null ? null : found.weights();
    }

    /** Records of all models that came by a wrong partition. */
    synchronized long rerouted() {
        return models.values().stream()
                .mapToLong(model -> model.totals().rerouted())
                .sum();
    }

    /** The latest first; of one model, or of all if {@code model} is null. */
    synchronized List<Event> latest(Feed feed, String model, int limit) {
        if (feed == Feed.MISTAKES && model != null) {
            ModelView found = models.get(model);
            return found == null ? List.of() : found.mistakes(limit);
        }
        List<Event> found = new ArrayList<>();
        Iterator<Event> events = latest.get(feed).descendingIterator();
        while (events.hasNext() && found.size() < limit) {
            Event event = events.next();
            if (model == null || model.equals(event.model())) {
                found.add(event);
            }
        }
        return found;
    }

    synchronized DeadLetters deadLetters(int limit) {
        List<DeadLetterView> newest = new ArrayList<>();
        Iterator<DeadLetterView> letters = deadLetters.descendingIterator();
        while (letters.hasNext() && newest.size() < limit) {
            newest.add(letters.next());
        }
        return new DeadLetters(deadLetterCount, new TreeMap<>(reasons), newest);
    }

    /** Totals of each model. */
    synchronized Map<String, ModelTotals> totals() {
        Map<String, ModelTotals> totals = new HashMap<>();
        models.forEach((name, model) -> totals.put(name, model.totals()));
        return totals;
    }

    /** How many models are shown, by state. */
    synchronized Map<String, Long> states() {
        Map<String, Long> states = new TreeMap<>();
        models.values().forEach(model -> states.merge(model.state(), 1L, Long::sum));
        return states;
    }

    /** How many models are shown. */
    synchronized int size() {
        return models.size();
    }

    /** How often a model was pushed out. */
    synchronized long droppedModels() {
        return droppedModels;
    }
}
