package io.perceptronstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.embedded.JavaProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MainTest {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "wach ~ perceptron: argument must be a known one, got 'wach'; did you mean watch? (perceptron --help ",
                "produce x --modle m ~ perceptron: argument must be a known one, got '--modle'; did you mean --model? (perceptron produce --help ",
                "produce x.vw ~ perceptron: Missing required option: '--model=MODEL' (perceptron produce --help ",
                "produce x.txt --model m ~ perceptron: --format must be given unless the file's name implies it, got 'x.txt' (",
                "produce x.vw --model m --format xlsx ~ perceptron: Invalid value for option '--format'",
                "produce - --format vw --model m --repeat 2 ~ perceptron: --repeat must be 1 for standard input",
                "produce x.vw --model m --repeat 0 ~ perceptron: --repeat must be at least 1, got 0",
                "produce x.vw --model m --rate 0 ~ perceptron: --rate must be more than 0, got 0.0",
                "produce x.vw --model m --limit -1 ~ perceptron: --limit must be at least 0, got -1",
                "produce x.vw --model m --label-column y ~ perceptron: options of columns, such as --label-column, must be used with csv, arff or jsonl",
                "produce x.vw --model ../m ~ perceptron: model name must be 1 to 128 characters of A-Z a-z 0-9 . _ -, got '../m'",
                "produce x.vw --model -x ~ perceptron: model name must not begin with -, got '-x' (commands would take it for an option)",
                "models list --limit 0 ~ perceptron: --limit must be at least 1, got 0",
                "models list --sort size ~ perceptron: Invalid value for option '--sort'",
                "watch examples ~ perceptron: topic must be one of predictions, mistakes, counts, models, alerts, dead-letters, got 'examples'",
                "watch counts --limit 0 ~ perceptron: --limit must be at least 1, got 0",
                "watch counts --explain ~ perceptron: --explain must be used with mistakes, got 'counts'",
                "watch mistakes --explain --json ~ perceptron: --explain must be used with mistakes without --json",
                "mistakes top m --last 0 ~ perceptron: --last must be at least 1, got 0",
                "mistakes top m --by class ~ perceptron: Invalid value for option '--by'",
                "dead-letters list --since yesterday ~ perceptron: --since must be a time with a zone, as 2026-01-31T12:00:00Z, got 'yesterday'",
                "dead-letters list --reason LABEL ~ perceptron: Invalid value for option '--reason'",
                "dead-letters replay --limit 0 ~ perceptron: --limit must be at least 1, got 0 (perceptron dead-letters replay --help ",
                "dead-letters replay --timestamp 5 ~ perceptron: --timestamp must be now, got '5' (",
                "models set m ~ perceptron: Missing required parameter: 'KEY=VALUE'",
                "models set m hh=1 ~ perceptron: unknown setting 'hh' (did you mean h?) (perceptron models set --help ",
                "models set m label=a,b ~ perceptron: unknown setting 'label' (did you mean labels?) (perceptron models set --help ",
                "produce x.csv --model m --label-colum y ~ perceptron: argument must be a known one, got '--label-colum'; did you mean --label-column? (perceptron produce --help ",
                "produce x.csv --model m --label-colunm=y ~ perceptron: argument must be a known one, got '--label-colunm=y'; did you mean --label-column? (perceptron produce --help ",
                "models repair m ~ perceptron: argument must be a known one, got 'repair' (perceptron models --help ",
                "models restt m ~ perceptron: argument must be a known one, got 'restt' (perceptron models --help ",
                "models delte m ~ perceptron: argument must be a known one, got 'delte' (perceptron models --help ",
                "mistakes ~ perceptron: Missing required parameter: 'MODEL' (perceptron mistakes top --help ",
                "mistakes m --last 0 ~ perceptron: --last must be at least 1, got 0 (perceptron mistakes top --help ",
                "dead-letters --model m --since yesterday ~ perceptron: --since must be a time with a zone, as 2026-01-31T12:00:00Z, got 'yesterday'",
                "models set m h=-1 ~ perceptron: h must be a number >= 0.0, got '-1' (",
                "models set m portfolio true ~ perceptron: settings must be KEY=VALUE, got 'portfolio' (write portfolio=true) (perceptron models set --help ",
                "models set m h=1 eta ~ perceptron: settings must be KEY=VALUE, got 'eta' (write eta=VALUE) (",
                "models reset m scale h=1 ~ perceptron: settings must be KEY=VALUE, got 'scale' (write scale=VALUE) (",
                "challengers begin m next algorithm pa ~ perceptron: settings must be KEY=VALUE, got 'algorithm' (write algorithm=pa) (",
                // what these were called before
                "models challenge m next algorithm pa ~ perceptron: settings must be KEY=VALUE, got 'algorithm' (write algorithm=pa) (perceptron challengers begin --help ",
                "weights show m --top 0 ~ perceptron: --limit must be at least 1, got 0",
                "weights export m --top=0 ~ perceptron: --limit must be at least 1, got 0",
                "explain m 0@1 --terms 0 ~ perceptron: --limit must be at least 1, got 0",
                "dead-letters replay --max 0 ~ perceptron: --limit must be at least 1, got 0",
                "client-check --max 0 ~ perceptron: --limit must be at least 1, got 0",
                "models tags ~ perceptron: Missing required parameter: 'MODEL' (perceptron versions list --help ",
                "models freeze m --timeout -1 ~ perceptron: --timeout must be at least 0, got -1.0",
                "weights show m --limit 0 ~ perceptron: --limit must be at least 1, got 0",
                "weights export m --limit 0 ~ perceptron: --limit must be at least 1, got 0",
                "weights export m --format avro ~ perceptron: --output must be given with avro, which is not text (",
                "weights export m --format xml ~ perceptron: Invalid value for option '--format'",
                "weights import m ~ perceptron: Missing required parameter: 'FILE'",
                "weights import m x --timeout -1 ~ perceptron: --timeout must be at least 0, got -1.0",
                "fit x.txt ~ perceptron: --format must be given unless the file's name implies it, got 'x.txt' (",
                "fit x.vw --epochs 0 ~ perceptron: --epochs must be at least 1, got 0",
                "fit x.vw --order sorted ~ perceptron: Invalid value for option '--order'",
                "fit x.vw --set h=-1 ~ perceptron: --set: h must be a number >= 0.0, got '-1' (",
                "fit x.vw --label-column y ~ perceptron: options of columns, such as --label-column, must be used with csv, arff or jsonl, got VW",
                "fit - --format vw --test - ~ perceptron: --test must differ from FILE, got - for both (",
                "run --embedded --bootstrap a:1 ~ perceptron: --embedded must not be combined with --bootstrap or --registry",
                "demo --examples 5 --rate -1 ~ perceptron: --rate must be at least 0, got -1.0",
                "topics create --partitions none ~ perceptron: topics.partitions must be at least 1, got 'none' (command line)",
                "topics check -D topics.prefx=a ~ perceptron: setting must be a known one, got 'topics.prefx' (command line; did you mean topics.prefix?)",
                "models list --registry ftp://x ~ perceptron: schema.registry.url must be http://, https:// or mock:// addresses, got 'ftp://x'"
            })
    void shouldRefuseWrongUsageInOneLineWithCodeTwo(String arguments, String line) {
        assertThat(run(arguments == null ? new String[0] : arguments.split(" ")))
                .isEqualTo(2);

        assertThat(err.toString().lines()).singleElement().asString().startsWith(line);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'', Usage: perceptron ", "models, Usage: perceptron models "})
    void shouldPrintTheUsageWithCodeTwoWhereNoCommandIsGiven(String arguments, String usage) {
        assertThat(run(arguments.isEmpty() ? new String[0] : arguments.split(" ")))
                .isEqualTo(2);

        assertThat(err.toString()).startsWith(usage).contains("--help");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void shouldShowEachSettingWithItsOriginAndNoSecret() throws IOException {
        Path file = Files.writeString(
                directory.resolve("my.properties"), "topics.prefix=fromfile\nssl.key.password=sesame\n");

        assertThat(run(
                        "config",
                        "show",
                        "--config",
                        file.toString(),
                        "-D",
                        "http.auth=bearer:sesame",
                        "-Dmy.plugin.key=1",
                        "-Dlinger.ms=7"))
                .isZero();

        assertThat(out.toString().lines())
                .anyMatch(line -> line.matches("topics.prefix +fromfile +file " + file))
                .anyMatch(line -> line.matches("application.id +fromfile +default"))
                .anyMatch(line -> line.matches("checkpoint.interval.ms +5000 +default"))
                .anyMatch(line -> line.matches("http.auth +\\[hidden] +command line"))
                .anyMatch(line -> line.matches("my.plugin.key +\\[hidden] +command line"))
                .anyMatch(line -> line.matches("linger.ms +7 +command line"));
        assertThat(out.toString()).doesNotContain("sesame");
    }

    @Test
    void shouldSayAtOnceThatNoBrokerListens() {
        // port 9 (discard) has no service on this machine
        assertThat(run("models", "list", "--bootstrap", "127.0.0.1:9")).isEqualTo(1);

        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("perceptron: brokers must listen, got 127.0.0.1:9: ");
    }

    @Test
    void shouldReportAllWrongSettingsAtOnce() {
        assertThat(run("topics", "check", "-D", "topics.prefix=a b", "-Dtopics.partitions=0"))
                .isEqualTo(2);

        assertThat(err.toString().lines()).hasSize(2).allMatch(line -> line.startsWith("perceptron: topics."));
    }

    @Test
    void shouldFailWithCodeOneWhereThereIsNoFile() {
        assertThat(run("produce", directory + "/none.vw", "--model", "m")).isEqualTo(1);

        assertThat(err.toString())
                .isEqualTo("perceptron: file must exist, got '" + directory + "/none.vw'" + System.lineSeparator());
    }

    /** The name of the exception and "gr??e.csv", where a locale lacked the letters of a name. */
    @Test
    void shouldSayWhatToDoAboutANameThatHasNoPath() {
        assertThat(run("fit", "gr\0e.csv")).isEqualTo(1);

        assertThat(err.toString())
                .startsWith("perceptron: file name must have letters of the locale's encoding, got 'gr")
                .contains("(set LC_ALL=C.UTF-8, or give the file to standard input: - < FILE)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"produce %s --model m --format vw", "predict m %s", "weights import m %s"})
    void shouldNameADirectoryInPlaceOfAFile(String arguments) {
        assertThat(run(arguments.formatted(directory).split(" "))).isEqualTo(1);

        assertThat(err.toString()).isEqualTo("perceptron: " + directory + ": Is a directory" + System.lineSeparator());
    }

    @Test
    void shouldShowTheStackTraceWhenVerbose() {
        assertThat(run("produce", directory + "/none.vw", "--model", "m", "--verbose"))
                .isEqualTo(1);

        assertThat(err.toString()).contains("NoSuchFileException", "\tat ");
    }

    @ParameterizedTest
    @CsvSource({
        "--help",
        "produce --help",
        "models --help",
        "models set --help",
        "weights import --help",
        "fit --help",
        "watch -h"
    })
    void shouldPrintHelpToStandardOutput(String arguments) {
        assertThat(run(arguments.split(" "))).isZero();

        assertThat(out.toString()).startsWith("Usage: perceptron ");
        assertThat(err.toString()).isEmpty();
    }

    /** The exit code was once 0. */
    @Test
    void shouldFailWhereStandardOutputCannotBeWritten() {
        assertThat(runInto("No space left on device")).isEqualTo(1);

        assertThat(err.toString().lines())
                .containsExactly(
                        "perceptron: standard output must be written completely, got: No space left on device");
    }

    /** In German, the message is "Datenübergabe unterbrochen (broken pipe)", and the exit code was 1. */
    @Test
    void shouldEndQuietlyWhereThePipeIsClosed() throws Exception {
        Process reader = new ProcessBuilder("sh", "-c", "exec 0<&-; sleep 60").start();
        try (OutputStream pipe = reader.getOutputStream()) {
            // the shell has closed it as soon as writing fails
            IOException closed = catchThrowableOfType(IOException.class, () -> {
                while (reader.isAlive()) {
                    pipe.write(0);
                    pipe.flush();
                }
            });

            assertThat(runInto(closed.getMessage())).isZero();
        } catch (IOException e) {
            // also closing the pipe fails
        } finally {
            reader.destroyForcibly();
        }

        assertThat(err.toString()).isEmpty();
    }

    /** Runs a command whose every output ends with this error. */
    private int runInto(String fault) {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException(fault);
            }
        };
        return Main.run(new Main(), new String[] {"config", "show"}, new StandardOutput(broken), new PrintWriter(err));
    }

    @Test
    void shouldListTheExitCodesInTheHelp() {
        run("topics", "check", "--help");

        assertThat(out.toString()).contains("Exit codes:", "1          failure", "130, 143   stopped");
    }

    @Test
    void shouldCompleteEveryCommand() {
        assertThat(run("completion")).isZero();

        assertThat(out.toString())
                .startsWith("#!/usr/bin/env bash")
                .contains("complete -F _complete_perceptron", "topics create", "--from-beginning", "dead-letters");
    }

    @Test
    void shouldPrintTheVersion() {
        assertThat(run("--version")).isZero();

        assertThat(out.toString()).startsWith("perceptron ");
    }

    /** The launcher chooses JVM options by command, and makes no archive of classes beside an engine. */
    @Test
    void shouldRunAnEngineInTheCommandsThatTheLauncherTreatsAsEngines() throws IOException {
        Matcher launcher = Pattern.compile("(?m)^  case \\$\\{1:-\\} in ([a-z |]+)\\) return")
                .matcher(Files.readString(Path.of("perceptron")));

        assertThat(launcher.find()).isTrue();
        assertThat(launcher.group(1).split(" \\| ", -1)).containsExactlyInAnyOrderElementsOf(Main.ENGINE_COMMANDS);
    }

    @Test
    void shouldDescribeEverySettingInTheHelp() {
        assertThat(run("models", "set", "--help")).isZero();
        assertThat(out.toString()).contains("alpha (default: 0.9)", "a number > 0 and <= 1.0", "(used by alma, pdm)");
        assertThat(out.toString()).containsSubsequence("algorithm (default", "Advanced settings:", "alpha (default");
        assertThat(run("config", "--help")).isZero();
        assertThat(out.toString()).contains("checkpoint.interval.ms (default: 5000)", "between two checkpoints");
    }

    @Test
    void shouldShowTheHelpOfRunOnOneScreen() {
        assertThat(run("run", "--help")).isZero();
        assertThat(out.toString().lines()).hasSizeLessThanOrEqualTo(45);
    }

    /** Help must start fast, without the libraries of the commands. */
    @Test
    void shouldNotLoadKafkaNorAvroForHelp() throws IOException, InterruptedException {
        Path loaded = directory.resolve("classes.txt");
        Process help = new ProcessBuilder(
                        JavaProcess.tool("java"),
                        "-Xlog:class+load:file=" + loaded,
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.perceptronstreams.Main",
                        "--help")
                .redirectErrorStream(true)
                .start();
        String text = new String(help.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(help.waitFor()).as(text).isZero();
        assertThat(Files.readString(loaded))
                .contains("io.perceptronstreams.Main ")
                .doesNotContain(
                        "org.apache.kafka", "org.apache.avro", "org.apache.logging", "com.fasterxml", "org.slf4j");
    }

    private int run(String... arguments) {
        return Main.run(arguments, new PrintWriter(out), new PrintWriter(err));
    }
}
