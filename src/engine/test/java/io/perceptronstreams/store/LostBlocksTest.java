package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.learn;
import static io.perceptronstreams.store.StoreDriver.learnWidely;
import static io.perceptronstreams.store.StoreDriver.record;
import static io.perceptronstreams.store.VectorStore.COMPARATOR;
import static io.perceptronstreams.store.VectorStore.M;
import static io.perceptronstreams.store.VectorStore.checkpoint;
import static io.perceptronstreams.store.VectorStore.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.topology.LogLines;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that the store has lost or kept too long: the model is quarantined, or they are removed. */
class LostBlocksTest {
    private final VectorStore stored = new VectorStore();

    private static LiveModel reset(ModelStore store) {
        LiveModel live = store.find(M);
        long ended = live.model().current().epoch();
        live.model().reset(Map.of());
        store.changed(live, record("m", 8));
        store.removeEpoch(live, ended, record("m", 8));
        return live;
    }

    @Test
    void shouldQuarantineAModelThatHasLostABlockUntilItIsReset() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnWidely(store, "m", 0, 1);
            checkpoint(store);
        }
        stored.inner().delete(ModelKeys.block(M, 0, 0, 2));
        try (LogLines log = new LogLines(ModelRecords.class);
                ModelStore store = stored.open(Long.MAX_VALUE)) {
            LiveModel live = store.find(M);
            assertThat(live.model().state()).isEqualTo(ModelState.QUARANTINED);
            assertThat(log.lines())
                    .containsExactly(
                            "ERROR io.perceptronstreams.store.ModelRecords: model m is quarantined, because the store has lost a part:"
                                    + " vector 0 of epoch 0 must have 5 blocks, got 4 (promote a challenger, roll back, import"
                                    + " weights, or reset it, which ends automatic challengers)");
            live.model().publications().countRerouted();
            store.changed(live, record("m", 8));
            checkpoint(store);
        }
        // although what is there is now what the header says
        assertThat(stored.readBack("m").state()).isEqualTo(ModelState.QUARANTINED);
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            LiveModel live = reset(store);
            assertThat(live.model().state()).isEqualTo(ModelState.LIVE);
            assertThat(stored.records(0)).isZero();
            learnWidely(store, "m", 128, 1);
            checkpoint(store);
            assertThat(text(stored.readBack("m"))).isEqualTo(text(live.model()));
        }
        assertThat(stored.readBack("m").state()).isEqualTo(ModelState.LIVE);
    }

    /**
     * A lost challenger quarantined its model, and survived the reset of the model without its weights; one with an
     * invalid header stopped the engine.
     */
    @ParameterizedTest
    @ValueSource(strings = {"header", "empty header", "other header", "half a header", "block", "other block"})
    void shouldEndAChallengerThatTheStoreHasLost(String lost) {
        String before;
        long epoch;
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnWidely(store, "m", 0, 1);
            Model model = store.find(M).model();
            model.challenge(Map.of("challenger", "kept"));
            store.beginEpoch(
                    store.find(M),
                    model.challenge(Map.of("challenger", "c", "from", "live")).model(),
                    record("m", 8));
            epoch = model.challengers().find("c").model().epoch();
            learnWidely(store, "m", 0, 1);
            checkpoint(store);
            before = text(model);
        }
        switch (lost) {
            case "header" -> stored.inner().delete(ModelKeys.challenger(M, epoch));
            case "empty header" -> stored.inner().put(ModelKeys.challenger(M, epoch), new byte[0]);
            case "other header" ->
                stored.inner().put(ModelKeys.challenger(M, epoch), new byte[] {HeaderCodec.FORM, 99});
            case "half a header" -> {
                byte[] header = stored.inner().get(ModelKeys.challenger(M, epoch));
                stored.inner().put(ModelKeys.challenger(M, epoch), Arrays.copyOf(header, header.length / 2));
            }
            case "block" -> stored.inner().delete(ModelKeys.block(M, epoch, 0, 2));
            default -> stored.inner().put(ModelKeys.block(M, epoch, 0, 2), new byte[] {1});
        }
        try (LogLines log = new LogLines(ModelRecords.class);
                ModelStore store = stored.open(Long.MAX_VALUE)) {
            Model model = store.find(M).model();
            assertThat(log.lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .startsWith("ERROR io.perceptronstreams.store.ModelRecords: challenger 'c' of model m has"
                                    + " ended, because the store has lost a part: ")
                            .endsWith(" (the model goes on without it)"));
            assertThat(model.state()).isEqualTo(ModelState.LIVE);
            assertThat(model.challengers().all().stream().map(Challenger::name)).containsExactly("kept");
            assertThat(stored.records(epoch)).isZero();
            // all but what is said of the challenger
            assertThat(before)
                    .contains(
                            text(model).lines().filter(line -> !line.isEmpty()).toList());
            learnWidely(store, "m", 128, 1);
            checkpoint(store);
        }
        try (LogLines log = new LogLines(ModelRecords.class)) {
            assertThat(stored.readBack("m").challengers().all()).hasSize(1);
            assertThat(log.lines()).isEmpty();
        }
    }

    // A length of 2^31 - 1 was believed: 16 GB for 5 bytes.
    @ParameterizedTest
    @ValueSource(
            strings = {"", "00", "0000", "01", "017fffffff", "0180000000", "0100010001", "0100000180000000", "02", "ff"
            })
    void shouldQuarantineAModelWithABlockThatIsNone(String block) {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnWidely(store, "m", 0, 1);
            learnWidely(store, "n", 0, 1);
            checkpoint(store);
        }
        stored.inner().put(ModelKeys.block(M, 0, 0, 2), HexFormat.of().parseHex(block));
        try (LogLines log = new LogLines(ModelRecords.class)) {
            assertThat(stored.readBack("m").state()).isEqualTo(ModelState.QUARANTINED);
            assertThat(log.lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .startsWith(
                                    "ERROR io.perceptronstreams.store.ModelRecords: model m is quarantined, because the store has lost a part:"
                                            + " block 2 of vector 0 of epoch 0 must be one that was written, got "));
        }
        assertThat(stored.readBack("n").state()).isEqualTo(ModelState.LIVE);
    }

    @Test
    void shouldBelieveNoBlockWhereTheHeaderHasNone() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learn(store, "m", 3, 1, -1);
            checkpoint(store);
        }
        String expected = text(stored.readBack("m"));
        List<Bytes> left = new ArrayList<>();
        for (int vector = Pipeline.STATISTICS; vector <= COMPARATOR; vector++) {
            left.add(ModelKeys.block(M, 0, vector, 7));
            stored.inner().put(left.get(left.size() - 1), new byte[] {1});
        }

        assertThat(text(stored.readBack("m"))).isEqualTo(expected);

        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnWidely(store, "m", 0, 1);
            checkpoint(store);
            assertThat(text(stored.readBack("m"))).isEqualTo(text(store.find(M).model()));
        }
        assertThat(left).allSatisfy(key -> assertThat(stored.inner().get(key)).isNull());
    }
}
