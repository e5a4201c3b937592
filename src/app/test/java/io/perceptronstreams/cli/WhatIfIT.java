package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.relearn.WhatIf;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code perceptron what-if} on the topics of an engine that runs: the commands of docs/relearning.md. */
final class WhatIfIT {
    @RegisterExtension
    static final EngineOnCluster CLUSTER = new EngineOnCluster("what-if");

    private static final Pattern COMMAND = Pattern.compile("(?m)^perceptron (what-if fraud .*)$");

    @TempDir
    Path directory;

    private void produce() throws IOException {
        StringBuilder lines = new StringBuilder("label,x,y\n");
        Random random = new Random(1);
        for (int k = 0; k < 400; k++) {
            double x = random.nextGaussian();
            double y = random.nextGaussian();
            // half of the labels between are wrong
            boolean isPoisoned = k >= 120 && k <= 180 && random.nextBoolean();
            lines.append(x + 0.5 * y > 0 != isPoisoned ? 1 : -1);
            lines.append(',').append(x).append(',').append(y).append('\n');
        }
        Path file = Files.writeString(directory.resolve("two.csv"), lines);
        CLUSTER.output("produce " + file + " --model fraud --timeout 60");
    }

    @Test
    void shouldRunTheCommandsOfThePage() throws Exception {
        produce();
        CLUSTER.output("versions tag fraud v1 --timeout 60");
        Instant between = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        produce();
        // only what matches a record may replace the model
        String times = (between + ".." + between.plus(1, ChronoUnit.HOURS)).replace("Z", "");
        Path ids = Files.writeString(directory.resolve("ids.txt"), "120\n121\n122\n");
        Path labels = Files.writeString(directory.resolve("labels.txt"), "120\t1\n121\t-1\n");
        List<String> commands = COMMAND.matcher(Files.readString(Path.of("docs/relearning.md")))
                .results()
                .map(each -> each.group(1).replace("'", ""))
                // before another one replaces the model
                .sorted(Comparator.comparing(each -> !each.contains("--from-tag")))
                .toList();
        assertThat(commands).hasSize(12);
        int partition = Utils.toPositive(Utils.murmur2(Utils.utf8("fraud"))) % 2;
        for (String command : commands) {
            String here = command.replace("ids.txt", ids.toString())
                    .replace("labels.txt", labels.toString())
                    .replace("fraud.weights", directory.resolve("fraud.weights").toString())
                    .replace("2026-11-01T08:00..10:00", times)
                    .replace("--replace", "--replace --yes");
            String output = CLUSTER.output(here.replace(" 0@", " " + partition + "@"));
            assertThat(output).startsWith("reproduced fraud at what-if-examples-");
            assertThat(output)
                    .containsPattern("(?m)^as it was +(400|800|1,200) ")
                    .contains("always the last label");
            if (command.endsWith("--portfolio")) {
                assertThat(output).containsPattern("(?m)^portfolio=true +(400|800|1,200) ");
            }
        }
    }

    /** While examples come in. */
    @Test
    void shouldReplaceAModelWithoutLosingAnExample() throws Exception {
        CLUSTER.output("models set repaired algorithm=pa-i --timeout 60");
        AtomicInteger sent = new AtomicInteger();
        CLUSTER.send("repaired", examples(sent, 200));
        CLUSTER.output("models set repaired c=1 --timeout 60");
        CLUSTER.output("what-if repaired --set c=2 --json");
        long first =
                Long.parseLong(CLUSTER.objects().get(0).get("place").asText().replaceAll(".*@", ""));
        String omitted = "@" + (first - 150) + ".." + (first - 101);
        String partition = CLUSTER.objects().get(0).get("place").asText().replaceAll(".*-(\\d+)@.*", "$1");
        assertThat(CLUSTER.failure(1, "what-if repaired --without " + partition + omitted + " --replace"))
                .contains("replace must be confirmed");
        assertThat(CLUSTER.failure(2, "what-if repaired --grid c=1,2 --replace"))
                .contains("--replace must have one candidate, got 2");

        AtomicBoolean isOver = new AtomicBoolean();
        Thread load = new Thread(() -> {
            while (!isOver.get()) {
                CLUSTER.send("repaired", examples(sent, 50));
            }
        });
        load.start();
        Path file = directory.resolve("repaired.weights");
        try {
            assertThat(CLUSTER.output("what-if repaired --without " + partition + omitted + " --save " + file
                            + " --replace --yes"))
                    .startsWith("reproduced repaired at ")
                    .contains("other records: 50 records of the model left out", "saved other records: ")
                    .containsPattern("(?m)^repaired: live, .* \\(SNAPSHOT at ")
                    .containsPattern("(?m)^repaired: live, .* \\(IMPORT at ");
        } finally {
            isOver.set(true);
            load.join();
        }
        // none of the others is lost
        assertThat(CLUSTER.output("models set repaired c=1 --timeout 60")).contains(" " + sent.get() + " examples, ");
        assertThat(CLUSTER.output("models show repaired --json"))
                .contains("\"ofWeights\":{\"examples\":" + (sent.get() - 50) + ",");
        assertThat(CLUSTER.output("what-if repaired --set c=2 --challenge warm --timeout 60"))
                .containsPattern("(?m)^repaired: live, .* \\(CHALLENGED at ");
        assertThat(CLUSTER.output("challengers show repaired")).contains("warm");
        assertThat(CLUSTER.output("versions list repaired")).contains("before-replace-");
        assertThat(CLUSTER.output("verify repaired")).contains(": all equal.");
        // the weights of both imports may have learned the example
        Path ids = Files.writeString(directory.resolve("forget.txt"), partition + "@" + (first - 10) + "\n");
        String forget = "what-if repaired --without-ids " + ids + " --replace --yes";
        assertThat(CLUSTER.failure(
                        1,
                        "what-if repaired --without-time 2001-01-01T00:00..01:00 --without-ids " + ids
                                + " --replace --yes"))
                .contains("--without-time 2001-01-01T00:00:00Z..2001-01-01T01:00:00Z: no record of the model");
        String refusal = CLUSTER.failure(1, forget);
        assertThat(refusal).contains("a candidate must not take imported weights");
        String remedy = refusal.substring(refusal.indexOf("--without "), refusal.lastIndexOf(')'));
        assertThat(remedy).matches("--without \\d@\\d+\\.\\.\\d+ --without \\d@\\d+\\.\\.\\d+");
        assertThat(CLUSTER.output(forget + " " + remedy)).containsPattern("(?m)^repaired: live, .* \\(IMPORT at ");
        assertThat(CLUSTER.output("weights import copy " + file + " --yes --timeout 60"))
                .contains("copy: live, pa-i, ");
    }

    private static String[] examples(AtomicInteger number, int count) {
        String[] values = new String[count];
        for (int k = 0; k < count; k++) {
            int n = number.incrementAndGet();
            values[k] = "{\"label\":" + (n % 7 < 3 ? 1 : -1) + ",\"features\":[" + n % 7 + "," + n % 3 + ",1]}";
        }
        return values;
    }

    /** The engine refuses the commands while the runs go on: the operator signs the weights of the candidate. */
    @Test
    @Tag("full")
    void shouldNotExecuteACommandThatTheEngineHasRefusedMeanwhile() throws Exception {
        SharedCluster cluster = new SharedCluster("what-if-signed");
        EngineConfig config =
                cluster.config(Map.of("commands.key", "the-key-of-the-operators", "unknown.schema.grace.ms", "0"));
        EngineRunner engine = SharedCluster.startEngine(config);
        try {
            cluster.send("m", examples(new AtomicInteger(), 100));
            await().until(() ->
                    cluster.run("models", "list") == 0 && cluster.output().contains("100"));
            List<Long> seen = new ArrayList<>();
            WhatIf.run(
                    config,
                    "m",
                    List.of(Changes.NONE.with(Map.of("h", "1"))),
                    0.01,
                    null,
                    note -> {},
                    (result, best) -> {
                        for (int attempt = 1; attempt <= 2; attempt++) {
                            cluster.send("m", "{\"action\":\"RESET\"}");
                            cluster.send("m", examples(new AtomicInteger(), 10));
                            // by another schema than the registry has
                            cluster.send("m", "\0\0\0\u0003\u0003x");
                            int letters = 2 * attempt;
                            await().atMost(Duration.ofSeconds(30)).until(() -> letters(cluster) == letters);
                            best.readOn();
                            assertThat(best.fault()).isNull();
                            seen.add(best.model().counts().totals().examples());
                        }
                    });
            assertThat(seen).containsExactly(110L, 120L);
        } finally {
            engine.close();
        }
    }

    /**
     * Only the candidate has the setting of the first command, so that the control does not find it; the second one
     * changes the control, and that of the defaults belongs to no model.
     */
    @ParameterizedTest
    @Tag("full")
    @ValueSource(strings = {"models set m c=0.001", "models set m eta=7", "models defaults eta=7"})
    void shouldNotUseACommandWhoseDeadLetterWasDeleted(String forged) throws Exception {
        SharedCluster cluster = new SharedCluster("what-if-" + forged.replaceAll("[^a-z0-9]", "-"));
        String key = " -D commands.key=the-key-of-the-operators";
        EngineConfig config = cluster.config(Map.of("commands.key", "the-key-of-the-operators"));
        EngineRunner engine = SharedCluster.startEngine(config);
        try {
            cluster.send("m", examples(new AtomicInteger(), 100));
            assertThat(cluster.failure(1, forged + " --timeout 60")).contains("must be signed");
            cluster.send("m", examples(new AtomicInteger(), 10));
            await().until(() ->
                    cluster.run("models", "list") == 0 && cluster.output().contains("110"));
            List<String> unsigned = new ArrayList<>();
            List<Changes> candidates = List.of(Changes.NONE.with(Map.of("algorithm", "pa-i")));
            WhatIf.run(
                    config,
                    "m",
                    candidates,
                    0.01,
                    null,
                    note -> {},
                    (result, best) -> unsigned.addAll(best.unsigned().all()));
            assertThat(unsigned).isEmpty();
            assertThat(cluster.output("verify m" + key))
                    .contains(": all equal.", "1 commands or weights refused as NOT_AUTHORISED");

            deleteLetters(cluster, config);
            WhatIf.run(
                    config,
                    "m",
                    candidates,
                    0.01,
                    null,
                    note -> {},
                    (result, best) -> unsigned.addAll(best.unsigned().all()));
            assertThat(unsigned).hasSize(1);
            boolean isDifferent = cluster.run(("verify m" + key).split(" ")) != 0;
            assertThat(isDifferent).isEqualTo(forged.equals("models set m eta=7"));
            assertThat(cluster.output("verify m" + key + " --without-unsigned"))
                    .contains(": all equal.", "without a valid signature left out, " + unsigned.get(0));
            String whatIf = "what-if m --set algorithm=pa-i" + key;
            for (String use : List.of(" --save " + directory.resolve("w.json"), " --challenge x", " --replace --yes")) {
                assertThat(cluster.failure(1, whatIf + use))
                        .contains("got " + unsigned.get(0) + " without one and without a dead letter (leave them out:"
                                + " --without-unsigned;");
            }
            assertThat(cluster.output(whatIf + " --replace --yes --without-unsigned"))
                    .startsWith("reproduced m at ")
                    .contains("1 commands or weights without a valid signature left out, " + unsigned.get(0))
                    .contains("(IMPORT at ");
        } finally {
            engine.close();
        }
    }

    /** An operator who has set the key later. */
    @Test
    @Tag("full")
    void shouldTakeCommandsFromBeforeTheKeyIfItIsSaid() throws Exception {
        SharedCluster cluster = new SharedCluster("what-if-later");
        String key = " -D commands.key=the-key-of-the-operators";
        EngineRunner engine = SharedCluster.startEngine(cluster.config(Map.of()));
        try {
            cluster.output("models set m eta=2 --timeout 60");
            cluster.send("m", examples(new AtomicInteger(), 100));
            cluster.send("m", "{\"id\":\"last\",\"label\":1,\"features\":[1]}");
            await().until(() ->
                    cluster.run("models", "list") == 0 && cluster.output().contains("101"));
        } finally {
            engine.close();
        }
        String whatIf = "what-if m --set h=1 --save " + directory.resolve("later.json");
        assertThat(cluster.failure(1, whatIf + key)).contains("from before commands.key was set: --with-unsigned");
        assertThat(cluster.output(whatIf + key + " --with-unsigned")).contains("saved h=1: ");
        assertThat(cluster.output(whatIf + key + " --without-unsigned"))
                .contains("h=1: another model begins, without the command at ")
                .contains("saved h=1: ");
        assertThat(cluster.output("verify m" + key))
                .contains(": all equal.", "1 commands or weights taken without a valid signature, at ");
        cluster.output("explain m last" + key + " --json");
        assertThat(cluster.objects().get(0).get("unsigned")).hasSize(1);
        assertThat(cluster.failure(1, "explain m last --without-unsigned" + key))
                .contains("got another ");
        assertThat(cluster.failure(2, "verify m --without-unsigned")).contains("must have the engine's commands.key");
        assertThat(cluster.failure(2, whatIf + " --without-unsigned")).contains("must have the engine's commands.key");
        assertThat(cluster.failure(2, whatIf + key + " --with-unsigned --without-unsigned"))
                .contains("got both");
    }

    private static void deleteLetters(SharedCluster cluster, EngineConfig config) throws Exception {
        try (Admin admin = Admin.create(config.admin());
                TopicScan scan = TopicScan.open(config, cluster.topic(Topic.DEAD_LETTERS))) {
            Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
            scan.ends().forEach((partition, end) -> all.put(partition, RecordsToDelete.beforeOffset(end)));
            admin.deleteRecords(all).all().get();
        }
    }

    private static int letters(SharedCluster cluster) {
        AtomicInteger count = new AtomicInteger();
        try (TopicScan scan = TopicScan.open(cluster.config(Map.of()), cluster.topic(Topic.DEAD_LETTERS))) {
            scan.readAll(letter -> count.incrementAndGet());
        }
        return count.get();
    }

    @Test
    void shouldShowCandidatesAsJsonAndRefuseWrongOptions() throws Exception {
        produce();
        CLUSTER.output("what-if fraud --grid h=0,1;eta=1 --json");
        JsonNode result = CLUSTER.objects().get(0);
        assertThat(result.get("reproduced").asBoolean()).isTrue();
        assertThat(result.get("candidates")).hasSize(2);
        for (JsonNode each : result.get("candidates")) {
            if (each.get("settings").get("h").asText().equals("0")) {
                assertThat(each.get("errors")).isEqualTo(result.get("control").get("errors"));
                assertThat(each.get("onlyControlWrong").asLong()).isZero();
            }
        }

        assertThat(CLUSTER.failure(2, "what-if fraud")).contains("something must be changed");
        assertThat(CLUSTER.failure(2, "what-if fraud --set h=-1")).contains("h must be a number >= 0");
        assertThat(CLUSTER.failure(2, "what-if fraud --set speed=1")).contains("unknown setting 'speed'");
        assertThat(CLUSTER.failure(2, "what-if fraud --without 7@1..2")).contains("--without must be of partition");
        assertThat(CLUSTER.failure(2, "what-if fraud --without-time 8..9"))
                .contains("--without-time must be two times");
    }
}
