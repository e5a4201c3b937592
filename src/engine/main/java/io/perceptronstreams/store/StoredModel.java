package io.perceptronstreams.store;

import io.perceptronstreams.labels.WaitingStore;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Bytes;

/** A live model of a {@link ModelStore} with its stored names. */
final class StoredModel extends LiveModel {
    private final Bytes key;
    private final StoredNames names;
    private final WaitingStore waiting;
    private Set<Long> challengers = Set.of();
    private int changedAfter;
    private boolean isCounted;
    private boolean isUsed;

    // Epoch that may have left blocks, or -1.
    private long uncheckedEpoch = -1;

    StoredModel(byte[] name, Model model, long position, long lastSeen, StoredNames names, WaitingStore waiting) {
        super(name, model, position, lastSeen);
        this.key = Bytes.wrap(name);
        this.names = names;
        this.waiting = waiting;
    }

    /** The name, with a cached hash. */
    Bytes key() {
        return key;
    }

    /**
     * That of the name: an identity hash would take the place of what the collector notes in the header of the object.
     */
    @Override
    public int hashCode() {
        return key.hashCode();
    }

    /** Number of the last cut of {@link ModelStore} before the first change that is not written. */
    int changedAfter() {
        return changedAfter;
    }

    void setChangedAfter(int cut) {
        changedAfter = cut;
    }

    /** Returns true if the store has counted the model as existing. */
    boolean isCounted() {
        return isCounted;
    }

    void setCounted(boolean counted) {
        isCounted = counted;
    }

    /** Notes that a record of the model was used. */
    void markUsed() {
        isUsed = true;
    }

    /** Returns true, once, if a record of the model was used. */
    boolean pollUsed() {
        boolean was = isUsed;
        isUsed = false;
        return was;
    }

    /** Notes that the current epoch has no blocks, but may have left ones in the store. */
    void setUnchecked() {
        uncheckedEpoch = model().current().epoch();
    }

    /** Returns the epoch whose left blocks must be removed before the first blocks are written, once; otherwise -1. */
    long pollUnchecked() {
        EpochModel unchecked = uncheckedEpoch < 0 ? null : ofEpoch(uncheckedEpoch);
        if (unchecked == null
                || IntStream.range(Pipeline.STATISTICS, unchecked.pipeline().vectors())
                        .allMatch(vector ->
                                StoredHeader.storedBlocks(unchecked.pipeline().vector(vector)) == 0)) {
            return -1;
        }
        long epoch = uncheckedEpoch;
        uncheckedEpoch = -1;
        return epoch;
    }

    /** The model or challenger of an epoch, or null. */
    private EpochModel ofEpoch(long epoch) {
        if (model().current().epoch() == epoch) {
            return model().current();
        }
        return model().challengers().all().stream()
                .map(Challenger::model)
                .filter(each -> each.epoch() == epoch)
                .findFirst()
                .orElse(null);
    }

    /** Epochs whose challengers have a header in the store. */
    Set<Long> challengers() {
        return challengers;
    }

    void setChallengers(Set<Long> epochs) {
        challengers = epochs;
    }

    /** Waiting examples and labels of the model, as stored. */
    WaitingStore waiting() {
        return waiting;
    }

    /** Names that are stored in separate records. */
    StoredNames names() {
        return names;
    }
}
