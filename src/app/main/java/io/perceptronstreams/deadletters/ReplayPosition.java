package io.perceptronstreams.deadletters;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.example.RejectReason;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * Progress of replays in one partition of the dead-letter topic: for each selection, all its dead letters below an
 * offset are done.
 *
 * <p>One offset is not enough: a replay of one reason leaves dead letters of other reasons in between for later. The
 * selections are stored as metadata of the group's offset; the offset itself belongs to replays without options.
 * Immutable.
 */
final class ReplayPosition {
    /** Maximum length of the metadata: the broker's default of {@code offset.metadata.max.bytes}. */
    static final int MAX_METADATA = 4096;

    private static final String VERSION = "v2";

    /** All dead letters of a selection below {@code next} are done. */
    private record Done(ReplaySelection selection, long next) {
        boolean covers(Done other) {
            return next >= other.next && selection.covers(other.selection);
        }

        String toText() {
            DeadLetterSelection letters = selection.letters();
            return next + "," + text(letters.reason()) + "," + text(letters.model()) + "," + text(letters.since()) + ","
                    + selection.maxReplays() + "," + (selection.isRestamped() ? "now" : "") + ","
                    + (selection.isWithCommands() ? "commands" : "");
        }

        private static String text(Object value) {
            return value == null ? "" : value.toString();
        }

        static Done parse(String text) {
            String[] parts = text.split(",", -1);
            if (parts.length != 7) {
                throw new IllegalArgumentException("seven parts are required");
            }
            DeadLetterSelection letters = new DeadLetterSelection(
                    parts[1].isEmpty() ? null : RejectReason.valueOf(parts[1]),
                    parts[2].isEmpty() ? null : parts[2],
                    parts[3].isEmpty() ? null : Long.valueOf(parts[3]));
            return new Done(
                    new ReplaySelection(
                            letters, Integer.parseInt(parts[4]), parts[5].equals("now"), parts[6].equals("commands")),
                    Long.parseLong(parts[0]));
        }
    }

    private final List<Done> done;

    private ReplayPosition(List<Done> done) {
        this.done = done;
    }

    /**
     * Reads the group's offset of a partition.
     *
     * @param offset null if there is none; without metadata, as tools of Kafka set it, all before it is done
     * @throws CommandFailedException if no replay wrote the metadata
     */
    static ReplayPosition of(OffsetAndMetadata offset) {
        if (offset == null) {
            return new ReplayPosition(List.of());
        }
        String metadata = offset.metadata();
        if (metadata == null || metadata.isEmpty()) {
            ReplaySelection all =
                    new ReplaySelection(DeadLetterSelection.ALL, ReplaySelection.MAX_REPLAYS, false, true);
            return new ReplayPosition(List.of(new Done(all, offset.offset())));
        }
        List<String> parts = List.of(metadata.split(";", -1));
        try {
            if (!parts.get(0).equals(VERSION)) {
                throw new IllegalArgumentException(parts.get(0));
            }
            return new ReplayPosition(parts.stream().skip(1).map(Done::parse).toList());
        } catch (IllegalArgumentException e) {
            throw new CommandFailedException(
                    "position of the last replay must be that of this version, got '" + metadata
                            + "' (use the version that wrote it, or set the group's offset by kafka-consumer-groups)",
                    e);
        }
    }

    /** Returns true if an earlier replay has sent a dead letter. */
    boolean isDone(ConsumerRecord<byte[], byte[]> record, DeadLetter letter, boolean isCommand) {
        return done.stream()
                .anyMatch(each -> record.offset() < each.next && each.selection.matches(record, letter, isCommand));
    }

    /** First offset that may have a dead letter of a selection that is not done. */
    long start(ReplaySelection selection, long beginning) {
        return done.stream()
                .filter(each -> each.selection.covers(selection))
                .mapToLong(Done::next)
                .reduce(beginning, Math::max);
    }

    /** Returns the position after all dead letters of a selection below an offset have been sent. */
    ReplayPosition advance(ReplaySelection selection, long next, long beginning) {
        Done last = new Done(selection, next);
        List<Done> all = new ArrayList<>();
        for (Done each : done) {
            // what the topic has deleted needs no position, except to see that there was a replay
            if (!last.covers(each) && each.next > beginning) {
                all.add(each);
            }
        }
        if (all.stream().noneMatch(each -> each.covers(last))) {
            all.add(last);
        }
        return new ReplayPosition(List.copyOf(all));
    }

    /** The offset to commit. */
    OffsetAndMetadata toOffset(long beginning) {
        return new OffsetAndMetadata(start(ReplaySelection.ALL, beginning), toText());
    }

    /** The metadata of the offset to commit. */
    String toText() {
        return VERSION + done.stream().map(each -> ";" + each.toText()).collect(Collectors.joining());
    }
}
