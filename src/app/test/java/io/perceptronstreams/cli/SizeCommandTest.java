package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SizeCommandTest extends Commands {
    @TempDir
    private Path directory;

    @Test
    void shouldPrintEachNumberWithItsFormula() {
        String text = output("size --models 1e6 --rate 1e6 --features 50 --labels-late 0.3");
        assertThat(text)
                .containsPattern("stream threads +[0-9]+ +computed: rate / examples/s of a thread")
                .containsPattern("examples/s of a thread +[0-9,]+ +measured: ")
                .contains("Costs measured on ", "Estimated, not measured: ", "verify.micros");
        assertThat(output("size --models 1 --rate 10 --json").lines())
                .allMatch(line -> line.startsWith("{\"name\":\"") && line.contains("\"isMeasured\":"));
    }

    @Test
    void shouldUseTheSettingsOfTheEngine() {
        String text = "size --models 1e5 --rate 1e5 --json";
        assertThat(output(text + " -D checkpoint.interval.ms=1000")).isNotEqualTo(output(text));
        assertThat(output(text + " -D commit.interval.ms=1000")).isNotEqualTo(output(text));
        assertThat(output(text + " -D store.cache.bytes=1000000000")).isNotEqualTo(output(text));
    }

    @Test
    void shouldComputeForWhatTheModelsAre() {
        String text = "size --models 1e5 --rate 1e5";
        assertThat(output(text)).isEqualTo(output(text + " --learner adaptive")).contains("3700 + 70 x weights");
        assertThat(output(text + " --learner perceptron")).contains("3000 + 24 x weights");
        assertThat(output(text + " --learner portfolio")).contains("14300 + 143 x weights");
    }

    @Test
    void shouldUseTheCostsOfAFile() throws IOException {
        Path file = directory.resolve("costs");
        Files.writeString(file, "one.micros=1000\nmachine=abacus\n");
        assertThat(output("size --models 1 --rate 10 --learner perceptron --constants " + file))
                .containsPattern("examples/s of a thread +1,000 ")
                .contains("Costs measured on abacus", "so those of the program: ", "zipf.micros");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--models 0 --rate 1 | --models must be from 1 to 1e15",
                "--models 1 --rate -1 | --rate must be from 0 to 1e15",
                "--models 1 --rate NaN | --rate must be from 0 to 1e15",
                "--models 1 --rate 1 --mistakes 1.5 | --mistakes must be from 0 to 1, got 1.5",
                "--models 1 --rate 1 --labels-late 30 | --labels-late must be from 0 to 1",
                "--models 1 --rate 1 --weights 0 | --weights must be from 1",
                "--models 1 --rate 1 --constants /none/such | --constants cannot be read",
                "--models 1 --rate 1 --learner forest | expected one of [PERCEPTRON, ADAPTIVE, PORTFOLIO]",
                "--rate 1 | --models",
            })
    void shouldRefuseWhatIsNoLoad(String options, String message) {
        assertThat(run("size " + options)).isEqualTo(2);
        assertThat(errors()).contains(message);
    }
}
