package io.perceptronstreams.store;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.labels.WaitingStore;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
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
    // null while the model is in use
    private PackedModel packed;
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

    /** The packed model; null while it is in use. */
    PackedModel packed() {
        return packed;
    }

    boolean isPacked() {
        return packed != null;
    }

    /**
     * Packs the model, which must be unpacked before it is used.
     *
     * @return false if it is packed, or cannot be
     */
    boolean pack(HeaderCodec codec) {
        if (packed != null || !isPackable()) {
            return false;
        }
        packed = codec.pack(model(), position(), lastSeen());
        setModel(null);
        return true;
    }

    private boolean isPackable() {
        Model model = model();
        return challengers.isEmpty()
                && model.challengers().all().isEmpty()
                && !model.late().hasState()
                && !model.pipeline().settings().hasLateLabels()
                && model.pipeline().algorithm().has(Algorithm.Trait.TWO_CLASSES)
                && PackedModel.fits(model.pipeline());
    }

    /** Makes a packed model usable. */
    void unpack(HeaderCodec codec) {
        setModel(codec.unpack(packed));
        packed = null;
    }

    @Override
    protected long measured() {
        return packed == null ? super.measured() : packed.heapBytes();
    }

    /** Returns true if the model is not deleted. */
    boolean exists() {
        return packed == null ? model().state() != ModelState.DELETED : !start().isDeleted();
    }

    /** The fields of the header that are readable without the model. */
    HeaderCodec.Start start() {
        return packed == null
                ? HeaderCodec.Start.of(model(), position(), lastSeen())
                : HeaderCodec.start(packed.fields());
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
        if (uncheckedEpoch < 0 || !(packed == null ? hasBlocks(ofEpoch(uncheckedEpoch)) : packed.hasBlocks())) {
            return -1;
        }
        long epoch = uncheckedEpoch;
        uncheckedEpoch = -1;
        return epoch;
    }

    private static boolean hasBlocks(EpochModel model) {
        return model != null
                && IntStream.range(Pipeline.STATISTICS, model.pipeline().vectors())
                        .anyMatch(vector ->
                                StoredHeader.storedBlocks(model.pipeline().vector(vector)) > 0);
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
