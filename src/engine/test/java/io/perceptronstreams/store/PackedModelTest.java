package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.model.Model;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class PackedModelTest {
    private final HeaderCodec codec = new HeaderCodec();

    static List<String> names() {
        return SampleModels.names();
    }

    @Test
    void shouldPackModelsOfTwoClassesWithoutChallengers() {
        List<String> packed = new ArrayList<>();
        for (String name : names()) {
            if (sample(name).pack(codec)) {
                packed.add(name);
            }
        }
        assertThat(packed)
                .containsExactly(
                        "perceptron",
                        "standardizing",
                        "compared",
                        "passive-aggressive",
                        "arow",
                        "ddm",
                        "page-hinkley",
                        "adwin",
                        "frozen",
                        "reset",
                        "small",
                        "wide",
                        "pa-ii",
                        "scored",
                        "sure",
                        "stacked");
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldGoOnWithTheSameBits(String name) {
        StoredModel twin = sample(name);
        StoredModel stored = sample(name);
        if (!stored.pack(codec)) {
            return;
        }
        assertThat(stored.model()).isNull();
        assertThat(stored.pack(codec)).as("twice").isFalse();
        stored.unpack(codec);
        assertThat(header(stored)).isEqualTo(header(twin));
        assertThat(stored.model().pipeline().names().size())
                .isEqualTo(twin.model().pipeline().names().size());
        if (!name.equals("deleted")) {
            assertThat(SampleModels.goOn(stored.model(), name)).isEqualTo(SampleModels.goOn(twin.model(), name));
            assertThat(header(stored)).isEqualTo(header(twin));
        }
    }

    /** Such a model has no late labels, but the number of its deletions, behind which its records are. */
    @Test
    void shouldCountLateLabelsOfAModelThatWasDeletedWithSome() {
        StoredModel stored = sample("perceptron");
        StoredModel twin = sample("perceptron");
        for (StoredModel each : List.of(stored, twin)) {
            each.model().late().passTime(5);
            each.model().late().clear();
        }
        if (stored.pack(codec)) {
            stored.unpack(codec);
        }
        for (StoredModel each : List.of(stored, twin)) {
            each.model().late().passTime(7);
        }
        assertThat(stored.model().late().state()).isEqualTo(twin.model().late().state());
        assertThat(header(stored)).isEqualTo(header(twin));
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldHaveTheHeaderOfTheModel(String name) {
        StoredModel stored = sample(name);
        byte[] header = header(stored);
        boolean exists = stored.exists();
        HeaderCodec.Start start = stored.start();
        long heap = stored.measured();
        if (!stored.pack(codec)) {
            return;
        }
        assertThat(codec.encode(stored.packed())).isEqualTo(header);
        assertThat(stored.exists()).isEqualTo(exists);
        assertThat(stored.start()).isEqualTo(start);
        assertThat(stored.measured()).as("less heap").isLessThan(heap - 1_000).isPositive();
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldWriteTheSameRecords(String name) {
        KeyValueStore<Bytes, byte[]> inner = inner();
        KeyValueStore<Bytes, byte[]> ofTwin = inner();
        StoredModel stored = sample(name, inner);
        StoredModel twin = sample(name, ofTwin);
        for (int round = 0; round < 2; round++) {
            if (!stored.pack(codec)) {
                return;
            }
            write(inner, stored);
            write(ofTwin, twin);
            assertThat(records(inner)).isEqualTo(records(ofTwin)).isNotEmpty();
            stored.unpack(codec);
            if (!name.equals("deleted")) {
                var unused = SampleModels.goOn(stored.model(), name);
                unused = SampleModels.goOn(twin.model(), name);
            }
        }
    }

    /** Code that kept the old object would otherwise change weights that another object has now. */
    @Test
    void shouldLeaveNothingToAModelThatWasPackedAndIsInUseAgain() {
        StoredModel stored = sample("small");
        Model before = stored.model();
        assertThat(stored.pack(codec)).isTrue();
        stored.unpack(codec);
        assertThatThrownBy(() -> SampleModels.goOn(before, "small")).isInstanceOf(IllegalStateException.class);
    }

    private byte[] header(StoredModel stored) {
        return codec.encode(stored.model(), stored.position(), stored.lastSeen());
    }

    private static void write(KeyValueStore<Bytes, byte[]> inner, StoredModel stored) {
        BatchWriter writer = new BatchWriter(inner, new StoreCounters());
        new ModelRecords(inner, writer, new Removals(inner, writer)).write(stored);
        writer.flush();
    }

    private static List<String> records(KeyValueStore<Bytes, byte[]> inner) {
        List<String> records = new ArrayList<>();
        try (var all = inner.all()) {
            all.forEachRemaining(each -> records.add(each.key + " " + Bytes.wrap(each.value)));
        }
        return records;
    }

    private static KeyValueStore<Bytes, byte[]> inner() {
        return Stores.inMemoryKeyValueStore("models").get();
    }

    private static StoredModel sample(String name) {
        return sample(name, inner());
    }

    private static StoredModel sample(String name, KeyValueStore<Bytes, byte[]> inner) {
        ModelStore store = new ModelStore(inner, new StoreCounters(), Long.MAX_VALUE);
        SampleModels.create(store, name);
        return (StoredModel) store.find(utf8(name));
    }
}
