package io.perceptronstreams.store;

import io.perceptronstreams.model.Model;
import java.nio.charset.StandardCharsets;
import java.util.function.IntUnaryOperator;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads models from a store. */
final class ModelReader {
    private static final Logger LOG = LoggerFactory.getLogger(ModelReader.class);

    private final KeyValueStore<Bytes, byte[]> inner;
    private final HeaderCodec headers;
    private final BatchWriter writer;

    ModelReader(KeyValueStore<Bytes, byte[]> inner, HeaderCodec headers, BatchWriter writer) {
        this.inner = inner;
        this.headers = headers;
        this.writer = writer;
    }

    /** Reads a model without its blocks; null if it does not exist. */
    StoredHeader header(byte[] name) {
        byte[] header = inner.get(ModelKeys.header(name));
        return header == null
                ? null
                : headers.decode(header, (epoch, part) -> inner.get(ModelKeys.names(name, epoch, part)));
    }

    /** Restores blocks and feature names of a model and its shadow; a model that lacks blocks is quarantined. */
    void loadBlocks(byte[] name, StoredHeader stored) {
        Model model = stored.model();
        if (stored.hasBlocks()) {
            loadBlocks(name, model, stored::blocks);
        }
        loadFeatureNames(name, model, stored.featureNames());
        if (model.shadow() != null) {
            loadBlocks(name, model.shadow(), stored::shadowBlocks);
            loadFeatureNames(name, model.shadow(), stored.shadowFeatureNames());
        }
        String missing = stored.missing();
        if (missing != null) {
            LOG.error(
                    "model {} is quarantined, because the store has lost a part: {} (reset it, or import a snapshot)",
                    new String(name, StandardCharsets.UTF_8),
                    missing);
            model.quarantine();
        }
    }

    /** Restores the names of features of a model. They decide nothing, so that a model without some is still valid. */
    private void loadFeatureNames(byte[] name, Model model, int count) {
        FeatureNamesCodec.restore(
                model.names(),
                model.hasher(),
                count,
                part -> inner.get(ModelKeys.featureNames(name, model.epoch(), part)));
        if (model.names().size() < count) {
            LOG.warn(
                    "the store has lost names of features of model {}: it must have {}, got the first {}",
                    new String(name, StandardCharsets.UTF_8),
                    count,
                    model.names().size());
        }
    }

    /**
     * Restores the blocks of a model.
     *
     * <p>Blocks of vectors without blocks in the header are removed: their removal was lost, for instance because the
     * changelog was already compacted when this store was restored.
     *
     * @param expected number of blocks of a vector
     */
    private void loadBlocks(byte[] name, Model model, IntUnaryOperator expected) {
        try (KeyValueIterator<Bytes, byte[]> blocks =
                inner.range(ModelKeys.firstOfEpoch(name, model.epoch()), ModelKeys.endOfBlocks(name, model.epoch()))) {
            while (blocks.hasNext()) {
                KeyValue<Bytes, byte[]> block = blocks.next();
                int vector = ModelKeys.vector(block.key);
                if (expected.applyAsInt(vector) == 0) {
                    writer.put(block.key, null);
                } else {
                    model.vector(vector).restore(ModelKeys.number(block.key), BlockCodec.decode(block.value));
                }
            }
        }
        writer.flush();
    }
}
