package io.perceptronstreams.bench;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The variants that are measured, each in its own process. */
enum Variant {
    /** The copying topology. */
    COPY("copy", "copy", BenchInput.HARD),
    /** The engine, on the same records. */
    ENGINE("engine", "engine", BenchInput.HARD),
    /** The engine, on the same records, with the monitor in its process. */
    MONITORED("monitored", "monitored", BenchInput.HARD),
    /** The engine, on the same examples with their features spread over 2^24 indices. */
    WIDE("wide", "engine 2^24", BenchInput.WIDE),
    /** The engine, on the same examples spread over many models. */
    MANY_MODELS("manyModels", "many models", BenchInput.MANY_MODELS),
    /** The engine, on the same examples without labels, and their labels later. */
    LATE_LABELS("lateLabels", "late labels", BenchInput.LATE_LABELS),
    /** The engine, on the same records, with other settings of its models. */
    SETTINGS("settings", "settings", BenchInput.SETTINGS),
    /** The engine, on the same records, with a challenger of each model. */
    CHALLENGER("challenger", "challenger", BenchInput.CHALLENGER),
    /** The engine, on the same records, with four challengers of each model. */
    CHALLENGERS("challengers", "challengers", BenchInput.CHALLENGERS),
    /** The copying topology, on the same examples, many in each record: as many bytes for each example. */
    BATCH_COPY("batchCopy", "batch copy", BenchInput.BATCHES),
    /** The engine, on the same records. */
    BATCHES("batches", "batches", BenchInput.BATCHES),
    /** The copying topology, on the easy stream. */
    EASY_COPY("easyCopy", "copy", BenchInput.EASY),
    /** The engine, on the easy stream. */
    EASY_ENGINE("easyEngine", "engine", BenchInput.EASY),
    /** The engine, killed in the middle of the hard stream and started again; not compared with other variants. */
    RESTARTED("restart", "restart", BenchInput.HARD);

    private final String jsonName;
    private final String title;
    private final BenchInput input;

    Variant(String jsonName, String title, BenchInput input) {
        this.jsonName = jsonName;
        this.title = title;
        this.input = input;
    }

    /**
     * Returns the variant with a name in JSON.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Variant named(String jsonName) {
        return Arrays.stream(values())
                .filter(each -> each.jsonName.equals(jsonName))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("must be names of "
                        + Arrays.stream(values()).map(Variant::jsonName).collect(Collectors.joining(", ")) + ", got "
                        + jsonName));
    }

    /** Returns the variants that are compared with each other. */
    static List<Variant> compared(BenchExamples examples) {
        List<Variant> compared = new ArrayList<>();
        if (examples.stream().isHard()) {
            compared.addAll(List.of(COPY, ENGINE, MONITORED, WIDE));
        }
        if (examples.models() != null) {
            compared.add(MANY_MODELS);
        }
        if (examples.labelsAfter() != null) {
            compared.add(LATE_LABELS);
        }
        if (!examples.modelSettings().isEmpty()) {
            compared.add(SETTINGS);
        }
        if (examples.isChallenged()) {
            compared.addAll(List.of(CHALLENGER, CHALLENGERS));
        }
        if (examples.batch() > 1) {
            compared.addAll(List.of(BATCH_COPY, BATCHES));
        }
        if (examples.stream().isEasy()) {
            compared.addAll(List.of(EASY_COPY, EASY_ENGINE));
        }
        compared.removeIf(each -> !examples.isMeasured(each));
        return compared;
    }

    /** Returns the input topics of all variants that are measured, the restart included. */
    static Set<BenchInput> inputs(BenchExamples examples) {
        Set<BenchInput> inputs = EnumSet.noneOf(BenchInput.class);
        compared(examples).forEach(each -> inputs.add(each.input));
        if (examples.isRestarted()) {
            inputs.add(RESTARTED.input);
        }
        return inputs;
    }

    /** Name in JSON. */
    String jsonName() {
        return jsonName;
    }

    /** Heading of its column. */
    String title() {
        return title;
    }

    /** Its input topic. */
    BenchInput input() {
        return input;
    }

    boolean isCopy() {
        return this == COPY || this == BATCH_COPY || this == EASY_COPY;
    }

    /** Returns true if latencies are measured, too. */
    boolean isLatencyMeasured() {
        return this == COPY || this == ENGINE || this == EASY_COPY || this == EASY_ENGINE;
    }

    /** Returns its output topic, with one answer per example where the latency is measured. */
    String output(EngineConfig config) {
        return isCopy() ? copies(config) : config.topic(Topic.PREDICTIONS);
    }

    static String copies(EngineConfig config) {
        return config.get(EngineConfigDef.TOPICS_PREFIX) + "-copies";
    }
}
