package io.perceptronstreams.monitor;

import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.model.DelayHistogram;
import java.util.ArrayList;
import java.util.List;

/**
 * Labels that came apart from their examples, and ids that came twice, as of the last status.
 *
 * @param pending examples that wait for their labels now
 * @param late labels that came in time, in this epoch
 * @param unlabelled examples without a label in time, in this epoch
 * @param defaulted examples learned with the default label, in this epoch
 * @param duplicates refused examples whose ids had come before, in this epoch
 * @param labelledShare labels that came in time / examples that do not wait any more; null if there are none
 * @param streamTime largest event time of the model's records; null if unknown
 * @param oldest event time of the waiting example that is due first; null without one
 * @param ageMs streamTime - oldest
 * @param nextDue stream time after which the next example or label is resolved; null if nothing waits
 * @param delays delays of all labels in time, also of former epochs
 */
record LabelsView(
        long pending,
        long late,
        long unlabelled,
        long defaulted,
        long duplicates,
        Double labelledShare,
        Long streamTime,
        Long oldest,
        Long ageMs,
        Long nextDue,
        List<Bucket> delays) {

    /**
     * Number of labels with a delay above the limit of the bucket before.
     *
     * @param upToMs largest delay; null for no limit
     */
    record Bucket(Long upToMs, long labels) {}

    /** Null for a model whose settings have never required labels apart from examples, or new ids. */
    static LabelsView of(ModelStatus status) {
        long pending = status.getPending();
        long late = status.getLate();
        long unlabelled = status.getUnlabelled();
        long defaulted = status.getDefaulted();
        long duplicates = status.getDuplicates();
        List<Bucket> delays = delays(status);
        if (pending + late + unlabelled + defaulted + duplicates == 0 && delays.isEmpty()) {
            return null;
        }
        Long streamTime = status.getStreamTime();
        Long oldest = status.getOldestPending();
        return new LabelsView(
                pending,
                late,
                unlabelled,
                defaulted,
                duplicates,
                History.share(late, late + unlabelled + defaulted),
                streamTime,
                oldest,
                streamTime == null || oldest == null ? null : streamTime - oldest,
                status.getNextDue(),
                delays);
    }

    private static List<Bucket> delays(ModelStatus status) {
        List<Bucket> delays = new ArrayList<>();
        List<Long> counts = status.getLabelDelays();
        List<Long> limits = DelayHistogram.limits();
        int known = Math.min(counts.size(), DelayHistogram.BUCKETS);
        for (int k = 0; k < known; k++) {
            delays.add(new Bucket(k < limits.size() ? limits.get(k) : null, counts.get(k)));
        }
        return delays;
    }
}
