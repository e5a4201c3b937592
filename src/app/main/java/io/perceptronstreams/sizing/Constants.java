package io.perceptronstreams.sizing;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Costs of one machine, from a file of properties: measured, or estimated where {@link #estimated} says so.
 *
 * <p>The shipped ones were measured where docs/sizing.md says. {@code bench --constants FILE} writes those of another
 * machine; what its file does not have is shipped. Immutable.
 */
public final class Constants {
    /** A measured cost; the key in the file is the name in lower case with dots. */
    public enum Cost {
        /** Non-zero features of the examples with which the times were measured. */
        FEATURES,
        /** Wall-clock time of a stream thread for an example, in µs; one model. */
        ONE_MICROS,
        /** CPU time of the engine for it, in µs. */
        ONE_CPU_MICROS,
        /** CPU time of the broker for it, in µs, without replication. */
        ONE_BROKER_MICROS,
        /** The three for 100,000 models of which the one of rank r has a share of examples proportional to r^-1.1. */
        ZIPF_MICROS,
        ZIPF_CPU_MICROS,
        ZIPF_BROKER_MICROS,
        /** The three for 100,000 models with equal shares. */
        UNIFORM_MICROS,
        UNIFORM_CPU_MICROS,
        UNIFORM_BROKER_MICROS,
        /** The time for an example whose label is a record of its own, divided by that for one with its label. */
        LATE_FACTOR,
        /** The time for an example in records of 100, divided by that for one in a record of its own. */
        BATCH_FACTOR,
        /** Bytes in the log of an example of that many features, and for each further feature. */
        EXAMPLE_BYTES,
        FEATURE_BYTES,
        /** Bytes in the log of a label, a prediction and a mistake. */
        LABEL_BYTES,
        PREDICTION_BYTES,
        MISTAKE_BYTES,
        /** Bytes in the changelog of a two-class model without its weights, and of one of its weights. */
        HEADER_BYTES,
        WEIGHT_BYTES,
        /** Heap of a two-class model without its weights, and of one of them, in bytes. */
        MODEL_HEAP_BYTES,
        WEIGHT_HEAP_BYTES,
        /** The time of a model without settings, divided by that of a perceptron; its bytes and heap as those above. */
        ADAPTIVE_FACTOR,
        ADAPTIVE_HEADER_BYTES,
        ADAPTIVE_WEIGHT_BYTES,
        ADAPTIVE_MODEL_HEAP_BYTES,
        ADAPTIVE_WEIGHT_HEAP_BYTES,
        /** The same of a portfolio. */
        PORTFOLIO_FACTOR,
        PORTFOLIO_HEADER_BYTES,
        PORTFOLIO_WEIGHT_BYTES,
        PORTFOLIO_MODEL_HEAP_BYTES,
        PORTFOLIO_WEIGHT_HEAP_BYTES,
        /** Heap of an example that waits for its label and is written, in bytes. */
        WAITING_HEAP_BYTES,
        /** Seconds from the start of a process until it is ready, without any model. */
        START_SECONDS,
        /** Stored bytes, and models, that a thread restores from the changelog in a second. */
        RESTORE_BYTES_PER_SECOND,
        RESTORE_MODELS_PER_SECOND,
        /** Time of a thread for an example that {@code verify} learns again, in µs. */
        VERIFY_MICROS;

        /** Its key in a file. */
        public String key() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '.');
        }
    }

    private static final String SHIPPED = "/sizing/constants.properties";
    private static final String ESTIMATED = "estimated";
    private static final List<String> TEXTS = List.of("machine", "java", "date", "command");

    private final Map<Cost, Double> costs;
    private final Map<String, String> texts;
    private final Set<String> missing;
    private final Set<String> estimated;

    private Constants(Map<Cost, Double> costs, Map<String, String> texts, Set<String> missing, Set<String> estimated) {
        this.costs = costs;
        this.texts = texts;
        this.missing = missing;
        this.estimated = estimated;
    }

    /** The constants that come with the program. */
    public static Constants shipped() {
        Properties all = new Properties();
        try (InputStream in = Constants.class.getResourceAsStream(SHIPPED)) {
            all.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Set<String> estimated =
                new TreeSet<>(List.of(all.remove(ESTIMATED).toString().split(",", -1)));
        return new Constants(costs(all, SHIPPED), texts(all), Set.of(), estimated);
    }

    /**
     * The constants of a file, and the shipped ones that it does not have.
     *
     * @throws IllegalArgumentException if it has a key that is none, or a value that is not a positive number
     */
    public static Constants read(Path file) throws IOException {
        Properties own = new Properties();
        try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            own.load(in);
        }
        Map<Cost, Double> costs = costs(own, file.toString());
        Set<String> missing = Arrays.stream(Cost.values())
                .filter(each -> !costs.containsKey(each))
                .map(Cost::key)
                .collect(Collectors.toCollection(TreeSet::new));
        Constants shipped = shipped();
        Map<Cost, Double> all = new EnumMap<>(shipped.costs);
        all.putAll(costs);
        Set<String> estimated = new TreeSet<>(shipped.estimated);
        estimated.retainAll(missing);
        return new Constants(all, texts(own), missing, estimated);
    }

    private static Map<Cost, Double> costs(Properties all, String file) {
        Map<String, Cost> byKey = Arrays.stream(Cost.values()).collect(Collectors.toMap(Cost::key, each -> each));
        Map<Cost, Double> costs = new EnumMap<>(Cost.class);
        for (String key : all.stringPropertyNames()) {
            if (TEXTS.contains(key)) {
                continue;
            }
            Cost cost = byKey.get(key);
            if (cost == null) {
                throw new IllegalArgumentException(file + " has the key " + key + ", which is none of "
                        + String.join(", ", new TreeSet<>(byKey.keySet())) + " or "
                        + String.join(", ", TEXTS));
            }
            costs.put(cost, positive(all.getProperty(key), key, file));
        }
        return costs;
    }

    private static double positive(String text, String key, String file) {
        try {
            double number = Double.parseDouble(text.strip());
            if (number > 0 && number < Double.POSITIVE_INFINITY) {
                return number;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw new IllegalArgumentException(key + " in " + file + " must be a positive number, got " + text);
    }

    private static Map<String, String> texts(Properties all) {
        return TEXTS.stream().collect(Collectors.toMap(key -> key, key -> all.getProperty(key, "not said")));
    }

    /** Returns a cost, in the unit that its comment says. */
    public double get(Cost cost) {
        return costs.get(cost);
    }

    /** Where and when they were measured, in one line. */
    public String origin() {
        return texts.get("machine") + ", Java " + texts.get("java") + ", " + texts.get("date");
    }

    /** The keys of costs that were estimated, not measured. */
    public Set<String> estimated() {
        return estimated;
    }

    /** The keys that the file does not have, whose constants are the shipped ones. */
    public Set<String> missing() {
        return missing;
    }
}
