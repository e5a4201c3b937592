package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.learn;
import static io.perceptronstreams.store.StoreDriver.learnWidely;
import static io.perceptronstreams.store.StoreDriver.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelStoreTest {
    @TempDir
    Path dir;

    private StoreDriver driver(long heapLimit) {
        return new StoreDriver(dir, heapLimit);
    }

    @Test
    void shouldWriteNothingButByACheckpoint() {
        try (StoreDriver driver = driver(Long.MAX_VALUE)) {
            driver.use(store -> {
                learn(store, "m", 3, 1, 1);
                learnWidely(store, "n", 0, 1);
            });
            assertThat(driver.committed("out")).hasSize(1);
            assertThat(driver.wholeChangelog()).isEmpty();
            driver.checkpoint(store -> {});
            assertThat(driver.changelog())
                    .extracting(record -> Bytes.wrap(record.key()))
                    .containsExactly(
                            ModelKeys.header(utf8("m")),
                            ModelKeys.header(utf8("n")),
                            ModelKeys.block(utf8("n"), 0, 0, 0),
                            ModelKeys.block(utf8("n"), 0, 0, 1),
                            ModelKeys.block(utf8("n"), 0, 0, 2),
                            ModelKeys.block(utf8("n"), 0, 0, 3),
                            ModelKeys.block(utf8("n"), 0, 0, 4));
        }
    }

    @Test
    void shouldWriteNothingForAModelThatDidNotChange() {
        try (StoreDriver driver = driver(Long.MAX_VALUE)) {
            driver.checkpoint(store -> learn(store, "m", 3, 1, 1));
            driver.changelog();
            driver.checkpoint(store -> store.find(utf8("m")));
            assertThat(driver.changelog()).isEmpty();
        }
    }

    @Test
    void shouldWriteAsMuchForOneWeightOfALargeModelAsOfASmallOne() {
        try (StoreDriver driver = driver(Long.MAX_VALUE)) {
            driver.checkpoint(store -> {
                for (int index = 0; index < 1 << 24; index += 1 << 10) {
                    learn(store, "large", index, 1, 1);
                    learn(store, "large", index, 1, -1);
                }
                learnWidely(store, "smaller", 0, 1);
                learn(store, "small", 5, 1, 1);
            });
            // 16384 blocks and a header, 5 blocks and a header, a header
            assertThat(driver.changelog()).hasSize(16385 + 6 + 1);

            driver.checkpoint(store -> learn(store, "large", (1 << 24) - 1, 9, 1));
            List<TestRecord<byte[], byte[]>> large = driver.changelog();
            driver.checkpoint(store -> learn(store, "smaller", StoreDriver.WIDE - 1, 9, -1));
            List<TestRecord<byte[], byte[]>> smaller = driver.changelog();
            driver.checkpoint(store -> learn(store, "small", 6, 9, -1));
            assertThat(driver.changelog()).hasSize(1);
            assertThat(large).hasSize(2);
            assertThat(smaller).hasSize(2);
            assertThat(large.get(1).value().length)
                    .isLessThanOrEqualTo(smaller.get(1).value().length);
        }
    }

    @Test
    void shouldWriteABlockOnceHoweverOftenItChangesBetweenCheckpoints() {
        try (StoreDriver driver = driver(Long.MAX_VALUE)) {
            driver.checkpoint(store -> {
                learnWidely(store, "m", 0, 1);
                for (int k = 0; k < 100; k++) {
                    learn(store, "m", k % 128, 1, k % 2 == 0 ? 1 : -1);
                }
            });
            // a header and five blocks
            assertThat(driver.changelog()).hasSize(6);
        }
    }

    @Test
    void shouldNotFindAModelThatNeverWas() {
        try (StoreDriver driver = driver(Long.MAX_VALUE)) {
            driver.checkpoint(store -> {
                learn(store, "m", 1, 1, 1);
                assertThat(store.find(utf8("n"))).isNull();
                assertThat(store.find(utf8(""))).isNull();
                store.create(utf8("never changed"));
                assertThat(store.find(utf8("never changed"))).isNull();
            });
        }
    }

    @Test
    void shouldLoseWhatWasNotInACheckpointWhenItIsCleared() {
        try (StoreDriver driver = driver(Long.MAX_VALUE)) {
            driver.checkpoint(store -> learn(store, "m", 1, 1, 1));
            driver.checkpoint(store -> {
                learn(store, "m", 1, 5, -1);
                learn(store, "new", 1, 5, -1);
                store.clear();
                assertThat(store.liveModels()).isZero();
                assertThat(store.find(utf8("m")).model().counts().totals().examples())
                        .isEqualTo(1);
                assertThat(store.find(utf8("m")).position()).isEqualTo(7);
                assertThat(store.find(utf8("new"))).isNull();
            });
        }
    }

    @Test
    void shouldRemoveTheBlocksOfAnEndedEpochAfterTheHeaderOfTheNewOne() {
        try (StoreDriver driver = driver(Long.MAX_VALUE)) {
            driver.checkpoint(store -> {
                learnWidely(store, "m", 0, 1);
                learn(store, "mm", 1, 1, 1);
            });
            driver.changelog();
            driver.checkpoint(store -> {
                LiveModel stored = store.find(utf8("m"));
                stored.model().delete();
                store.removeEpoch(stored, 0, StoreDriver.record("m", 8));
            });
            List<TestRecord<byte[], byte[]>> written = driver.changelog();
            assertThat(written)
                    .extracting(record -> Bytes.wrap(record.key()))
                    .startsWith(
                            ModelKeys.header(utf8("m")),
                            ModelKeys.block(utf8("m"), 0, 0, 0),
                            ModelKeys.block(utf8("m"), 0, 0, 1));
            // the header, and a removal for each of five blocks
            assertThat(written.subList(1, 6)).extracting(TestRecord::value).containsOnlyNulls();
            driver.checkpoint(store -> {
                store.clear();
                assertThat(store.find(utf8("m")).model().state()).isEqualTo(ModelState.DELETED);
                assertThat(store.find(utf8("mm")).model().pipeline().learner().weightNorm())
                        .isEqualTo(Math.sqrt(2));
            });
        }
    }

    @Test
    void shouldNeverReadTheBlocksOfAnEndedEpochEvenWhereTheyAreLeft() {
        try (StoreDriver driver = driver(Long.MAX_VALUE)) {
            driver.checkpoint(store -> learnWidely(store, "m", 0, 1));
            driver.checkpoint(store -> {
                LiveModel stored = store.find(utf8("m"));
                // and not removeEpoch: as if compaction or a crash had brought the blocks back
                stored.model().reset(Map.of());
                store.changed(stored, StoreDriver.record("m", 8));
            });
            driver.checkpoint(store -> {
                store.clear();
                learn(store, "m", 2, 1, 1);
            });
            driver.checkpoint(store -> {
                store.clear();
                assertThat(ModelText.of(store.find(utf8("m")).model()))
                        .contains("\n2 ")
                        .doesNotContain("\n1 ");
            });
        }
    }

    @SeededTest
    void shouldGiveModelsBackBitForBitAfterTheyWereDroppedForWantOfHeap(long seed) {
        Random random = new Random(seed);
        Map<String, Model> bare = new HashMap<>();
        try (StoreDriver driver = driver(1)) {
            for (int commit = 0; commit < 20; commit++) {
                driver.checkpoint(store -> {
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
                driver.checkpoint(store -> {
                    store.clear();
                    bare.forEach((name, model) -> assertThat(
                                    ModelText.of(store.find(utf8(name)).model()))
                            .isEqualTo(ModelText.of(model)));
                });
            }
        }
    }

    @Test
    void shouldKeepAllModelsInMemoryWhileThereIsHeap() {
        try (StoreDriver driver = driver(Long.MAX_VALUE)) {
            driver.checkpoint(store -> {
                for (int k = 0; k < 5000; k++) {
                    learn(store, "m" + k, k, 1, 1);
                }
                assertThat(store.liveModels()).isEqualTo(5000);
            });
            assertThat(driver.changelog()).hasSize(5000);
            driver.checkpoint(store -> {
                for (int k = 0; k < 5000; k++) {
                    assertThat(store.find(utf8("m" + k))
                                    .model()
                                    .counts()
                                    .totals()
                                    .examples())
                            .isEqualTo(1);
                }
            });
        }
    }
}
