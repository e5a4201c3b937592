package io.perceptronstreams.model;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.util.function.Function;

/**
 * Puts the chunks of weights that are to be imported aside, in the store and not in memory, until the last one makes a model of
 * them.
 *
 * <p>A chunk 0 begins anew. Any other must follow the last one that was put aside and agree with it; one that does not, or of
 * which nothing can be made, ends the import.
 */
final class SnapshotImport {
    private final Models models;
    private final Function<byte[], WeightsChunk> decode;

    /** @param decode reads a value that was put aside */
    SnapshotImport(Models models, Function<byte[], WeightsChunk> decode) {
        this.models = models;
        this.decode = decode;
    }

    /**
     * Takes a chunk.
     *
     * @param value the bytes it came in
     * @param offset of its record
     * @return the model, if this was the last chunk; nothing is put aside any more then. Otherwise null
     * @throws RejectedException if there can be no model; nothing is put aside any more then, either
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

    /** What can be told of a chunk alone, so that nonsense is not put aside first. */
    private static void check(WeightsChunk chunk, int bytes) {
        WeightsChunk.Header header = chunk.header();
        if (bytes > WeightsChunk.MAX_BYTES) {
            throw refused("a chunk must have at most " + WeightsChunk.MAX_BYTES + " bytes, got " + bytes
                    + " (cut the weights into more chunks)");
        }
        if (chunk.number() < 0 || chunk.number() >= header.chunks()) {
            throw refused("chunk must be from 0 to chunks - 1, got " + chunk.number() + " of " + header.chunks());
        }
        // more than any snapshot of such a model takes, a few thousand numbers in each; what waits lies on the disk
        int mostChunks = 64 + begin(header).settings().blocksMax() / 8;
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
        ModelBuilder model = begin(last.header());
        for (int chunk = 0; chunk < last.number(); chunk++) {
            add(decode.apply(models.staged(name, chunk)), model);
        }
        add(last, model);
        return model.finish();
    }

    static ModelBuilder begin(WeightsChunk.Header header) {
        Counts totals = new Counts();
        totals.restore(
                header.seen(),
                header.labelled(),
                header.errors(),
                header.mistakes(),
                header.marginMistakes(),
                header.version(),
                header.hingeLoss());
        return new ModelBuilder(header.settings(), header.algorithm(), totals);
    }

    static void add(WeightsChunk chunk, ModelBuilder model) {
        model.addState(chunk.numbers(), chunk.names());
        for (WeightsChunk.Block block : chunk.blocks()) {
            model.addBlock(block.vector(), block.number(), block.length(), block.positions(), block.values());
        }
    }

    private static RejectedException refused(String why) {
        return new RejectedException(RejectReason.INVALID_WEIGHTS, why);
    }
}
