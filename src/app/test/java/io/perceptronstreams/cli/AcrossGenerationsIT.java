package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code what-if} and {@code explain} of models that were moved to other topics, beside an engine that had that number
 * of partitions from the start and got the same records: it has no second generation.
 */
@Tag("full")
final class AcrossGenerationsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int ROUNDS = 150;
    private static final int LATE = 40;

    /** By model; none of them is on partition 0 of three. Examples of {@code bare} have no ids. */
    private static final Map<String, String> SETTINGS = Map.of(
            "plain", "{\"algorithm\":\"pa-i\",\"c\":\"0.1\"}",
            "late", "{\"algorithm\":\"perceptron\",\"await.labels.ms\":\"3600000\"}",
            "bare", "{\"algorithm\":\"arow\",\"scale\":\"standard\"}");

    private static final Map<String, String> CANDIDATES =
            Map.of("plain", "c=0.01,1", "late", "h=0.5,1;predict=last,averaged", "bare", "r=0.5,2");

    @TempDir
    Path directory;

    private final SharedCluster moved = new SharedCluster("asked");
    private final SharedCluster next =
            new SharedCluster(Generation.of(moved.prefix()).next().prefix());
    private final SharedCluster right = new SharedCluster("asked-right");
    private final Random random = new Random(7);
    private final Map<String, RecordMetadata> places = new HashMap<>();
    private int round;
    private EngineRunner first;
    private EngineRunner second;
    private EngineRunner reference;

    @BeforeEach
    void start() throws Exception {
        first = SharedCluster.startEngine(moved.config(Map.of("topics.partitions", "1")));
        reference = SharedCluster.startEngine(right.config(Map.of("topics.partitions", "3")));
    }

    @AfterEach
    void stop() {
        first.close();
        reference.close();
        if (second != null) {
            second.close();
        }
    }

    /** Sends rounds of all models to two engines: one record of each, and the label of an earlier example. */
    private void send(int rounds, SharedCluster... clusters) throws Exception {
        Map<String, Future<RecordMetadata>> sent = new HashMap<>();
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(moved.config(Map.of()))) {
            for (int k = 0; k < rounds; k++, round++) {
                for (String model : List.of("plain", "late", "bare")) {
                    double x = random.nextGaussian();
                    double y = random.nextGaussian();
                    String features = "\"features\":[" + x + "," + y + ",1]";
                    String id = model.equals("bare") ? "" : "\"id\":\"e" + round + "\",";
                    int label = x + 0.5 * y + 0.4 * random.nextGaussian() > 0 ? 1 : -1;
                    for (SharedCluster each : clusters) {
                        String own = model.equals("late") ? "" : "\"label\":" + label + ",";
                        sent.put(
                                key(each, model, round),
                                producer.send(record(each, model, "{" + id + own + features + "}")));
                        if (model.equals("late") && round >= LATE) {
                            var unused = producer.send(record(
                                    each,
                                    model,
                                    "{\"exampleId\":\"e" + (round - LATE) + "\",\"label\":" + earlier(round - LATE)
                                            + "}"));
                        }
                    }
                }
            }
        }
        for (Map.Entry<String, Future<RecordMetadata>> each : sent.entrySet()) {
            places.put(each.getKey(), each.getValue().get());
        }
    }

    private static int earlier(int round) {
        return round % 5 < 2 ? 1 : -1;
    }

    private ProducerRecord<byte[], byte[]> record(SharedCluster cluster, String model, String value) {
        return new ProducerRecord<>(
                cluster.topic(Topic.EXAMPLES),
                null,
                1_700_000_000_000L + round,
                model.getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8));
    }

    private static String key(SharedCluster cluster, String model, int round) {
        return cluster.prefix() + " " + model + " " + round;
    }

    /** PARTITION@OFFSET of the example of a round, as events have it. */
    private String place(SharedCluster cluster, String model, int round) {
        RecordMetadata there = places.get(key(cluster, model, round));
        return there.partition() + "@" + Generation.of(cluster.prefix()).offset(there.offset());
    }

    /** P@A..B of a model's records of rounds, both included. */
    private String range(SharedCluster cluster, String model, int from, int to) {
        return place(cluster, model, from) + ".." + place(cluster, model, to).replaceAll(".*@", "");
    }

    /** Waits until all that was sent is used, by a command at its end. */
    private static void barrier(SharedCluster cluster, String name) {
        for (String model : SETTINGS.keySet()) {
            // an engine that has just started may not have made it
            await().atMost(Duration.ofSeconds(90)).until(() -> cluster.run("models show " + model) == 0);
            cluster.output("versions tag " + model + " " + name + " --timeout 90");
        }
    }

    private static void configure(SharedCluster cluster) {
        SETTINGS.forEach(
                (model, settings) -> cluster.send(model, "{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}"));
    }

    /** Answer of a command, without what places, times and the names of topics make of it. */
    private static ObjectNode answer(SharedCluster cluster, String command) throws IOException {
        cluster.output(command + " --json");
        ObjectNode answer = (ObjectNode) cluster.objects().get(0);
        answer.remove(List.of("place", "seconds", "fromOffset", "sent"));
        answer.findParents("nanosPerRecord").forEach(each -> ((ObjectNode) each).remove("nanosPerRecord"));
        return answer;
    }

    private JsonNode compare(String command, String commandRight) throws IOException {
        JsonNode expected = answer(right, commandRight);
        assertThat(answer(next, command)).as(command).isEqualTo(expected);
        return expected;
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content).toString();
    }

    @Test
    void shouldAnswerAsIfThePartitionsHadAlwaysBeenThere() throws Exception {
        configure(moved);
        configure(right);
        send(ROUNDS, moved, right);
        barrier(moved, "before");
        barrier(right, "before");
        String early = "explain plain " + place(moved, "plain", 30);
        JsonNode before = answer(moved, early);
        moved.output("topics repartition --to 3 --yes --timeout 90");

        // the new topics have no record yet, and no engine
        compareWhatIf("plain", "--grid c=0.01,1;predict=last,averaged");
        assertThat(answer(next, early)).isEqualTo(before);

        // behind the fence: sent on by the first engine
        send(LATE / 2, moved, right);
        int last = round;
        await().atMost(PATIENCE).until(() -> examples(next) >= LATE / 2 * 4);
        second = SharedCluster.startEngine(next.config(Map.of()));
        send(ROUNDS, next, right);
        barrier(next, "after");
        barrier(right, "after");

        for (String model : SETTINGS.keySet()) {
            compareWhatIf(model, "--grid " + CANDIDATES.get(model));
            compareWithout(model, 20, 60);
            compareWithout(model, last + 20, last + 60);
            compareExplanation(model, 60);
            compareExplanation(model, last + 30);
            assertThat(next.output("verify " + model)).contains(": all equal.");
        }
        compareWhatIf("plain", "--portfolio");
        compareWhatIf("plain", "--from-tag before --set c=1");
        compareByIds();
        assertThat(answer(next, early)).isEqualTo(before);
        // by its id: where it was sent on to is not where it was sent
        compare("explain plain e" + (ROUNDS + 3), "explain plain e" + (ROUNDS + 3));
        // predicted in the first generation, labelled behind the fence
        JsonNode late = compare("explain late e" + (ROUNDS - 3), "explain late e" + (ROUNDS - 3));
        assertThat(late.get("trueLabel").isNull()).isTrue();

        assertThat(next.failure(2, early.replace(" 0@", " 1@")))
                .contains("the example must be on partition 0, where plain is, got 1@");
        assertThat(next.failure(
                        2,
                        "what-if plain --without "
                                + range(next, "plain", last, last + 1).replaceAll("^.", "0")))
                .contains("--without must be of partition ");
        compareReplaced();
    }

    private void compareWhatIf(String model, String options) throws IOException {
        String command = "what-if " + model + " " + options;
        JsonNode answer = compare(command, command);
        assertThat(answer.get("reproduced").asBoolean()).isTrue();
        for (JsonNode candidate : answer.get("candidates")) {
            assertThat(candidate.get("labelled").asLong()).isGreaterThan(ROUNDS / 2);
        }
    }

    /** Leaves out records of one generation, which others are on the other engine. */
    private void compareWithout(String model, int from, int to) throws IOException {
        SharedCluster of = from < ROUNDS ? moved : next;
        String command = "what-if " + model + " --without ";
        JsonNode answer = compare(command + range(of, model, from, to), command + range(right, model, from, to));
        JsonNode candidate = answer.get("candidates").get(0);
        assertThat(candidate.get("omitted").asLong()).isGreaterThan(to - from);
        assertThat(candidate.get("unmatched")).isEmpty();
    }

    private void compareExplanation(String model, int number) throws IOException {
        SharedCluster of = number < ROUNDS ? moved : next;
        String here = place(of, model, number);
        String there = place(right, model, number);
        JsonNode expected = answer(right, "explain " + model + " " + there);
        ObjectNode actual = answer(next, "explain " + model + " " + here);
        if (model.equals("bare")) {
            assertThat(actual.get("exampleId").asText()).isEqualTo(here);
            actual.put("exampleId", there);
        }
        assertThat(actual).as("explain %s %s", model, here).isEqualTo(expected);
        assertThat(expected.get("evidence")).isNotEmpty();
    }

    /** Examples of both generations, by ids and by the places that stand for them. */
    private void compareByIds() throws IOException {
        int later = round - 60;
        StringBuilder here = new StringBuilder();
        StringBuilder there = new StringBuilder();
        for (int k = 0; k < 10; k++) {
            here.append(place(moved, "bare", 5 * k)).append('\n');
            here.append(place(next, "bare", later + k)).append('\n');
            there.append(place(right, "bare", 5 * k)).append('\n');
            there.append(place(right, "bare", later + k)).append('\n');
        }
        String command = "what-if bare --without-ids ";
        JsonNode answer = compare(command + file("here", here.toString()), command + file("there", there.toString()));
        JsonNode candidate = answer.get("candidates").get(0);
        assertThat(candidate.get("labelled").asLong())
                .isEqualTo(answer.get("control").get("labelled").asLong() - 20);
        assertThat(candidate.get("unmatched")).isEmpty();

        String labels = file("labels", "e7\t1\ne8\t-1\ne9\t1\ne" + later + "\t-1\ne" + (later + 1) + "\t1\n");
        for (String model : List.of("plain", "late")) {
            JsonNode other =
                    compare("what-if " + model + " --labels " + labels, "what-if " + model + " --labels " + labels);
            assertThat(other.get("candidates").get(0).get("unmatched").size()).isEqualTo(0);
        }
    }

    /** The weights go on from where they were computed, and so do the predictions. */
    private void compareReplaced() throws Exception {
        String replace = "what-if plain --set c=1 --replace --yes --without ";
        next.output(replace + range(moved, "plain", 20, 60));
        right.output(replace + range(right, "plain", 20, 60));
        send(30, next, right);
        barrier(next, "end");
        barrier(right, "end");
        compare("explain plain e" + (round - 1), "explain plain e" + (round - 1));
        assertThat(next.output("verify plain")).contains(": all equal.");
    }

    private static long examples(SharedCluster cluster) {
        AtomicLong count = new AtomicLong();
        try (TopicScan scan = TopicScan.open(cluster.config(Map.of()), cluster.topic(Topic.EXAMPLES))) {
            scan.readAll(record -> count.incrementAndGet());
        }
        return count.get();
    }
}
