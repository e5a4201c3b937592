package io.perceptronstreams.client;

import io.perceptronstreams.event.Candidates;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.event.Sequence;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.CrossNames;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Names of features by their hashed indices, kept by a model or read from a file. */
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
            Example example;
            while (found.count < MAX_NAMES && (example = reader.next()) != null) {
                Object features = example.getFeatures();
                if (crosses == null) {
                    names(features).forEach(name -> {
                        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
                        found.add(hasher.index(utf8, 0, utf8.length), name);
                    });
                } else if (features instanceof NamedFeatures) {
                    // only vectors of named features can be crossed
                    crosses.forEach(
                            sink -> names(features).forEach(name -> {
                                byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
                                sink.accept(utf8, 0, utf8.length);
                            }),
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

    /** Names of features; none of features with indices. */
    private static Stream<String> names(Object features) {
        if (features instanceof NamedFeatures named) {
            return named.getValues().keySet().stream();
        }
        if (features instanceof Sequence sequence) {
            return sequence.getTokens().stream().flatMap(Collection::stream);
        }
        return features instanceof Candidates all
                ? all.getCandidates().stream().flatMap(each -> each.getFeatures().keySet().stream())
                : Stream.of();
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
