package io.perceptronstreams.monitor;

import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.ModelStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Course of the trials of a model's challengers: the counts in the statuses since the model's counts began. Empty while
 * the model has no challenger. The counts are totals, so that fewer of them are kept where there are too many.
 */
final class TrialHistory {
    private final Deque<Counts> kept = new ArrayDeque<>();
    private ModelStatus last;

    /** Counts of one status. */
    private record Counts(long labelled, List<TrialPoint> challengers) {}

    /**
     * Counts of one challenger in one status.
     *
     * @param labelled labelled examples of the model
     * @param modelErrors errors of the model on these
     * @param epoch of the challenger
     * @param trialStart labelled examples of the model when the trial began: between points with different ones it has
     *     started again, and there is no rate; null if unknown
     * @param compared labelled examples that both predicted since the trial began
     * @param errors of the challenger on those
     * @param championErrors errors of the model on those
     */
    record TrialPoint(
            long labelled,
            long modelErrors,
            String challenger,
            long epoch,
            Long trialStart,
            long compared,
            long errors,
            long championErrors,
            double evidence) {
        static TrialPoint of(ModelStatus model, ChallengerStatus trial) {
            return new TrialPoint(
                    model.getLabelled(),
                    model.getErrors(),
                    trial.getName(),
                    trial.getEpoch(),
                    trial.getTrialStart(),
                    trial.getLabelled(),
                    trial.getErrors(),
                    trial.getChampionErrors(),
                    trial.getEvidence());
        }
    }

    /** Adds a status; keeps the counts of at most {@code capacity}. */
    void status(ModelStatus status, int capacity) {
        boolean isSame = last != null
                && status.getLabelled() >= last.getLabelled()
                && History.isSameCount(
                        last.getCountsSince(), last.getEpoch(), status.getCountsSince(), status.getEpoch());
        if (!isSame) {
            kept.clear();
        }
        last = status;
        if (status.getChallengers().isEmpty()) {
            kept.clear();
            return;
        }
        Counts before = kept.peekLast();
        if (before != null && before.labelled() == status.getLabelled()) {
            kept.removeLast();
        }
        thin(capacity - 1);
        kept.addLast(new Counts(
                status.getLabelled(),
                status.getChallengers().stream()
                        .map(each -> TrialPoint.of(status, each))
                        .toList()));
    }

    /**
     * Keeps at most {@code capacity} statuses, about as many examples apart, the first among them; none is dropped
     * while there are fewer.
     */
    void thin(int capacity) {
        int most = Math.max(1, capacity);
        if (kept.size() <= most) {
            return;
        }
        List<Counts> all = new ArrayList<>(kept);
        long first = all.get(0).labelled();
        // so that at most half of them are left
        long step = 2 * (all.get(all.size() - 1).labelled() - first) / most + 1;
        kept.clear();
        long next = first;
        for (Counts each : all) {
            if (each.labelled() >= next && kept.size() < most) {
                kept.addLast(each);
                next = each.labelled() + step;
            }
        }
    }

    /** A point for each status and challenger, in the order of the examples. */
    List<TrialPoint> points() {
        return kept.stream().flatMap(each -> each.challengers().stream()).toList();
    }
}
