package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.topology.EngineProcess;
import io.perceptronstreams.topology.LoadedCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An engine that has much to read, with the monitor in its process: in turn without clients and with many that do not
 * read what they ask for. Prints the ratio of the rates of learning.
 */
@Tag("chaos")
final class SlowReadersIT {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int BACKLOG_PER_MINUTE = 2_000_000;
    private static final int MODELS = 16;
    private static final int WARM_UP = 20_000;
    private static final int WINDOW_MS = 4_000;
    private static final int STREAMS = 90;
    private static final int PAGES = 40;

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(SlowReadersIT.class);
    private final List<Double> ratios = new ArrayList<>();

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldLearnOnWhileNobodyReadsWhatManyAskFor() throws Exception {
        int port = freePort();
        Map<String, String> settings = Map.of(
                "topics.create",
                "true",
                "models.defaults",
                "",
                "topics.partitions",
                "2",
                "http.port",
                Integer.toString(port));
        try (LoadedCluster cluster = LoadedCluster.start(directory, 2);
                EngineProcess engine = cluster.engine("engine", settings)) {
            engine.start();
            await().atMost(PATIENCE)
                    .until(() -> cluster.admin().listTopics().names().get().contains("perceptron-examples"));
            assertThat(engine.stop(60)).isTrue();
            send(cluster.bootstrapServers());
            engine.start();
            await().atMost(PATIENCE).until(() -> cluster.predictions() > WARM_UP);
            while (!cluster.isAllProcessed()) {
                double alone = rate(cluster);
                List<Socket> clients = slowReaders(port);
                double beside = rate(cluster);
                for (Socket client : clients) {
                    client.close();
                }
                if (cluster.isAllProcessed()) {
                    break;
                }
                ratios.add(beside / alone);
                run.say(Math.round(alone) + " predictions/s, " + Math.round(beside) + " beside " + clients.size()
                        + " clients that do not read");
            }
            await().atMost(PATIENCE).until(cluster::isAllProcessed);
            assertThat(engine.stop(60)).isTrue();
            run.say(cluster.requireExact());
            assertThat(engine.recoveries()).isEmpty();
        }
        assertThat(ratios).as("the examples must last for both rates").isNotEmpty();
        ratios.sort(null);
        run.say(ratios.size() + " ratios, median " + ratios.get(ratios.size() / 2) + ", all " + ratios);
    }

    private static double rate(LoadedCluster cluster) throws ExecutionException, InterruptedException {
        long before = cluster.predictions();
        long start = System.nanoTime();
        Thread.sleep(WINDOW_MS);
        return 1e9 * (cluster.predictions() - before) / (System.nanoTime() - start);
    }

    /** Examples of which a fifth is a mistake for every learner. */
    private void send(String bootstrapServers) {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "linger.ms", 5),
                new StringSerializer(),
                new StringSerializer())) {
            for (long k = 0; k < run.minutes() * BACKLOG_PER_MINUTE; k++) {
                int x = run.random().nextInt(2_001) - 1_000;
                int label = x > 0 == run.random().nextInt(5) > 0 ? 1 : -1;
                var unused = producer.send(new ProducerRecord<>(
                        "perceptron-examples",
                        "m" + k % MODELS,
                        "{\"id\":\"" + k + "\",\"label\":" + label + ",\"features\":[" + x + "]}"));
            }
        }
    }

    private static List<Socket> slowReaders(int port) throws IOException {
        List<Socket> clients = new ArrayList<>();
        for (int k = 0; k < STREAMS; k++) {
            clients.add(slowReader(port, "/api/v1/stream/mistakes", 1));
        }
        for (int k = 0; k < PAGES; k++) {
            // the answers together fill the buffers of both sides
            clients.add(slowReader(port, k % 2 == 0 ? "/uplot/uPlot.esm.js" : "/api/v1/models?limit=200", 60));
        }
        return clients;
    }

    private static Socket slowReader(int port, String path, int times) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(1_024);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
        socket.getOutputStream().write(request.repeat(times).getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }
}
