package io.perceptronstreams.topology;

import static io.perceptronstreams.topology.Snapshots.states;
import static io.perceptronstreams.topology.Snapshots.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Snapshots with a name, and the way back to one of them. */
@ExtendWith(EngineExtension.class)
class VersionsTest {
    private final EngineDriver engine;
    private long time;

    VersionsTest(EngineDriver engine) {
        this.engine = engine;
    }

    private void command(String action, String settings) {
        engine.send("m", "{\"action\":\"" + action + "\",\"settings\":{" + settings + "}}", time++);
    }

    private void tag(String name) {
        command("SNAPSHOT", "\"name\":\"" + name + "\"");
    }

    private void untag(String name) {
        command("SNAPSHOT", "\"name\":\"" + name + "\",\"drop\":true");
    }

    private void example(double x) {
        engine.send("m", "{\"label\":" + (x > 0 ? 1 : -1) + ",\"features\":[" + x + ",1]}", time++);
    }

    private List<String> weightKeys() {
        return engine.records(Topic.WEIGHTS).stream()
                .map(record -> new String(record.key(), StandardCharsets.UTF_8) + (record.value() == null ? " -" : ""))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private List<GenericRecord> versions() {
        return (List<GenericRecord>) engine.last(Topic.MODELS).get("versions");
    }

    @Test
    void shouldPublishUnderANameAndNeverOverwriteIt() {
        example(2);
        example(-1);
        tag("v1");

        assertThat(weightKeys()).containsExactly("m@v1");
        assertThat(versions())
                .extracting(
                        each -> each.get("name").toString(),
                        each -> each.get("epoch"),
                        each -> each.get("updates"),
                        each -> each.get("offset"))
                .containsExactly(tuple("v1", 0L, 2L, 2L));
        engine.reload();
        example(-3);
        tag("v1");
        assertThat(weightKeys()).isEmpty();
        assertThat(engine.messages())
                .containsExactly("the name of a snapshot must be new, got 'v1' again (take another one, or remove it:"
                        + " perceptron models untag m v1)");
        command("SNAPSHOT", "");
        assertThat(weightKeys()).containsExactly("m");
        command("RESET", "");
        tag("v2");
        assertThat(versions()).extracting(each -> each.get("name").toString()).containsExactly("v1", "v2");
        assertThat(weightKeys()).containsExactly("m@v2");
    }

    @Test
    void shouldRemoveAllChunksOfANameAndNoOthers() {
        double[] weights =
                new Random(5).doubles(45_000).map(value -> -value * 1e-100).toArray();
        engine.send("m", Wire.example(engine.id("Example"), Wire.dense(weights)), time++);
        tag("wide");
        assertThat(weightKeys()).containsExactly("m@wide", "m@wide/1", "m@wide/2", "m@wide/3");
        command("RESET", "");
        tag("small");
        weightKeys();
        engine.reload();

        untag("wide");

        assertThat(weightKeys()).containsExactly("m@wide -", "m@wide/1 -", "m@wide/2 -", "m@wide/3 -");
        assertThat(versions()).extracting(each -> each.get("name").toString()).containsExactly("small");
        untag("wide");
        assertThat(engine.messages())
                .containsExactly("a named snapshot must exist to be removed, got 'wide' (there are small)");
        tag("wide");
        assertThat(weightKeys()).containsExactly("m@wide");
    }

    @Test
    void shouldOutliveTheModel() {
        example(2);
        tag("v1");
        command("DELETE", "");
        weightKeys();
        engine.reload();
        assertThat(versions()).hasSize(1);

        tag("v2");
        assertThat(engine.messages())
                .containsExactly("SNAPSHOT must be for a model that exists, got none of this name");
        example(1);
        tag("v1");
        assertThat(engine.messages()).singleElement().asString().startsWith("the name of a snapshot must be new");
        command("DELETE", "");
        untag("v1");

        assertThat(weightKeys()).containsExactly("m@v1 -");
        GenericRecord status = engine.last(Topic.MODELS);
        assertThat(status.get("state")).hasToString("DELETED");
        assertThat((List<?>) status.get("versions")).isEmpty();
        engine.reload();
        tag("v1");
        assertThat(engine.messages()).hasSize(1);
        example(1);
        tag("v1");
        assertThat(weightKeys()).containsExactly("m@v1");
    }

    @Test
    void shouldRefuseMoreThanAHundredAndNameTheRemedy() {
        example(1);
        for (int k = 0; k < 100; k++) {
            tag("v" + k);
        }
        assertThat(weightKeys()).hasSize(100);
        tag("one-more");

        assertThat(engine.messages())
                .containsExactly("a model must have at most 100 named snapshots, got one more, 'one-more' (remove one,"
                        + " such as the oldest: perceptron models untag m v0)");
        untag("v0");
        tag("one-more");
        assertThat(versions()).hasSize(100);
    }

    @Test
    void shouldRefuseOtherSettings() {
        example(1);
        tag("a@b");
        tag("a/b");
        tag("");
        command("SNAPSHOT", "\"drop\":true");
        command("SNAPSHOT", "\"name\":\"a\",\"drop\":\"x\"");
        command("SNAPSHOT", "\"name\":\"a\",\"h\":1");
        engine.send("m@v1", "{\"label\":1,\"features\":[1]}", time++);

        assertThat(engine.messages())
                .containsExactly(
                        "name must be 1 to 64 characters of A-Z a-z 0-9 . _ -, got 'a@b'",
                        "name must be 1 to 64 characters of A-Z a-z 0-9 . _ -, got 'a/b'",
                        "name must be 1 to 64 characters of A-Z a-z 0-9 . _ -, got ''",
                        "name must be 1 to 64 characters of A-Z a-z 0-9 . _ -, got none",
                        "drop must be true or false, got 'x'",
                        "the settings of SNAPSHOT must be name and drop, got [h, name]",
                        // hence no model has the key of a named snapshot
                        "record key must be a model's name, 1 to 128 characters of A-Z a-z 0-9 . _ -, got 'm@v1', 4 bytes");
        assertThat(weightKeys()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void shouldBeTheNamedSnapshotAgain(Algorithm algorithm) {
        Random random = new Random(3);
        command("CONFIGURE", settings(algorithm));
        learn(algorithm, 60, random);
        tag("v1");
        List<byte[]> tagged =
                engine.records(Topic.WEIGHTS).stream().map(TestRecord::value).toList();
        learn(algorithm, 40, random);
        command("RESET", "");
        learn(algorithm, 20, random);
        engine.reload();

        tagged.forEach(chunk -> engine.send(utf8("m"), chunk, time++));
        engine.reload();
        command("SNAPSHOT", "");

        List<byte[]> after =
                engine.records(Topic.WEIGHTS).stream().map(TestRecord::value).toList();
        assertThat(engine.messages()).isEmpty();
        assertThat(states(after, engine)).isEqualTo(states(tagged, engine));
        assertThat(engine.model("m").pipeline().algorithm()).isEqualTo(algorithm);
        assertThat(versions()).as("an import keeps them").hasSize(1);
    }

    private static String settings(Algorithm algorithm) {
        return "\"algorithm\":\"" + (algorithm == Algorithm.KERNEL ? "perceptron\",\"kernel\":\"rbf(g=0.5)" : algorithm)
                + "\"";
    }

    private void learn(Algorithm algorithm, int examples, Random random) {
        for (int k = 0; k < examples; k++) {
            String example = switch (algorithm) {
                case SEQUENCE ->
                    "\"label\":[\"N\",\"V\"],\"features\":{\"tokens\":[[\"w=" + random.nextInt(9) + "\"],[\"w="
                            + random.nextInt(9) + "\"]]}";
                case STRUCTURED ->
                    "\"label\":\"" + (random.nextBoolean() ? "a" : "b")
                            + "\",\"features\":{\"candidates\":[{\"output\":\"a\",\"features\":{\"f\":"
                            + random.nextGaussian() + "}},{\"output\":\"b\",\"features\":{\"g\":1}}]}";
                case MULTICLASS, MULTICLASS_PA ->
                    "\"label\":\"c" + random.nextInt(3) + "\",\"features\":[" + random.nextGaussian() + ","
                            + random.nextGaussian() + "]";
                default ->
                    "\"label\":" + (random.nextBoolean() ? 1 : -1) + ",\"features\":[" + random.nextGaussian() + ","
                            + random.nextGaussian() + "]";
            };
            engine.send("m", "{" + example + "}", time++);
        }
    }
}
