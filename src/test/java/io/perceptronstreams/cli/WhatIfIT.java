package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code perceptron what-if} on the topics of an engine that runs: the commands of docs/what-if.md. */
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
        Path ids = Files.writeString(directory.resolve("ids.txt"), "120\n121\n122\n");
        Path labels = Files.writeString(directory.resolve("labels.txt"), "120\t1\n121\t-1\n");
        List<String> commands = COMMAND.matcher(Files.readString(Path.of("docs/what-if.md")))
                .results()
                .map(each -> each.group(1).replace("'", ""))
                .toList();
        assertThat(commands).hasSize(7);
        for (String command : commands) {
            String here = command.replace("ids.txt", ids.toString()).replace("labels.txt", labels.toString());
            int partition = CLUSTER.run(here) == 0 ? 0 : 1;
            String output = CLUSTER.output(here.replace(" 0@", " " + partition + "@"));
            assertThat(output).startsWith("reproduced fraud at what-if-examples-");
            assertThat(output).containsPattern("(?m)^as it was +[48]00 ").contains("always the last label");
        }
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
