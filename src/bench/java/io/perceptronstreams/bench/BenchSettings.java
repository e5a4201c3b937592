package io.perceptronstreams.bench;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.model.Challengers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Settings of a benchmark.
 *
 * @param examples number of examples in each topic; the first two thirds are not measured
 * @param threads stream threads of each variant
 * @param partitions of each topic
 * @param rate examples per second during the latency measurement
 * @param seconds duration of the latency measurement, and of its warm-up
 * @param heap maximum heap of each process, such as 1g
 * @param data settings of the examples; flattened in JSON
 * @param extra settings of Kafka Streams for all variants
 */
record BenchSettings(
        int rounds,
        int examples,
        int threads,
        int partitions,
        int rate,
        int seconds,
        String heap,
        @JsonUnwrapped BenchExamples data,
        Map<String, String> extra) {

    private static final int MAX_PARTITIONS = 1_000;

    /** @throws CommandFailedException if a value is out of range */
    BenchSettings {
        require(rounds >= 1, "--rounds must be at least 1, got " + rounds);
        require(examples >= 1000, "--examples must be at least 1000, got " + examples);
        require(threads >= 1 && threads <= 64, "--threads must be from 1 to 64, got " + threads);
        require(
                partitions >= threads && partitions <= MAX_PARTITIONS,
                "--partitions must be from --threads = " + threads + " to " + MAX_PARTITIONS + ", got " + partitions);
        require(rate >= 1 && rate <= 1_000_000, "--rate must be from 1 to 1000000, got " + rate);
        require(seconds >= 1 && seconds <= 3600, "--seconds must be from 1 to 3600, got " + seconds);
        require(
                data.models() == null || data.models() >= partitions,
                "--models must be at least --partitions = " + partitions + ", got " + data.models());
    }

    static void require(boolean isValid, String fault) {
        if (!isValid) {
            throw CommandFailedException.wrongUsage(fault);
        }
    }

    /**
     * Returns the number of examples before the measurement, while the JVM compiles.
     *
     * <p>On two cores this takes about 20 s for each variant, and as much CPU as the streams.
     */
    int warmUp() {
        return examples / 3 * 2;
    }

    /** Returns the models of an input topic. */
    BenchModels models(BenchInput input) {
        return input == BenchInput.MANY_MODELS
                ? BenchModels.drawn(data.models(), data.modelsDistribution(), partitions, data.seed())
                : BenchModels.onePerPartition(partitions);
    }

    /** Returns the settings of the models of an input topic; empty for the defaults. */
    Map<String, String> modelSettings(BenchInput input) {
        return switch (input) {
            case LATE_LABELS ->
                Map.of(
                        "algorithm", "perceptron",
                        "await.labels.ms", Long.toString(TimeUnit.DAYS.toMillis(1)),
                        "await.labels.max", Integer.toString(1 << 20));
            case SETTINGS -> data.modelSettings();
            // a model must exist before it can be challenged
            case CHALLENGER, CHALLENGERS -> Map.of("algorithm", "perceptron");
            case HARD, WIDE, MANY_MODELS, BATCHES, EASY -> Map.of();
        };
    }

    /** Returns the number of challengers of each model of an input topic. */
    private static int challengers(BenchInput input) {
        return switch (input) {
            case CHALLENGER -> 1;
            case CHALLENGERS -> Challengers.MAX;
            case HARD, WIDE, MANY_MODELS, LATE_LABELS, SETTINGS, BATCHES, EASY -> 0;
        };
    }

    /** Returns the commands before the first example of each model of an input topic, as JSON. */
    List<String> commands(BenchInput input) {
        List<String> commands = new ArrayList<>();
        if (!modelSettings(input).isEmpty()) {
            commands.add(command("CONFIGURE", modelSettings(input)));
        }
        for (int k = 1; k <= challengers(input); k++) {
            // the predictions, and so the updates, are those of the model
            commands.add(command("CHALLENGE", Map.of("challenger", "c" + k, "eta", Double.toString(1.0 / (1 << k)))));
        }
        return commands;
    }

    private static String command(String action, Map<String, String> settings) {
        ObjectNode command = new ObjectMapper().createObjectNode().put("action", action);
        command.putPOJO("settings", settings);
        return command.toString();
    }

    /** Returns the number of examples of a record of an input topic. */
    int batch(BenchInput input) {
        return input == BenchInput.BATCHES ? data.batch() : 1;
    }

    /** Returns the number of records before the first example of an input topic. */
    int commandRecords(BenchInput input) {
        return commands(input).size() * models(input).keys().size();
    }

    /** Returns the settings of Kafka Streams and of topics that all variants share. */
    Map<String, String> streams() {
        Map<String, String> settings = new TreeMap<>();
        if (data.models() != null) {
            // also where one partition gets more than its share
            settings.put("models.max", Integer.toString(data.models()));
        }
        settings.putAll(extra);
        settings.put("num.stream.threads", Integer.toString(threads));
        settings.put("topics.partitions", Integer.toString(partitions));
        settings.put("topics.replication.factor", "1");
        return settings;
    }
}
