package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.learner.Model;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class HeaderCodecTest {
    static LongStream seeds() {
        return Seeds.all();
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
            assertThat(ModelText.of(
                            HeaderCodec.decode(HeaderCodec.encode(model, 5)).model()))
                    .isEqualTo(ModelText.of(model));
        }
        model.delete();
        assertThat(ModelText.of(HeaderCodec.decode(HeaderCodec.encode(model, 5)).model()))
                .isEqualTo(ModelText.of(model));
    }

    @Test
    void shouldKeepTheClassesInTheirOrder() {
        Model model = new Model();
        // the bias lies in blocks
        model.configure(
                Map.of("algorithm", "multiclass", "bias", "false", "classes.max", "3", "predict.scores", "true"));
        for (String name : List.of("zebra", "ß,−", "7")) {
            Example example = new Example();
            example.vector().clearSparse();
            example.setLabel(new Label.Named(name));
            model.process(example, 0);
        }

        Model decoded = HeaderCodec.decode(HeaderCodec.encode(model, 5)).model();

        assertThat(ModelText.of(decoded)).isEqualTo(ModelText.of(model));
        assertThat(decoded.learner().state().names()).containsExactly("zebra", "ß,−", "7");
        model.configure(Map.of("classes.max", "3", "h", "1"));
        decoded.configure(Map.of("classes.max", "3", "h", "1"));
        assertThat(ModelText.of(decoded)).isEqualTo(ModelText.of(model));
    }

    // Otherwise the changelog would not take it, and the engine could not go on.
    @Test
    void shouldFitIntoARecordHoweverManyClassesModelAndShadowHave() {
        int classes = 10_000;
        Model model = new Model();
        model.configure(Map.of("algorithm", "multiclass", "bias", "false", "classes.max", "" + classes));
        model.configure(Map.of("drift", "page-hinkley", "drift.threshold", "2"));
        model.configure(Map.of("drift.action", "shadow", "drift.window", "100000"));
        for (int k = 0; k < 400; k++) {
            learnName(model, k < 300 ? "first" : "second");
        }
        assertThat(model.shadow()).isNotNull();
        // four bytes in UTF-8 and six in the form that is stored
        String wide = new String(Character.toChars(0x1f600)).repeat(5);
        for (int k = 0; k < classes - 2; k++) {
            learnName(model, "%04d".formatted(k) + wide);
        }

        assertThat(model.learner().state().names()).hasSize(classes);
        assertThat(model.shadow().learner().state().names()).hasSize(classes - 1);
        assertThat(HeaderCodec.encode(model, 5)).hasSizeBetween(700_000, 1_000_000);
    }

    private static void learnName(Model model, String name) {
        Example example = new Example();
        example.vector().clearSparse();
        example.setLabel(new Label.Named(name));
        model.process(example, 0);
        var unused = model.adapt();
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
            Model decoded = HeaderCodec.decode(HeaderCodec.encode(model, 5)).model();
            assertThat(ModelText.of(decoded)).isEqualTo(ModelText.of(model));
            assertThat(decoded.driftState().detector()).isNotEmpty();
            isShadowSeen |=
                    decoded.shadow() != null && !decoded.driftState().trial().isEmpty();
        }
        assertThat(isShadowSeen).isTrue();
    }

    @Test
    void shouldSayThatAModelIsOfANewerVersion() {
        byte[] header = HeaderCodec.encode(new Model(), 5);
        header[0] = 4;
        assertThatThrownBy(() -> HeaderCodec.decode(header))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must be of version 1 to 3, got 4");
    }
}
