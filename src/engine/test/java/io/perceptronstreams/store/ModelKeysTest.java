package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.model.Pipeline;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.Test;

class ModelKeysTest {
    private static final byte[] NAME = StoreDriver.utf8("m");

    @Test
    void shouldHaveTheNamesOfAnEpochBehindItsBlocks() {
        List<Bytes> ascending = List.of(
                ModelKeys.header(NAME),
                ModelKeys.firstOfEpoch(NAME, 3),
                ModelKeys.block(NAME, 3, 0, 0),
                ModelKeys.block(NAME, 3, 1, 1 << 24),
                ModelKeys.endOfBlocks(NAME, 3),
                ModelKeys.names(NAME, 3, 0),
                ModelKeys.names(NAME, 3, 1 << 24),
                ModelKeys.endOfEpoch(NAME, 3),
                ModelKeys.firstOfEpoch(NAME, 4),
                ModelKeys.names(NAME, Long.MAX_VALUE, Integer.MAX_VALUE),
                ModelKeys.staged(NAME, 0),
                ModelKeys.header(StoreDriver.utf8("m\u0001")),
                ModelKeys.header(StoreDriver.utf8("n")));
        assertThat(ascending).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void shouldTellNamesFromBlocks() {
        assertThat(ModelKeys.vector(ModelKeys.names(NAME, 3, 70_000))).isEqualTo(ModelKeys.NAMES);
        assertThat(ModelKeys.number(ModelKeys.names(NAME, 3, 70_000))).isEqualTo(70_000);
        assertThat(ModelKeys.vector(ModelKeys.block(NAME, 3, Pipeline.STATISTICS, 5)))
                .isEqualTo(Pipeline.STATISTICS);
    }

    @Test
    void shouldHaveSignedTimesBetweenRefusalsAndModels() {
        List<Bytes> ascending = List.of(
                ModelKeys.POSITION,
                ModelKeys.refusal(0),
                ModelKeys.refusal(Long.MAX_VALUE),
                ModelKeys.signedTime(NAME),
                ModelKeys.FIRST_OF_MODELS);
        assertThat(ascending).isSorted();
        // as long as the key of a refusal
        Bytes key = ModelKeys.signedTime(StoreDriver.utf8("letters"));
        assertThat(ModelKeys.isRefusal(key)).isFalse();
        assertThat(ModelKeys.isHeader(key)).isFalse();
        assertThat(ModelKeys.isRefusal(ModelKeys.refusal(Long.MAX_VALUE))).isTrue();
    }

    // What is stored must be found for ever.
    @Test
    void shouldNeverChange() {
        assertThat(ModelKeys.names(NAME, 258, 3).get())
                .containsExactly('m', 0, 0, 0, 0, 0, 0, 0, 1, 2, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 3);
        assertThat(ModelKeys.block(NAME, 258, 0, 3).get())
                .containsExactly('m', 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 3);
        assertThat(ModelKeys.signedTime(NAME).get()).containsExactly(0, 0xff, 'm');
    }
}
