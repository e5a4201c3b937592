package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.Main;
import io.perceptronstreams.client.WeightsFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

/** Runs of the command {@code fit} in this process, with their output; the weights are in the file w of a directory. */
final class FitRun {
    static final String WDBC = "src/main/resources/demo/wdbc.csv --label-column diagnosis --id-column id";

    private final Path directory;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    FitRun(Path directory) {
        this.directory = directory;
    }

    /** Runs {@code fit}, which must succeed. */
    void fit(String arguments) {
        assertThat(exitCode("fit " + arguments + " --output " + directory.resolve("w")))
                .as(err.toString())
                .isZero();
    }

    /** Runs any command. */
    int exitCode(String arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(arguments.split(" "), new PrintWriter(out), new PrintWriter(err));
    }

    /** The standard output of the last run. */
    String out() {
        return out.toString();
    }

    /** The standard error of the last run. */
    String err() {
        return err.toString();
    }

    /** The standard output of the last run, one JSON object per line. */
    List<JsonNode> objects() throws IOException {
        List<JsonNode> objects = new ArrayList<>();
        for (String line : out().lines().toList()) {
            objects.add(new ObjectMapper().readTree(line));
        }
        return objects;
    }

    /** The result of the last run: its last JSON object. */
    JsonNode result() throws IOException {
        List<JsonNode> objects = objects();
        return objects.get(objects.size() - 1);
    }

    /** The chunks of a weights file. */
    static List<GenericRecord> read(Path file) throws IOException {
        List<GenericRecord> chunks = new ArrayList<>();
        try (WeightsFile weights = WeightsFile.open(Files.newInputStream(file), file.toString())) {
            for (GenericRecord chunk = weights.next(); chunk != null; chunk = weights.next()) {
                chunks.add(chunk);
            }
        }
        return chunks;
    }
}
