package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.learn;
import static io.perceptronstreams.store.StoreDriver.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.learner.Model;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ModelStoreTest {
    @TempDir
    Path dir;

    static LongStream seeds() {
        return Seeds.all();
    }

    private StoreDriver<ModelStore> driver(long heapLimit) {
        return new StoreDriver<>(dir, new ModelStoreBuilder("models", heapLimit));
    }

    @Test
    void shouldCommitChangesTogetherWithTheOutputsOfTheirRecords() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> learn(store, "m", 3, 1, 1));
            // exactly once: only what was sent before the transaction ended is committed
            assertThat(driver.committed("out")).hasSize(1);
            assertThat(driver.changelog())
                    .extracting(record -> Bytes.wrap(record.key()))
                    .containsExactly(ModelKeys.header(utf8("m")), ModelKeys.block(utf8("m"), 0, 0, 0));
        }
    }

    @Test
    void shouldCommitWhatItsProcessorPutOff() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> store.beforeFlush(() -> {
                learn(store, "m", 3, 1, 1);
                driver.forward(utf8("late"));
            }));
            assertThat(driver.committed("out"))
                    .extracting(record -> new String(record.value(), StandardCharsets.UTF_8))
                    .containsExactly("", "late");
            assertThat(driver.changelog())
                    .extracting(record -> Bytes.wrap(record.key()))
                    .containsExactly(ModelKeys.header(utf8("m")), ModelKeys.block(utf8("m"), 0, 0, 0));
        }
    }

    @Test
    void shouldHaveTheChangelogJoinATransactionBeforeItsCommit() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> {
                learn(store, "m", 3, 1, 1);
                learn(store, "n", 3, 1, 1);
                // is written at once
                store.stage(utf8("m"), 0, new byte[1], 1);
            });
            assertThat(driver.wholeChangelog())
                    .extracting(record -> Bytes.wrap(record.key()))
                    .startsWith(ModelKeys.NOTHING, ModelKeys.staged(utf8("m"), 0), ModelKeys.header(utf8("m")))
                    .containsOnlyOnce(ModelKeys.NOTHING);

            driver.commit(store -> learn(store, "m", 3, 1, 1));
            assertThat(driver.wholeChangelog().get(0)).satisfies(joined -> {
                assertThat(Bytes.wrap(joined.key())).isEqualTo(ModelKeys.NOTHING);
                assertThat(joined.value()).isNull();
            });

            driver.commit(store -> store.find(utf8("m")));
            assertThat(driver.wholeChangelog()).isEmpty();
        }
    }

    @Test
    void shouldWriteNothingForAModelThatDidNotChange() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> learn(store, "m", 3, 1, 1));
            driver.changelog();
            driver.commit(store -> store.find(utf8("m")));
            assertThat(driver.changelog()).isEmpty();
        }
    }

    @Test
    void shouldWriteAsMuchForOneWeightOfALargeModelAsOfASmallOne() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> {
                for (int index = 0; index < 1 << 24; index += 1 << 12) {
                    learn(store, "large", index, 1, 1);
                    learn(store, "large", index, 1, -1);
                }
                learn(store, "small", 5, 1, 1);
            });
            // 4096 blocks and a header, a block and a header
            assertThat(driver.changelog()).hasSize(4097 + 2);

            driver.commit(store -> learn(store, "large", (1 << 24) - 1, 9, 1));
            List<TestRecord<byte[], byte[]>> large = driver.changelog();
            driver.commit(store -> learn(store, "small", 6, 9, -1));
            List<TestRecord<byte[], byte[]>> small = driver.changelog();
            assertThat(large).hasSize(2);
            assertThat(small).hasSize(2);
            assertThat(large.get(1).value().length)
                    .isLessThanOrEqualTo(small.get(1).value().length);
        }
    }

    @Test
    void shouldWriteABlockOnceHoweverOftenItChangesBetweenCommits() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> {
                for (int k = 0; k < 100; k++) {
                    learn(store, "m", k % 128, 1, k % 2 == 0 ? 1 : -1);
                }
            });
            assertThat(driver.changelog()).hasSize(2);
        }
    }

    @Test
    void shouldNotFindAModelThatNeverWas() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> {
                learn(store, "m", 1, 1, 1);
                assertThat(store.find(utf8("n"))).isNull();
                assertThat(store.find(utf8(""))).isNull();
                store.create(utf8("never changed"));
                assertThat(store.find(utf8("never changed"))).isNull();
            });
        }
    }

    @Test
    void shouldLoseWhatWasNotCommittedWhenTheCacheIsCleared() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> learn(store, "m", 1, 1, 1));
            driver.commit(store -> {
                learn(store, "m", 1, 5, -1);
                learn(store, "new", 1, 5, -1);
                store.clearCache();
                assertThat(store.liveModels()).isZero();
                assertThat(store.heapBytesOfAllStores()).isZero();
                assertThat(store.find(utf8("m")).model().totals().examples()).isEqualTo(1);
                assertThat(store.find(utf8("new"))).isNull();
            });
        }
    }

    @Test
    void shouldRemoveTheBlocksOfAnEndedEpochAfterTheHeaderOfTheNewOne() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> {
                learn(store, "m", 1, 1, 1);
                learn(store, "m", 1000, 1, -1);
                learn(store, "mm", 1, 1, 1);
            });
            driver.changelog();
            driver.commit(store -> {
                StoredModel stored = store.find(utf8("m"));
                stored.model().delete();
                store.removeEpoch(stored, 0, 8);
            });
            List<TestRecord<byte[], byte[]>> written = driver.changelog();
            assertThat(written)
                    .extracting(record -> Bytes.wrap(record.key()))
                    .startsWith(
                            ModelKeys.header(utf8("m")),
                            ModelKeys.block(utf8("m"), 0, 0, 0),
                            ModelKeys.block(utf8("m"), 0, 0, 7));
            assertThat(written.get(1).value()).isNull();
            assertThat(written.get(2).value()).isNull();
            driver.commit(store -> {
                store.clearCache();
                assertThat(store.find(utf8("m")).model().state()).isEqualTo(Model.State.DELETED);
                assertThat(store.find(utf8("mm")).model().learner().weightNorm())
                        .isEqualTo(Math.sqrt(2));
            });
        }
    }

    @Test
    void shouldNeverReadTheBlocksOfAnEndedEpochEvenWhereTheyAreLeft() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> learn(store, "m", 1, 1, 1));
            driver.commit(store -> {
                StoredModel stored = store.find(utf8("m"));
                // and not removeEpoch: as if compaction or a crash had brought the blocks back
                stored.model().reset();
                store.markChanged(stored, 8);
            });
            driver.commit(store -> {
                store.clearCache();
                learn(store, "m", 2, 1, 1);
            });
            driver.commit(store -> {
                store.clearCache();
                assertThat(ModelText.of(store.find(utf8("m")).model()))
                        .contains("\n2 ")
                        .doesNotContain("\n1 ");
            });
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldGiveModelsBackBitForBitAfterTheyWereDroppedForWantOfHeap(long seed) {
        Random random = new Random(seed);
        Map<String, Model> bare = new HashMap<>();
        try (StoreDriver<ModelStore> driver = driver(1)) {
            for (int commit = 0; commit < 20; commit++) {
                driver.commit(store -> {
                    for (int k = 0; k < 20; k++) {
                        String name = "model-" + random.nextInt(15);
                        int index = random.nextInt(1 << random.nextInt(1, 25));
                        double value = random.nextGaussian();
                        int label = random.nextBoolean() ? 1 : -1;
                        learn(store, name, index, value, label);
                        learn(bare.computeIfAbsent(name, any -> new Model()), index, value, label);
                        assertThat(store.liveModels()).isLessThanOrEqualTo(2);
                    }
                });
                driver.commit(store -> {
                    store.clearCache();
                    bare.forEach((name, model) -> assertThat(
                                    ModelText.of(store.find(utf8(name)).model()))
                            .isEqualTo(ModelText.of(model)));
                });
            }
        }
    }

    @Test
    void shouldKeepAllModelsInMemoryWhileThereIsHeap() {
        try (StoreDriver<ModelStore> driver = driver(Long.MAX_VALUE)) {
            driver.commit(store -> {
                for (int k = 0; k < 5000; k++) {
                    learn(store, "m" + k, k, 1, 1);
                }
                assertThat(store.liveModels()).isEqualTo(5000);
            });
            assertThat(driver.changelog()).hasSize(10_000);
            driver.commit(store -> {
                for (int k = 0; k < 5000; k++) {
                    assertThat(store.find(utf8("m" + k)).model().totals().examples())
                            .isEqualTo(1);
                }
            });
        }
    }
}
