package io.perceptronstreams.client;

import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;

/** Names of the features of a file by their hashed indices. */
public final class FeatureNames {
    /** No names. */
    static final FeatureNames NONE = new FeatureNames(1);

    /** Maximum number of different names; limits the memory. */
    private static final int MAX_NAMES = 1_000_000;

    private final FeatureHasher hasher;
    private final Map<Integer, TreeSet<String>> names = new HashMap<>();
    private int count;

    private FeatureNames(int hashBits) {
        hasher = new FeatureHasher(hashBits);
    }

    /**
     * Reads the names of all examples of a source.
     *
     * @param hashBits of the model
     * @throws CommandFailedException if the examples have no names
     */
    static FeatureNames of(ExampleSource source, int hashBits) throws IOException {
        FeatureNames found = new FeatureNames(hashBits);
        try (ExampleReader reader = source.open(1)) {
            GenericRecord example;
            while (found.count < MAX_NAMES && (example = reader.next()) != null) {
                found.addFeatures((GenericRecord) example.get("features"));
            }
        }
        if (found.count == 0) {
            throw new CommandFailedException("file of --names must have examples with named features, got none in "
                    + source.file() + " (features with indices are shown by their index)");
        }
        return found;
    }

    private void addFeatures(GenericRecord features) {
        switch (features.getSchema().getName()) {
            case "NamedFeatures" -> addAll(((Map<?, ?>) features.get("values")).keySet());
            case "Sequence" -> ((List<?>) features.get("tokens")).forEach(token -> addAll((List<?>) token));
            case "Candidates" ->
                ((List<?>) features.get("candidates"))
                        .forEach(each -> addAll(((Map<?, ?>) ((GenericRecord) each).get("features")).keySet()));
            default -> {
                // indices
            }
        }
    }

    private void addAll(Iterable<?> texts) {
        for (Object text : texts) {
            String name = text.toString();
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            int index = hasher.index(utf8, 0, utf8.length);
            if (names.computeIfAbsent(index, any -> new TreeSet<>()).add(name)) {
                count++;
            }
        }
    }

    /** The names of an index, separated by " | " if several have it; empty for none. */
    String of(int index) {
        TreeSet<String> found = names.get(index);
        return found == null ? "" : String.join(" | ", found);
    }
}
