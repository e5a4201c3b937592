package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.DECISIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class InputPositionTest {
    private static final InputPosition POSITION =
            new InputPosition(Uuid.ONE_UUID, 7, 5, DECISIONS, new InputPosition.Summary(1_000, 3), "reset by émile");

    @Test
    void shouldReadWhatItHasWritten() {
        assertThat(InputPosition.decode(POSITION.encode())).isEqualTo(POSITION);
        assertThat(POSITION.isSummed()).isTrue();
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
                .isEqualTo(new InputPosition(new Uuid(0, 1), 7, 5, DECISIONS, InputPosition.Summary.UNKNOWN, "note"));
        assertThat(position.isSummed()).isFalse();
    }

    @Test
    void shouldRefuseAPositionOfANewerEngine() {
        byte[] newer = POSITION.encode();
        newer[0] = 3;
        assertThatThrownBy(() -> InputPosition.decode(newer)).hasMessageContaining("must be of form 1 to 2, got 3");
    }
}
