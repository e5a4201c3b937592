package io.perceptronstreams.store;

import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.FeatureNameTable;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.state.UnreadableModelException;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and writes the records of models in a store. Writes reach the store with a flush of the writer. */
final class ModelRecords {
    private static final Logger LOG = LoggerFactory.getLogger(ModelRecords.class);

    // a header with fewer entries is cheaper than two records
    private static final int MIN_COPIED = 128;

    private final KeyValueStore<Bytes, byte[]> inner;
    private final BatchWriter writer;
    private final Removals removals;
    private final HeaderCodec headers = new HeaderCodec();

    ModelRecords(KeyValueStore<Bytes, byte[]> inner, BatchWriter writer, Removals removals) {
        this.inner = inner;
        this.writer = writer;
        this.removals = removals;
    }

    /** Reads a model without its blocks; null if it does not exist. */
    StoredHeader header(byte[] name) {
        byte[] header = inner.get(ModelKeys.header(name));
        try {
            return header == null
                    ? null
                    : headers.decode(header, (epoch, part) -> inner.get(ModelKeys.names(name, epoch, part)));
        } catch (UnreadableModelException e) {
            throw new UnreadableModelException(
                    "model " + new String(name, StandardCharsets.UTF_8) + ": " + e.getMessage(), e);
        }
    }

    /**
     * Restores blocks and feature names of a model and its challengers.
     *
     * <p>A model that lacks valid blocks is quarantined. A challenger that does ends, because it could neither be
     * believed nor replaced by a command that keeps the model.
     */
    void loadBlocks(byte[] name, StoredHeader stored) {
        Model model = stored.model();
        String missing = load(name, stored.live(), stored.hasBlocks());
        if (missing != null) {
            LOG.error(
                    "model {} is quarantined, because the store has lost a part: {} (promote a challenger, roll back, import weights, or reset it, which ends automatic challengers)",
                    new String(name, StandardCharsets.UTF_8),
                    missing);
            model.quarantine();
        }
        List<Challenger> challengers = model.challengers().all();
        for (int k = 0; k < challengers.size(); k++) {
            String lost = load(name, stored.challengers().get(k), true);
            if (lost != null) {
                var unused = model.challengers().remove(challengers.get(k).name());
                end(name, challengers.get(k).name(), challengers.get(k).model().epoch(), lost);
            }
        }
        model.shareStatistics();
    }

    /** Returns the first part of a model that is missing or invalid, or null. */
    private String load(byte[] name, StoredHeader.Part part, boolean hasBlocks) {
        String missing = hasBlocks ? loadBlocks(name, part) : null;
        loadFeatureNames(name, part);
        missing = missing == null ? part.missing() : missing;
        return missing == null ? contradiction(part.model()) : missing;
    }

    /** Ends challengers without a valid header, of which nothing can be restored. */
    void endHeadless(byte[] name, StoredHeader stored) {
        stored.headless()
                .forEach((epoch, headless) -> end(
                        name,
                        headless.challenger(),
                        epoch,
                        "epoch " + epoch + " must have a valid header, got "
                                + (headless.fault() == null ? "none" : headless.fault())));
    }

    private void end(byte[] name, String challenger, long epoch, String lost) {
        LOG.error(
                "challenger '{}' of model {} has ended, because the store has lost a part: {} (the model goes on without it)",
                challenger,
                new String(name, StandardCharsets.UTF_8),
                lost);
        removeEpoch(name, epoch);
    }

    /** Restores what waits in a model; a model that lacks ids is quarantined. */
    void restoreWaiting(StoredModel stored) {
        if (!stored.model().late().connect(stored.waiting())) {
            LOG.error(
                    "model {} is quarantined, because the store has lost ids of its last examples (promote a challenger, roll back, import weights, or reset it, which ends automatic challengers)",
                    new String(stored.name(), StandardCharsets.UTF_8));
            stored.model().quarantine();
        }
    }

    /** Restores the names of features of a model. They decide nothing, so that a model without some is still valid. */
    private void loadFeatureNames(byte[] name, StoredHeader.Part part) {
        EpochModel model = part.model();
        int count = part.featureNames();
        StoredNames.restore(
                model.pipeline().names(),
                model.pipeline().hasher(),
                count,
                number -> inner.get(ModelKeys.featureNames(name, model.epoch(), number)));
        if (model.pipeline().names().size() < count) {
            LOG.warn(
                    "the store has lost names of features of model {}: it must have {}, got the first {}",
                    new String(name, StandardCharsets.UTF_8),
                    count,
                    model.pipeline().names().size());
        }
    }

    /**
     * Restores the blocks of a model.
     *
     * <p>Blocks of vectors without blocks in the header are removed: their removal was lost, for instance because the
     * changelog was already compacted when this store was restored.
     *
     * @return the first block that is not valid, or null
     */
    private String loadBlocks(byte[] name, StoredHeader.Part part) {
        EpochModel model = part.model();
        String invalid = null;
        try (KeyValueIterator<Bytes, byte[]> blocks =
                inner.range(ModelKeys.firstOfEpoch(name, model.epoch()), ModelKeys.endOfBlocks(name, model.epoch()))) {
            while (blocks.hasNext()) {
                KeyValue<Bytes, byte[]> block = blocks.next();
                int vector = ModelKeys.vector(block.key);
                if (part.blocks(vector) == 0) {
                    writer.put(block.key, null);
                } else {
                    String fault = restore(model, vector, ModelKeys.number(block.key), block.value);
                    invalid = invalid == null ? fault : invalid;
                }
            }
        }
        writer.flush();
        return invalid;
    }

    /** Returns the fault that the first example would find, or null. */
    private static String contradiction(EpochModel model) {
        try {
            model.pipeline().learner().checkBlocks();
            return null;
        } catch (RuntimeException e) {
            return "blocks of epoch " + model.epoch() + " must be those of one model, got: " + e;
        }
    }

    /** Returns the fault, or null if the block was restored. */
    private static String restore(EpochModel model, int vector, int number, byte[] block) {
        try {
            model.pipeline().vector(vector).restore(number, BlockCodec.decode(block));
            return null;
        } catch (RuntimeException e) {
            return "block " + number + " of vector " + vector + " of epoch " + model.epoch()
                    + " must be one that was written, got " + block.length + " bytes: " + e;
        }
    }

    /** Writes the header and what has changed since the model was last written. */
    void write(StoredModel stored) {
        PackedModel packed = stored.packed();
        if (packed == null) {
            write(stored, stored.model());
        } else {
            write(stored, packed);
        }
        stored.markWritten();
    }

    private void write(StoredModel stored, Model model) {
        writeCopies(stored, model.current());
        writer.put(ModelKeys.header(stored.name()), headers.encode(model, stored.position(), stored.lastSeen()));
        writeChallengers(stored);
        stored.names()
                .drainChanged(
                        model, (epoch, part, names) -> writer.put(ModelKeys.names(stored.name(), epoch, part), names));
        removeUnchecked(stored);
        writeChanged(stored, model.current());
        model.late().drain(stored.waiting());
        for (Challenger each : model.challengers().all()) {
            writeChanged(stored, each.model());
        }
    }

    /** Writes a packed model, which has no challengers, no names of classes and nothing that waits. */
    private void write(StoredModel stored, PackedModel packed) {
        List<Long> epoch = List.of(packed.epoch());
        packed.forEachVector((number, vector) -> writeCopy(stored.name(), epoch, number, vector));
        writer.put(ModelKeys.header(stored.name()), headers.encode(packed));
        removeUnchecked(stored);
        if (packed.names() != null) {
            writeNames(stored, packed.epoch(), packed.names());
        }
        packed.forEachVector((number, vector) -> writeChanged(stored.name(), epoch, number, vector));
    }

    private void removeUnchecked(StoredModel stored) {
        long unchecked = stored.pollUnchecked();
        if (unchecked >= 0) {
            writer.removeRange(
                    ModelKeys.firstOfEpoch(stored.name(), unchecked), ModelKeys.endOfBlocks(stored.name(), unchecked));
        }
    }

    private void writeCopies(StoredModel stored, EpochModel model) {
        Pipeline pipeline = model.pipeline();
        for (int vector = Pipeline.STATISTICS; vector < pipeline.vectors(); vector++) {
            if (pipeline.vector(vector) instanceof BlockVector entries) {
                writeCopy(stored.name(), stored.model().epochsOf(model, vector), vector, entries);
            }
        }
    }

    /**
     * Writes the copy of a small vector that has become too different from it, and removes one that is out of use.
     *
     * <p>A vector with at most half of its entries changed keeps its copy; the header has the changed ones.
     *
     * @param epochs of all models that have the vector in common: what it notes about its copy is that of all
     */
    private void writeCopy(byte[] name, List<Long> epochs, int vector, BlockVector entries) {
        if (entries.entries() < MIN_COPIED) {
            if (entries.storedEntries() > 0) {
                writeCopy(name, epochs, vector, (byte[]) null);
                entries.forgetStored();
            }
        } else if (2 * entries.changedEntries() > entries.entries()) {
            writeCopy(name, epochs, vector, EntriesCodec.encodeCopy(entries));
            entries.markStored();
        }
    }

    private void writeCopy(byte[] name, List<Long> epochs, int vector, byte[] copy) {
        for (long epoch : epochs) {
            writer.put(ModelKeys.copy(name, epoch, vector), copy);
        }
    }

    /** Writes the headers of the challengers, and removes those of models that are none any more. */
    private void writeChallengers(StoredModel stored) {
        List<Challenger> challengers = stored.model().challengers().all();
        if (challengers.isEmpty() && stored.challengers().isEmpty()) {
            return;
        }
        Set<Long> epochs = new HashSet<>();
        for (Challenger each : challengers) {
            epochs.add(each.model().epoch());
            writeCopies(stored, each.model());
            writer.put(ModelKeys.challenger(stored.name(), each.model().epoch()), headers.encode(each));
        }
        for (long epoch : stored.challengers()) {
            if (!epochs.contains(epoch)) {
                writer.put(ModelKeys.challenger(stored.name(), epoch), null);
            }
        }
        stored.setChallengers(epochs);
    }

    /**
     * Writes the blocks and names of features that have changed.
     *
     * @param model the live one, or a challenger
     */
    private void writeChanged(LiveModel stored, EpochModel model) {
        writeNames(stored, model.epoch(), model.pipeline().names());
        for (int vector = Pipeline.STATISTICS; vector < model.pipeline().vectors(); vector++) {
            // what one of the models that have it in common drains is changed for all
            writeChanged(
                    stored.name(),
                    stored.model().epochsOf(model, vector),
                    vector,
                    model.pipeline().vector(vector));
        }
    }

    private void writeNames(LiveModel stored, long itsEpoch, FeatureNameTable table) {
        StoredNames.drainFeatures(
                itsEpoch,
                table,
                (epoch, part, names) -> writer.put(ModelKeys.featureNames(stored.name(), epoch, part), names));
    }

    private void writeChanged(byte[] name, List<Long> epochs, int vector, Blocks blocks) {
        blocks.drainChanged((block, values) -> {
            byte[] encoded = values == null ? null : BlockCodec.encode(values);
            for (long epoch : epochs) {
                writer.put(ModelKeys.block(name, epoch, vector, block), encoded);
            }
        });
    }

    /**
     * Writes all blocks of a model or challenger: restored blocks of an import or of a copy do not count as changed.
     */
    void writeAllBlocks(LiveModel stored, EpochModel model) {
        Pipeline pipeline = model.pipeline();
        for (int vector = Pipeline.STATISTICS; vector < pipeline.vectors(); vector++) {
            int number = vector;
            if (StoredHeader.small(pipeline.vector(vector)) == null) {
                pipeline.vector(vector)
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
