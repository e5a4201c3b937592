package io.perceptronstreams.topology;

import static io.perceptronstreams.topology.Snapshots.states;
import static io.perceptronstreams.topology.Snapshots.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
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
                        + " perceptron versions untag m v1)");
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

    /** A part of its weights may be missing. */
    @Test
    void shouldNotNameTheWeightsOfAQuarantinedModel() {
        engine.send("m", BadRecords.QUARANTINE[0], time++);
        engine.send("m", BadRecords.QUARANTINE[1], time++);
        assertThat(engine.messages()).hasSize(1);

        tag("v1");

        assertThat(engine.messages())
                .containsExactly("a named snapshot must be of a model that predicts, got a quarantined one");
        assertThat(weightKeys()).isEmpty();
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
                .containsExactly("a model must have at most 100 named snapshots, got one more, 'one-more' (perceptron"
                        + " versions list m lists them, perceptron versions untag m NAME removes one for ever)");
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
        command("SNAPSHOT", "\"Name\":\"a\"");
        engine.send("m@v1", "{\"label\":1,\"features\":[1]}", time++);

        assertThat(engine.messages())
                .containsExactly(
                        "name must be 1 to 64 characters of A-Z a-z 0-9 . _ -, got 'a@b'",
                        "name must be 1 to 64 characters of A-Z a-z 0-9 . _ -, got 'a/b'",
                        "name must be 1 to 64 characters of A-Z a-z 0-9 . _ -, got ''",
                        "name must be 1 to 64 characters of A-Z a-z 0-9 . _ -, got none",
                        "drop must be true or false, got 'x'",
                        "the settings of SNAPSHOT must be name and drop, got [h, name]",
                        "the settings of SNAPSHOT must be name and drop, got [Name]",
                        // hence no model has the key of a named snapshot
                        "record key must be a model's name, 1 to 128 characters of A-Z a-z 0-9 . _ -, got 'm@v1', 4 bytes");
        assertThat(weightKeys()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"AUTO", "ADAPTIVE"})
    void shouldBeTheNamedSnapshotAgain(Algorithm algorithm) {
        Random random = new Random(3);
        command("CONFIGURE", settings(algorithm));
        learn(algorithm, 60, random, "m");
        tag("v1");
        List<byte[]> tagged =
                engine.records(Topic.WEIGHTS).stream().map(TestRecord::value).toList();
        learn(algorithm, 40, random, "m");
        command("RESET", "");
        learn(algorithm, 20, random, "m");
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

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void shouldChallengeWithANamedSnapshotAndEqualTheModelThatItIsOf(Algorithm algorithm) {
        Random random = new Random(4);
        command("CONFIGURE", settings(algorithm));
        engine.send("source", "{\"action\":\"CONFIGURE\",\"settings\":{" + settings(algorithm) + "}}", time++);
        learn(algorithm, 60, random, "source");
        engine.send("source", "{\"action\":\"SNAPSHOT\",\"settings\":{\"name\":\"v1\"}}", time++);
        List<byte[]> tagged =
                engine.records(Topic.WEIGHTS).stream().map(TestRecord::value).toList();
        learn(algorithm, 40, random, "m");
        Headers purpose =
                new RecordHeaders().add("perceptron-import-as", utf8("challenger challenger=old trial.round=7"));

        tagged.forEach(chunk -> engine.send(utf8("m"), chunk, purpose, time++));
        GenericRecord status = engine.last(Topic.MODELS);
        assertThat(status.get("cause")).hasToString("CHALLENGED");
        assertThat(((List<?>) status.get("challengers")).get(0).toString())
                .contains("\"name\": \"old\"", "\"from\": \"import\"", "\"verdict\": \"OPEN\"");
        engine.reload();
        if (algorithm == Algorithm.ADAPTIVE) {
            // the label before, which a second stage uses, is that of the stream; of this one there is none after it
            engine.send("source", "{\"features\":[1,1]}", time);
            engine.send("m", "{\"features\":[1,1]}", time++);
        }
        learn(algorithm, 50, random, "source", "m");
        command("PROMOTE", "\"challenger\":\"old\"");
        engine.reload();
        learn(algorithm, 50, random, "source", "m");

        assertThat(engine.messages()).isEmpty();
        assertThat(states(Snapshots.snapshot(engine, "m"), engine))
                .isEqualTo(states(Snapshots.snapshot(engine, "source"), engine));
    }

    @Test
    void shouldLeaveTheChampionAloneWhereTheWeightsOfAChallengerAreRefused() {
        double[] weights =
                new Random(5).doubles(45_000).map(value -> -value * 1e-100).toArray();
        engine.send("source", Wire.example(engine.id("Example"), Wire.dense(weights)), time++);
        List<byte[]> chunks = Snapshots.snapshot(engine, "source");
        example(1);
        Headers purpose = new RecordHeaders().add("perceptron-import-as", utf8("challenger challenger=c"));
        // the second one is lost
        engine.send(utf8("m"), chunks.get(0), purpose, time++);
        engine.send(utf8("m"), chunks.get(2), purpose, time++);
        assertThat(engine.messages())
                .singleElement()
                .asString()
                .startsWith("chunks must come in order from 0, got chunk 2 of");
        challenge(chunks, "challenger h=1 challenger=c");
        challenge(chunks, "challenger c");
        challenge(chunks, "challengers challenger=c");
        engine.send("other", "{\"action\":\"CONFIGURE\",\"settings\":{\"hash.bits\":4}}", time++);
        chunks.forEach(chunk -> engine.send(
                utf8("other"),
                chunk,
                new RecordHeaders().add("perceptron-import-as", utf8("challenger challenger=c")),
                1));
        chunks.forEach(chunk -> engine.send(
                utf8("none"),
                chunk,
                new RecordHeaders().add("perceptron-import-as", utf8("challenger challenger=c")),
                1));
        command("CHALLENGE", "\"challenger\":\"c\",\"from\":\"import\"");

        assertThat(engine.messages())
                .containsExactly(
                        "settings of the learner must be those of the imported weights, got also [h] (leave them out)",
                        "header perceptron-import-as must have options key=value after challenger, each once, got 'c'",
                        "header perceptron-import-as must be model, model@OFFSET, comparator, or challenger and its options, got"
                                + " 'challengers challenger=c'",
                        "hash.bits must be 4, as for the model that is challenged, got 18 (leave out hash.bits=18, or begin a"
                                + " model of another name)",
                        "a challenger must be for a model that exists, got none of this name",
                        "from must be scratch or live in a command, got import (perceptron challengers begin MODEL NAME"
                                + " --from FILE sends the weights)");
        assertThat((List<?>) engine.last(Topic.MODELS).get("challengers")).isEmpty();
        assertThat(engine.model("m").challengers().all()).isEmpty();
        assertThat(engine.model("m").current().epoch()).isZero();
    }

    @Test
    @Tag("full")
    void shouldNotNoticeAKillAtAnyRecordOfARollbackAndOfAChallenger(@TempDir Path dir) {
        boolean isLast = false;
        for (int kill = 1; !isLast; kill++) {
            try (KillableTask task = new KillableTask(dir.resolve("kill" + kill), Map.of(), 1, any -> any)) {
                addRollback(task);
                // what is committed before the kill, and whether it is in a checkpoint, differs
                task.steps(kill / 2);
                if (kill % 3 == 0) {
                    task.commitCheckpoint();
                } else {
                    task.commit();
                }
                task.steps(kill - kill / 2);
                isLast = task.isAtEnd();
                task.restart();
                task.stepToEnd();
                task.commitCheckpoint();

                ReferenceEngine reference = ReferenceEngine.compare(task);
                assertThat(reference.named()).isEqualTo(2);
                assertThat(reference.challenged()).isEqualTo(1);
                assertThat(task.committed(Topic.DEAD_LETTERS)).isEmpty();
            }
        }
    }

    /**
     * Learns a model of three chunks and names it; and appends examples, a rollback, a challenger and its promotion.
     */
    private static void addRollback(KillableTask task) {
        Random random = new Random(5);
        double[] wide = random.doubles(35_000).map(value -> -value * 1e-100).toArray();
        int id = task.registry.register("Example", EventSchemas.schema("Example"));
        task.add(utf8("m"), Wire.example(id, Wire.dense(wide)), new RecordHeaders());
        task.add("m", "{\"action\":\"SNAPSHOT\",\"settings\":{\"name\":\"v1\"}}");
        task.start();
        task.stepToEnd();
        task.commit();
        List<byte[]> chunks =
                task.committed(Topic.WEIGHTS).stream().map(SentRecord::value).toList();
        assertThat(chunks).hasSizeGreaterThan(2);
        addExamples(task, random);
        task.add("m", "{\"action\":\"SNAPSHOT\",\"settings\":{\"name\":\"before\"}}");
        for (byte[] chunk : chunks) {
            task.add(utf8("m"), chunk, new RecordHeaders());
            addExamples(task, random);
        }
        for (byte[] chunk : chunks) {
            task.add(
                    utf8("m"),
                    chunk,
                    new RecordHeaders().add("perceptron-import-as", utf8("challenger challenger=old trial.warmup=1")));
            addExamples(task, random);
        }
        task.add("m", "{\"action\":\"PROMOTE\",\"settings\":{\"challenger\":\"old\"}}");
        addExamples(task, random);
        task.add("m", "{\"action\":\"SNAPSHOT\",\"settings\":{\"name\":\"v1\",\"drop\":true}}");
    }

    private static void addExamples(KillableTask task, Random random) {
        for (int k = 0; k < 2; k++) {
            double x = random.nextGaussian();
            task.add("m", "{\"label\":" + (x > 0 ? 1 : -1) + ",\"features\":[" + x + ",1]}");
        }
    }

    private void challenge(List<byte[]> chunks, String purpose) {
        chunks.forEach(chunk ->
                engine.send(utf8("m"), chunk, new RecordHeaders().add("perceptron-import-as", utf8(purpose)), time++));
    }

    private static String settings(Algorithm algorithm) {
        return "\"algorithm\":\"" + (algorithm == Algorithm.KERNEL ? "perceptron\",\"kernel\":\"rbf(g=0.5)" : algorithm)
                + "\"";
    }

    private void learn(Algorithm algorithm, int examples, Random random, String... models) {
        for (int k = 0; k < examples; k++) {
            String example = switch (algorithm) {
                case SEQUENCE ->
                    "\"label\":[\"N\",\"V\"],\"features\":{\"tokens\":[[\"w=" + random.nextInt(9) + "\"],[\"w="
                            + random.nextInt(9) + "\"]]}";
                case STRUCTURED ->
                    "\"label\":\"" + (random.nextBoolean() ? "a" : "b")
                            + "\",\"features\":{\"candidates\":[{\"output\":\"a\",\"features\":{\"f\":"
                            + random.nextGaussian() + "}},{\"output\":\"b\",\"features\":{\"g\":1}}]}";
                case MULTICLASS, MULTICLASS_PA, SOFTMAX ->
                    "\"label\":\"c" + random.nextInt(3) + "\",\"features\":[" + random.nextGaussian() + ","
                            + random.nextGaussian() + "]";
                default ->
                    "\"label\":" + (random.nextBoolean() ? 1 : -1) + ",\"features\":[" + random.nextGaussian() + ","
                            + random.nextGaussian() + "]";
            };
            for (String model : models) {
                engine.send(model, "{" + example + "}", time);
            }
            time++;
        }
    }
}
