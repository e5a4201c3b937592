package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.learn;
import static io.perceptronstreams.store.StoreDriver.learnWidely;
import static io.perceptronstreams.store.StoreDriver.record;
import static io.perceptronstreams.store.VectorStore.M;
import static io.perceptronstreams.store.VectorStore.checkpoint;
import static io.perceptronstreams.store.VectorStore.entries;
import static io.perceptronstreams.store.VectorStore.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Vectors that lie in the header while they are small and in blocks later; what was not written is gone with the store.
 */
class StoredVectorsTest {
    private final VectorStore stored = new VectorStore();

    @Test
    void shouldMoveAModelIntoBlocksWhenItGrowsBetweenCheckpoints() {
        Model bare = new Model();
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learn(store, "m", 1000, 1, -1);
            checkpoint(store);
            assertThat(entries(stored.header("m").model(), 0)).isEqualTo(1);
            assertThat(stored.blocks(0)).isZero();
            learnWidely(store, "m", 0, 1);
            checkpoint(store);
        }
        learn(bare, 1000, 1, -1);
        learnWidely(bare, 0, 1);

        // five of 640 indices, and that of index 1000
        assertThat(stored.header("m").live().blocks(0)).isEqualTo(6);
        assertThat(entries(stored.header("m").model(), 0)).isZero();
        assertThat(stored.blocks(0)).isEqualTo(6);
        assertThat(text(stored.readBack("m"))).isEqualTo(text(bare));
    }

    @Test
    void shouldMoveAModelIntoBlocksWhenItGrowsBeforeItIsEvicted() {
        Model bare = new Model();
        try (ModelStore store = stored.open(1)) {
            learn(store, "m", 1000, 1, -1);
            learn(store, "n", 1, 1, 1);
            assertThat(entries(stored.header("m").model(), 0)).isEqualTo(1);
            learnWidely(store, "m", 0, 1);
            learn(store, "n", 1, 1, 1);
            assertThat(store.liveModels()).isEqualTo(1);
        }
        learn(bare, 1000, 1, -1);
        learnWidely(bare, 0, 1);

        assertThat(stored.header("m").live().blocks(0)).isEqualTo(6);
        assertThat(entries(stored.header("m").model(), 0)).isZero();
        assertThat(text(stored.readBack("m"))).isEqualTo(text(bare));
    }

    @SeededTest
    void shouldGiveModelsBackBitForBitWhereverTheyGrow(long seed) {
        Random random = new Random(seed);
        Map<String, Model> bare = new HashMap<>();
        for (int start = 0; start < 8; start++) {
            try (ModelStore store = stored.open(random.nextBoolean() ? 1 : 300_000)) {
                for (int k = 0; k < 40; k++) {
                    String name = "model-" + random.nextInt(5);
                    Model same = bare.computeIfAbsent(name, any -> new Model());
                    int index = random.nextInt(1 << random.nextInt(1, 25));
                    if (random.nextInt(20) == 0) {
                        int step = random.nextBoolean() ? 1 : 1 + random.nextInt(300);
                        learnWidely(store, name, index, step);
                        learnWidely(same, index, step);
                    } else {
                        double value = random.nextGaussian();
                        int label = random.nextBoolean() ? 1 : -1;
                        learn(store, name, index, value, label);
                        learn(same, index, value, label);
                    }
                    if (random.nextInt(15) == 0) {
                        checkpoint(store);
                    }
                }
                checkpoint(store);
            }
            bare.forEach((name, model) ->
                    assertThat(text(stored.readBack(name))).as("seed %d", seed).isEqualTo(text(model)));
        }
        assertThat(bare.values())
                .extracting(model -> entries(model, 0) == 0)
                .as("seed %d", seed)
                .contains(true);
    }

    /** One whose weights are entries, or that was put together from blocks as an import is: six of them, or one. */
    private static Model modelIn(String form) {
        Model model = new Model();
        if (form.equals("blocks")) {
            learnWidely(model, 250, 1);
        } else {
            learn(model, 3, 1, -1);
        }
        if (form.equals("entries")) {
            return model;
        }
        Model imported = new Model();
        imported.restore(
                EpochModel.restored(
                        0,
                        model.pipeline().given(),
                        model.pipeline().negative(),
                        model.pipeline().algorithm(),
                        model.pipeline().learner().state()),
                ModelState.LIVE);
        model.pipeline()
                .vector(0)
                .forEach((number, block) -> imported.pipeline().vector(0).restore(number, block.clone()));
        return imported;
    }

    @ParameterizedTest
    @CsvSource({
        "entries, entries",
        "entries, blocks",
        "entries, block",
        "blocks, entries",
        "blocks, blocks",
        "blocks, block"
    })
    void shouldWriteAllOfAnImportAtOnce(String before, String after) {
        String expected;
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            LiveModel live = store.create(M);
            store.changed(live, record("m", 7));
            live.model().replaceWith(modelIn(before));
            store.replaceEpoch(live, 0, record("m", 8));
            long epoch = live.model().current().epoch();
            assertThat(stored.records(epoch)).isEqualTo(before.equals("blocks") ? 6 : 0);
            live.model().replaceWith(modelIn(after));
            store.replaceEpoch(live, epoch, record("m", 9));
            expected = text(live.model());
            assertThat(stored.records(epoch)).isZero();
        }
        // and no checkpoint
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            LiveModel live = store.find(M);
            assertThat(live.position()).isEqualTo(9);
            assertThat(live.model().state()).isEqualTo(ModelState.LIVE);
            assertThat(text(live.model())).isEqualTo(expected);
            learn(store, "m", 4, 1, -1);
            learn(store, "m", 4, 1, 1);
            checkpoint(store);
            assertThat(text(stored.readBack("m"))).isEqualTo(text(live.model()));
        }
        // index 4 lies in another block than those from 250 on
        assertThat(stored.blocks(0))
                .isEqualTo(Map.of("entries", 0, "blocks", 7, "block", 1).get(after));
    }
}
