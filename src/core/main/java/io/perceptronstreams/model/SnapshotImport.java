package io.perceptronstreams.model;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.settings.Settings;
import java.util.function.Function;

/**
 * Stores the chunks of imported weights until the last one completes a model.
 *
 * <p>Chunk 0 starts over. Any other chunk must follow the last one and agree with it; an invalid chunk ends the import.
 */
final class SnapshotImport {
    private final Models models;
    private final Function<byte[], WeightsChunk> decode;

    /** @param decode decodes a stored value */
    SnapshotImport(Models models, Function<byte[], WeightsChunk> decode) {
        this.models = models;
        this.decode = decode;
    }

    /**
     * Adds a chunk.
     *
     * @param value bytes of the chunk
     * @param offset of its record
     * @return the model after the last chunk, otherwise null; after the last chunk nothing is stored any more
     * @throws RejectedException if the import is invalid; then nothing is stored any more, either
     */
    Model add(byte[] name, byte[] value, WeightsChunk chunk, long offset) {
        try {
            check(chunk, value.length);
            if (chunk.number() > 0) {
                checkSuccession(name, chunk);
            }
            if (chunk.isLast()) {
                Model model = model(name, chunk);
                models.unstage(name, offset);
                return model;
            }
        } catch (RejectedException e) {
            models.unstage(name, offset);
            throw e;
        } catch (IllegalArgumentException e) {
            models.unstage(name, offset);
            throw refused("the import must be of a model, but " + e.getMessage());
        }
        if (chunk.number() == 0) {
            models.unstage(name, offset);
        }
        models.stage(name, chunk.number(), value, offset);
        return null;
    }

    /** Checks a chunk by itself, before it is stored. */
    private static void check(WeightsChunk chunk, int bytes) {
        WeightsChunk.Header header = chunk.header();
        if (bytes > WeightsChunk.MAX_BYTES) {
            throw refused("a chunk must have at most " + WeightsChunk.MAX_BYTES + " bytes, got " + bytes
                    + " (cut the weights into more chunks)");
        }
        if (chunk.number() < 0 || chunk.number() >= header.chunks()) {
            throw refused("chunk must be from 0 to chunks - 1, got " + chunk.number() + " of " + header.chunks());
        }
        // more than any snapshot of such a model has, at a few thousand numbers per chunk; waiting chunks are on disk
        Settings settings = new ModelBuilder(header).settings();
        int mostChunks = 64 + settings.get(Settings.BLOCKS_MAX) / 8 + settings.get(Settings.NAMES_MAX) / 256;
        if (header.chunks() > mostChunks) {
            throw refused("chunks must be at most " + mostChunks + " with these settings, got " + header.chunks());
        }
    }

    private void checkSuccession(byte[] name, WeightsChunk chunk) {
        byte[] last = models.staged(name, chunk.number() - 1);
        if (last == null || models.staged(name, chunk.number()) != null) {
            throw refused("chunks must come in order from 0, got chunk " + chunk.number() + " of "
                    + chunk.header().chunks() + " without, or a second time after, the one before it");
        }
        if (!decode.apply(last).header().equals(chunk.header())) {
            throw refused("all chunks must be of one snapshot, got chunk " + chunk.number()
                    + " with other counts or settings than the one before it");
        }
    }

    private Model model(byte[] name, WeightsChunk last) {
        ModelBuilder model = new ModelBuilder(last.header());
        for (int chunk = 0; chunk < last.number(); chunk++) {
            model.add(decode.apply(models.staged(name, chunk)));
        }
        model.add(last);
        return model.finish();
    }

    private static RejectedException refused(String why) {
        return new RejectedException(RejectReason.INVALID_WEIGHTS, why);
    }
}
