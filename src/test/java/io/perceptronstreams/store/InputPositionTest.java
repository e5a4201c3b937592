package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.DECISIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.learner.Settings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class InputPositionTest {
    private static final InputPosition POSITION = position(Settings.DEFAULTS);

    @Test
    void shouldReadWhatItHasWritten() {
        assertThat(InputPosition.decode(POSITION.encode())).isEqualTo(POSITION);
        assertThat(POSITION.isSummed()).isTrue();
    }

    @Test
    void shouldReadDefaultsThatItHasWritten() {
        InputPosition changed = position(Settings.DEFAULTS.with(Map.of("h", "1", "hash.bits", "22")));
        assertThat(InputPosition.decode(changed.encode())).isEqualTo(changed);
    }

    @Test
    void shouldWriteTheFormWithoutDefaultsUntilTheyDiffer() {
        // form 2: topic id, next, staged, two flags, partitions, revision, time, models and the note
        assertThat(POSITION.encode()).startsWith(2).hasSize(1 + 6 * 8 + 2 + 2 * 4 + "reset by émile".length() + 1);
    }

    private static InputPosition position(Settings defaults) {
        return new InputPosition(
                Uuid.ONE_UUID, 7, 5, DECISIONS, new InputPosition.Summary(1_000, 3), defaults, "reset by émile");
    }

    @Test
    void shouldReadTheLimitOfEventTimesThatItHasWritten() {
        for (InputPosition each : new InputPosition[] {POSITION, position(Settings.DEFAULTS.with(Map.of("h", "1")))}) {
            InputPosition limited = new InputPosition(
                    each.topicId(),
                    each.next(),
                    each.stagedThrough(),
                    new InputPosition.Decisions(true, false, 7, 1, true, 0),
                    each.summary(),
                    each.defaults(),
                    each.note());
            assertThat(InputPosition.decode(limited.encode())).isEqualTo(limited);
        }
    }

    @Test
    void shouldReadAPositionWithoutASummary() {
        byte[] note = "note".getBytes(StandardCharsets.UTF_8);
        byte[] first = ByteBuffer.allocate(43 + note.length)
                .put((byte) 1)
                .putLong(0)
                .putLong(1)
                .putLong(7)
                .putLong(5)
                .put((byte) 1)
                .put((byte) 1)
                .putInt(1)
                .putInt(1)
                .put(note)
                .array();
        InputPosition position = InputPosition.decode(first);
        assertThat(position)
                .isEqualTo(new InputPosition(
                        new Uuid(0, 1), 7, 5, DECISIONS, InputPosition.Summary.UNKNOWN, Settings.DEFAULTS, "note"));
        assertThat(position.isSummed()).isFalse();
    }

    @Test
    void shouldRefuseAPositionOfANewerEngine() {
        byte[] newer = POSITION.encode();
        newer[0] = 5;
        assertThatThrownBy(() -> InputPosition.decode(newer)).hasMessageContaining("must be of form 1 to 4, got 5");
    }
}
