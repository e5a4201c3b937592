package io.perceptronstreams.deadletters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** Selection of dead letters, and what earlier replays have sent. */
final class ReplayPositionTest {
    private static final List<RejectReason> REASONS =
            List.of(RejectReason.INVALID_LABEL, RejectReason.MODEL_FULL, RejectReason.INVALID_TIMESTAMP);

    // the time of all records of Events
    private static final long TIME = 1_600_000_000_123L;

    @Test
    void shouldSelectByReasonModelAndTime() {
        ConsumerRecord<byte[], byte[]> record = letter(0, "m", RejectReason.INVALID_LABEL, 0);

        assertThat(selects(record, null, null, null)).isTrue();
        assertThat(selects(record, RejectReason.INVALID_LABEL, "m", "2020-09-13T12:26:40.123Z"))
                .isTrue();
        assertThat(selects(record, RejectReason.MODEL_FULL, null, null)).isFalse();
        assertThat(selects(record, null, "n", null)).isFalse();
        assertThat(selects(record, null, null, "2020-09-13T12:26:40.124Z")).isFalse();
    }

    @Test
    void shouldSelectNoRecordOfAnotherProgram() {
        assertThat(selects(Events.record("d", 0, "m", null), null, null, null)).isFalse();
    }

    @Test
    void shouldLeaveOutWhatCameBackTooOftenOrHasNoTime() {
        ReplaySelection twice = new ReplaySelection(DeadLetterSelection.ALL, 2, false, false);

        assertThat(selects(twice, letter(0, "m", RejectReason.INVALID_LABEL, 1)))
                .isTrue();
        assertThat(selects(twice, letter(0, "m", RejectReason.INVALID_LABEL, 2)))
                .isFalse();
        assertThat(selects(twice, letter(0, "m", RejectReason.INVALID_TIMESTAMP, 0)))
                .isFalse();
        assertThat(selects(
                        new ReplaySelection(DeadLetterSelection.ALL, 2, true, false),
                        letter(0, "m", RejectReason.INVALID_TIMESTAMP, 0)))
                .isTrue();
    }

    @Test
    void shouldSelectCommandsOnlyIfTheyAreAskedFor() {
        ConsumerRecord<byte[], byte[]> record = letter(0, "m", RejectReason.MISROUTED, 0);
        ReplaySelection withCommands = new ReplaySelection(DeadLetterSelection.ALL, 3, false, true);

        assertThat(selects(ReplaySelection.ALL, record, true)).isFalse();
        assertThat(selects(withCommands, record, true)).isTrue();
        assertThat(selects(withCommands, record, false)).isTrue();
        ReplayPosition position = ReplayPosition.of(null).advance(ReplaySelection.ALL, 1, 0);
        assertThat(position.isDone(record, DeadLetter.of(record.headers()), true))
                .isFalse();
        assertThat(position.start(withCommands, 0)).isZero();
        assertThat(position.advance(withCommands, 1, 0).toText()).isEqualTo("v2;1,,,,3,,commands");
    }

    @Test
    void shouldRefuseATimeWithoutZone() {
        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> DeadLetterSelection.of(null, null, "2026-01-31"))
                .withMessage("--since must be a time with a zone, as 2026-01-31T12:00:00Z, got '2026-01-31'");
    }

    @Test
    void shouldTakeAnOffsetSetByToolsOfKafkaAsTheEndOfAReplay() {
        ReplayPosition position = ReplayPosition.of(new OffsetAndMetadata(7));

        assertThat(position.start(ReplaySelection.ALL, 0)).isEqualTo(7);
        assertThat(position.start(new ReplaySelection(DeadLetterSelection.ALL, 9, false, false), 0))
                .isZero();
    }

    @Test
    void shouldRefuseMetadataOfAnotherVersion() {
        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> ReplayPosition.of(new OffsetAndMetadata(7, "v1;x")))
                .withMessageStartingWith("position of the last replay must be that of this version, got 'v1;x' (");
    }

    @Test
    void shouldForgetSelectionsThatALaterOneContainsOrTheTopicHasDeleted() {
        ReplayPosition position = ReplayPosition.of(null)
                .advance(of(RejectReason.INVALID_LABEL, "m"), 10, 0)
                .advance(of(RejectReason.MODEL_FULL, "m"), 30, 0)
                .advance(of(RejectReason.INVALID_LABEL, null), 20, 0);
        assertThat(position.toText()).isEqualTo("v2;30,MODEL_FULL,m,,3,,;20,INVALID_LABEL,,,3,,");

        assertThat(position.advance(of(null, "n"), 40, 25).toText()).isEqualTo("v2;30,MODEL_FULL,m,,3,,;40,,n,,3,,");
        assertThat(position.advance(ReplaySelection.ALL, 40, 0).toText()).isEqualTo("v2;40,,,,3,,");
    }

    /** The independent count: a bit for each record. */
    @SeededTest
    void shouldSendEachRecordOnceWhateverTheSelectionsAre(long seed) {
        Random random = new Random(seed);
        List<ConsumerRecord<byte[], byte[]>> letters = new ArrayList<>();
        BitSet commands = new BitSet();
        for (int k = 0; k < 300; k++) {
            letters.add(letter(k, "m" + random.nextInt(3), any(random, REASONS), random.nextInt(4)));
            commands.set(k, random.nextInt(3) == 0);
        }
        BitSet sent = new BitSet();
        OffsetAndMetadata committed = null;
        for (int round = 0; round < 60; round++) {
            ReplaySelection selection = new ReplaySelection(
                    new DeadLetterSelection(
                            random.nextBoolean() ? null : any(random, REASONS),
                            random.nextBoolean() ? null : "m" + random.nextInt(3),
                            random.nextBoolean() ? null : (Long) (TIME + random.nextInt(300))),
                    1 + random.nextInt(4),
                    random.nextBoolean(),
                    random.nextBoolean());
            ReplayPosition position = ReplayPosition.of(committed);
            int end = random.nextInt(301);
            for (int k = (int) position.start(selection, 0); k < end; k++) {
                ConsumerRecord<byte[], byte[]> record = letters.get(k);
                boolean isCommand = commands.get(k);
                if (selects(selection, record, isCommand)
                        && !position.isDone(record, DeadLetter.of(record.headers()), isCommand)) {
                    assertThat(sent.get(k)).as("record %d is sent twice", k).isFalse();
                    sent.set(k);
                }
            }
            if (end > position.start(selection, 0)) {
                committed = position.advance(selection, end, 0).toOffset(0);
            }
            for (int k = 0; k < end; k++) {
                assertThat(!selects(selection, letters.get(k), commands.get(k)) || sent.get(k))
                        .as("record %d is not left out", k)
                        .isTrue();
            }
        }
    }

    private static <T> T any(Random random, List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static ReplaySelection of(RejectReason reason, String model) {
        return new ReplaySelection(new DeadLetterSelection(reason, model, null), 3, false, false);
    }

    private static boolean selects(
            ConsumerRecord<byte[], byte[]> record, RejectReason reason, String model, String since) {
        return DeadLetterSelection.of(reason, model, since).matches(record, DeadLetter.of(record.headers()));
    }

    private static boolean selects(ReplaySelection selection, ConsumerRecord<byte[], byte[]> record) {
        return selects(selection, record, false);
    }

    private static boolean selects(
            ReplaySelection selection, ConsumerRecord<byte[], byte[]> record, boolean isCommand) {
        return selection.matches(record, DeadLetter.of(record.headers()), isCommand);
    }

    private static ConsumerRecord<byte[], byte[]> letter(long offset, String model, RejectReason reason, int replays) {
        ConsumerRecord<byte[], byte[]> record = Events.record("d", 0, offset, TIME + offset, model, null);
        if (replays > 0) {
            record.headers().add(DeadLetter.REPLAYS, Integer.toString(replays).getBytes(StandardCharsets.UTF_8));
        }
        DeadLetter.addTo(record.headers(), new RejectedException(reason, "no"), "perceptron-examples", 0, offset);
        return record;
    }
}
