package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.Mistake;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The last alert of a model and the mistakes before it. They are kept across a reset, after which they belong to a
 * former epoch.
 *
 * <p>Mistakes and alerts are in different topics; they are ordered by the number of labelled examples in their epoch,
 * because a file may be sent in a millisecond, and by event time where the epochs differ. At a start the alerts are
 * read first, so that the mistakes before the last one are the same afterwards.
 */
final class LastAlarm {
    private static final int MAX_MISTAKES = 20;

    private final Deque<Event<Mistake>> recent = new ArrayDeque<>();
    private final Deque<Event<Mistake>> before = new ArrayDeque<>();
    private Event<Alert> alert;

    /** Sets the alert, unless it is older than the current one. */
    void alert(Event<Alert> raised) {
        if (alert != null && raised.timestamp() < alert.timestamp()) {
            return;
        }
        alert = raised;
        before.clear();
        recent.stream().filter(this::isBefore).forEach(before::addLast);
    }

    /** Adds a mistake of any epoch; keeps at most {@code capacity} recent ones, and as many before the alert. */
    void mistake(Event<Mistake> mistake, int capacity) {
        recent.addLast(mistake);
        if (isBefore(mistake)) {
            before.addLast(mistake);
        }
        shrink(capacity);
    }

    private boolean isBefore(Event<Mistake> mistake) {
        if (alert == null) {
            return false;
        }
        Long epoch = alert.value().getEpoch();
        Long labelled = alert.value().getLabelled();
        boolean isOfItsEpoch = epoch != null
                && labelled != null
                && epoch.equals(mistake.value().getEpoch());
        return isOfItsEpoch ? mistake.value().getLabelled() <= labelled : mistake.timestamp() <= alert.timestamp();
    }

    void shrink(int capacity) {
        for (Deque<Event<Mistake>> each : List.of(recent, before)) {
            while (each.size() > Math.min(capacity, MAX_MISTAKES)) {
                each.removeFirst();
            }
        }
    }

    /** The alert with the mistakes before it, latest first; null without one. */
    ObjectNode json() {
        if (alert == null) {
            return null;
        }
        ObjectNode json = alert.json();
        ArrayNode mistakes = json.putArray("mistakes");
        before.descendingIterator().forEachRemaining(each -> mistakes.add(each.json()));
        return json;
    }
}
