package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.embedded.JavaProcess;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of a page of the docs in a shell and compares their output with that on the page. */
final class QuickstartIT {
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    /** Commands and, after an empty line, their output. */
    private static final Pattern STEP = Pattern.compile("(?s)```sh\n(.*?)```\n\n```\n(.*?)```\n");

    /** Lines of the engine with the free ports that it has taken. */
    private static final Pattern ADDRESSES =
            Pattern.compile("broker (127[^,]*), registry (http://\\S*), [^\n]*\nmonitor (http://\\S*)/\n");

    @TempDir
    Path directory;

    private Process engine;
    private String bootstrap;
    private String registry;
    private String monitor;

    /** Commands of the page, and the output that it shows. */
    private record Step(String commands, String output) {}

    @Test
    void shouldPrintWhatTheQuickstartShows() throws Exception {
        requireOutputOf("quickstart");
    }

    @Test
    @Tag("full")
    void shouldPrintWhatTheComparisonShows() throws Exception {
        requireOutputOf("challengers");
    }

    @Test
    @Tag("full")
    void shouldPrintWhatThePageAboutDecisionsShows() throws Exception {
        requireOutputOf("decide");
    }

    private void requireOutputOf(String page) throws Exception {
        Files.writeString(directory.resolve("perceptron"), """
                #!/bin/sh
                if [ "$1" = run ]; then set -- "$@" --broker-port 0 --registry-port 0 --http-port 0; fi
                # the pages show what an engine answers within 5 s, for which this machine may be too busy
                if [ "$1" = produce ]; then set -- "$@" --timeout 120; fi
                exec $TEST_JAVA -Xmx512m io.perceptronstreams.Main "$@"
                """);
        assertThat(directory.resolve("perceptron").toFile().setExecutable(true)).isTrue();
        List<Step> steps = steps(Path.of("docs", page + ".md"));
        assertThat(steps.get(0).commands()).isEqualTo("./perceptron run --embedded\n");
        try {
            start(steps.get(0));
            for (Step step : steps.subList(1, steps.size())) {
                if (step.commands().startsWith("curl ")) {
                    // the monitor reads a topic some time after the engine has written it
                    await().atMost(TIMEOUT).untilAsserted(() -> run(step));
                } else {
                    run(step);
                }
            }
        } finally {
            if (engine != null) {
                // of the shell, which ends with it
                engine.descendants().forEach(ProcessHandle::destroy);
                engine.onExit().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    private static List<Step> steps(Path file) throws IOException {
        String page = Files.readString(file);
        List<Step> steps = STEP.matcher(page)
                .results()
                .map(step -> new Step(step.group(1), step.group(2)))
                .toList();
        assertThat(steps)
                .as("commands that are followed by their output")
                .hasSameSizeAs(
                        Pattern.compile("```sh\n").matcher(page).results().toList());
        return steps;
    }

    private void start(Step step) throws IOException {
        Path log = directory.resolve("engine.txt");
        engine = shell(step.commands(), log).start();
        await().atMost(TIMEOUT)
                .until(() -> !engine.isAlive() || Files.readString(log).contains("EngineRunner: running:"));
        Matcher addresses = ADDRESSES.matcher(Files.readString(log));
        assertThat(addresses.find()).as(Files.readString(log)).isTrue();
        bootstrap = addresses.group(1);
        registry = addresses.group(2);
        monitor = addresses.group(3);
        assertThat(asOnThePage(Files.readString(log))).containsPattern(pattern(step.output()));
    }

    private void run(Step step) throws IOException, InterruptedException {
        Path output = directory.resolve("output.txt");
        ProcessBuilder shell = shell(commands(step), output);
        shell.environment().put("PERCEPTRON_BOOTSTRAP_SERVERS", bootstrap);
        shell.environment().put("PERCEPTRON_SCHEMA_REGISTRY_URL", registry);
        Process process = shell.start();
        boolean ended = process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        String printed = asOnThePage(Files.readString(output));
        assertThat(ended).as(step.commands() + printed).isTrue();
        assertThat(process.exitValue()).as(step.commands() + printed).isZero();
        assertThat(printed.endsWith("\n") ? printed : printed + "\n")
                .as(step.commands())
                .matches(pattern(step.output()));
    }

    /** The commands of a step with the ports of the test. */
    private String commands(Step step) throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return step.commands()
                    .replace("http://127.0.0.1:8080", monitor)
                    .replace("8090", Integer.toString(free.getLocalPort()));
        }
    }

    private ProcessBuilder shell(String commands, Path output) throws IOException {
        ProcessBuilder shell = new ProcessBuilder("sh", "-euc", commands)
                .directory(directory.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        shell.environment().put("TEST_JAVA", String.join(" ", JavaProcess.command()));
        return shell;
    }

    /** Puts the default ports of the page in place of those of the test. */
    private String asOnThePage(String output) {
        return output.replace(bootstrap, "127.0.0.1:9092")
                .replace(registry, "http://127.0.0.1:8081")
                .replace(monitor, "http://127.0.0.1:8080");
    }

    /** A line of … stands for any lines, and … in a line for any text of that line. */
    private static Pattern pattern(String shown) {
        List<String> lines = new ArrayList<>();
        for (String line : shown.lines().toList()) {
            lines.add(
                    line.equals("…")
                            ? "(?:[^\n]*\n)*?"
                            : Pattern.compile("…|[^…]+")
                                            .matcher(line)
                                            .results()
                                            .map(MatchResult::group)
                                            .map(part -> part.equals("…") ? "[^\n]*" : Pattern.quote(part))
                                            .collect(Collectors.joining())
                                    + "\n");
        }
        return Pattern.compile(String.join("", lines));
    }
}
