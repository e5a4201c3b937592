package io.perceptronstreams.clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.client.WeightsFile;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.InputDecoder;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the clients of {@code clients/} must print and leave behind: the model alone, without Kafka, in the order in
 * which they send.
 */
final class ClientTask {
    static final String FILE = "samples/wdbc.csv";

    /** The command, 569 examples, the labels of every fifth of them, and the last example. */
    static final long RECORDS = 1 + 569 + 113 + 1;

    private static final int LATE = 20;

    private final InputDecoder decoder =
            new InputDecoder(SchemaRegistries.of(Map.of("schema.registry.url", "mock://client-task")));
    private final Example example = new Example();
    private final Model model = new Model();
    private final List<String> lines = new ArrayList<>();
    private final Deque<Waiting> pending = new ArrayDeque<>();
    private final String output;
    private int errors;
    private int mistakes;

    ClientTask() throws Exception {
        model.configure(Map.of(
                "algorithm", "perceptron",
                "scale", "standard",
                "predict", "averaged",
                "bias", "false",
                "await.labels.ms", "3600000"));
        List<String[]> rows = Files.readAllLines(Path.of(FILE)).stream()
                .map(line -> line.split(",", -1))
                .toList();
        String[] names = rows.get(0);
        int last = names.length - 1;
        for (int n = 1; n < rows.size() + LATE; n++) {
            if (n < rows.size()) {
                predict(names, rows.get(n), n % 5 == 0 ? null : Label.of(Integer.parseInt(rows.get(n)[last])));
            }
            if (n > LATE && (n - LATE) % 5 == 0) {
                learnLate(names, rows.get(n - LATE));
            }
        }
        Collections.sort(lines);
        byte[] digest = MessageDigest.getInstance("SHA-256")
                .digest(String.join("", lines).getBytes(StandardCharsets.UTF_8));
        output = lines.size() + " predictions, " + errors + " errors, " + mistakes + " mistakes, digest "
                + HexFormat.of().formatHex(digest);
        decode("end", Label.PLUS_ONE, "{}");
        model.process(example, 0);
    }

    private void predict(String[] names, String[] row, Label label) {
        decode(names, row, label);
        Outcome outcome = model.process(example, 0);
        String score = String.format(Locale.ROOT, "%.16e", new BigDecimal(outcome.predictedScore()));
        lines.add(row[0] + "," + outcome.predicted() + "," + score + "\n");
        errors += outcome.predicted().toString().equals(row[row.length - 1]) ? 0 : 1;
        mistakes += outcome.kind() == Outcome.Kind.MISTAKE ? 1 : 0;
        if (label == null) {
            pending.add(model.current()
                    .waiting(
                            example,
                            null,
                            new InputRecord(null, lines.size(), 0, 0, false),
                            model.current().version(),
                            List.of()));
        }
    }

    private void learnLate(String[] names, String[] row) {
        decode(names, row, Label.of(Integer.parseInt(row[row.length - 1])));
        Outcome outcome = model.use(example, 0, pending.remove(), null);
        mistakes += outcome.kind() == Outcome.Kind.MISTAKE ? 1 : 0;
    }

    private void decode(String[] names, String[] row, Label label) {
        StringBuilder features = new StringBuilder("{");
        for (int i = 1; i < names.length - 1; i++) {
            features.append(i == 1 ? "" : ",")
                    .append('"')
                    .append(names[i])
                    .append("\":")
                    .append(row[i]);
        }
        decode(row[0], label, features.append('}').toString());
    }

    private void decode(String id, Label label, String features) {
        String json = "{\"id\":\"" + id + "\",\"label\":" + label + ",\"features\":" + features + "}";
        decoder.decode(json.getBytes(StandardCharsets.UTF_8), model.pipeline().hasher(), example);
    }

    /** The line that each client prints. */
    String output() {
        return output;
    }

    /** The weights after the last example, as {@code weights export} writes them. */
    JsonNode weights(Path directory) throws Exception {
        Path file = directory.resolve("expected.json");
        WeightsFile.write(model, file);
        return new ObjectMapper().readTree(file.toFile());
    }
}
