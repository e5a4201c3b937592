package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.DECISIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.model.Fence;
import io.perceptronstreams.settings.Settings;
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
    void shouldReadAFenceThatItHasWrittenAndNoOther() {
        for (Fence fence : new Fence[] {new Fence(true), new Fence(false)}) {
            InputPosition fenced = new InputPosition(
                    POSITION.topicId(),
                    POSITION.next(),
                    POSITION.stagedThrough(),
                    DECISIONS,
                    POSITION.summary(),
                    POSITION.defaults(),
                    POSITION.note(),
                    fence);
            assertThat(InputPosition.decode(fenced.encode())).isEqualTo(fenced);
            assertThat(fenced.encode()[0]).isEqualTo((byte) 6);
        }
        // readable by a version without fences
        assertThat(POSITION.encode()[0]).isEqualTo((byte) 5);
    }

    @Test
    void shouldRefuseAPositionOfAnotherVersion() {
        byte[] newer = POSITION.encode();
        newer[0] = 4;
        assertThatThrownBy(() -> InputPosition.decode(newer))
                .hasMessage("a stored position must have a form from 5 to 6, got 4"
                        + " (written by another version: start that version, or delete all models and learn the topic"
                        + " again with perceptron topics reset --to-earliest)");
    }
}
