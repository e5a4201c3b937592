package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** Commands in this process, each a text whose words are the arguments, and the output of the last one. */
public class Commands {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Runs {@code perceptron COMMAND} and returns its exit code. */
    public int run(String command) {
        return run(command.split(" "));
    }

    /** Runs {@code perceptron WORD…}, for words with blanks. */
    public int run(String... words) {
        return runAlone(words);
    }

    /** Runs {@code perceptron WORD…} with no other arguments. */
    public final int runAlone(String... words) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(words, new PrintWriter(out), new PrintWriter(err));
    }

    /** Runs a command that must succeed, and returns its output. */
    public final String output(String command) {
        assertThat(run(command)).as("%s: %s%s", command, out, err).isZero();
        return output();
    }

    /** Runs a command that must fail with an exit code, and returns its standard error. */
    public final String failure(int exitCode, String command) {
        assertThat(run(command)).as("%s: %s%s", command, out, err).isEqualTo(exitCode);
        return errors();
    }

    /** Output of the last command. */
    public final String output() {
        return out.toString();
    }

    /** Standard error of the last command. */
    public final String errors() {
        return err.toString();
    }

    /** Output of the last command, a JSON object in each line. */
    public final List<JsonNode> objects() throws IOException {
        List<JsonNode> objects = new ArrayList<>();
        for (String line : output().lines().toList()) {
            objects.add(JSON.readTree(line));
        }
        return objects;
    }
}
