package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.AdviceState;
import io.perceptronstreams.model.ConfusionMatrix;
import io.perceptronstreams.model.Counts.Counter;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class HeaderCodecTest {
    private static final HeaderCodec.NamesSource NO_NAMES = (epoch, part) -> null;
    private static final long NOW = 1_790_000_123_456L;

    private final HeaderCodec codec = new HeaderCodec();

    @TempDir
    Path dir;

    static LongStream seeds() {
        return Seeds.all();
    }

    /** As it is after it was stored, but for its blocks. */
    private static Model restored(Model model) {
        HeaderCodec codec = new HeaderCodec();
        Map<Long, List<String>> names = new HashMap<>();
        names.put(model.epoch(), model.learner().state().names());
        if (model.shadow() != null) {
            names.put(model.shadow().epoch(), model.shadow().learner().state().names());
        }
        return codec.decode(codec.encode(model, 17, 1_234), (epoch, part) -> NamesCodec.encode(names.get(epoch), part))
                .model();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldKeepEverythingButTheBlocks(long seed) {
        Random random = new Random(seed);
        Model model = new Model();
        for (int k = 0; k < 50; k++) {
            model.configure(Map.of("h", "" + random.nextDouble() * 3, "predict", "averaged", "labels", "-1,1"));
            // without features there are no blocks
            StoreDriver.learn(model, 0, 0, random.nextBoolean() ? 1 : -1);
            switch (random.nextInt(10)) {
                case 0 -> model.countRerouted();
                case 1 -> model.publications().markSnapshot(random.nextInt());
                case 2 -> model.freeze(random.nextBoolean());
                case 3 -> model.reset();
                case 4 -> model.publications().markStatus(random.nextLong());
                case 5 -> model.configure(Map.of("comparator", "" + (model.version() + random.nextInt(3))));
                default -> {}
            }
            assertThat(ModelText.of(restored(model))).isEqualTo(ModelText.of(model));
        }
        model.delete();
        assertThat(ModelText.of(restored(model))).isEqualTo(ModelText.of(model));
    }

    @Test
    void shouldKeepEveryCounter() {
        Model model = new Model();
        long next = 1_000;
        for (Counter counter : Counter.values()) {
            model.totals().set(counter, next++);
            model.window().counts().set(counter, next++);
        }

        Model decoded = restored(model);

        long expected = 1_000;
        for (Counter counter : Counter.values()) {
            assertThat(decoded.totals().of(counter)).as("%s", counter).isEqualTo(expected++);
            assertThat(decoded.window().counts().of(counter))
                    .as("%s of the window", counter)
                    .isEqualTo(expected++);
        }
    }

    @Test
    void shouldKeepTheClassesInTheirOrder() {
        Model model = new Model();
        // the bias lies in blocks
        model.configure(
                Map.of("algorithm", "multiclass", "bias", "false", "classes.max", "3", "predict.scores", "true"));
        for (String name : List.of("zebra", "ß,−", "7")) {
            Example example = new Example();
            example.vector().resetSparse();
            example.setLabel(new Label.ClassName(name));
            model.process(example, 0);
        }

        Model decoded = restored(model);

        assertThat(ModelText.of(decoded)).isEqualTo(ModelText.of(model));
        assertThat(decoded.learner().state().names()).containsExactly("zebra", "ß,−", "7");
        model.configure(Map.of("classes.max", "3", "h", "1"));
        decoded.configure(Map.of("classes.max", "3", "h", "1"));
        assertThat(ModelText.of(decoded)).isEqualTo(ModelText.of(model));
    }

    @ParameterizedTest
    @EnumSource(value = DriftSettings.Detector.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void shouldKeepTheWatchForDriftAndTheShadow(DriftSettings.Detector detector) {
        Random random = new Random(2);
        Model model = new Model();
        Map<String, String> settings = new HashMap<>(
                Map.of("drift", detector.name().toLowerCase(Locale.ROOT).replace('_', '-'), "drift.action", "shadow"));
        settings.put(
                detector.hasThreshold() ? "drift.threshold" : "drift.delta", detector.hasThreshold() ? "2" : "0.5");
        model.configure(settings);
        boolean isShadowSeen = false;
        for (int k = 0; k < 400; k++) {
            // without features there is nothing to learn but the bias: errors are rare at first, and then half of all
            StoreDriver.learn(model, 0, 0, k < 200 || random.nextBoolean() ? 1 : -1);
            var unused = model.adapt();
            Model decoded = restored(model);
            assertThat(ModelText.of(decoded)).isEqualTo(ModelText.of(model));
            assertThat(decoded.driftState().detector()).isNotEmpty();
            isShadowSeen |=
                    decoded.shadow() != null && !decoded.driftState().trial().isEmpty();
        }
        assertThat(isShadowSeen).isTrue();
    }

    @Test
    void shouldKeepPositionAndTime() {
        for (long position : new long[] {-1, 0, 1, 1L << 40, Long.MAX_VALUE}) {
            StoredHeader header = codec.decode(codec.encode(new Model(), position, position / 3), NO_NAMES);
            assertThat(header.position()).isEqualTo(position);
            assertThat(header.lastSeen()).isEqualTo(position / 3);
        }
    }

    @Test
    void shouldHoldTheNumberOfBlocksOfEveryVector() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "pa", "scale", "standard"));
        // a second time with other values: without a variance all are scaled to 0
        StoreDriver.learnWidely(model, 0, 1);
        StoreDriver.learnWidely(model, 1, 1);
        StoreDriver.learn(model, 1 << 20, 1, 1);

        StoredHeader header = codec.decode(codec.encode(model, 0, 0), NO_NAMES);

        assertThat(header.blocks(Model.STATISTICS)).isEqualTo(7);
        assertThat(header.blocks(0)).isEqualTo(model.vector(0).count()).isGreaterThanOrEqualTo(5);
        assertThat(header.blocks(1)).isZero();
        assertThat(header.missing()).isEqualTo("vector -1 of epoch 0 must have 7 blocks, got 0");
        copyBlocks(model, header.model(), -1, 0);
        assertThat(header.missing()).isNull();
    }

    @Test
    void shouldMissABlockThatWasLost() {
        Model model = new Model();
        StoreDriver.learnWidely(model, 0, 1);
        assertThat(model.vector(0).count()).isEqualTo(5);
        StoredHeader header = codec.decode(codec.encode(model, 0, 0), NO_NAMES);

        copyBlocks(model, header.model(), 0);

        assertThat(header.missing()).isNull();
        header = codec.decode(codec.encode(model, 0, 0), NO_NAMES);
        Blocks lossy = header.model().vector(0);
        model.vector(0).forEach((number, block) -> {
            if (number != 0) {
                lossy.restore(number, block.clone());
            }
        });
        assertThat(header.missing()).isEqualTo("vector 0 of epoch 0 must have 5 blocks, got 4");
    }

    @Test
    void shouldMissABlockOfTheShadow() {
        Model model = withShadow();
        StoreDriver.learnWidely(model, 0, 1);
        StoredHeader header = codec.decode(codec.encode(model, 0, 0), NO_NAMES);
        assertThat(header.shadowBlocks(0)).isEqualTo(5);
        copyBlocks(model, header.model(), 0);

        assertThat(header.missing()).isEqualTo("vector 0 of epoch 1 must have 5 blocks, got 0");

        copyBlocks(model.shadow(), header.model().shadow(), 0);
        assertThat(header.missing()).isNull();
    }

    @Test
    void shouldHaveAsManyBlocksAsAreShown() {
        try (StoreDriver driver = new StoreDriver(dir, Long.MAX_VALUE)) {
            driver.use(store -> {
                for (String name : SampleModels.names()) {
                    SampleModels.create(store, name);
                    Model model = store.find(StoreDriver.utf8(name)).model();
                    for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
                        int[] shown = new int[1];
                        model.vector(vector).forEach((number, block) -> shown[0]++);
                        assertThat(model.vector(vector).count()).as(name).isEqualTo(shown[0]);
                    }
                }
            });
        }
    }

    private static void copyBlocks(Model from, Model to, int... vectors) {
        for (int vector : vectors) {
            from.vector(vector).forEach((number, block) -> to.vector(vector).restore(number, block.clone()));
        }
    }

    private static Model withShadow() {
        Model model = new Model();
        model.configure(Map.of("drift", "ddm", "drift.threshold", "2", "drift.action", "shadow"));
        for (int k = 0; k < 200; k++) {
            StoreDriver.learn(model, 5, 1, 1);
        }
        while (model.shadow() == null) {
            StoreDriver.learn(model, 5, 1, -1);
        }
        StoreDriver.learn(model, 5, 1, -1);
        return model;
    }

    @Test
    void shouldHoldSmallVectorsOfModelAndShadow() {
        Model model = withShadow();
        Model decoded = restored(model);
        fill(decoded, 0, 0, 1, 130, Integer.MAX_VALUE);
        fill(decoded, Model.STATISTICS, 7);
        fill(decoded.shadow(), 0, 40, 41);

        StoredHeader header = codec.decode(codec.encode(decoded, 0, 0), NO_NAMES);

        assertThat(header.missing()).isNull();
        // with index 5, from which the model had learned
        assertThat(entries(header.model(), 0)).isEqualTo(entries(decoded, 0)).hasSize(5);
        assertThat(entries(header.model(), Model.STATISTICS))
                .isEqualTo(entries(decoded, Model.STATISTICS))
                .hasSize(1);
        assertThat(entries(header.model().shadow(), 0))
                .isEqualTo(entries(decoded.shadow(), 0))
                .hasSize(3);
        assertThat(ModelText.of(header.model())).isEqualTo(ModelText.of(decoded));
    }

    private static void fill(Model model, int vector, int... indices) {
        BlockVector entries = (BlockVector) model.vector(vector);
        for (int index : indices) {
            entries.restoreEntry(index, new double[] {index * 0.1, -0.0, 1}, 0);
        }
    }

    private static List<String> entries(Model model, int vector) {
        List<String> entries = new ArrayList<>();
        BlockVector small = (BlockVector) model.vector(vector);
        small.forEachEntry((index, numbers, from) -> entries.add(index + " "
                + DoubleStream.of(Arrays.copyOfRange(numbers, from, from + small.lanes()))
                        .mapToObj(number -> Long.toHexString(Double.doubleToRawLongBits(number)))
                        .toList()));
        return entries;
    }

    @Test
    void shouldQuarantineAModelWithoutItsNames() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "multiclass"));
        for (String name : List.of("red", "green", "blue")) {
            Example example = new Example();
            example.vector().resetSparse().append(1, 1);
            example.setLabel(new Label.ClassName(name));
            model.process(example, 0);
        }
        byte[] bytes = codec.encode(model, 0, 0);

        StoredHeader header = codec.decode(bytes, NO_NAMES);

        assertThat(header.missing()).isEqualTo("the learner of epoch 0 must have 3 names, got the first 0");
        assertThat(header.model().state()).isEqualTo(ModelState.QUARANTINED);
        assertThat(header.model().learner().state().names()).isEmpty();
        List<String> others = List.of("red", "green");
        header = codec.decode(bytes, (epoch, part) -> NamesCodec.encode(others, part));
        assertThat(header.missing()).contains("got the first 0");
    }

    // It was refused, and the engine stopped: "the classes of a model must be those of its setting classes, got 0".
    @Test
    void shouldQuarantineAModelWithoutTheNamesThatWereSet() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "multiclass", "classes", "red,green,blue"));

        StoredHeader header = codec.decode(codec.encode(model, 0, 0), NO_NAMES);

        assertThat(header.missing()).isEqualTo("the learner of epoch 0 must have 3 names, got the first 0");
        assertThat(header.model().state()).isEqualTo(ModelState.QUARANTINED);
        assertThat(header.model().learner().state().names()).containsExactly("red", "green", "blue");
    }

    @Test
    void shouldNotWriteNamesAgainThatWereRead() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "multiclass", "classes", "red,green,blue"));
        List<String> names = model.learner().state().names();

        StoredHeader header = codec.decode(codec.encode(model, 0, 0), (epoch, part) -> NamesCodec.encode(names, part));

        assertThat(header.missing()).isNull();
        assertThat(header.model().state()).isEqualTo(ModelState.LIVE);
        header.names().drainChanged(header.model(), (epoch, part, bytes) -> fail("part " + part));
    }

    // Whoever changes one of these makes stored models unreadable.
    @Test
    void shouldNeverChangeTheNumbersOfStatesAndAlgorithms() {
        assertThat(Arrays.stream(ModelState.values()).map(state -> state + " " + HeaderCodec.number(state)))
                .containsExactlyInAnyOrder("LIVE 0", "FROZEN 1", "QUARANTINED 2", "DELETED 3");
        assertThat(Arrays.stream(Algorithm.values()).map(each -> each.name() + " " + HeaderCodec.number(each)))
                .containsExactlyInAnyOrder(
                        "AUTO 0",
                        "PERCEPTRON 1",
                        "MULTICLASS 2",
                        "PA 3",
                        "PA_I 4",
                        "PA_II 5",
                        "AROW 6",
                        "KERNEL 7",
                        "STRUCTURED 8",
                        "SEQUENCE 9",
                        "ALMA 10");
    }

    /** A model in the middle of its life, in a small vector: real-valued features, 12,345 examples, a status and a window. */
    private static Model typical(int entries, boolean isWhole) {
        Model model = new Model();
        StoreDriver.learn(model, 3, 1, 1);
        Model small = restored(model);
        Random random = new Random(8);
        List<Double> numbers = new ArrayList<>(List.of(-17.0, -41_230.0, 12_345.0));
        for (int k = 0; k < 3; k++) {
            numbers.add(isWhole ? (double) random.nextInt(5000) : 100 * random.nextDouble());
        }
        numbers.add(1_807.0);
        small.restore(
                ModelState.LIVE, 1, 0, Settings.DEFAULTS, Algorithm.PERCEPTRON, new LearnerState(numbers, List.of()));
        small.totals()
                .set(Counter.EXAMPLES, 12_345)
                .set(Counter.LABELLED, 12_300)
                .set(Counter.ERRORS, 1_807)
                .set(Counter.MISTAKES, 1_807)
                .set(Counter.MARGIN_MISTAKES, 0)
                .set(Counter.UPDATES, 1_807)
                .setHingeLoss(isWhole ? 20_913 : 2_345.678_901_2);
        small.confusion().restore(List.of(), new long[] {5_105, 903, 904, 5_388}, 0);
        small.window().restore(true, NOW / 10_000 * 10_000, NOW / 10_000 * 10_000 + 10_000);
        small.window()
                .counts()
                .set(Counter.EXAMPLES, 180)
                .set(Counter.LABELLED, 178)
                .set(Counter.ERRORS, 21)
                .set(Counter.MISTAKES, 21)
                .set(Counter.MARGIN_MISTAKES, 0)
                .set(Counter.UPDATES, 21)
                .setHingeLoss(isWhole ? 25 : 31.415_926_5);
        small.publications().markStatus(NOW - 900);
        BlockVector weights = (BlockVector) small.vector(0);
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
        assertThat(codec.encode(new Model(), -1, 0)).hasSizeLessThanOrEqualTo(50);
        assertThat(codec.encode(typical(0, false), position, NOW)).hasSizeLessThanOrEqualTo(130);
        assertThat(codec.encode(typical(0, true), position, NOW)).hasSizeLessThanOrEqualTo(100);
        assertThat(codec.encode(typical(40, false), position, NOW)).hasSizeLessThanOrEqualTo(130 + 40 * 19);
        assertThat(codec.encode(typical(40, true), position, NOW)).hasSizeLessThanOrEqualTo(100 + 40 * 8);
    }

    // Otherwise the changelog would not take it, and the engine could not go on.
    @Test
    void shouldFitIntoARecordWhateverTheModelIs() {
        Model model = withShadow();
        // 16,384 UTF-16 units of three bytes each, and a kernel's text
        StringBuilder classes = new StringBuilder();
        for (int k = 0; classes.length() + 257 <= 16 * 1024; k++) {
            classes.append(k == 0 ? "" : ",").append((char) (0x4e00 + k)).append("\u4e00".repeat(255));
        }
        Map<String, String> settings = new HashMap<>(SettingsCodecTest.ALL_OTHER);
        settings.put("classes", classes.toString());
        settings.put("kernel", "poly(c=1e-300,k=64)+".repeat(60) + "rbf(g=1)");
        settings.put("labels", "\u4e00".repeat(256) + "," + "\u4e01".repeat(256));
        Settings largest = Settings.DEFAULTS.with(settings);
        for (Model each : List.of(model, model.shadow())) {
            List<Double> numbers = new ArrayList<>(Collections.nCopies(7 + 14, Math.PI));
            each.restore(
                    ModelState.LIVE,
                    1L << 60,
                    0,
                    Settings.DEFAULTS,
                    Algorithm.PERCEPTRON,
                    new LearnerState(numbers, List.of()));
            each.totals()
                    .set(Counter.EXAMPLES, -1)
                    .set(Counter.LABELLED, 1)
                    .set(Counter.ERRORS, -1)
                    .set(Counter.MISTAKES, 1)
                    .set(Counter.MARGIN_MISTAKES, -1)
                    .set(Counter.UPDATES, 1)
                    .setHingeLoss(Math.PI);
        }
        assertThat(settingsBytes(largest)).isBetween(50_000, SettingsCodec.MAX_BYTES);
        int entries = 0;
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            BlockVector small = new BlockVector(3);
            for (int k = 0; k < 2048; k++) {
                small.restoreEntry(k * (Integer.MAX_VALUE / 2047), new double[] {Math.PI, -Math.E, Math.PI}, 0);
            }
            ByteWriter out = new ByteWriter();
            new EntriesCodec(out).write(small);
            entries += out.size();
        }
        int header = codec.encode(model, Long.MIN_VALUE, Long.MIN_VALUE).length;

        assertThat(header + 2 * (SettingsCodec.MAX_BYTES + entries))
                .isGreaterThan(200_000)
                .isLessThan(HeaderCodec.MAX_BYTES)
                .isLessThan(512 * 1024);
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
        ConfusionMatrix matrix = new ConfusionMatrix();
        matrix.restore(names, counts, Long.MAX_VALUE);
        ByteWriter out = new ByteWriter();
        ConfusionCodec.write(matrix, out);
        // 32 names of 194 bytes, and 33*33 counts of 8 bytes: 53 bits
        assertThat(out.size()).isEqualTo(1 + 32 * 194 + 9 + 33 * 33 * 8).isLessThan(17 * 1024);
    }

    private static int settingsBytes(Settings settings) {
        ByteWriter out = new ByteWriter();
        new SettingsCodec().write(settings, out);
        return out.size();
    }

    @Test
    void shouldAppendTheStateOfTheAdvisorIfThereIsAny() {
        HeaderCodec codec = new HeaderCodec();
        byte[] without = codec.encode(new Model(), 5, 7);
        Model advised = new Model();
        AdviceState state = new AdviceState(17, List.of(3.0, 1.0, 2.0, 4.0, 2.0, 0.5));
        advised.restore(state);

        byte[] header = codec.encode(advised, 5, 7);
        assertThat(Arrays.copyOf(header, without.length)).isEqualTo(without);
        assertThat(codec.decode(header, (epoch, part) -> null).model().adviceState())
                .isEqualTo(state);
        assertThat(codec.decode(without, (epoch, part) -> null)
                        .model()
                        .adviceState()
                        .isEmpty())
                .isTrue();
        assertThat(codec.encode(codec.decode(header, (epoch, part) -> null).model(), 5, 7))
                .isEqualTo(header);
    }

    @Test
    void shouldSayThatAModelIsOfANewerForm() {
        byte[] header = codec.encode(new Model(), 0, 0);
        header[0] = 5;
        assertThatThrownBy(() -> codec.decode(header, NO_NAMES))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessage("a stored model must be of form 1 to 4, got 5 (written by a newer engine?)");
    }
}
