package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.settings.OtherValues;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.UnreadableModelException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsCodecTest {
    /** Every setting with another value than its default; possible together. */
    static final Map<String, String> ALL_OTHER;

    static {
        Map<String, String> given = new HashMap<>();
        given.put("algorithm", "structured");
        given.put("h", "1.2345678901234567E-300");
        given.put("eta", "1.2345678901234567E-300");
        given.put("kernel", "rbf(g=0.1)");
        given.put("budget", "16777216");
        given.put("seed", "9223372036854775807");
        given.put("labels", "ham,spam");
        given.put("negative.label", "0");
        given.put("hash.bits", "24");
        given.put("scale", "unit-norm");
        given.put("window.ms", "4611686018427387903");
        given.put("window.examples", "4611686018427387903");
        given.put("snapshot.every", "9223372036854775807");
        given.put("blocks.max", "16777216");
        given.put("names.max", "1048576");
        given.put("comparator", "123456789012345");
        given.put("classes", "red,grün,\ud83d\ude00");
        given.put("classes.max", "10000");
        given.put("predict.scores", "true");
        given.put("c", "1.2345678901234567E-300");
        given.put("r", "1.2345678901234567E-300");
        given.put("alpha", "1.2345678901234567E-300");
        given.put("drift", "page-hinkley");
        given.put("drift.delta", "1.2345678901234567E-300");
        given.put("drift.threshold", "1.2345678901234567E-300");
        given.put("drift.action", "shadow");
        given.put("drift.window", "1048576");
        given.put("await.labels.ms", "2305843009213693951");
        given.put("await.examples.ms", "2305843009213693951");
        given.put("await.labels.max", "1048576");
        given.put("label.default", "ß".repeat(256));
        given.put("dedupe.last", "1048576");
        given.put("h.positive", "1.2345678901234567E-300");
        given.put("h.negative", "1.2345678901234567E-300");
        given.put("class.weights", "€".repeat(508) + ":1.0");
        given.put("threshold", "-1.2345678901234567E-300");
        given.put("alerts.max", "1234567890123456789/hour");
        given.put("crosses", "größe*größe*item,item**");
        given.put("crosses.max", "1048576");
        given.put("namespaces.ignore", "raw,_");
        given.put("namespaces.keep", "größe,item");
        given.put("loss", "squared-hinge");
        given.put("average.halflife", "1.2345678901234567E300");
        given.put("confidence", "0.90625");
        given.put("auc.window", "2000");
        given.put("explain", "100");
        ALL_OTHER = OtherValues.with(given);
    }

    private static byte[] encode(Settings settings) {
        StoredFields out = new StoredFields();
        new SettingsCodec().exchange(out, settings);
        return out.toBytes();
    }

    private static Settings decode(byte[] bytes) {
        StoredFields in = new StoredFields(bytes);
        Settings settings = new SettingsCodec().exchange(in, null);
        in.requireEnd();
        return settings;
    }

    @Test
    void shouldStoreNothingWhereAllSettingsAreThoseOfTheBase() {
        assertThat(encode(SettingsCodec.BASE)).containsExactly(0);
        assertThat(decode(new byte[] {0})).isSameAs(SettingsCodec.BASE);
    }

    @Test
    void shouldStoreOnlyWhatDiffers() {
        assertThat(encode(SettingsCodec.BASE.with(Map.of("h", "1", "bias", "true"))))
                .containsExactly(6, 1, 'h', 3, '1', '.', '0');
    }

    // as numbers only of models with probabilities: the others stay readable for engines that do not know them
    @Test
    void shouldStoreNumbersForTheSettingsOfProbabilities() {
        Settings sure = SettingsCodec.BASE.with(Map.of("calibrate", "platt", "coverage", "0.95", "h", "1"));
        byte[] stored = encode(sure);
        assertThat(stored).containsExactly(15, 1, 'h', 3, '1', '.', '0', 0, 0, 0, 1, 4, '0', '.', '9', '5');
        assertThat(decode(stored)).isEqualTo(sure);

        Settings without = SettingsCodec.BASE.with(Map.of("coverage", "0.5"));
        assertThat(encode(without)).containsExactly(13, 8, 'c', 'o', 'v', 'e', 'r', 'a', 'g', 'e', 3, '0', '.', '5');
        assertThat(decode(encode(without))).isEqualTo(without);
        assertThatThrownBy(() -> decode(new byte[] {2, 0, 2}))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageContaining("have a known setting, got 2");
    }

    @Test
    void shouldReadNamesThatAreSpelled() {
        StoredFields out = new StoredFields();
        out.text("calibrate");
        out.text("platt");
        StoredFields spelled = new StoredFields();
        spelled.bytes(out.toBytes());
        assertThat(decode(spelled.toBytes())).isEqualTo(SettingsCodec.BASE.with(Map.of("calibrate", "platt")));
    }

    @Test
    void shouldKeepEverySetting() {
        ALL_OTHER.forEach((name, value) -> assertThat(value)
                .as(name)
                .isNotEqualTo(Settings.DEFAULTS.toMap().get(name)));
        Map<String, String> together = new HashMap<>(ALL_OTHER);
        // namespaces are ignored or kept, not both
        together.put("namespaces.keep", "");
        Settings settings = Settings.DEFAULTS.with(together);
        assertThat(decode(encode(settings))).isEqualTo(settings);
        ALL_OTHER.forEach((name, value) -> {
            // what a detector takes depends on which it is
            if (!name.equals("drift")) {
                Settings one = Settings.DEFAULTS.with(Map.of(name, value));
                assertThat(decode(encode(one))).as(name).isEqualTo(one);
            }
        });
    }

    // A default that changes would change every stored model that has it: see rule 3 of SettingsCodec.
    @Test
    void shouldNeverChangeWhatSettingsMeanThatAreNotStored() {
        Map<String, String> base = new HashMap<>();
        base.put("algorithm", "auto");
        base.put("h", "0.0");
        base.put("h.inclusive", "false");
        base.put("eta", "1.0");
        base.put("predict", "last");
        base.put("survival.start", "1");
        base.put("bias", "true");
        base.put("kernel", "");
        base.put("budget", "0");
        base.put("budget.policy", "oldest");
        base.put("seed", "0");
        base.put("labels", "");
        base.put("negative.label", "auto");
        base.put("hash.bits", "18");
        base.put("scale", "none");
        base.put("window.ms", "10000");
        base.put("window.examples", "auto");
        base.put("snapshot.every", "0");
        base.put("blocks.max", "131072");
        base.put("names.max", "10000");
        base.put("comparator", "");
        base.put("classes", "");
        base.put("classes.max", "1000");
        base.put("predict.scores", "false");
        base.put("c", "1.0");
        base.put("r", "1.0");
        base.put("alpha", "0.9");
        base.put("drift", "none");
        base.put("drift.delta", "auto");
        base.put("drift.threshold", "auto");
        base.put("drift.action", "none");
        base.put("drift.window", "100");
        base.put("await.labels.ms", "0");
        base.put("await.examples.ms", "120000");
        base.put("await.labels.max", "100000");
        base.put("label.default", "");
        base.put("dedupe.last", "0");
        base.put("h.positive", "auto");
        base.put("h.negative", "auto");
        base.put("class.weights", "");
        base.put("threshold", "0.0");
        base.put("crosses", "");
        base.put("crosses.max", "100000");
        base.put("namespaces.ignore", "");
        base.put("namespaces.keep", "");
        base.put("loss", "sigmoid");
        base.put("rate", "constant");
        base.put("normalised", "false");
        base.put("implicit", "false");
        base.put("average.halflife", "0.0");
        base.put("confidence", "0.75");
        base.put("diagonal", "inverse");
        base.put("auc.window", "0");
        base.put("explain", "0");
        assertThat(SettingsCodec.BASE.toMap()).containsAllEntriesOf(base);
    }

    @Test
    void shouldReadAndWriteManyModelsInTurn() {
        SettingsCodec codec = new SettingsCodec();
        Settings first = Settings.DEFAULTS.with(Map.of("h", "1"));
        Settings second = Settings.DEFAULTS.with(Map.of("h", "2"));
        StoredFields out = new StoredFields();
        for (Settings each : new Settings[] {first, first, second, Settings.DEFAULTS, second, first}) {
            codec.exchange(out, each);
        }
        StoredFields in = new StoredFields(out.toBytes());
        Settings read = codec.exchange(in, null);
        assertThat(read).isEqualTo(first);
        assertThat(codec.exchange(in, null)).isSameAs(read);
        assertThat(codec.exchange(in, null)).isEqualTo(second);
        assertThat(codec.exchange(in, null)).isEqualTo(Settings.DEFAULTS);
        assertThat(codec.exchange(in, null)).isEqualTo(second);
        assertThat(codec.exchange(in, null)).isEqualTo(first);
        in.requireEnd();
    }

    @Test
    void shouldSayWhichSettingIsUnknown() {
        assertThatThrownBy(() -> decode(new byte[] {4, 1, 'q', 1, '1'}))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageStartingWith("a stored model must have valid settings, got: unknown setting 'q'")
                .hasMessageEndingWith("(written by another version?)");
    }

    @Test
    void shouldReadSettingsAfterOnesThatWereRefused() {
        SettingsCodec codec = new SettingsCodec();
        byte[] refused = {4, 1, 'h', 1, 'x'};
        assertThatThrownBy(() -> codec.exchange(new StoredFields(refused), null))
                .isInstanceOf(UnreadableModelException.class);
        assertThatThrownBy(() -> codec.exchange(new StoredFields(refused), null))
                .isInstanceOf(UnreadableModelException.class);
        assertThat(codec.exchange(new StoredFields(new byte[] {0}), null)).isEqualTo(SettingsCodec.BASE);
    }
}
