package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.client.WeightsFile;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs of the command {@code fit} in this process; the weights are in the file w of a directory. */
final class FitRun extends Commands implements BeforeEachCallback, AfterEachCallback {
    static final String WDBC = "src/app/main/resources/demo/wdbc.csv --label-column diagnosis --id-column id";

    private static final FeatureHasher HASHER = new FeatureHasher(Settings.DEFAULTS.get(Settings.HASH_BITS));

    private Path directory;

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        directory = Files.createTempDirectory("fit");
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        Utils.delete(directory.toFile());
    }

    /** Runs {@code fit}, which must fail, and returns its standard error. */
    String refusal(String arguments) {
        return failure(1, "fit " + arguments + " --output " + path("w"));
    }

    /** Path of a file in the directory. */
    Path path(String name) {
        return directory.resolve(name);
    }

    /** Writes a file in the directory. */
    Path file(String name, CharSequence text) throws IOException {
        return Files.writeString(path(name), text);
    }

    /** Runs {@code fit}, which must succeed, with the plain learner unless one is given, and returns its output. */
    String fit(String arguments) {
        boolean isChosen =
                Stream.of("algorithm=", "--portfolio", "--comparator").anyMatch(arguments::contains);
        return fitByDefault(arguments + (isChosen ? "" : " --set algorithm=auto"));
    }

    /** Runs {@code fit}, which must succeed, and returns its output. */
    String fitByDefault(String arguments) {
        return output("fit " + arguments + " --output " + path("w"));
    }

    /** The result of the last run: its last JSON object. */
    JsonNode result() throws IOException {
        List<JsonNode> objects = objects();
        return objects.get(objects.size() - 1);
    }

    /**
     * Checks the weights, which must be in one chunk.
     *
     * @param weights all that are not 0, {@code NAME VALUE} or {@code CLASS/NAME VALUE}, a name or an index
     */
    void assertLearned(long updates, long errors, String weights) throws IOException {
        GenericRecord model = weights();
        assertThat(model.get("updates")).as("updates").isEqualTo(updates);
        assertThat(((GenericRecord) model.get("state")).get("errors"))
                .as("errors")
                .isEqualTo(errors);
        Map<String, Double> expected = new TreeMap<>();
        for (String each : weights.split(", ", -1)) {
            int blank = each.lastIndexOf(' ');
            expected.put(key(each.substring(0, blank)), Double.valueOf(each.substring(blank)));
        }
        Map<String, Double> found = new TreeMap<>();
        for (Object each : (List<?>) model.get("vectors")) {
            GenericRecord vector = (GenericRecord) each;
            String prefix = vector.get("name").toString().isEmpty() ? "" : vector.get("name") + "/";
            found.put(prefix + "bias", (Double) vector.get("bias"));
            List<?> values = (List<?>) vector.get("weights");
            int at = 0;
            for (Object index : (List<?>) vector.get("indices")) {
                found.put(prefix + index, (Double) values.get(at++));
            }
        }
        found.values().removeIf(weight -> weight == 0);
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        expected.forEach((name, weight) -> assertThat(found.get(name)).as(name).isEqualTo(weight, within(1e-9)));
    }

    /** The name of a class, if any, with the index of a feature. */
    private static String key(String weight) {
        int slash = weight.indexOf('/');
        String feature = weight.substring(slash + 1);
        byte[] name = feature.getBytes(StandardCharsets.UTF_8);
        return weight.substring(0, slash + 1)
                + (feature.matches("bias|[0-9]+") ? feature : HASHER.index(name, 0, name.length));
    }

    /** The only chunk of the weights. */
    GenericRecord weights() throws IOException {
        List<GenericRecord> chunks = read(path("w"));
        assertThat(chunks).hasSize(1);
        return chunks.get(0);
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
