package io.perceptronstreams.bench;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.perceptronstreams.client.CommandFailedException;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a benchmark does.
 *
 * @param examples how many lie in each topic before it is drained; the first two thirds are not measured
 * @param threads of Kafka Streams on either side, and partitions of each topic
 * @param seconds how long latency is measured; as much again goes before it
 * @param heap largest heap of each process, such as 1g
 * @param data which examples they are; in JSON its settings stand among the others
 * @param extra settings of Kafka Streams for both sides
 */
record BenchSettings(
        int rounds,
        int examples,
        int threads,
        int seconds,
        String heap,
        @JsonUnwrapped BenchExamples data,
        Map<String, String> extra) {

    /** Examples per second while latency is measured. */
    static final int RATE = 2_000;

    /** @throws CommandFailedException if a number makes no sense */
    BenchSettings {
        require(rounds >= 1, "--rounds must be at least 1, got " + rounds);
        require(examples >= 1000, "--examples must be at least 1000, got " + examples);
        require(threads >= 1 && threads <= 64, "--threads must be from 1 to 64, got " + threads);
        require(seconds >= 1 && seconds <= 3600, "--seconds must be from 1 to 3600, got " + seconds);
        require(
                data.models() == null || data.models() >= threads,
                "--models must be at least --threads = " + threads + ", got " + data.models());
    }

    static void require(boolean isRight, String fault) {
        if (!isRight) {
            throw CommandFailedException.wrongUsage(fault);
        }
    }

    /**
     * How many examples go by before the measurement, while the JVM compiles.
     *
     * <p>On two cores it does so for about 20 s, as much on either side, and takes as much CPU as the streams themselves.
     */
    int warmUp() {
        return examples / 3 * 2;
    }

    /** The models that a topic's examples are for. */
    BenchModels models(BenchInput input) {
        return input == BenchInput.MANY_MODELS
                ? BenchModels.drawn(data.models(), data.modelsDistribution(), threads, data.seed())
                : BenchModels.onePerPartition(threads);
    }

    /** Settings of Kafka Streams and of topics that are the same for both sides. */
    Map<String, String> streams() {
        Map<String, String> settings = new TreeMap<>(extra);
        settings.put("num.stream.threads", Integer.toString(threads));
        settings.put("topics.partitions", Integer.toString(threads));
        settings.put("topics.replication.factor", "1");
        return settings;
    }
}
