package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.model.Model;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Models as earlier versions stored them: they must load for ever, with the same bits.
 *
 * <p>{@code -Dgolden.write=true} makes the files of a version that has none yet.
 */
class OldModelTest {
    private static final Path FOLDER = Path.of("src/test/resources/models");
    private static final Path V1 = FOLDER.resolve("v1");
    private static final Path V2 = FOLDER.resolve("v2");
    private static final Path V3 = FOLDER.resolve("v3");
    private static final Path V4 = FOLDER.resolve("v4");
    private static final Path V5 = FOLDER.resolve("v5");
    private static final HexFormat HEX = HexFormat.of();

    @TempDir
    Path dir;

    @Test
    void shouldLoadModelsOfVersion1() throws IOException {
        ModelStore store = load(V1);
        for (String name : List.of("learned", "scaled", "deleted")) {
            // later versions may have further settings
            List<String> expected = new ArrayList<>(Files.readAllLines(V1.resolve(name + ".txt")));
            if (name.equals("deleted")) {
                // version 1 had a learner before there was a label
                expected.removeIf(line -> line.startsWith("number") || line.startsWith("vector"));
            }
            assertThat(text(store.find(StoreDriver.utf8(name)).model()).lines()).containsSubsequence(expected);
        }
        Model deleted = load(V1).find(StoreDriver.utf8("deleted")).model();
        assertThat(deleted.algorithm()).isEqualTo(Algorithm.AUTO);
    }

    @Test
    void shouldLoadModelsOfVersion2() throws IOException {
        List<String> names = namesOf(V2);
        assertThat(SampleModels.names()).containsAll(names).hasSizeGreaterThan(names.size());
        requireSame(V2, names);
    }

    @Test
    void shouldLoadModelsOfVersion3() throws IOException {
        requireSame(V3, namesOf(V3));
    }

    @Test
    void shouldLoadModelsOfVersion4() throws IOException {
        requireSame(V4, namesOf(V4));
    }

    @Test
    void shouldLoadModelsOfVersion5() throws IOException {
        if (Boolean.getBoolean("golden.write") && Files.notExists(V5)) {
            write(V5);
        }
        requireSame(V5, SampleModels.names());
    }

    @Test
    void shouldCountConfusionsOfAModelOfVersion3FromItsTotalsOn() throws IOException {
        Model model = load(V3).find(StoreDriver.utf8("multiclass")).model();
        long before = model.totals().labelled();
        assertThat(model.confusion().isEmpty()).isTrue();

        Example example = new Example();
        example.vector().resetSparse().append(3, 1);
        example.setLabel(new Label.ClassName(model.learner().state().names().get(0)));
        boolean isError = model.process(example, 5).isError();

        assertThat(before).isPositive();
        assertThat(model.confusion().isEmpty()).isFalse();
        assertThat(model.confusion().count(0, isError ? 1 : 0)).isEqualTo(1);
    }

    @Test
    void shouldHaveModelsOfTheVersionThatIsWritten() {
        int version = new HeaderCodec().encode(new Model(), 0, 0)[0];
        assertThat(FOLDER.resolve("v" + version)).isDirectory();
    }

    @Test
    void shouldStillWriteTheRecordsOfVersion5() throws IOException {
        try (StoreDriver driver = new StoreDriver(dir, Long.MAX_VALUE)) {
            assertThat(records(driver)).containsExactlyElementsOf(Files.readAllLines(V5.resolve("records.hex")));
        }
    }

    private static List<String> namesOf(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".txt"))
                    .map(file -> file.substring(0, file.length() - ".txt".length()))
                    .toList();
        }
    }

    private static void requireSame(Path folder, List<String> names) throws IOException {
        ModelStore store = load(folder);
        for (String name : names) {
            assertThat(seen(store, name).lines())
                    .as(name)
                    .containsSubsequence(Files.readAllLines(folder.resolve(name + ".txt")));
        }
    }

    private static ModelStore load(Path folder) throws IOException {
        KeyValueStore<Bytes, byte[]> inner =
                Stores.inMemoryKeyValueStore("models").get();
        for (String line : Files.readAllLines(folder.resolve("records.hex"))) {
            String[] record = line.split(" ", -1);
            inner.put(Bytes.wrap(HEX.parseHex(record[0])), HEX.parseHex(record[1]));
        }
        return new ModelStore(inner, new StoreCounters(), Long.MAX_VALUE);
    }

    private static String seen(ModelStore store, String name) {
        Model model = store.find(StoreDriver.utf8(name)).model();
        return ModelText.of(model) + SampleModels.goOn(model, name) + ModelText.of(model);
    }

    /** A model of version 1: its state, and its prediction of an example, which depends on the statistics, too. */
    private static String text(Model model) {
        String text = ModelText.of(model);
        Example example = new Example();
        example.vector().resetSparse().append(3, 1.25);
        example.vector().append(70_000, -0.5);
        model.process(example, 5);
        model.configure(Map.of("predict", "averaged"));
        double score = model.process(example, 5).predictedScore();
        return text + "score " + Long.toHexString(Double.doubleToRawLongBits(score)) + "\n";
    }

    /** What is written now; a version that was ever released must not be written again. */
    private void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        try (StoreDriver driver = new StoreDriver(dir, Long.MAX_VALUE)) {
            Files.writeString(folder.resolve("records.hex"), String.join("\n", records(driver)) + "\n");
            driver.use(store -> {
                for (String name : SampleModels.names()) {
                    try {
                        Files.writeString(folder.resolve(name + ".txt"), seen(store, name));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            });
        }
    }

    /** Creates all models, and returns the last record of every key. */
    private static List<String> records(StoreDriver driver) {
        driver.checkpoint(store -> SampleModels.names().forEach(name -> SampleModels.create(store, name)));
        List<String> lines = new ArrayList<>();
        for (TestRecord<byte[], byte[]> record : driver.changelog()) {
            String key = HEX.formatHex(record.key());
            lines.removeIf(line -> line.startsWith(key + " "));
            if (record.value() != null) {
                lines.add(key + " " + HEX.formatHex(record.value()));
            }
        }
        return lines;
    }
}
