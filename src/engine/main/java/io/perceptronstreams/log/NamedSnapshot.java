package io.perceptronstreams.log;

import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelBuilder;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.serde.SnapshotDecoder;
import java.util.List;
import java.util.Map;

/**
 * A named snapshot of a model, from which a run can start in place of the first record.
 *
 * <p>It has the state of the learner, the statistics of the scale, names, settings, epoch, the number of the last
 * epoch, and the counts of examples, labels, errors, mistakes and updates, with their beginning; it lacks
 * {@link #LACKED}.
 *
 * @param name without the model
 * @param chunks all of it, in order
 * @param versions the named snapshots that the model had then, this one included
 */
public record NamedSnapshot(String name, List<WeightsChunk> chunks, Versions versions) {
    /** What a model has besides its snapshot, and may learn or decide from. */
    public static final String LACKED =
            "what waits for labels, labels that can be corrected, the last ids, challengers, the state of the drift detector,"
                    + " the labels counted for class.weights=balanced, the alerts of the last hour or day, an unfinished import, and whether the model was frozen";

    /**
     * Decodes a named snapshot.
     *
     * @param chunks events, in order
     * @param status latest of the model
     * @throws RejectedException if a chunk is not valid
     */
    public static NamedSnapshot of(String name, List<WeightsSnapshot> chunks, ModelStatus status) {
        long offset = chunks.get(0).getOffset();
        // one that was removed since has no part in what came since but its removal, which fails without it
        List<Versions.Version> versions = status.getVersions().stream()
                .filter(each -> each.getOffset() <= offset)
                .map(each ->
                        new Versions.Version(each.getName(), each.getEpoch(), each.getUpdates(), each.getOffset(), 1))
                .toList();
        return new NamedSnapshot(
                name, chunks.stream().map(SnapshotDecoder::chunk).toList(), new Versions(versions));
    }

    private WeightsChunk.Header header() {
        return chunks.get(0).header();
    }

    private WeightsChunk.Emitted emitted() {
        return header().named() == null ? null : header().named().emitted();
    }

    /** Returns true if it has the beginning of the counts; snapshots of 0.1.0 do not. */
    public boolean hasCountsSince() {
        return header().named() != null && header().named().countsSince() != null;
    }

    /** Partition of the record with the command. */
    public int partition() {
        return header().partition();
    }

    /** Offset of the record with the command: the run starts behind it. */
    public long offset() {
        return header().offset();
    }

    /** Epoch of the model. */
    public long epoch() {
        return header().epoch();
    }

    /** Updates of the model in its epoch. */
    public long updates() {
        return header().updates();
    }

    /** Examples of the model. */
    public long examples() {
        return emitted() == null ? header().examples() : emitted().examples();
    }

    /** Labelled examples of the model. */
    public long labelled() {
        return emitted() == null ? header().labelled() : emitted().labelled();
    }

    /**
     * Restores the model.
     *
     * @param absent receives it; a new model
     * @param settings that it has from now on in place of its own, as after a command CONFIGURE
     * @throws IllegalArgumentException if it cannot have them, or the snapshot is not valid
     */
    public void restore(Model absent, Map<String, String> settings) {
        ModelBuilder builder = new ModelBuilder(header());
        chunks.forEach(builder::add);
        builder.finish(absent);
        absent.publications().setVersions(versions);
        if (!settings.isEmpty()) {
            absent.configure(settings);
        }
    }
}
