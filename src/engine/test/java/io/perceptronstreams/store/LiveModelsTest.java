package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.structured.SequenceScratch;
import io.perceptronstreams.weights.BlockVector;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

/** The heap of all stores of a process together. */
final class LiveModelsTest {
    private final StoreCounters counters = new StoreCounters();

    @Test
    void shouldCountTheModelsOfAllStoresUntilTheyAreDropped() {
        ModelStore one = store(Long.MAX_VALUE);
        learn(one, 0, 10);
        long ofOne = counters.heapBytes();
        ModelStore other = store(Long.MAX_VALUE);
        learn(other, 0, 5);
        long ofOther = counters.heapBytes() - ofOne;
        assertThat(ofOne).isEqualTo(2 * ofOther).isPositive();
        assertThat(counters.liveModels()).isEqualTo(15);

        one.clear();
        assertThat(counters.liveModels()).isEqualTo(5);
        assertThat(counters.heapBytes()).isEqualTo(ofOther);

        learn(one, 0, 10);
        one.close();
        other.close();
        assertThat(counters.liveModels()).isZero();
        assertThat(counters.heapBytes()).isZero();
        assertThat(counters.evictions()).isZero();
    }

    @Test
    void shouldDropTheOldestOfAStoreThatHasMoreThanItsShare() {
        inThreadWithoutOutgrownArrays(this::dropTheOldest);
    }

    private static void inThreadWithoutOutgrownArrays(Runnable task) {
        CompletableFuture.runAsync(task, each -> new Thread(each).start()).join();
    }

    @Test
    void shouldCountTheArraysThatTablesHaveOutgrown() {
        inThreadWithoutOutgrownArrays(() -> {
            BlockVector grown = new BlockVector(2);
            for (int k = 0; k < 500; k++) {
                grown.touch(1_000 * k);
            }
            assertThat(BlockVector.outgrownBytesOfThread()).isBetween(20_000L, 200_000L);
            try (ModelStore store = store(30_000 + BlockVector.outgrownBytesOfThread())) {
                learn(store, 0, 20);
                assertThat(counters.heapBytes()).isBetween(15_000L, 30_000L);
            }
            try (ModelStore store = store(BlockVector.outgrownBytesOfThread())) {
                learn(store, 0, 20);
                assertThat(counters.liveModels()).isEqualTo(1);
            }
        });
    }

    @Test
    void shouldDropModelsForWhatIsKeptBesidesThem() {
        inThreadWithoutOutgrownArrays(() -> {
            ModelStore store = store(100_000);
            learn(store, 0, 20);
            long models = counters.heapBytes();
            store.countOther(1_000);
            store.countOther(20_000);
            assertThat(counters.heapBytes()).isEqualTo(models + 20_000);
            assertThat(counters.liveModels()).isEqualTo(20);

            store.countOther(95_000);
            assertThat(counters.liveModels()).isLessThan(10);
            assertThat(counters.heapBytes()).isBetween(95_000L, 100_000L);

            for (int k = 0; k < 200; k++) {
                store.refusals().add(k, Refusals.Effect.NOTHING);
            }
            store.countOther(0);
            assertThat(counters.heapBytes()).isBetween(200 * 64L, 200 * 64L + 10_000);
            store.close();
            assertThat(counters.heapBytes()).isZero();
        });
    }

    @Test
    void shouldAskAStoreThatWasEmptyForNoModelWhileAllAreInMemory() {
        KeyValueStore<Bytes, byte[]> inner =
                Stores.inMemoryKeyValueStore("models").get();
        AtomicInteger reads = new AtomicInteger();
        ModelStore store = new ModelStore(countingReads(inner, reads), counters, Long.MAX_VALUE);
        assertThat(store.enableLimits(ModelQuota.NONE, false)).isEmpty();
        reads.set(0);
        learn(store, 0, 10);
        store.checkpoint(Uuid.ONE_UUID, 10, StoreDriver.DECISIONS, false);
        assertThat(store.find(utf8("new"))).isNull();
        assertThat(reads).hasValue(0);

        store.clear();
        assertThat(store.find(utf8("model-3"))).isNotNull();
        assertThat(store.find(utf8("new"))).isNull();
        assertThat(reads.getAndSet(0)).isGreaterThan(1);

        ModelStore next = new ModelStore(countingReads(inner, reads), counters, Long.MAX_VALUE);
        assertThat(next.enableLimits(ModelQuota.NONE, false)).isEmpty();
        assertThat(next.find(utf8("model-3"))).isNotNull();
        assertThat(reads).hasPositiveValue();
        store.close();
        next.close();
    }

    @SuppressWarnings("unchecked")
    private static KeyValueStore<Bytes, byte[]> countingReads(KeyValueStore<Bytes, byte[]> inner, AtomicInteger reads) {
        return (KeyValueStore<Bytes, byte[]>) Proxy.newProxyInstance(
                LiveModelsTest.class.getClassLoader(),
                new Class<?>[] {KeyValueStore.class},
                (proxy, method, arguments) -> {
                    reads.addAndGet(method.getName().equals("get") ? 1 : 0);
                    return method.invoke(inner, arguments);
                });
    }

    /** A model that grows with each example is not a small one until it has learned 64. */
    @Test
    void shouldKnowTheHeapOfYoungModels() {
        try (ModelStore store = store(Long.MAX_VALUE)) {
            long heap = 0;
            for (int k = 0; k < 50; k++) {
                for (int example = 0; example <= k; example++) {
                    StoreDriver.learnWidely(store, "model-" + k, 1_000 * example, 1);
                }
                heap += store.find(utf8("model-" + k)).model().heapBytes();
            }
            assertThat(counters.heapBytes()).isBetween(heap / 2, heap);
        }
    }

    private void dropTheOldest() {
        long size;
        try (ModelStore alone = store(Long.MAX_VALUE)) {
            learn(alone, 0, 1);
            size = counters.heapBytes();
        }
        long limit = 8 * size + SequenceScratch.heapBytesOfThread();
        try (ModelStore small = store(limit);
                ModelStore large = store(limit)) {
            learn(small, 0, 3);
            learn(large, 0, 5);
            assertThat(counters.evictions()).as("exactly at the limit").isZero();

            learn(large, 5, 7);

            assertThat(counters.evictions()).as("the oldest are packed").isZero();
            assertThat(counters.liveModels()).isEqualTo(10);
            assertThat(counters.heapBytes()).isBetween(6 * size, 8 * size);

            learn(large, 7, 30);

            assertThat(counters.evictions()).isBetween(15L, 25L);
            assertThat(counters.liveModels()).isEqualTo(33 - counters.evictions());
            assertThat(counters.heapBytes()).isBetween(6 * size, 8 * size);
            assertThat(small.liveModels()).as("below its share").isEqualTo(3);
            // the oldest were written before they were dropped, the others are unpacked
            for (int k = 0; k < 30; k++) {
                assertThat(large.find(utf8("model-" + k))
                                .model()
                                .counts()
                                .totals()
                                .labelled())
                        .isEqualTo(1);
            }
        }
        // closed stores have no share: half of the limit is again that of each
        try (ModelStore large = store(limit);
                ModelStore small = store(limit)) {
            learn(large, 0, 6);
            learn(small, 0, 3);
            assertThat(counters.heapBytes()).isEqualTo(9 * size);
            assertThat(small.liveModels()).isEqualTo(3);
        }
    }

    private static void learn(ModelStore store, int from, int to) {
        for (int k = from; k < to; k++) {
            StoreDriver.learn(store, "model-" + k, 1, 1, 1);
        }
    }

    private ModelStore store(long heapLimit) {
        ModelStore store = new ModelStore(Stores.inMemoryKeyValueStore("models").get(), counters, heapLimit);
        store.enableLimits(new ModelQuota(100, 0), false);
        return store;
    }
}
