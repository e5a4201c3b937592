package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Settings of several models, and one file sent to all of them. */
final class SeveralModelsIT {
    @TempDir
    static Path directory;

    @RegisterExtension
    static final EngineOnCluster ENGINE = new EngineOnCluster("several-models");

    @Test
    void shouldSendOneFileToSeveralModelsAndCountWhatEachRefuses() throws IOException {
        ENGINE.output("models set named labels=no,yes");
        // the other one takes the ints 0 and 1 only
        ENGINE.output("models set ints negative.label=0");
        Path file = Files.writeString(directory.resolve("named.csv"), "label,x\n" + "no,-1\nyes,2\n".repeat(10));

        assertThat(ENGINE.run("produce " + file + " --model named,ints --timeout 60"))
                .isEqualTo(1);
        assertThat(ENGINE.errors()).contains("at most 0 examples and labels must be refused, got 20");
        List<String> lines = ENGINE.output().lines().toList();
        assertThat(lines.get(0)).startsWith("sent 20 examples of named to ").endsWith(", none refused");
        assertThat(lines.get(1)).startsWith("20 labelled examples of named so far: ");
        assertThat(lines.get(2)).startsWith("sent 20 examples of ints to ");
        assertThat(lines.get(3)).isEqualTo("20 of 20 examples were refused: 20 INVALID_LABEL");

        assertThat(ENGINE.run(
                        "produce " + file + " --model named,ints --timeout 60 --json --batch 7 --allow-refused 20"))
                .isZero();
        assertThat(ENGINE.objects())
                .extracting(
                        each -> each.get("model").textValue() + " " + each.get("examples") + " " + each.get("refused"))
                .containsExactly("named 20 0", "ints 20 20");
    }

    @Test
    void shouldRefuseToSendToOneModelTwice() throws IOException {
        Path file = Files.writeString(directory.resolve("one.csv"), "label,x\n1,2\n");

        assertThat(ENGINE.failure(2, "produce " + file + " --model a,b,a"))
                .contains("--model must name each model once, got a,b,a");
        assertThat(ENGINE.failure(2, "produce " + file + " --model a,b!"))
                .contains("model name must be 1 to 128 characters of A-Z a-z 0-9 . _ -, got 'b!'");
    }

    @Test
    void shouldCreateACopyWithTheSettingsOfAModel() throws IOException {
        ENGINE.output("models set original h=1 scale=standard window.ms=5000");
        Path file = Files.writeString(directory.resolve("learned.csv"), "label,x\n0,-1\n1,2\n");
        ENGINE.output("produce " + file + " --model original --timeout 60");

        assertThat(ENGINE.output("models copy original copy h=2").lines())
                .hasSize(2)
                .first()
                .isEqualTo("perceptron models set copy h=2.0 scale=standard window.ms=5000");
        assertThat(ENGINE.output("models show copy"))
                .contains(
                        "examples: 0\n",
                        "  h: 2.0\n",
                        "  scale: standard\n",
                        "  window.ms: 5000\n",
                        "  negative.label: auto\n");

        assertThat(ENGINE.output("models copy original copy h=2")).isEqualTo("copy has these settings already\n");
        assertThat(ENGINE.failure(1, "models copy original copy"))
                .isEqualTo("perceptron: model copy must have the settings of original or not exist, got h=2.0"
                        + " (perceptron models set copy h=1.0 changes them)\n");
    }

    @Test
    void shouldCreateACopyOfAModelWithoutOwnSettings() {
        ENGINE.output("models set usual h=0");

        assertThat(ENGINE.output("models copy usual usual-too"))
                .startsWith("perceptron models set usual-too algorithm=auto\nusual-too: live, auto, 0 examples, ");
    }

    @Test
    void shouldRefuseACopyOfNoModelAndOfItself() {
        assertThat(ENGINE.failure(1, "models copy absent new")).contains("model must exist, got 'absent'");
        assertThat(ENGINE.failure(2, "models copy absent absent"))
                .contains("COPY must be another model, got 'absent' twice");
        assertThat(ENGINE.failure(2, "models copy absent new h=-1")).contains("h must be a number >= 0");
    }

    @Test
    @Tag("full")
    void shouldSendWhatDiffersFromAFileAndThenNothing() throws IOException {
        ENGINE.output("models set kept h=1 scale=standard");
        Path file = Files.writeString(directory.resolve("models.yaml"), """
                # settings that are not named stay
                kept:
                  h: 2
                  labels: [no, yes]
                added:
                  algorithm: pa-i
                  labels: no,yes
                """);
        String apply = "models apply -f " + file;

        assertThat(ENGINE.failure(2, apply))
                .isEqualTo("perceptron: " + file + ":5: model must exist, got 'added' (models apply -f " + file
                        + " --create creates it)\n");
        String differences = """
                kept:
                  h: 1.0 -> 2.0
                  labels: '' -> no,yes
                added: new
                  algorithm: pa-i
                  labels: no,yes
                """;
        assertThat(ENGINE.output(apply + " --create --dry-run")).isEqualTo(differences);
        assertThat(ENGINE.output(apply + " --create --dry-run --json").lines())
                .containsExactly(
                        "{\"model\":\"kept\",\"changes\":{\"h\":\"2.0\",\"labels\":\"no,yes\"}}",
                        "{\"model\":\"added\",\"changes\":{\"algorithm\":\"pa-i\",\"labels\":\"no,yes\"}}");
        assertThat(ENGINE.output("models show kept")).contains("  h: 1.0\n");

        assertThat(ENGINE.output(apply + " --create"))
                .startsWith(differences + "kept: live, auto, 0 examples, ")
                .containsPattern("\nadded: live, pa-i, 0 examples, .*\n$");
        assertThat(ENGINE.output("models show kept"))
                .contains("  h: 2.0\n", "  labels: no,yes\n", "  scale: standard\n");
        assertThat(ENGINE.output(apply)).isEqualTo("kept: nothing to change\nadded: nothing to change\n");
    }

    // of three models the second one refuses its settings
    @Test
    @Tag("full")
    void shouldNameTheModelThatRefusesItsSettings() throws IOException {
        ENGINE.output("models set first h=0");
        ENGINE.output("models set second algorithm=multiclass");
        ENGINE.output("models set third h=0");
        Path file = Files.writeString(
                directory.resolve("refused.yaml"), "first: {h: 1}\nsecond: {budget: 5}\nthird: {h: 1}\n");

        assertThat(ENGINE.failure(1, "models apply -f " + file))
                .startsWith("perceptron: second: command was refused: budget must be 0 with algorithm=multiclass")
                .endsWith("; the settings of 1 later models were not sent\n");
        assertThat(ENGINE.output("models show third")).contains("  h: 0.0\n");
    }
}
