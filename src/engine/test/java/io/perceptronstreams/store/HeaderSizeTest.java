package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Bytes of headers: typical ones are small, and the largest fit into a record. */
class HeaderSizeTest {
    private static final long NOW = 1_790_000_123_456L;

    private final HeaderCodec codec = new HeaderCodec();

    /**
     * A model in the middle of its life, in a small vector: real-valued features, 12,345 examples, a status and a
     * window.
     */
    private static Model typical(int entries, boolean isWhole) {
        Model model = new Model();
        StoreDriver.learn(model, 3, 1, 1);
        Model small = HeaderCodecTest.restored(model);
        Random random = new Random(8);
        List<Double> numbers = new ArrayList<>(List.of(-17.0, -41_230.0, 12_345.0));
        for (int k = 0; k < 3; k++) {
            numbers.add(isWhole ? (double) random.nextInt(5000) : 100 * random.nextDouble());
        }
        numbers.add(1_807.0);
        small.restore(
                EpochModel.restored(
                        1,
                        Settings.DEFAULTS,
                        NegativeLabel.AUTO,
                        Algorithm.PERCEPTRON,
                        new LearnerState(numbers, List.of())),
                ModelState.LIVE);
        SampleModels.set(
                small.counts().totals(),
                "examples=12_345 labelled=12_300 errors=1_807 mistakes=1_807 updates=1_807",
                isWhole ? 20_913 : 2_345.678_901_2);
        small.counts().confusion().restore(List.of(), new long[] {5_105, 903, 904, 5_388}, 0);
        small.counts().window().restore(true, NOW / 10_000 * 10_000, NOW / 10_000 * 10_000 + 10_000);
        SampleModels.set(
                small.counts().window().counts(),
                "examples=180 labelled=178 errors=21 mistakes=21 updates=21",
                isWhole ? 25 : 31.415_926_5);
        small.publications().markExample(NOW - 900);
        small.publications().markStatus();
        BlockVector weights = (BlockVector) small.pipeline().vector(0);
        for (int index = 0, k = 0; k < entries; k++) {
            index += 1 + random.nextInt((1 << 18) / 40 * 2);
            double weight = isWhole ? random.nextInt(9) - 4 : random.nextGaussian();
            double sum = isWhole ? random.nextInt(100_000) - 50_000 : 1000 * random.nextGaussian();
            weights.restoreEntry(index, new double[] {weight, sum}, 0);
        }
        return small;
    }

    @Test
    void shouldTakeFewBytes() {
        long position = 123_456_789;
        assertThat(codec.encode(new Model(), -1, 0)).hasSizeLessThanOrEqualTo(59);
        assertThat(codec.encode(typical(0, false), position, NOW)).hasSizeLessThanOrEqualTo(169);
        assertThat(codec.encode(typical(0, true), position, NOW)).hasSizeLessThanOrEqualTo(144);
        assertThat(codec.encode(typical(40, false), position, NOW)).hasSizeLessThanOrEqualTo(169 + 40 * 19);
        assertThat(codec.encode(typical(40, true), position, NOW)).hasSizeLessThanOrEqualTo(154 + 40 * 8);
    }

    // Otherwise the changelog would not take it, and the engine could not go on.
    @Test
    void shouldFitIntoARecordWhateverTheModelIs() {
        // 16,384 UTF-16 units of three bytes each, and a kernel's text
        StringBuilder classes = new StringBuilder();
        for (int k = 0; classes.length() + 257 <= 16 * 1024; k++) {
            classes.append(k == 0 ? "" : ",").append((char) (0x4e00 + k)).append("\u4e00".repeat(255));
        }
        Map<String, String> settings = new HashMap<>(SettingsCodecTest.ALL_OTHER);
        settings.put("classes", classes.toString());
        settings.put("kernel", "poly(c=1e-300,k=64)+".repeat(60) + "rbf(g=1)");
        settings.put("labels", "\u4e00".repeat(256) + "," + "\u4e01".repeat(256));
        List<String> namespaces =
                IntStream.range(0, 64).mapToObj(k -> String.format("n%014d", k)).toList();
        settings.put("namespaces.ignore", "");
        settings.put("namespaces.keep", String.join(",", namespaces));
        settings.put(
                "crosses",
                namespaces.stream()
                        .limit(32)
                        .map(name -> name + "*" + namespaces.get(63))
                        .collect(Collectors.joining(",")));
        settings.put("class.weights", "\u4e00".repeat(508) + ":1.0");
        Settings largest = Settings.DEFAULTS.with(settings);
        LearnerState learner = new LearnerState(Collections.nCopies(7 + 14, Math.PI), List.of());
        Model model = new Model(
                EpochModel.restored(1L << 60, Settings.DEFAULTS, NegativeLabel.AUTO, Algorithm.PERCEPTRON, learner));
        SampleModels.set(
                model.counts().totals(),
                "examples=-1 labelled=1 errors=-1 mistakes=1 margin_mistakes=-1 updates=1",
                Math.PI);
        for (int k = 0; k < Settings.MAX_AUC_WINDOW; k++) {
            model.counts().classes().scores().add(Math.PI, k % 2 == 0, Settings.MAX_AUC_WINDOW);
        }
        for (int k = 0; k < Versions.MAX; k++) {
            Versions.Version longest = new Versions.Version(
                    "v".repeat(61) + (100 + k), 1L << 60, 1L << 60, Long.MAX_VALUE, Integer.MAX_VALUE);
            model.publications().setVersions(model.publications().versions().with(longest));
        }
        assertThat(settingsBytes(largest)).isBetween(50_000, SettingsCodec.MAX_BYTES);
        int entries = 0;
        for (int vector = Pipeline.STATISTICS; vector < model.pipeline().vectors(); vector++) {
            BlockVector small = new BlockVector(3);
            for (int k = 0; k < 4096; k++) {
                small.restoreEntry(k * (Integer.MAX_VALUE / 4095), new double[] {Math.PI, -Math.E, Math.PI}, 0);
            }
            StoredFields out = new StoredFields();
            EntriesCodec.exchange(out, small.entries(), small);
            entries += out.toBytes().length;
        }
        int header = codec.encode(model, Long.MIN_VALUE, Long.MIN_VALUE).length;

        assertThat(header + SettingsCodec.MAX_BYTES + entries)
                .isGreaterThan(400_000)
                .isLessThan(HeaderCodec.MAX_BYTES)
                .isLessThan(600 * 1024 - 16 * 1024);
    }

    /** In a multiclass model, whose vectors are in blocks besides the statistics. */
    @Test
    void shouldTakeFewBytesForTheLargestConfusionMatrix() {
        List<String> names = new ArrayList<>();
        for (int k = 0; k < 32; k++) {
            names.add((char) (0x4e00 + k) + "\u4e00".repeat(63));
        }
        long[] counts = new long[33 * 33];
        Arrays.fill(counts, Long.MAX_VALUE / counts.length);
        Model model = new Model();
        int without = codec.encode(model, 0, 0).length;
        model.counts().confusion().restore(names, counts, Long.MAX_VALUE);
        // number and 32 names of 194 bytes, 10 bytes for the rest, the number of the counts, 33*33 counts of 8 bytes:
        // 54
        // bits, no example without an emitted label; two zeros and the sums of 33 places of 9, 9 and 8 bytes: up to 59
        // bits, 64 in the place of the other errors
        assertThat(codec.encode(model, 0, 0).length - without)
                .isEqualTo(1 + 32 * 194 + 10 - 1 + 2 + 33 * 33 * 8 + 1 + 2 + 33 * (9 + 9 + 8) + 2)
                .isLessThan(17 * 1024);
    }

    private static int settingsBytes(Settings settings) {
        StoredFields out = new StoredFields();
        var unused = new SettingsCodec().exchange(out, settings);
        return out.toBytes().length;
    }
}
