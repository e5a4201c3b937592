package io.perceptronstreams.store;

import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;

/** Writes models to a store; {@link ModelReader} reads them. The writes reach the store with a flush of the writer. */
final class ModelWriter {
    private final HeaderCodec headers;
    private final BatchWriter writer;
    private final Removals removals;

    ModelWriter(HeaderCodec headers, BatchWriter writer, Removals removals) {
        this.headers = headers;
        this.writer = writer;
        this.removals = removals;
    }

    /** Writes the header and what has changed since the model was last written. */
    void write(StoredModel stored) {
        Model model = stored.model();
        writer.put(ModelKeys.header(stored.name()), headers.encode(model, stored.position(), stored.lastSeen()));
        stored.names()
                .drainChanged(
                        model, (epoch, part, names) -> writer.put(ModelKeys.names(stored.name(), epoch, part), names));
        if (stored.pollUnchecked()) {
            writer.removeRange(
                    ModelKeys.firstOfEpoch(stored.name(), model.epoch()),
                    ModelKeys.endOfBlocks(stored.name(), model.epoch()));
        }
        writeChanged(stored, model);
        model.late().drain(stored.waiting());
        if (model.drift().shadow() != null) {
            writeChanged(stored, model.drift().shadow());
        }
        stored.markWritten();
    }

    /**
     * Writes the blocks and names of features that have changed.
     *
     * @param model the live one, or its shadow
     */
    private void writeChanged(LiveModel stored, Model model) {
        StoredNames.drainFeatures(
                model, (epoch, part, names) -> writer.put(ModelKeys.featureNames(stored.name(), epoch, part), names));
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            int number = vector;
            model.vector(vector)
                    .drainChanged((block, values) -> writer.put(
                            ModelKeys.block(stored.name(), model.epoch(), number, block),
                            values == null ? null : BlockCodec.encode(values)));
        }
    }

    /** Writes all blocks of a model: restored blocks of an import do not count as changed. */
    void writeAllBlocks(LiveModel stored) {
        Model model = stored.model();
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            int number = vector;
            if (StoredHeader.small(model.vector(vector)) == null) {
                model.vector(vector)
                        .forEach((block, values) -> writer.put(
                                ModelKeys.block(stored.name(), model.epoch(), number, block),
                                BlockCodec.encode(values)));
            }
        }
    }

    /** Removes the blocks and names of an epoch, in portions if they are many. */
    void removeEpoch(byte[] name, long epoch) {
        removals.remove(ModelKeys.firstOfEpoch(name, epoch), ModelKeys.endOfEpoch(name, epoch));
    }
}
