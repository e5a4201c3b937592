package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Model;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models as the first version stored them: they must load for ever, with the same bits. */
class OldModelTest {
    private static final Path V1 = Path.of("src/test/resources/models/v1");
    private static final HexFormat HEX = HexFormat.of();

    @TempDir
    Path dir;

    @Test
    void shouldLoadModelsOfVersion1() throws IOException {
        if (Boolean.getBoolean("golden.write")) {
            write();
        }
        KeyValueStore<Bytes, byte[]> inner =
                Stores.inMemoryKeyValueStore("models").get();
        for (String line : Files.readAllLines(V1.resolve("records.hex"))) {
            String[] record = line.split(" ", -1);
            inner.put(Bytes.wrap(HEX.parseHex(record[0])), HEX.parseHex(record[1]));
        }
        ModelStore store = new ModelStore(inner, new StoreCounters(), Long.MAX_VALUE);
        for (String name : List.of("learned", "scaled", "deleted")) {
            // later versions may have further settings
            List<String> expected = new ArrayList<>(Files.readAllLines(V1.resolve(name + ".txt")));
            if (name.equals("deleted")) {
                // version 1 had a learner before there was a label
                expected.removeIf(line -> line.startsWith("number") || line.startsWith("vector"));
            }
            assertThat(text(store.find(StoreDriver.utf8(name)).model()).lines()).containsSubsequence(expected);
        }
    }

    /** The model's state, and its prediction of an example, which depends on the statistics, too. */
    private static String text(Model model) {
        String text = ModelText.of(model);
        Example example = new Example();
        example.vector().clearSparse().append(3, 1.25);
        example.vector().append(70_000, -0.5);
        model.process(example, 5);
        model.configure(Map.of("predict", "averaged"));
        double score = model.process(example, 5).predictedScore();
        return text + "score " + Long.toHexString(Double.doubleToRawLongBits(score)) + "\n";
    }

    private void write() throws IOException {
        Files.createDirectories(V1);
        List<String> lines = new ArrayList<>();
        try (StoreDriver<ModelStore> driver = new StoreDriver<>(dir, new ModelStoreBuilder("models", Long.MAX_VALUE))) {
            driver.commit(store -> {
                fill(store, "learned", Map.of("h", "0.3", "labels", "-1,1"));
                fill(store, "scaled", Map.of("scale", "standard", "eta", "0.1", "window.ms", "5"));
                fill(store, "deleted", Map.of("h", "1"));
                StoredModel deleted = store.find(StoreDriver.utf8("deleted"));
                deleted.model().delete();
                store.removeEpoch(deleted, 0, 9);
                for (String name : List.of("learned", "scaled", "deleted")) {
                    StoredModel stored = store.find(StoreDriver.utf8(name));
                    stored.model().countRerouted();
                    stored.model().publications().markSnapshot(3);
                }
            });
            for (TestRecord<byte[], byte[]> record : driver.changelog()) {
                String key = HEX.formatHex(record.key());
                lines.removeIf(line -> line.startsWith(key + " "));
                if (record.value() != null) {
                    lines.add(key + " " + HEX.formatHex(record.value()));
                }
            }
            Files.writeString(V1.resolve("records.hex"), String.join("\n", lines) + "\n");
            driver.commit(store -> {
                for (String name : List.of("learned", "scaled", "deleted")) {
                    try {
                        Files.writeString(
                                V1.resolve(name + ".txt"),
                                text(store.find(StoreDriver.utf8(name)).model()));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            });
        }
    }

    private static void fill(ModelStore store, String name, Map<String, String> settings) {
        StoredModel stored = store.create(StoreDriver.utf8(name));
        stored.model().configure(settings);
        store.markChanged(stored, 7);
        Random random = new Random(name.length());
        for (int k = 0; k < 60; k++) {
            Example example = new Example();
            example.vector().clearSparse();
            // a dense block, a sparse one, and one far away
            for (int index = 0; index < 128; index += 1 + random.nextInt(3)) {
                example.vector().append(index, random.nextGaussian());
            }
            example.vector().append(70_000 + random.nextInt(3), random.nextGaussian());
            example.vector().append(Integer.MAX_VALUE, 1);
            example.setLabel(random.nextBoolean() ? Label.PLUS_ONE : Label.MINUS_ONE);
            stored.model().process(example, k);
        }
    }
}
