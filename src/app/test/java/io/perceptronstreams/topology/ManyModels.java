package io.perceptronstreams.topology;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Utils;

/**
 * An endless random stream of sparse examples of many models; the same seed gives the same stream.
 *
 * <p>Half of the examples are of any model with the same probability, so that most records come after thousands of
 * others of the same model; the others are of a model whose number has a uniform logarithm. A hundredth of the records
 * are commands.
 */
final class ManyModels {
    private static final long FIRST_TIMESTAMP = 1_700_000_000_000L;
    private static final String PREFIX = "one-of-many-";
    private static final int FEATURES = 12;

    /** Number of features. */
    static final int INDICES = 3_000;

    private static final List<String> COMMANDS = List.of(
            "{\"action\":\"RESET\"}",
            "{\"action\":\"DELETE\"}",
            "{\"action\":\"SNAPSHOT\",\"settings\":{}}",
            configure("\"h\":1,\"predict\":\"averaged\""),
            configure("\"algorithm\":\"pa-i\",\"c\":0.5,\"auc.window\":20"),
            configure("\"algorithm\":\"arow\",\"window.ms\":2000"),
            configure("\"algorithm\":\"sgd\",\"rate\":\"adagrad\",\"scale\":\"standard\",\"implicit\":true"),
            configure("\"calibrate\":\"platt\",\"coverage\":0.9"),
            configure("\"comparator\":30,\"explain\":2"));

    private final Random random;
    private final String topic;
    private final int partitions;
    private final int models;
    private long sent;

    ManyModels(long seed, String topic, int partitions, int models) {
        this.random = new Random(seed);
        this.topic = topic;
        this.partitions = partitions;
        this.models = models;
    }

    private static String configure(String settings) {
        return "{\"action\":\"CONFIGURE\",\"settings\":{" + settings + "}}";
    }

    static String name(int model) {
        return PREFIX + model;
    }

    static boolean isName(String name) {
        return name.startsWith(PREFIX);
    }

    /** The next record, with partition and timestamp. */
    ProducerRecord<byte[], byte[]> next() {
        int model = random.nextBoolean() ? random.nextInt(models) : (int) Math.pow(models, random.nextDouble());
        String value = random.nextInt(100) == 0 ? COMMANDS.get(random.nextInt(COMMANDS.size())) : example(model);
        byte[] key = name(model).getBytes(StandardCharsets.UTF_8);
        int partition = Utils.toPositive(Utils.murmur2(key)) % partitions;
        long timestamp = FIRST_TIMESTAMP + 7 * sent++;
        return new ProducerRecord<>(topic, partition, timestamp, key, value.getBytes(StandardCharsets.UTF_8));
    }

    private String example(int model) {
        TreeMap<Integer, Double> features = new TreeMap<>();
        while (features.size() < FEATURES) {
            features.put(random.nextInt(random.nextBoolean() ? 30 : INDICES), random.nextInt(64) / 8.0 - 4);
        }
        double[] score = {random.nextGaussian()};
        features.forEach((index, value) -> score[0] += value * ((index + model) % 7 - 3));
        return "{\"id\":\"" + sent + "\",\"label\":" + (score[0] > 0 ? 1 : -1) + ",\"features\":{\"indices\":"
                + features.keySet() + ",\"values\":" + features.values() + "}}";
    }
}
