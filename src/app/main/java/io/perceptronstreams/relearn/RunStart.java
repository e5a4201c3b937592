package io.perceptronstreams.relearn;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.SnapshotReader;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.ModelVersion;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.log.ModelInput;
import io.perceptronstreams.log.ModelLog;
import io.perceptronstreams.log.NamedSnapshot;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Versions;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Where a run over a model's log starts.
 *
 * @param input with the named snapshot, if the run starts from one
 * @param status latest of the model
 * @param oldest offset of the oldest record of the partition
 */
record RunStart(ModelInput input, ModelStatus status, long oldest) {
    private static final int MAX_NAMED = 5;

    /**
     * Returns the start of a run.
     *
     * @param end offset behind the last record of the run
     * @param tag name of the snapshot from which it starts; null for the first record of the model
     * @param notes receives a line where the log lacks its first records
     * @throws CommandFailedException if there is no such snapshot, or records since are not in the log
     */
    static RunStart of(
            EngineConfig config, ModelLog log, ModelStatus status, long end, String tag, Consumer<String> notes) {
        RunStart beginning = new RunStart(log.input(), status, log.first());
        boolean isLater = log.input().before() != null;
        if (isLater && log.input().idleMs() > 0) {
            // which of the models of a partition is deleted first depends on the others, of which there were others
            throw new CommandFailedException("a log of several generations can be learned again only where idle models"
                    + " are kept, got models.idle.ms " + log.input().idleMs() + " and the topic "
                    + log.input().before().topic());
        }
        if (tag == null) {
            beginning.requireRecords(end);
            if (beginning.isCut()) {
                notes.accept(beginning.note());
            }
            return beginning;
        }
        String key = Versions.key(log.input().model(), tag);
        List<WeightsSnapshot> chunks = SnapshotReader.latestChunks(config, key);
        try {
            NamedSnapshot snapshot = NamedSnapshot.of(tag, chunks, status);
            // before any run
            snapshot.restore(Model.absent(), Map.of());
            return beginning.from(snapshot, end);
        } catch (RejectedException | IllegalArgumentException e) {
            throw new CommandFailedException("a named snapshot must be valid, got " + key + ": " + e.getMessage(), e);
        }
    }

    /** Throws if the log has no record at all before the end. */
    private void requireRecords(long end) {
        if (isCut() && oldest >= end) {
            throw new CommandFailedException(cut());
        }
    }

    /** From which offset on the log is there. */
    private String note() {
        return input.topic() + "-" + input.partition() + " begins at offset " + oldest
                + ": the records before it were deleted; " + input.model()
                + " can be repeated only if it had none there" + remedy("");
    }

    RunStart from(NamedSnapshot snapshot, long end) {
        if (snapshot.partition() != input.at(snapshot.offset()).partition() || snapshot.offset() >= end) {
            throw new CommandFailedException("a named snapshot must be of a record of "
                    + input.topic() + "-" + input.partition() + " before offset " + end + ", got "
                    + Versions.key(input.model(), snapshot.name()) + " of partition " + snapshot.partition()
                    + " and offset " + snapshot.offset()
                    + " (the topic is another one since, or has other partitions)");
        }
        if (snapshot.offset() + 1 < oldest) {
            throw new CommandFailedException(input.topic() + "-" + input.partition()
                    + " must still have all records since offset " + snapshot.offset() + " of "
                    + Versions.key(input.model(), snapshot.name()) + ", got " + oldest + " as its first offset"
                    + remedy(""));
        }
        return new RunStart(input.from(snapshot), status, oldest);
    }

    /**
     * Offset from which the log is read: with the command of a named snapshot, whose time counts for the age of an idle
     * model.
     */
    long first() {
        return input.start() == null ? oldest : Math.max(oldest, input.start().offset());
    }

    /** Returns true if the model may have had records that the run lacks. */
    boolean isCut() {
        return input.start() == null && oldest > 0;
    }

    /** Why the model cannot be repeated from the beginning, and from which named snapshots it can. */
    String cut() {
        return cutBefore(remedy(""));
    }

    /**
     * Why the model cannot be repeated from the beginning, and from which named snapshots it can.
     *
     * @param command that is to be repeated with one, such as {@code verify fraud}
     */
    String cut(String command) {
        return cutBefore(remedy("perceptron " + command + " "));
    }

    private String cutBefore(String remedy) {
        return input.topic() + "-" + input.partition()
                + " must have all records of " + input.model() + ", got " + oldest
                + " as its first offset, before which they were deleted" + remedy;
    }

    private String remedy(String command) {
        List<String> usable = usable();
        if (usable.isEmpty()) {
            return " (a named snapshot made from now on lets later runs start from it: perceptron versions tag "
                    + input.model() + " NAME)";
        }
        int named = Math.min(MAX_NAMED, usable.size());
        return " (" + command + "--from-tag " + usable.get(0) + " starts from a named snapshot"
                + (named == 1 ? "" : "; later ones: " + String.join(", ", usable.subList(1, named))) + ")";
    }

    /** Names of the snapshots since which the log has all records, the earliest first. */
    private List<String> usable() {
        return status.getVersions().stream()
                .filter(each -> each.getOffset() + 1 >= oldest)
                .map(ModelVersion::getName)
                .toList();
    }
}
