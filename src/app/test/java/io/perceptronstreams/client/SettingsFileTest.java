package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsFileTest {
    @TempDir
    Path directory;

    @Test
    void shouldSkipAByteOrderMark() throws IOException {
        assertThat(read("\uFEFFm: {h: 1}\n")).containsExactly(Map.entry("m", Map.of("h", "1")));
    }

    // In YAML 1.1 a plain no is a boolean; here it is the name of a class.
    @Test
    void shouldTakeAValueAsItsText() throws IOException {
        assertThat(read("""
                a:
                  labels: [no, yes]
                  bias: false
                  h: 1
                  kernel: "poly(c=1,k=2)"
                  class.weights:
                  classes: # comment
                    - x
                    - 'y'
                b: {eta: 0.10}
                """))
                .containsExactly(
                        Map.entry(
                                "a",
                                Map.of(
                                        "labels",
                                        "no,yes",
                                        "bias",
                                        "false",
                                        "h",
                                        "1",
                                        "kernel",
                                        "poly(c=1,k=2)",
                                        "class.weights",
                                        "",
                                        "classes",
                                        "x,y")),
                        Map.entry("b", Map.of("eta", "0.10")));
    }

    @Test
    void shouldNameAllFaultsWithTheirLines() {
        assertFaults("""
                a:
                  h: -1
                  hh: 2
                  h: 1
                  labels: {x: y}
                b!: {h: 1}
                c: 5
                d: {}
                a: {h: 1}
                """, """
                :2: h must be a number >= 0.0, got '-1'
                :3: unknown setting 'hh' (did you mean h?)
                :4: setting must be named once, got h again
                :5: labels must be a value or a list of values, got a map or a list of them
                :6: model name must be 1 to 128 characters of A-Z a-z 0-9 . _ -, got 'b!'
                :7: c must have a map of settings, got 5
                :8: d must have a setting, got none
                :9: model must be named once, got a again
                """);
    }

    // The value of an alias was its name, an element with a comma was two, and a block was its lines.
    @Test
    void shouldRefuseValuesThatWouldBecomeOthers() {
        assertFaults("""
                a: &base
                  h: &rate 1
                  eta: *rate
                  labels: ["x,y", z]
                  classes: [*rate]
                  namespaces.keep: [x, "", y]
                  kernel: |
                    poly(
                    k=2)
                b: *base
                """, """
                :3: eta must be written out, got the alias *rate (repeat what its anchor marks)
                :4: labels must be a list of values that are not empty and have no comma, got 'x,y' (the text of a list is\
                 labels: "a,b")
                :5: classes must be written out, got the alias *rate (repeat what its anchor marks)
                :6: namespaces.keep must be a list of values that are not empty and have no comma, got '' (the text of a list is\
                 namespaces.keep: "a,b")
                :7: kernel must be one line, got 2 (a list has its elements behind hyphens)
                :10: b must have a map of settings, got the alias *base
                """);
    }

    @Test
    void shouldTakeABlockOfOneLine() throws IOException {
        assertThat(read("""
                a:
                  kernel: >
                    poly(c=1,
                    k=2)
                  h: |
                    1
                """)).containsExactly(Map.entry("a", Map.of("kernel", "poly(c=1, k=2)", "h", "1")));
    }

    @Test
    void shouldRefuseWhatIsNoMapOfModels() {
        assertFaults("", ":1: file must have a model with settings, got none\n");
        assertFaults("- a\n", ":1: file must be a map of models to settings, got [\n");
        assertFaults("a: {h: 1}\n---\nb: {h: 1}\n", ":3: file must be one document, got a second one\n");
        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> read("a: {h: 1\nb: [\n"))
                .withMessageContaining(": text must be YAML, got ");
        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(
                        () -> SettingsFile.read(directory.resolve("absent.yaml").toString()))
                .withMessage("file must exist, got " + directory.resolve("absent.yaml"));
    }

    private void assertFaults(String text, String faults) {
        String file = directory.resolve("f.yaml").toString();
        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> read(text))
                .matches(CommandFailedException::isUsage)
                .satisfies(failure -> assertThat(failure.getMessage().replace(file, "") + "\n")
                        .isEqualTo(faults));
    }

    private Iterable<Map.Entry<String, Map<String, String>>> read(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("f.yaml"), text);
        return SettingsFile.read(file.toString()).entries().entrySet().stream()
                .map(each -> Map.entry(each.getKey(), each.getValue().settings()))
                .toList();
    }
}
