package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.event.FeatureName;
import io.perceptronstreams.event.WeightVector;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.format.ColumnNamespaces;
import io.perceptronstreams.format.CsvOptions;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.format.Texts;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FeatureNamesTest {
    @TempDir
    Path dir;

    private ExampleSource source(String name, String text, ExampleFormat format) throws IOException {
        Path file = Files.writeString(dir.resolve(name), text);
        return new ExampleSource(file.toString(), format, LabelType.AUTO, null, null, null);
    }

    private static int index(String name, int bits) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        return new FeatureHasher(bits).index(utf8, 0, utf8.length);
    }

    @Test
    void shouldNameTheFeaturesOfATable() throws IOException {
        ExampleSource csv = source("a.csv", "label,worst radius,city\n1,2,Rome\n-1,3,Oslo\n", ExampleFormat.CSV);

        FeatureNames names = FeatureNames.of(csv, new FeatureHasher(18));

        assertThat(names.of(index("worst radius", 18))).isEqualTo("worst radius");
        assertThat(names.of(index("city=Oslo", 18))).isEqualTo("city=Oslo");
        assertThat(names.of(index("label", 18))).isEmpty();
    }

    @Test
    void shouldNameTheCrossesOfAFile() throws IOException {
        FeatureHasher hasher = Settings.DEFAULTS
                .with(Map.of("crosses", "user*item,user*item*hour", "namespaces.ignore", "raw"))
                .hasher();
        Path file =
                Files.writeString(dir.resolve("c.csv"), "label,name,title,raw,at\n1,ann,tea,7,0.5\n-1,bob,rum,8,2\n");
        CsvOptions options = new CsvOptions(
                null,
                null,
                null,
                null,
                List.of(),
                null,
                null,
                null,
                null,
                null,
                ColumnNamespaces.parse(List.of("user=name", "item=title", "raw=raw", "hour=at")),
                Map.of(),
                List.of(),
                CsvOptions.DEFAULT_SAMPLE_ROWS);
        ExampleSource csv = Texts.source(file.toString(), ExampleFormat.CSV, null, options, null);

        FeatureNames names = FeatureNames.of(csv, hasher);

        // the indices of the first row as the engine makes them
        Example example = new Example();
        new InputDecoder(SchemaRegistries.of(Map.of("schema.registry.url", "mock://names")))
                .decode(
                        "{\"features\":{\"user^name\":\"ann\",\"item^title\":\"tea\",\"raw^raw\":7,\"hour^at\":0.5}}"
                                .getBytes(StandardCharsets.UTF_8),
                        hasher,
                        example);
        List<String> found = new ArrayList<>();
        for (int k = 0; k < example.vector().size(); k++) {
            found.add(names.of(example.vector().index(k)));
        }
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "user^name=ann",
                        "item^title=tea",
                        "hour^at",
                        "item^title=tea*user^name=ann",
                        "hour^at*item^title=tea*user^name=ann");
    }

    @Test
    void shouldShowAllNamesOfAnIndex() throws IOException {
        ExampleSource jsonl = source(
                "a.jsonl", "{\"id\":\"1\",\"features\":{\"c\":1,\"b\":1,\"a\":1,\"d\":1}}\n", ExampleFormat.JSONL);

        FeatureNames names = FeatureNames.of(jsonl, new FeatureHasher(1));

        assertThat(names.of(0) + " | " + names.of(1))
                .contains("a", "b", "c", "d")
                .hasSize(3 * 3 + 4);
    }

    /** A snapshot with weight 2 of "a b:c", which shares its index with "d", and weight 1 of index 7. */
    private static List<WeightsSnapshot> chunks() {
        return List.of(WeightsSnapshot.newBuilder(Events.filled(WeightsSnapshot.class))
                .setEpoch(0)
                .setUpdates(1)
                .setPartition(0)
                .setOffset(5)
                .setChunk(0)
                .setChunks(1)
                .setExamples(1)
                .setLabelled(1)
                .setMistakes(1)
                .setAlgorithm("perceptron")
                .setSettings(Map.of("hash.bits", "18"))
                .setVectors(
                        List.of(new WeightVector("", 0.0, 0.0, List.of(7, 9), List.of(1.0, 2.0), List.of(1.0, 2.0))))
                .setFeatureNames(List.of(new FeatureName(9, "a b:c"), new FeatureName(9, "d")))
                .build());
    }

    @Test
    void shouldShowAndExportTheNamesThatAModelKeeps() throws IOException {
        StringWriter text = new StringWriter();
        SnapshotReader.assemble(chunks()).writeText("m", 5, new PrintWriter(text));
        assertThat(text.toString().lines()).contains("           9        2.00000        2.00000  a b:c | d");

        StringWriter vw = new StringWriter();
        new WeightsExport("m", chunks(), 5).write(WeightsExport.Format.VW, new PrintWriter(vw));
        assertThat(vw.toString().lines()).contains(":7:1.0", "a_b:c|d:9:2.0");

        StringWriter json = new StringWriter();
        new WeightsExport("m", chunks(), 1).write(WeightsExport.Format.JSON, new PrintWriter(json));
        assertThat(json.toString())
                .contains("\"featureNames\":[{\"index\":9,\"name\":\"a b:c\"},{\"index\":9,\"name\":\"d\"}]");
    }

    @Test
    void shouldShowTheNamesOfAFileBesideThoseThatAModelKeeps() throws IOException {
        ExampleSource jsonl = source("a.jsonl", "{\"id\":\"1\",\"features\":{\"age\":1}}\n", ExampleFormat.JSONL);

        FeatureNames names = SnapshotReader.assemble(chunks()).withNames(jsonl).names();

        assertThat(names.of(9)).isEqualTo("a b:c | d");
        assertThat(names.of(index("age", 18))).isEqualTo("age");
    }

    @Test
    void shouldNameCrossesByTheSettingsOfTheModel() throws IOException {
        List<WeightsSnapshot> chunks = chunks();
        chunks.get(0).setSettings(Map.of("hash.bits", "12", "crosses", "a*b", "unknown", "x"));
        ExampleSource jsonl =
                source("a.jsonl", "{\"id\":\"1\",\"features\":{\"a^x\":1,\"b^y\":1}}\n", ExampleFormat.JSONL);

        FeatureNames names = SnapshotReader.assemble(chunks).withNames(jsonl).names();

        FeatureHasher hasher = Settings.DEFAULTS
                .with(Map.of("hash.bits", "12", "crosses", "a*b"))
                .hasher();
        byte[] cross = "a^x*b^y".getBytes(StandardCharsets.UTF_8);
        assertThat(names.of(hasher.shownIndex(cross, 0, cross.length))).isEqualTo("a^x*b^y");
    }

    @Test
    void shouldRefuseAFileWithoutNames() throws IOException {
        ExampleSource libsvm = source("a.libsvm", "1 3:1\n", ExampleFormat.LIBSVM);

        assertThatThrownBy(() -> FeatureNames.of(libsvm, new FeatureHasher(18)))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageStartingWith("file of --names must have examples with named features, got none in ");
    }

    @Test
    void shouldShowNamesBesideWeights() throws IOException {
        int index = index("worst\tradius", 10);
        ModelWeights.Vector vector = new ModelWeights.Vector(
                0.5,
                0,
                new TreeMap<>(Map.of(index, new ModelWeights.Weight(5.5, 2), 2000, new ModelWeights.Weight(1, 0))));
        ModelWeights weights =
                new ModelWeights(0, 1, 2, 2, 1, new FeatureHasher(10), Map.of("", vector), new FeatureNames());
        ExampleSource jsonl =
                source("a.jsonl", "{\"id\":\"1\",\"features\":{\"worst\\tradius\":1}}\n", ExampleFormat.JSONL);

        StringWriter text = new StringWriter();
        StringWriter json = new StringWriter();
        weights.withNames(jsonl).writeText("m", 5, new PrintWriter(text));
        weights.withNames(jsonl).writeJson("m", new PrintWriter(json));

        assertThat(text.toString().lines())
                .contains(
                        "       index         weight       averaged  name",
                        "%12d        5.50000        2.00000  worst?radius".formatted(index),
                        "        2000        1.00000        0.00000");
        assertThat(json.toString()).contains("\"names\":{\"" + index + "\":\"worst\\tradius\",\"2000\":\"\"}");
    }
}
