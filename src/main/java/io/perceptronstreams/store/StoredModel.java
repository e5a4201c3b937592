package io.perceptronstreams.store;

import io.perceptronstreams.labels.WaitingStore;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Bytes;

/** A live model of a {@link ModelStore} with its stored names. */
final class StoredModel extends LiveModel {
    private final Bytes key;
    private final StoredNames names;
    private final WaitingStore waiting;
    private boolean isCounted;

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

    /** Returns true if the store has counted the model as existing. */
    boolean isCounted() {
        return isCounted;
    }

    void setCounted(boolean counted) {
        isCounted = counted;
    }

    /** Notes that the current epoch has no blocks, but may have left ones in the store. */
    void setUnchecked() {
        uncheckedEpoch = model().current().epoch();
    }

    /** Returns true if left blocks must be removed before the first blocks are written; then false. */
    boolean pollUnchecked() {
        if (uncheckedEpoch != model().current().epoch()
                || IntStream.range(Pipeline.STATISTICS, model().pipeline().vectors())
                        .allMatch(vector ->
                                StoredHeader.storedBlocks(model().pipeline().vector(vector)) == 0)) {
            return false;
        }
        uncheckedEpoch = -1;
        return true;
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
