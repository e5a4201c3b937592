package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManPageTest {
    @TempDir
    Path directory;

    private final Commands commands = new Commands();

    @BeforeEach
    void write() {
        commands.output("gen-manpage --outdir " + directory.resolve("man1"));
    }

    @Test
    void shouldHaveAPageForEveryCommandThatHelpLists() throws IOException {
        assertThat(pages())
                .contains("perceptron.1", "perceptron-run.1", "perceptron-models.1", "perceptron-models-set.1")
                .doesNotContain("perceptron-gen-manpage.1");
        Matcher command =
                Pattern.compile("(?m)^  ([a-z]+) ").matcher(afterHeading(commands.output("--help"), "Commands:"));
        while (command.find()) {
            assertThat(pages()).contains("perceptron-" + command.group(1) + ".1");
        }
    }

    @Test
    void shouldHaveTheTextOfTheHelp() throws IOException {
        assertThat(page("perceptron-run"))
                .startsWith(".TH \"PERCEPTRON\\-RUN\" 1 \"\" \"perceptron ")
                .contains(".SH NAME\nperceptron\\-run \\- Run the engine on a cluster, or with "
                        + "\\-\\-embedded on a broker and a registry in this process\n");
        for (String command : List.of("", "run ", "models set ", "dead-letters list ")) {
            assertThat(page(("perceptron " + command).strip().replace(' ', '-'))
                            .replace("\\-", "-")
                            .replace("\\e", "\\")
                            .replace("\\&", ""))
                    .contains(".nf\n" + commands.output(command + "--help") + ".fi\n");
        }
    }

    @Test
    void shouldBeFreeOfWarningsOfGroff() throws Exception {
        assumeTrue(isThere("groff"), "skipped: needs groff on the PATH");
        for (String page : pages()) {
            Process groff = new ProcessBuilder(
                            "groff",
                            "-man",
                            "-ww",
                            "-z",
                            "-Kutf8",
                            "-Tutf8",
                            directory.resolve("man1/" + page).toString())
                    .redirectErrorStream(true)
                    .start();
            String warnings = new String(groff.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(groff.waitFor()).as(warnings).isZero();
            assertThat(warnings).as(page).isEmpty();
        }
    }

    private static boolean isThere(String program) {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
    }

    private Set<String> pages() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("man1"))) {
            Set<String> names = new TreeSet<>();
            files.forEach(file -> names.add(file.getFileName().toString()));
            return names;
        }
    }

    private String page(String name) throws IOException {
        return Files.readString(directory.resolve("man1").resolve(name + ".1"));
    }

    private static String afterHeading(String help, String heading) {
        assertThat(help).contains(heading);
        return help.substring(help.indexOf(heading));
    }
}
