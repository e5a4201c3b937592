package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Crosses, ignored and kept namespaces, from settings over examples to weights. */
class CrossesTopologyTest {
    @TempDir
    Path dir;

    private EngineDriver engine;

    @BeforeEach
    void start() {
        engine = new EngineDriver(dir.resolve("engine"));
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    private void configure(EngineDriver to, String settings) {
        to.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{" + settings + "}}", 0);
    }

    /** Sends four examples whose label is the exclusive or of two fields. */
    private void sendXor(EngineDriver to, boolean isAvro) {
        for (String user : List.of("a", "b")) {
            for (String item : List.of("x", "y")) {
                int label = user.equals("a") == item.equals("x") ? 1 : -1;
                String first = "user^name=" + user;
                String second = "item^name=" + item;
                if (isAvro) {
                    Map<String, Double> features = new LinkedHashMap<>();
                    features.put(second, 1.0);
                    features.put(first, 1.0);
                    GenericRecord example = new Example("e", label, new NamedFeatures(features), 1.0);
                    to.send("m", to.encode(example), 1);
                } else {
                    String features = "{\"user^name\":\"" + user + "\",\"item^name\":\"" + item + "\"}";
                    to.send("m", "{\"id\":\"e\",\"label\":" + label + ",\"features\":" + features + "}", 1);
                }
            }
        }
    }

    private static int mistakes(EngineDriver of) {
        return of.events(Topic.MISTAKES).size();
    }

    /** "name weight" of all weights with a name. */
    private static List<String> weights(EngineDriver of) {
        GenericRecord snapshot = of.decode(Snapshots.snapshot(of, "m").get(0));
        Map<Object, String> names = new LinkedHashMap<>();
        for (Object each : (List<?>) snapshot.get("featureNames")) {
            names.put(
                    ((GenericRecord) each).get("index"),
                    ((GenericRecord) each).get("name").toString());
        }
        List<String> weights = new ArrayList<>();
        GenericRecord vector = (GenericRecord) ((List<?>) snapshot.get("vectors")).get(0);
        List<?> indices = (List<?>) vector.get("indices");
        for (int k = 0; k < indices.size(); k++) {
            weights.add(names.get(indices.get(k)) + " " + ((List<?>) vector.get("weights")).get(k));
        }
        return weights.stream().sorted().toList();
    }

    @Test
    void shouldLearnAnExclusiveOrWithTheCrossOnly() {
        sendXor(engine, false);
        for (int round = 0; round < 50; round++) {
            engine.events(Topic.MISTAKES);
            sendXor(engine, false);
            assertThat(mistakes(engine)).as("without crosses, round %d", round).isPositive();
        }
        for (boolean isAvro : new boolean[] {false, true}) {
            try (EngineDriver crossing = new EngineDriver(dir.resolve("avro-" + isAvro))) {
                configure(crossing, "\"crosses\":\"user*item\"");
                for (int round = 0; round < 20; round++) {
                    sendXor(crossing, isAvro);
                }
                assertThat(mistakes(crossing)).isBetween(1, 20);
                for (int round = 0; round < 20; round++) {
                    sendXor(crossing, isAvro);
                }
                assertThat(mistakes(crossing)).isZero();
                assertThat(crossing.reasons()).isEmpty();
            }
        }
    }

    @Test
    void shouldNameCrossesAndKeepThemInTheStoreAndInImports() {
        configure(engine, "\"crosses\":\"user*item\",\"bias\":\"false\"");
        sendXor(engine, false);
        // by hand: +1 for (a,x); -1 for (a,y), whose score is 1; then (b,x), whose score is 1; then (b,y), whose score
        // is -2
        List<String> expected = List.of(
                "item^name=x 0.0",
                "item^name=x*user^name=a 1.0",
                "item^name=x*user^name=b -1.0",
                "item^name=y 0.0",
                "item^name=y*user^name=a -1.0",
                "item^name=y*user^name=b 1.0",
                "user^name=a 0.0",
                "user^name=b 0.0");
        assertThat(mistakes(engine)).isEqualTo(4);
        assertThat(withoutZeros(weights(engine))).isEqualTo(withoutZeros(expected));
        engine.reload();
        assertThat(withoutZeros(weights(engine))).isEqualTo(withoutZeros(expected));

        byte[] snapshot = Snapshots.snapshot(engine, "m").get(0);
        try (EngineDriver other = new EngineDriver(
                dir.resolve("other"), Map.of("schema.registry.url", "mock://" + dir.resolve("engine")), 1)) {
            other.send("m", snapshot, 1);
            assertThat(other.reasons()).isEmpty();
            assertThat(withoutZeros(weights(other))).isEqualTo(withoutZeros(expected));
            sendXor(other, false);
            assertThat(mistakes(other)).isZero();
        }
    }

    private static List<String> withoutZeros(List<String> weights) {
        return weights.stream().filter(each -> !each.endsWith(" 0.0")).toList();
    }

    // "a*b" alone cannot be told from a cross of a and b.
    @Test
    void shouldNotNameAFeatureWithAStarAfterAModelWithCrosses() {
        configure(engine, "\"crosses\":\"user*item\"");
        engine.send("m", "{\"label\":1,\"features\":{\"a*b\":1,\"user^1\":1,\"item^*\":1}}", 1);
        assertThat(weights(engine))
                .contains("user^1 1.0")
                .hasSize(4)
                .filteredOn(each -> each.startsWith("null "))
                .hasSize(3);
        engine.reload();
        assertThat(weights(engine)).hasSize(4);
    }

    @Test
    void shouldDropIgnoredNamespaces() {
        configure(engine, "\"namespaces.ignore\":\"raw,_\"");
        engine.send("m", "{\"label\":1,\"features\":{\"raw^1\":1,\"user^1\":1,\"x\":1}}", 1);
        assertThat(weights(engine)).containsExactly("user^1 1.0");
        engine.send("m", "{\"label\":-1,\"features\":[1,2,3]}", 2);
        // only the bias learns from a vector without names
        assertThat(weights(engine)).containsExactly("user^1 1.0");
        assertThat(engine.reasons()).isEmpty();
    }

    @Test
    void shouldHashTheFirstExampleByTheDefaults() {
        engine.send("*", "{\"action\":\"DEFAULTS\",\"settings\":{\"crosses\":\"user*item\",\"hash.bits\":\"10\"}}", 1);
        sendXor(engine, true);
        assertThat(engine.reasons()).isEmpty();
        assertThat(weights(engine)).anyMatch(each -> each.startsWith("item^name=x*user^name=a "));
    }

    @Test
    void shouldRefuseOtherCrossesOnceTheModelHasSeenExamples() {
        configure(engine, "\"crosses\":\"user*item\"");
        configure(engine, "\"crosses\":\"item*item\",\"namespaces.ignore\":\"raw\"");
        sendXor(engine, false);
        assertThat(engine.reasons()).isEmpty();
        configure(engine, "\"crosses\":\"user*item\",\"namespaces.ignore\":\"\",\"h\":\"1\"");
        TestRecord<byte[], byte[]> letter = engine.letter();
        assertThat(EngineDriver.message(letter))
                .contains(
                        "crosses must stay item*item once a model has seen examples, got item*user; namespaces.ignore must stay"
                                + " raw once a model has seen examples, got none (to discard what it has learned, reset with h=1.0"
                                + " crosses=item*user namespaces.ignore=; to keep it, copy with h=1.0 crosses=item*user"
                                + " namespaces.ignore=)");
        configure(engine, "\"crosses\":\" item * item \",\"crosses.max\":\"9\"");
        engine.send("m", "{\"action\":\"RESET\"}", 3);
        configure(engine, "\"crosses\":\"user*item\",\"namespaces.ignore\":\"\"");
        assertThat(engine.reasons()).isEmpty();
    }

    @Test
    void shouldRefuseCrossesForLearnersWithoutVectors() {
        configure(engine, "\"algorithm\":\"sequence\",\"crosses\":\"a*b\"");
        configure(engine, "\"algorithm\":\"structured\",\"namespaces.keep\":\"a\"");
        assertThat(engine.reasons()).containsExactly("INVALID_COMMAND", "INVALID_COMMAND");
        configure(engine, "\"crosses\":\"a*b\"");
        engine.send("m", "{\"label\":[\"N\"],\"features\":{\"tokens\":[[\"a^1\",\"b^1\"]]}}", 1);
        TestRecord<byte[], byte[]> letter = engine.letter();
        assertThat(EngineDriver.reason(letter)).isEqualTo("INVALID_LABEL");
        assertThat(EngineDriver.message(letter)).contains("crosses must be empty with algorithm=sequence, got 'a*b'");
    }

    @Test
    void shouldSendAnExampleWithTooManyCrossesToTheDeadLetters() {
        configure(engine, "\"crosses\":\"user*item\",\"crosses.max\":\"3\"");
        sendXor(engine, false);
        engine.send("m", "{\"label\":1,\"features\":{\"user^1\":1,\"user^2\":1,\"item^1\":1,\"item^2\":1}}", 2);
        TestRecord<byte[], byte[]> letter = engine.letter();
        assertThat(EngineDriver.reason(letter)).isEqualTo("UNSUPPORTED_FEATURES");
        assertThat(EngineDriver.message(letter))
                .contains("crosses must make at most crosses.max = 3 features of an example, got 4 (cross smaller"
                        + " namespaces, or raise crosses.max)");
        sendXor(engine, false);
        assertThat(engine.reasons()).isEmpty();
    }

    // Examples that wait for their labels are decoded again, by the settings of then.
    @Test
    void shouldLearnLateLabelsWithCrossesAndRefuseThoseOfExamplesThatHaveBecomeTooLarge() {
        configure(engine, "\"crosses\":\"user*item\",\"await.labels.ms\":\"1000\"");
        String features = "\"features\":{\"user^1\":1,\"user^2\":1,\"item^1\":1,\"item^2\":1}";
        for (String id : List.of("p", "q", "r")) {
            engine.send("m", "{\"id\":\"" + id + "\"," + features + "}", 1);
        }
        engine.send("m", "{\"exampleId\":\"p\",\"label\":1}", 2);
        assertThat(weights(engine)).contains("item^1*user^2 1.0").hasSize(8);
        configure(engine, "\"crosses.max\":\"3\",\"label.default\":\"-1\"");
        engine.send("m", "{\"exampleId\":\"q\",\"label\":-1}", 3);
        assertThat(engine.reasons()).containsExactly("UNSUPPORTED_FEATURES");
        engine.reload();
        // q and r are due: neither can be learned
        engine.send("m", "{\"action\":\"TICK\"}", 5000);
        assertThat(engine.reasons()).isEmpty();
        assertThat(engine.model("m").counts().totals().of(Counter.UNLABELLED)).isEqualTo(2);
        assertThat(weights(engine)).contains("item^1*user^2 1.0").hasSize(8);
    }

    @Test
    void shouldKeepTheHasherOfTheSettings() {
        FeatureHasher hasher = Settings.DEFAULTS.with(Map.of("crosses", "b*a")).hasher();
        byte[] name = "a^1*b^2".getBytes(StandardCharsets.UTF_8);
        byte[] turned = "b^2*a^1".getBytes(StandardCharsets.UTF_8);
        assertThat(hasher.shownIndex(name, 0, name.length)).isEqualTo(hasher.shownIndex(turned, 0, turned.length));
        assertThat(hasher.shownIndex(name, 0, name.length)).isNotEqualTo(hasher.index(name, 0, name.length));
        assertThat(Settings.DEFAULTS.hasher().rules()).isNull();
    }
}
