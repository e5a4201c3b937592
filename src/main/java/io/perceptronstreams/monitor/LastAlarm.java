package io.perceptronstreams.monitor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The last alert of a model and the mistakes just before it, whatever became of the model since: after a reset these belong to an epoch
 * that is over, and would be shown nowhere else.
 *
 * <p>Mistakes and alerts lie in different topics, which are read in no fixed order: event time says what was before.
 */
final class LastAlarm {
    private static final int MAX_MISTAKES = 20;

    private final Deque<Event> recent = new ArrayDeque<>();
    private final Deque<Event> before = new ArrayDeque<>();
    private Event alert;

    /** What is known of it; the latest mistake first. */
    record View(long timestamp, String kind, String text, List<Event> mistakes) {}

    /** Takes an alert; an older one than the last is not news. */
    void alert(Event raised) {
        if (alert != null && raised.timestamp() < alert.timestamp()) {
            return;
        }
        alert = raised;
        before.clear();
        recent.stream().filter(this::isBefore).forEach(before::addLast);
    }

    /** Takes a mistake of any epoch; of those before the alert, and of those since, at most {@code capacity} are kept. */
    void mistake(Event mistake, int capacity) {
        recent.addLast(mistake);
        if (isBefore(mistake)) {
            before.addLast(mistake);
        }
        shrink(capacity);
    }

    private boolean isBefore(Event mistake) {
        return alert != null && mistake.timestamp() <= alert.timestamp();
    }

    void shrink(int capacity) {
        for (Deque<Event> each : List.of(recent, before)) {
            while (each.size() > Math.min(capacity, MAX_MISTAKES)) {
                each.removeFirst();
            }
        }
    }

    /** Null if there was none. */
    View view() {
        if (alert == null) {
            return null;
        }
        List<Event> latestFirst = new ArrayList<>();
        before.descendingIterator().forEachRemaining(latestFirst::add);
        return new View(
                alert.timestamp(),
                alert.text("kind"),
                Truncation.text(alert.text("message"), Truncation.MAX_TEXT),
                latestFirst);
    }
}
