package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.labels.Corrections;
import io.perceptronstreams.labels.LateState;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelListener;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.state.StoredText;
import io.perceptronstreams.state.UnreadableModelException;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class HeaderCodecTest {
    private static final HeaderCodec.NamesSource NO_NAMES = (epoch, part) -> null;

    private final HeaderCodec codec = new HeaderCodec();

    @TempDir
    Path dir;

    /** As it is after it was stored, but for its blocks. */
    static Model restored(Model model) {
        HeaderCodec codec = new HeaderCodec();
        Map<Long, List<String>> names = new HashMap<>();
        names.put(model.current().epoch(), model.pipeline().learner().state().names());
        for (Challenger each : model.challengers().all()) {
            names.put(
                    each.model().epoch(),
                    each.model().pipeline().learner().state().names());
        }
        return codec.decode(
                        codec.encode(model, 17, 1_234),
                        (epoch, part) -> part == ModelKeys.CHALLENGER
                                ? challenger(model, epoch)
                                : StoredNames.encode(names.get(epoch), part))
                .model();
    }

    private static byte[] challenger(Model model, long epoch) {
        return model.challengers().all().stream()
                .filter(each -> each.model().epoch() == epoch)
                .map(new HeaderCodec()::encode)
                .findFirst()
                .orElse(null);
    }

    private static EpochModel shadow(Model model) {
        return model.challengers().find(Challenger.DRIFT).model();
    }

    @SeededTest
    void shouldKeepEverythingButTheBlocks(long seed) {
        Random random = new Random(seed);
        Model model = new Model();
        for (int k = 0; k < 50; k++) {
            model.configure(Map.of("h", "" + random.nextDouble() * 3, "predict", "averaged", "labels", "-1,1"));
            // without features there are no blocks
            StoreDriver.learn(model, 0, 0, random.nextBoolean() ? 1 : -1);
            switch (random.nextInt(10)) {
                case 0 -> model.publications().countRerouted();
                case 1 -> model.publications().markSnapshot(random.nextInt());
                case 2 -> model.freeze(random.nextBoolean());
                case 3 -> model.reset(Map.of());
                case 4 -> {
                    model.publications().markExample(random.nextLong());
                    model.publications().markStatus();
                    model.publications()
                            .setVersions(model.publications()
                                    .versions()
                                    .with(new Versions.Version("v" + k, k, random.nextLong(), random.nextInt(), 1)));
                }
                case 5 ->
                    model.configure(Map.of("comparator", "" + (model.current().version() + random.nextInt(3))));
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
        model.late().restore(new LateState(7, 0, 0, 0, 0, List.of(), 0));
        long next = 1_000;
        for (Counter counter : Counter.values()) {
            model.counts().totals().set(counter, next++);
            model.counts().window().counts().set(counter, next++);
        }

        Model decoded = restored(model);

        long expected = 1_000;
        for (Counter counter : Counter.values()) {
            assertThat(decoded.counts().totals().of(counter)).as("%s", counter).isEqualTo(expected++);
            assertThat(decoded.counts().window().counts().of(counter))
                    .as("%s of the window", counter)
                    .isEqualTo(expected++);
        }
    }

    /** What probabilities and sets of a two-class model add to its header, in bytes. */
    @ParameterizedTest
    @CsvSource({"20, 150", "1000, 150", "100000, 150"})
    void shouldAddFewBytesForProbabilities(int examples, int max) {
        Model without = new Model();
        Model with = new Model();
        with.configure(Map.of("calibrate", "platt", "coverage", "0.95"));
        // for which windows end
        without.listen(new ModelListener() {});
        with.listen(new ModelListener() {});
        Random random = new Random(1);
        for (int k = 0; k < examples; k++) {
            int index = random.nextInt(50);
            int y = index % 2 == 0 ^ random.nextInt(10) == 0 ? 1 : -1;
            StoreDriver.learn(without, index, 1, y);
            StoreDriver.learn(with, index, 1, y);
        }
        int added = codec.encode(with, 0, 0).length - codec.encode(without, 0, 0).length;

        assertThat(added).isLessThanOrEqualTo(max);
        assertThat(ModelText.of(restored(with))).isEqualTo(ModelText.of(with));
    }

    @Test
    void shouldKeepTheDelaysOfLabels() {
        Model model = new Model();
        byte[] before = new HeaderCodec().encode(model, 0, 0);
        model.late().restore(new LateState(7, 0, 0, 0, 0, List.of(0L, 300L, 2L), 0));
        byte[] with = new HeaderCodec().encode(model, 0, 0);

        assertThat(restored(model).late().state().delays()).containsExactly(0L, 300L, 2L);
        // instead of a 0: 1, stream time 7, four zeros, 3 counts (0 and no more zeros, 600 = 4*128 + 88, 4), generation
        // 0; no named snapshots; no last example, -1; counts since -1, of the weights; no alerts, no decisions, no
        // estimates
        assertThat(with)
                .endsWith(1, 14, 0, 0, 0, 0, 3, 0, 0, 0xd8, 4, 4, 0, 0, 1, 1, 0, 0, 0, 0)
                .hasSize(before.length + 12);
    }

    // Models without corrections must not become larger, nor be unreadable for an engine without them.
    @Test
    void shouldStoreCorrectionsOnlyOfModelsThatHaveSome() {
        Model model = new Model();
        assertThat(new HeaderCodec().encode(model, 0, 0)).startsWith(HeaderCodec.FORM_WITHOUT_CORRECTIONS);
        model.corrections().compareEarly("user", "review", false);
        model.corrections().compareEarly(null, "user", true);
        model.corrections().corrected(true);
        model.corrections().corrected(false);
        model.corrections().left();
        model.late().restore(new LateState(7, 0, 0, 0, 0, List.of(), 0).withSettled(3));
        byte[] with = new HeaderCodec().encode(model, 0, 0);

        assertThat(with).startsWith(HeaderCodec.FORM_OF_CORRECTIONS);
        Model decoded = restored(model);
        assertThat(decoded.late().settledCount()).isEqualTo(3);
        assertThat(decoded.corrections().corrections()).isEqualTo(2);
        assertThat(decoded.corrections().outstanding()).isEqualTo(1);
        assertThat(decoded.corrections().leftEarly()).isEqualTo(1);
        assertThat(decoded.corrections().agreements())
                .containsExactly(
                        new Corrections.Agreement("", "user", 1, 0), new Corrections.Agreement("user", "review", 0, 1));
        // three that can be corrected; two corrections, one outstanding, one left; two pairs
        assertThat(with)
                .endsWith(
                        3, 2, 1, 1, 2, 0, 4, 'u', 's', 'e', 'r', 1, 0, 4, 'u', 's', 'e', 'r', 6, 'r', 'e', 'v', 'i',
                        'e', 'w', 0, 1);
    }

    /** The part of probabilities as bits, in each form that has it, and with all parts that may stand around it. */
    @SeededTest
    void shouldKeepProbabilitiesInEveryForm(long seed) {
        Random random = new Random(seed);
        for (String settings : List.of(
                "coverage=0.95",
                "coverage=0.8 algorithm=multiclass",
                "threshold=cost:1:4 alerts.max=9/day",
                "portfolio=true coverage=0.9",
                "drift=ddm drift.action=reset drift.threshold=2",
                "")) {
            Model model = new Model();
            Map<String, String> changes = new HashMap<>(Map.of("calibrate", "platt"));
            for (String each : settings.split(" ", 0)) {
                if (!each.isEmpty()) {
                    changes.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
                }
            }
            model.configure(changes);
            for (int k = 0; k < 300; k++) {
                StoreDriver.learn(model, random.nextInt(5), 1, random.nextInt(3) == 0 ? 1 : -1);
                if (k == 100 && !settings.startsWith("portfolio")) {
                    model.challenge(Map.of("challenger", "c", "from", "scratch", "eta", "0.5"));
                }
                if (k == 200 && !settings.startsWith("portfolio")) {
                    model.promote(Map.of("challenger", "c"));
                    model.corrections().corrected(true);
                }
                if (k % 29 == 0 || k > 290) {
                    byte[] header = codec.encode(model, 17, 1_234);
                    assertThat(header[0]).isEqualTo((byte)
                            (model.corrections().isEmpty() ? HeaderCodec.FORM_OF_BITS : HeaderCodec.FORM));
                    assertThat(withoutWeights(restored(model)))
                            .as("seed %d, %s, example %d", seed, settings, k)
                            .isEqualTo(withoutWeights(model));
                }
            }
            // what was counted stays where there are no probabilities any more
            model.configure(Map.of("calibrate", "none", "coverage", "0", "threshold", "0"));
            assertThat(codec.encode(model, 0, 0)[0]).isLessThan((byte) HeaderCodec.FORM_OF_BITS);
            assertThat(withoutWeights(restored(model)))
                    .as("seed %d, %s", seed, settings)
                    .isEqualTo(withoutWeights(model));
        }
    }

    /** Without what is stored in blocks. */
    private static String withoutWeights(Model model) {
        return ModelText.of(model).replaceAll("(?m)^(vector|statistics|\\d+) .*\n", "");
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
        assertThat(decoded.pipeline().learner().state().names()).containsExactly("zebra", "ß,−", "7");
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
            isShadowSeen |= !decoded.challengers().all().isEmpty();
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
        StoreDriver.learnWidely(model, 0, 1);
        StoreDriver.learn(model, 1 << 20, 1, 1);

        StoredHeader header = codec.decode(codec.encode(model, 0, 0), NO_NAMES);

        // one has the number of examples
        assertThat(header.live().blocks(Pipeline.STATISTICS)).isEqualTo(7);
        assertThat(header.live().blocks(0))
                .isEqualTo(model.pipeline().vector(0).count())
                .isGreaterThanOrEqualTo(5);
        assertThat(header.live().blocks(1)).isZero();
        assertThat(header.missing()).isEqualTo("vector -1 of epoch 0 must have 7 blocks, got 0");
        copyBlocks(model.current(), header.model().current(), -1, 0);
        assertThat(header.missing()).isNull();
    }

    @Test
    void shouldMissABlockThatWasLost() {
        Model model = new Model();
        StoreDriver.learnWidely(model, 0, 1);
        assertThat(model.pipeline().vector(0).count()).isEqualTo(5);
        StoredHeader header = codec.decode(codec.encode(model, 0, 0), NO_NAMES);

        copyBlocks(model.current(), header.model().current(), 0);

        assertThat(header.missing()).isNull();
        header = codec.decode(codec.encode(model, 0, 0), NO_NAMES);
        Blocks lossy = header.model().pipeline().vector(0);
        model.pipeline().vector(0).forEach((number, block) -> {
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
        StoredHeader header = codec.decode(codec.encode(model, 0, 0), (epoch, part) -> challenger(model, epoch));
        assertThat(header.challengers().get(0).blocks(0)).isEqualTo(5);
        copyBlocks(model.current(), header.model().current(), 0);

        assertThat(header.missing()).isNull();
        assertThat(header.challengers().get(0).missing()).isEqualTo("vector 0 of epoch 1 must have 5 blocks, got 0");

        copyBlocks(shadow(model), shadow(header.model()), 0);
        assertThat(header.challengers().get(0).missing()).isNull();
    }

    @Test
    void shouldHaveAsManyBlocksAsAreShown() {
        try (StoreDriver driver = new StoreDriver(dir, Long.MAX_VALUE)) {
            driver.use(store -> {
                for (String name : SampleModels.names()) {
                    SampleModels.create(store, name);
                    Model model = store.find(StoreDriver.utf8(name)).model();
                    for (int vector = Pipeline.STATISTICS;
                            vector < model.pipeline().vectors();
                            vector++) {
                        int[] shown = new int[1];
                        model.pipeline().vector(vector).forEach((number, block) -> shown[0]++);
                        assertThat(model.pipeline().vector(vector).count())
                                .as(name)
                                .isEqualTo(shown[0]);
                    }
                }
            });
        }
    }

    private static void copyBlocks(EpochModel from, EpochModel to, int... vectors) {
        for (int vector : vectors) {
            from.pipeline()
                    .vector(vector)
                    .forEach((number, block) -> to.pipeline().vector(vector).restore(number, block.clone()));
        }
    }

    static Model withShadow() {
        Model model = new Model();
        model.configure(Map.of("drift", "ddm", "drift.threshold", "2", "drift.action", "shadow"));
        for (int k = 0; k < 200; k++) {
            StoreDriver.learn(model, 5, 1, 1);
        }
        while (model.challengers().all().isEmpty()) {
            StoreDriver.learn(model, 5, 1, -1);
        }
        StoreDriver.learn(model, 5, 1, -1);
        return model;
    }

    @Test
    void shouldHoldSmallVectorsOfModelAndShadow() {
        Model model = withShadow();
        Model decoded = restored(model);
        fill(decoded.current(), 0, 0, 1, 130, Integer.MAX_VALUE);
        fill(decoded.current(), Pipeline.STATISTICS, 7);
        fill(shadow(decoded), 0, 40, 41);

        StoredHeader header = codec.decode(codec.encode(decoded, 0, 0), (epoch, part) -> challenger(decoded, epoch));

        assertThat(header.missing()).isNull();
        // with index 5, from which the model had learned
        assertThat(entries(header.model().current(), 0))
                .isEqualTo(entries(decoded.current(), 0))
                .hasSize(5);
        assertThat(entries(header.model().current(), Pipeline.STATISTICS))
                .isEqualTo(entries(decoded.current(), Pipeline.STATISTICS))
                .hasSize(1);
        assertThat(entries(shadow(header.model()), 0))
                .isEqualTo(entries(shadow(decoded), 0))
                .hasSize(3);
        assertThat(ModelText.of(header.model())).isEqualTo(ModelText.of(decoded));
    }

    private static void fill(EpochModel model, int vector, int... indices) {
        BlockVector entries = (BlockVector) model.pipeline().vector(vector);
        for (int index : indices) {
            entries.restoreEntry(index, new double[] {index * 0.1, -0.0, 1}, 0);
        }
    }

    private static List<String> entries(EpochModel model, int vector) {
        List<String> entries = new ArrayList<>();
        BlockVector small = (BlockVector) model.pipeline().vector(vector);
        small.forEachEntry((index, numbers, from) -> entries.add(index + " "
                + DoubleStream.of(Arrays.copyOfRange(numbers, from, from + small.lanes()))
                        .mapToObj(number -> Long.toHexString(Double.doubleToRawLongBits(number)))
                        .toList()));
        return entries;
    }

    @Test
    void shouldMissAChallengerWithoutItsHeader() {
        Model model = withShadow();
        model.challenge(Map.of("challenger", "c", "eta", "0.5"));
        byte[] header = codec.encode(model, 0, 0);

        StoredHeader stored = codec.decode(header, (epoch, part) -> epoch == 2 ? null : challenger(model, epoch));

        assertThat(stored.missing()).isNull();
        assertThat(stored.headless()).containsExactly(Map.entry(2L, new StoredHeader.Headless("c", null)));
        assertThat(stored.model().challengers().all().stream().map(Challenger::name))
                .containsExactly(Challenger.DRIFT);
        StoredHeader complete = codec.decode(header, (epoch, part) -> challenger(model, epoch));
        assertThat(complete.headless()).isEmpty();
        assertThat(ModelText.of(complete.model())).isEqualTo(ModelText.of(model));
        // a disk that fails says nothing of the challenger
        assertThatThrownBy(() -> codec.decode(header, (epoch, part) -> {
                    throw new ProcessorStateException("too many open files");
                }))
                .isInstanceOf(ProcessorStateException.class);
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
        assertThat(header.model().pipeline().learner().state().names()).isEmpty();
        List<String> others = List.of("red", "green");
        header = codec.decode(bytes, (epoch, part) -> StoredNames.encode(others, part));
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
        assertThat(header.model().pipeline().learner().state().names()).containsExactly("red", "green", "blue");
    }

    @Test
    void shouldNotWriteNamesAgainThatWereRead() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "multiclass", "classes", "red,green,blue"));
        List<String> names = model.pipeline().learner().state().names();

        StoredHeader header = codec.decode(codec.encode(model, 0, 0), (epoch, part) -> StoredNames.encode(names, part));

        assertThat(header.missing()).isNull();
        assertThat(header.model().state()).isEqualTo(ModelState.LIVE);
        header.names().drainChanged(header.model(), (epoch, part, bytes) -> fail("part " + part));
    }

    // A change of one of these makes stored models unreadable.
    @Test
    void shouldNeverChangeTheNumbersOfStatesAndAlgorithms() {
        assertThat(Arrays.stream(ModelState.values()).map(state -> state + " " + HeaderCodec.number(state)))
                .containsExactlyInAnyOrder("LIVE 0", "FROZEN 1", "QUARANTINED 2", "DELETED 3");
        assertThat(Arrays.stream(Algorithm.values()).map(each -> each.name() + " " + each.number()))
                .contains(
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
                        "ALMA 10",
                        "SGD 11",
                        "SCW 12",
                        "PDM 13",
                        "MULTICLASS_PA 14",
                        "ROMMA 15",
                        "SOFTMAX 16");
        assertThat(Algorithm.values()).extracting(Algorithm::number).doesNotHaveDuplicates();
    }

    @Test
    void shouldKeepTheStateOfTheAdvisor() {
        HeaderCodec codec = new HeaderCodec();
        byte[] without = codec.encode(new Model(), 5, 7);
        Model advised = new Model();
        // SCALE and AVERAGED are given; 3 and 1 compared; a feature of index 4, seen twice, of sizes 0.5; 2 observed
        String state = "110301" + "01" + "0402203fe0" + "02";
        StoredText.restore(state, advised.current().advisor()::exchange);

        byte[] header = codec.encode(advised, 5, 7);
        assertThat(header).hasSizeGreaterThan(without.length);
        Model decoded = codec.decode(header, (epoch, part) -> null).model();
        assertThat(StoredText.of(decoded.current().advisor()::exchange)).isEqualTo(state);
        assertThat(codec.encode(codec.decode(header, (epoch, part) -> null).model(), 5, 7))
                .isEqualTo(header);
    }

    @Test
    void shouldRefuseAModelOfAnotherForm() {
        byte[] header = codec.encode(new Model(), 0, 0);
        header[0] = 5;
        assertThatThrownBy(() -> codec.decode(header, NO_NAMES))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessage(
                        "a stored model must have a form from 8 to 16, got 5 (written by another version: start that version, or"
                                + " delete all models and learn the topic again with perceptron topics reset --to-earliest)");
    }
}
