package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Blocks of ids are read back as they were; the bytes are those of the layout. */
class StoredWaitingTest {
    @Test
    void shouldKeepIds() {
        long[] ids = {0, -1, Long.MAX_VALUE, 5};
        assertThat(StoredWaiting.decodeIds(StoredWaiting.encodeIds(ids))).isEqualTo(ids);
        assertThat(StoredWaiting.encodeIds(new long[] {258})).containsExactly(0, 0, 0, 0, 0, 0, 1, 2);
    }
}
