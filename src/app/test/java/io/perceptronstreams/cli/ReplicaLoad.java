package io.perceptronstreams.cli;

import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.config.EngineConfig;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Sends examples until it is interrupted; each second one is a probe without a label. */
final class ReplicaLoad extends Thread {
    private final EngineConfig config;
    private final int models;
    private final List<String> probes;
    private final Random random;
    private long sent;

    ReplicaLoad(EngineConfig config, int models, List<String> probes, long seed) {
        super("load");
        this.config = config;
        this.models = models;
        this.probes = probes;
        this.random = new Random(seed);
        setDaemon(true);
    }

    @Override
    public void run() {
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(config)) {
            while (!isInterrupted()) {
                for (int k = 0; k < 20; k++) {
                    byte[] model = ("m" + random.nextInt(models)).getBytes(StandardCharsets.UTF_8);
                    var unused = producer.send(new ProducerRecord<>(
                            "perceptron-examples", model, next().getBytes(StandardCharsets.UTF_8)));
                }
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            // the end
        }
    }

    private String next() {
        if (sent++ % 2 == 0) {
            int probe = random.nextInt(probes.size());
            return "{\"id\":\"probe" + probe + "\",\"features\":" + probes.get(probe) + "}";
        }
        List<Double> x = random.doubles(5, -1, 1).boxed().toList();
        boolean isPositive = x.get(0) + x.get(1) > 0 != (random.nextInt(10) == 0);
        return "{\"label\":" + (isPositive ? 1 : -1) + ",\"features\":" + x + "}";
    }
}
