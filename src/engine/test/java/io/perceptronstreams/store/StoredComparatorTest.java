package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.learnWidely;
import static io.perceptronstreams.store.StoreDriver.record;
import static io.perceptronstreams.store.VectorStore.COMPARATOR;
import static io.perceptronstreams.store.VectorStore.M;
import static io.perceptronstreams.store.VectorStore.checkpoint;
import static io.perceptronstreams.store.VectorStore.entries;
import static io.perceptronstreams.store.VectorStore.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.weights.BlockVector;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The weights that a model is compared with, large in blocks or small in the header. */
class StoredComparatorTest {
    private final VectorStore stored = new VectorStore();

    private static void configure(ModelStore store, String comparator) {
        LiveModel live = store.find(M);
        live.model().configure(Map.of("comparator", comparator));
        store.changed(live, record("m", 8));
    }

    /** A stored model, large as are the weights it is compared with. */
    private void pinLargeOnes() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnWidely(store, "m", 0, 1);
            configure(store, "" + store.find(M).model().current().version());
            checkpoint(store);
        }
        assertThat(stored.blocks(COMPARATOR)).isEqualTo(5);
    }

    private static void pinSmallOnes(ModelStore store) {
        LiveModel live = store.find(M);
        BlockVector u = new BlockVector(1);
        u.write(130, 0, 0.5);
        live.model().pipeline().compareWith(u, 1);
        store.writeNow(live, record("m", 9));
    }

    @Test
    void shouldRemoveTheBlocksOfAComparatorThatIsCleared() {
        pinLargeOnes();
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            configure(store, "");
            checkpoint(store);
            assertThat(stored.blocks(COMPARATOR)).isZero();
            assertThat(text(stored.readBack("m"))).isEqualTo(text(store.find(M).model()));
        }
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void shouldHoldASmallComparatorInTheHeaderAfterALargeOne(boolean isClearedBefore) {
        pinLargeOnes();
        String expected;
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            if (isClearedBefore) {
                configure(store, "");
                checkpoint(store);
            }
            pinSmallOnes(store);
            expected = text(store.find(M).model());
            assertThat(entries(store.find(M).model(), COMPARATOR)).isEqualTo(1);
        }
        assertThat(stored.blocks(COMPARATOR)).isZero();
        assertThat(entries(stored.header("m").model(), COMPARATOR)).isEqualTo(1);
        assertThat(text(stored.readBack("m"))).isEqualTo(expected);
    }

    @Test
    void shouldPinLargeWeightsAgainAfterSmallOnes() {
        pinLargeOnes();
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            pinSmallOnes(store);
            learnWidely(store, "m", 10_000, 1);
            configure(store, "" + store.find(M).model().current().version());
            checkpoint(store);
            assertThat(text(stored.readBack("m"))).isEqualTo(text(store.find(M).model()));
        }
        assertThat(entries(stored.header("m").model(), COMPARATOR)).isZero();
        assertThat(stored.blocks(COMPARATOR))
                .isEqualTo(stored.header("m").live().blocks(COMPARATOR));
    }

    @Test
    void shouldRemoveTheBlocksOfALargeComparatorThatGivesWayToAnother() {
        pinLargeOnes();
        String expected;
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            LiveModel live = store.find(M);
            BlockVector u = new BlockVector(1);
            // blocks 3 to 8, where 0 to 4 are stored
            for (int index = 500; index < 1100; index++) {
                u.write(index, 0, index);
            }
            live.model().pipeline().compareWith(u, 1);
            store.writeNow(live, record("m", 9));
            expected = text(live.model());
        }
        assertThat(stored.blocks(COMPARATOR)).isEqualTo(6);
        assertThat(text(stored.readBack("m"))).isEqualTo(expected);
    }

    // It was "block 1 is already there", and the engine stopped; where the small vector had no index of the block, the
    // model was
    // quarantined.
    @ParameterizedTest
    @CsvSource({"1", "4"})
    void shouldNotBelieveABlockThatIsLeftOfALargeComparator(int left) {
        pinLargeOnes();
        Bytes key = ModelKeys.block(M, 0, COMPARATOR, left);
        byte[] block = stored.inner().get(key);
        String expected;
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            pinSmallOnes(store);
            expected = text(store.find(M).model());
        }
        // as if the changelog had forgotten the removal before this store was brought up to date
        stored.inner().put(key, block);

        assertThat(text(stored.readBack("m"))).isEqualTo(expected);
        assertThat(stored.inner().get(key)).isNull();
        assertThat(stored.readBack("m").state()).isEqualTo(ModelState.LIVE);
    }
}
