package io.perceptronstreams.cli;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.utils.Utils;

/**
 * What a benchmark does.
 *
 * @param examples how many lie in each topic before it is drained; the first two thirds are not measured
 * @param threads of Kafka Streams on either side, and partitions of each topic
 * @param seconds how long latency is measured; as much again goes before it
 * @param models over which the examples go round
 * @param noise fraction of wrong labels
 * @param heap largest heap of each process, such as 1g
 * @param extra settings of Kafka Streams for both sides
 */
record BenchSettings(
        int rounds,
        int examples,
        int threads,
        int seconds,
        int models,
        double noise,
        long seed,
        String heap,
        Map<String, String> extra) {

    /** Examples per second while latency is measured. */
    static final int RATE = 2_000;

    /** @throws CommandFailedException if a number makes no sense */
    BenchSettings {
        require(rounds >= 1, "--rounds must be at least 1, got " + rounds);
        require(examples >= 1000, "--examples must be at least 1000, got " + examples);
        require(threads >= 1 && threads <= 64, "--threads must be from 1 to 64, got " + threads);
        require(seconds >= 1 && seconds <= 3600, "--seconds must be from 1 to 3600, got " + seconds);
        require(models >= threads, "--models must be at least --threads = " + threads + ", got " + models);
        require(noise >= 0 && noise < 1, "--noise must be from 0 to below 1, got " + noise);
    }

    private static void require(boolean isRight, String fault) {
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

    /** Names of models; they go round the partitions. */
    List<byte[]> keys() {
        List<byte[]> keys = new ArrayList<>();
        for (int candidate = 0; keys.size() < models; candidate++) {
            byte[] key = ("model-" + candidate).getBytes(StandardCharsets.UTF_8);
            if (Utils.toPositive(Utils.murmur2(key)) % threads == keys.size() % threads) {
                keys.add(key);
            }
        }
        return keys;
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
