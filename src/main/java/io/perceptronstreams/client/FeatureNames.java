package io.perceptronstreams.client;

import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.CrossNames;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.NameSource;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;

/** Names of features by their hashed indices: those that a model keeps, and those of a file. */
public final class FeatureNames {
    /** Maximum number of different names of a file; limits the memory. */
    private static final int MAX_NAMES = 1_000_000;

    private final Map<Integer, TreeSet<String>> names = new HashMap<>();
    private int count;

    /** Creates an empty set of names. */
    FeatureNames() {}

    /**
     * Reads the names of all examples of a source.
     *
     * @param hasher of the model; with crosses, their names are found, too
     * @throws CommandFailedException if the examples have no names
     */
    static FeatureNames of(ExampleSource source, FeatureHasher hasher) throws IOException {
        FeatureNames found = new FeatureNames();
        CrossNames crosses = hasher.rules() == null ? null : new CrossNames();
        try (ExampleReader reader = source.open(1)) {
            GenericRecord example;
            while (found.count < MAX_NAMES && (example = reader.next()) != null) {
                GenericRecord features = (GenericRecord) example.get("features");
                if (crosses == null) {
                    found.addFeatures(features, hasher);
                } else {
                    crosses.forEach(
                            sink -> forEach(features, sink),
                            hasher,
                            (utf8, offset, length) -> found.add(
                                    hasher.shownIndex(utf8, offset, length),
                                    new String(utf8, offset, length, StandardCharsets.UTF_8)));
                }
            }
        }
        if (found.count == 0) {
            throw new CommandFailedException("file of --names must have examples with named features, got none in "
                    + source.file() + " (features with indices are shown by their index)");
        }
        return found;
    }

    /** Adds other names. */
    void add(FeatureNames others) {
        others.names.forEach((index, texts) -> texts.forEach(name -> add(index, name)));
    }

    /** Adds the names that a model keeps, from a chunk of its weights. */
    void addKept(WeightsSnapshot chunk) {
        chunk.getFeatureNames().forEach(each -> add(each.getIndex(), each.getName()));
    }

    /** Only vectors of named features can be crossed. */
    private static void forEach(GenericRecord features, NameSource.Sink sink) {
        if (features.getSchema().getName().equals("NamedFeatures")) {
            for (Object name : ((Map<?, ?>) features.get("values")).keySet()) {
                byte[] utf8 = name.toString().getBytes(StandardCharsets.UTF_8);
                sink.accept(utf8, 0, utf8.length);
            }
        }
    }

    private void addFeatures(GenericRecord features, FeatureHasher hasher) {
        switch (features.getSchema().getName()) {
            case "NamedFeatures" -> addAll(((Map<?, ?>) features.get("values")).keySet(), hasher);
            case "Sequence" -> ((List<?>) features.get("tokens")).forEach(token -> addAll((List<?>) token, hasher));
            case "Candidates" ->
                ((List<?>) features.get("candidates"))
                        .forEach(each -> addAll(((Map<?, ?>) ((GenericRecord) each).get("features")).keySet(), hasher));
            default -> {
                // indices
            }
        }
    }

    private void addAll(Iterable<?> texts, FeatureHasher hasher) {
        for (Object text : texts) {
            String name = text.toString();
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            add(hasher.index(utf8, 0, utf8.length), name);
        }
    }

    private void add(int index, String name) {
        if (names.computeIfAbsent(index, any -> new TreeSet<>()).add(name)) {
            count++;
        }
    }

    /** Returns true if there are no names. */
    boolean isEmpty() {
        return count == 0;
    }

    /** The names of an index in alphabetical order. */
    SortedSet<String> all(int index) {
        return Collections.unmodifiableSortedSet(names.getOrDefault(index, new TreeSet<>()));
    }

    /** The names of an index, separated by " | " if several have it; empty for none. */
    String of(int index) {
        return String.join(" | ", all(index));
    }
}
