package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.EmbeddedCluster;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code perceptron verify --against} and {@code topics check --against}, with an engine on each of two clusters, the
 * examples of one of which this test copies to the other.
 */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ClusterComparisonIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @RegisterExtension
    static final EngineOnCluster HERE = new EngineOnCluster("against");

    @TempDir
    static Path directory;

    private static EmbeddedCluster there;
    private static EngineConfig config;
    private static EngineRunner engine;
    private static KafkaProducer<byte[], byte[]> copying;

    /** Records that are not copied again, or never, by partition and offset. */
    private static final Set<String> DONE = new HashSet<>();

    @BeforeAll
    static void start() throws Exception {
        there = EmbeddedCluster.start(directory.resolve("there"), 0, 0);
        Map<String, String> settings = new HashMap<>(there.addresses());
        // the copies, of commands, too, have the ids of schemas of this registry
        settings.put("schema.registry.url", HERE.registryUrl());
        settings.putAll(Map.of("data.dir", directory.resolve("engine").toString(), "topics.partitions", "2"));
        config = HERE.config(settings);
        engine = SharedCluster.startEngine(config);
        copying = new KafkaProducer<>(
                Map.of("bootstrap.servers", there.bootstrapServers(), "transactional.id", "copy"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        copying.initTransactions();
    }

    @AfterAll
    static void stop() {
        copying.close();
        engine.close();
        there.close();
    }

    private static int compare(String arguments) {
        return HERE.run("verify --against " + there.bootstrapServers() + (arguments.isEmpty() ? "" : " " + arguments));
    }

    private static void send(String model, int seed, int count) {
        Random random = new Random(seed);
        String[] values = new String[count];
        for (int k = 0; k < count; k++) {
            double x = random.nextGaussian();
            int label = x + 0.3 * random.nextGaussian() > 0 ? 1 : -1;
            values[k] = "{\"label\":" + label + ",\"features\":{\"x\":" + x + ",\"y\":" + random.nextGaussian() + "}}";
        }
        HERE.send(model, values);
    }

    /** Copies what has no copy yet, as a mirror does: each record in its partition, with other offsets. */
    private static void copy() throws Exception {
        copying.beginTransaction();
        try (TopicScan scan = TopicScan.open(HERE.config(), HERE.topic(Topic.EXAMPLES))) {
            scan.readAll(record -> {
                if (DONE.add(record.partition() + "@" + record.offset())) {
                    var unused = copying.send(new ProducerRecord<>(
                            record.topic(),
                            record.partition(),
                            record.timestamp(),
                            record.key(),
                            record.value(),
                            record.headers()));
                }
            });
        }
        copying.commitTransaction();
        awaitProcessed(HERE.config());
        awaitProcessed(config);
    }

    private static void sendThere(Topic topic, String key, String value) {
        copying.beginTransaction();
        var unused = copying.send(new ProducerRecord<>(HERE.topic(topic), utf8(key), utf8(value)));
        copying.commitTransaction();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void awaitProcessed(EngineConfig of) throws Exception {
        try (Admin admin = Admin.create(of.admin());
                TopicScan scan = TopicScan.open(of, of.topic(Topic.EXAMPLES))) {
            await().atMost(PATIENCE).until(() -> {
                Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(of.applicationId())
                        .partitionsToOffsetAndMetadata()
                        .get();
                boolean[] isBehind = {false};
                scan.readAll(record -> {
                    OffsetAndMetadata next = committed.get(new TopicPartition(record.topic(), record.partition()));
                    isBehind[0] |= next == null || next.offset() <= record.offset();
                });
                return !isBehind[0];
            });
        }
    }

    @Test
    void shouldFindModelsEqualAtOtherOffsetsAndSayWhichSideIsBehind() throws Exception {
        HERE.output("models set equal algorithm=pa-i window.examples=50 --timeout 60");
        send("equal", 1, 200);
        copy();

        assertThat(compare("equal")).as(HERE.output() + HERE.errors()).isZero();
        assertThat(HERE.output())
                .containsPattern("(?m)^equal: equal after 201 records, digest [0-9a-f]{16}:"
                        + " against-examples-\\d@\\d+ here, against-examples-\\d@\\d+ there$")
                .contains("1 equal, 0 different, 0 not compared");
        String before = digest();

        send("equal", 2, 50);
        awaitProcessed(HERE.config());
        assertThat(compare("equal")).isZero();
        assertThat(HERE.output()).contains(" there; the engine here has processed 50 more records");
        // as of the last record that both have
        assertThat(digest()).isEqualTo(before);

        copy();
        assertThat(compare("equal")).isZero();
        assertThat(HERE.output()).contains("equal after 251 records").doesNotContain(" more records");
        assertThat(digest()).isNotEqualTo(before);
    }

    /** The last example of the model {@code places}, with a cluster. */
    private static String place(String cluster) {
        int partition = Utils.toPositive(Utils.murmur2(utf8("places"))) % 2;
        return cluster + "/" + partition + "@" + offset();
    }

    private static long offset() {
        try (TopicScan scan = TopicScan.open(HERE.config(), HERE.topic(Topic.EXAMPLES))) {
            long[] last = {-1};
            scan.readAll(record -> {
                if (Arrays.equals(record.key(), utf8("places"))) {
                    last[0] = record.offset();
                }
            });
            return last[0];
        }
    }

    private static String digest() {
        return HERE.output().replaceAll("(?s).*digest ([0-9a-f]+).*", "$1");
    }

    /** The offset would be that of another record here. */
    @Test
    void shouldRefusePositionsOfAnotherCluster() throws Exception {
        HERE.output("models set places algorithm=pa-i --timeout 60");
        send("places", 12, 10);
        copy();
        compare("places");
        String[] clusters = HERE.output()
                .replaceAll("(?s)here: cluster (\\S+) at .*?, there: cluster (\\S+) at .*", "$1 $2")
                .split(" ", -1);
        HERE.output("explain places no-such --json".replace("no-such", place(clusters[0])));
        assertThat(HERE.failure(2, "explain places " + place(clusters[1])))
                .contains(
                        "a position must be one of the cluster " + clusters[0] + " at ", ", got " + clusters[1] + "/");
        assertThat(HERE.output("what-if places --set h=1 --without " + place(clusters[0]) + ".." + offset()))
                .contains("places");
        assertThat(HERE.failure(2, "what-if places --set h=1 --without " + place(clusters[1]) + ".." + offset()))
                .contains("a position must be one of the cluster " + clusters[0]);
        assertThat(HERE.failure(2, "dead-letters show " + clusters[1] + "/0@0"))
                .contains("a position must be one of the cluster " + clusters[0]);
        assertThat(HERE.failure(1, "dead-letters show " + clusters[0] + "/0@123456"))
                .doesNotContain("of the cluster");
    }

    @Test
    void shouldNameTheRecordThatOnlyOneRegionHas() throws Exception {
        send("aborted", 3, 20);
        copy();
        sendThere(Topic.EXAMPLES, "aborted", "{\"label\":1,\"features\":{\"x\":7}}");
        send("aborted", 4, 20);
        copy();

        assertThat(compare("aborted")).isEqualTo(1);
        assertThat(HERE.output())
                .containsPattern("(?m)^aborted: different: 20 records are equal, then against-examples-\\d@\\d+ here is"
                        + " another one than against-examples-\\d@\\d+ there")
                .contains("0 equal, 1 different, 0 not compared");
    }

    /** A command for the defaults is no record of the model. The very last test: all later models would differ. */
    @Test
    @Order(Integer.MAX_VALUE)
    void shouldFindOtherWeightsAfterEqualRecords() throws Exception {
        for (int partition = 0; partition < 2; partition++) {
            copying.beginTransaction();
            var unused = copying.send(new ProducerRecord<>(
                    HERE.topic(Topic.EXAMPLES),
                    partition,
                    utf8("*"),
                    utf8("{\"action\":\"DEFAULTS\",\"settings\":{\"h\":\"0.5\"}}")));
            copying.commitTransaction();
        }
        send("defaults", 5, 40);
        copy();
        assertThat(compare("defaults")).isEqualTo(1);
        assertThat(HERE.output())
                .containsPattern(
                        "(?m)^defaults: different: 40 records are equal, the models after them are not: digest");
    }

    /** Equal records alone would not show that an engine has sent something else. */
    @Test
    void shouldNameTheSideWhoseEventsAreNotThoseOfItsLog() throws Exception {
        send("forged", 6, 30);
        copy();
        sendThere(
                Topic.PREDICTIONS,
                "forged",
                "{\"exampleId\":\"x\",\"label\":1,\"score\":1.5,\"updates\":3,\"examples\":301,\"epoch\":0}");
        assertThat(compare("forged")).isEqualTo(1);
        assertThat(HERE.output()).containsPattern("(?m)^forged: different: there: the event at against-predictions-");
    }

    @Test
    void shouldEndWithAnotherCodeWhereAModelCannotBeCompared() throws Exception {
        send("both", 7, 10);
        copy();
        send("here-only", 8, 10);
        awaitProcessed(HERE.config());

        assertThat(compare("both here-only")).as(HERE.output()).isEqualTo(VerifyCommand.INCOMPARABLE);
        assertThat(HERE.output())
                .contains("both: equal after 10 records")
                .contains("here-only: not compared: there: model must exist, got 'here-only'")
                .contains("1 equal, 0 different, 1 not compared");
        // the schemas of the events there are in the registry of the engine
        assertThat(HERE.run("verify both --against " + there.bootstrapServers() + " --against-registry "
                        + there.registryUrl()))
                .isNotZero();
        assertThat(HERE.output()).doesNotContain("1 equal");
        // without names, all that one of the engines has
        compare("");
        assertThat(HERE.output())
                .contains("both: equal after 10 records")
                .contains("here-only: not compared: there: model must exist, got 'here-only'");
        assertThat(HERE.failure(2, "verify")).contains("one MODEL must be given, got 0");
        assertThat(HERE.failure(2, "verify both here-only")).contains("one MODEL must be given, got 2");
        assertThat(HERE.failure(2, "verify both --against-registry http://localhost:1"))
                .contains("--against-registry must be given with --against");
    }

    @Test
    void shouldNameWhatIsWrongWithACopyOfTheExamples() throws Exception {
        SharedCluster source = new SharedCluster("copied");
        source.output("topics create --partitions 5");
        String topic = source.topic(Topic.EXAMPLES);
        create("copied", 5);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", source.bootstrapServers(), "transactional.id", "original"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.initTransactions();
            for (String values : List.of("a b", "x y", "c d")) {
                producer.beginTransaction();
                for (int partition = 0; partition < 5; partition++) {
                    for (String value : values.split(" ", -1)) {
                        var unused = producer.send(record(topic, partition, value));
                    }
                }
                producer.flush();
                if (values.equals("x y")) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
        }
        List<String> copies = List.of("a b c d", "a b x y c d", "a b a b c d", "a b c d e", "a b c");
        copying.beginTransaction();
        for (int partition = 0; partition < copies.size(); partition++) {
            for (String value : copies.get(partition).split(" ", -1)) {
                var unused = copying.send(record(topic, partition, value));
            }
        }
        copying.commitTransaction();

        assertThat(check("copied", source)).isEqualTo(1);
        assertThat(HERE.output().lines().filter(line -> line.startsWith(topic)))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .matches("copied-examples-1@2 must be the copy of copied-examples-1@6 on .*, got the"
                                        + " aborted record copied-examples-1@3 \\(the mirror needs the line"
                                        + " A.consumer.isolation.level = read_committed\\)"),
                        line -> assertThat(line)
                                .matches("copied-examples-2@2 must be the copy of copied-examples-2@6 on .*, got a"
                                        + " record that the copy has before it .*exactly.once.source.support.*"),
                        line -> assertThat(line)
                                .matches("copied-examples-3 must have no more than the 4 committed records on .*, got 1"
                                        + " more .*"),
                        line -> assertThat(line).matches("copied-examples-0: 4 records as on [^,]*"),
                        line -> assertThat(line).matches("copied-examples-4: 3 records as on .*, 1 not copied yet"));
        // the source alone
        source.output("topics check");

        HERE.runAlone(checkOf("copied", source, "--json"));
        assertThat(HERE.objects().get(0).get("faults")).hasSize(3);
        assertThat(HERE.objects().get(0).get("notes")).hasSize(2);

        try (Admin admin = Admin.create(config.admin())) {
            admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(2)))
                    .all()
                    .get();
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            admin.incrementalAlterConfigs(Map.of(
                            resource,
                            List.of(
                                    set("message.timestamp.type", "LogAppendTime"),
                                    set("retention.ms", "3600000"),
                                    set("max.message.bytes", "1000"))))
                    .all()
                    .get();
        }
        assertThat(check("copied", source)).isEqualTo(1);
        assertThat(HERE.output())
                .contains("copied-examples must have message.timestamp.type CreateTime as a copy, got LogAppendTime")
                .containsPattern("copied-examples must have retention.ms of -1 as on .*, got 3600000 \\(records would")
                .containsPattern("copied-examples must have max.message.bytes of at least \\d+ as on .*, got 1000")
                .contains("copied-examples-0 must have all records, got 2 as its first offset");
    }

    @Test
    void shouldNameAnotherNumberOfPartitionsOfACopy() {
        SharedCluster source = new SharedCluster("narrow");
        source.output("topics create --partitions 3");
        create("narrow", 2);
        assertThat(check("narrow", source)).isEqualTo(1);
        assertThat(HERE.output()).containsPattern("narrow-examples must have as many partitions as on .*, 3, got 2");
        assertThat(HERE.runAlone(checkOf("absent", source))).isEqualTo(1);
        assertThat(HERE.output()).contains("absent-examples must exist, got no such topic");
    }

    private static void create(String prefix, int partitions) {
        assertThat(HERE.runAlone(
                        "topics",
                        "create",
                        "--partitions",
                        "" + partitions,
                        "--bootstrap",
                        there.bootstrapServers(),
                        "--registry",
                        there.registryUrl(),
                        "-D",
                        "topics.prefix=" + prefix,
                        "-D",
                        "models.defaults="))
                .isZero();
    }

    private static int check(String prefix, SharedCluster source) {
        return HERE.runAlone(checkOf(prefix, source));
    }

    private static String[] checkOf(String prefix, SharedCluster source, String... more) {
        List<String> words = new ArrayList<>(List.of("topics", "check", "--bootstrap", there.bootstrapServers()));
        words.addAll(List.of("--against", source.bootstrapServers(), "-D", "topics.prefix=" + prefix));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, int partition, String value) {
        return new ProducerRecord<>(topic, partition, 1_700_000_000_000L, utf8("m"), utf8(value));
    }

    private static AlterConfigOp set(String name, String value) {
        return new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    }

    /** After most tests: it deletes records of other models, too. */
    @Test
    @Order(Integer.MAX_VALUE - 1)
    void shouldStartFromANamedSnapshotWhereRecordsBeforeWereDeleted() throws Exception {
        send("cut", 9, 30);
        awaitProcessed(HERE.config());
        HERE.output("versions tag cut v1 --timeout 60");
        send("cut", 10, 15);
        copy();
        assertThat(compare("cut")).isZero();
        TopicPartition examples =
                new TopicPartition(HERE.topic(Topic.EXAMPLES), Utils.toPositive(Utils.murmur2(utf8("cut"))) % 2);
        HERE.output("versions list cut --json");
        long tagged = HERE.objects().get(0).get("offset").asLong();
        try (Admin admin = Admin.create(HERE.config().admin())) {
            admin.deleteRecords(Map.of(examples, RecordsToDelete.beforeOffset(tagged)))
                    .all()
                    .get();
        }
        send("cut", 11, 5);
        copy();
        assertThat(compare("cut")).isEqualTo(VerifyCommand.INCOMPARABLE);
        assertThat(HERE.output()).contains("cut: not compared: here: against-examples-");
        assertThat(compare("cut --from-tag v1")).as(HERE.output()).isZero();
        assertThat(HERE.output()).contains("cut: equal after 20 records");
    }
}
