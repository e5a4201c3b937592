package io.perceptronstreams.monitor;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.model.ModelReplica;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** The HTTP server of the monitor over a state that a test fills, without brokers. */
final class TestServer implements AutoCloseable {
    static final String JSON = "Content-Type: application/json";
    static final String EXAMPLE = "{\"features\":[1]}";

    final DashboardState state = new DashboardState();
    final Map<Topic, EventRing> rings = new EnumMap<>(Topic.class);
    final HttpServer http;
    private final SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://test-server"));
    private final SseBroadcaster streams;
    private final MetricsEndpoint metrics;
    private final EventRequests writes;
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    private final TopicReader reader;

    /** What a search for predictions reads; a search closes it. */
    MockConsumer<byte[], byte[]> predictions = new MockConsumer<>("none");

    TestServer(EngineConfig config, int port) {
        this(config, port, LoginDelay.SECOND, null, null, null);
    }

    /** Accepts events, unless the gateway is null, and predicts with a replica, unless it is null. */
    TestServer(
            EngineConfig config,
            int port,
            LoginDelay delay,
            EventGateway gateway,
            Function<WriteLimits, ReplicaPredictions> replica,
            WriteLimits limits) {
        SseBroadcaster.TOPICS.forEach(topic -> rings.put(topic, new EventRing(1_000)));
        reader = new TopicReader(config, () -> consumer, registry, state, rings);
        LagReader lagReader = new LagReader(config, () -> {
            throw new KafkaException("there is no broker");
        });
        streams = new SseBroadcaster(config, rings);
        metrics = new MetricsEndpoint(state, reader, streams);
        writes = gateway == null && replica == null
                ? null
                : new EventRequests(state, gateway, replica == null ? null : replica.apply(limits), limits, metrics);
        http = new HttpServer(
                config,
                port,
                streams,
                new Api(
                        state,
                        new EngineView(reader, lagReader, null, null),
                        metrics,
                        streams,
                        new PredictionSearch(config, () -> predictions, registry),
                        "--bootstrap h:1"),
                writes,
                delay);
        http.start();
        streams.start();
    }

    /**
     * A server on any free port that accepts events unless the gateway is null, and predicts with the replica unless it
     * is null.
     */
    static TestServer writing(EngineConfig config, EventGateway gateway, ModelReplica replica, WriteLimits limits) {
        return new TestServer(
                config,
                0,
                LoginDelay.SECOND,
                gateway,
                replica == null ? null : all -> new ReplicaPredictions(replica, 0, all),
                limits);
    }

    /** Acknowledges one event. */
    static CompletableFuture<List<EventAnswer>> acknowledged() {
        return CompletableFuture.completedFuture(List.of(EventAnswer.acknowledged(new EventAnswer.Place(0, 1, null))));
    }

    /** Puts predictions of examples with these ids and of one model into the topic, which the next search reads. */
    void predicted(String model, String... ids) throws IOException {
        List<Prediction> all = new ArrayList<>();
        for (String id : ids) {
            all.add(Fabricated.event(
                    Prediction.class, Map.of("exampleId", id, "label", 1, "score", 0.5, "correct", true)));
        }
        predicted(model, all);
    }

    /** As {@link #predicted(String, String...)}, with given predictions. */
    void predicted(String model, List<Prediction> all) throws IOException {
        TopicPartition partition = new TopicPartition("perceptron-predictions", 0);
        MockConsumer<byte[], byte[]> topic = new MockConsumer<>("none");
        topic.updatePartitions(partition.topic(), List.of(new PartitionInfo(partition.topic(), 0, null, null, null)));
        topic.updateBeginningOffsets(Map.of(partition, 0L));
        topic.updateEndOffsets(Map.of(partition, (long) all.size()));
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (Prediction prediction : all) {
            records.add(new ConsumerRecord<>(
                    partition.topic(),
                    0,
                    records.size(),
                    model.getBytes(StandardCharsets.UTF_8),
                    EventJson.MAPPER.writeValueAsBytes(Event.json(prediction))));
        }
        topic.schedulePollTask(() -> records.stream()
                .filter(each -> each.offset() >= topic.position(partition))
                .forEach(topic::addRecord));
        predictions = topic;
    }

    /** A server on any free port, with settings {@code name=value} besides those of the tests. */
    static TestServer open(String... settings) {
        return new TestServer(config(settings), 0);
    }

    static EngineConfig config(String... settings) {
        Map<String, String> all = new HashMap<>(Map.of(
                "http.names", "monitor.example",
                "http.streams.max", "3",
                "http.connections.max", "100",
                "http.lookback.records", "10"));
        for (String setting : settings) {
            String[] parts = setting.split("=", 2);
            all.put(parts[0], parts[1]);
        }
        return EngineConfig.of(all, Map.of(), null, Map.of());
    }

    /** A line of http.tokens.file, of a client whose token is its name. */
    static String token(String name, String roles, String models) throws NoSuchAlgorithmException {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        return name + ": {sha256: " + HexFormat.of().formatHex(sha256.digest(name.getBytes(StandardCharsets.UTF_8)))
                + ", roles: " + roles + ", models: " + models + "}\n";
    }

    /** Settings of a server with the tokens in a file of a directory. */
    static EngineConfig withTokens(Path directory, String... tokens) throws IOException {
        Path file = Files.writeString(directory.resolve("tokens.yaml"), String.join("", tokens));
        return config("http.tokens.file=" + file);
    }

    /** From now on the monitor finds topics, without a record that it has not read. */
    void live() {
        TopicPartition models = new TopicPartition("perceptron-models", 0);
        consumer.updatePartitions(models.topic(), List.of(new PartitionInfo(models.topic(), 0, null, null, null)));
        consumer.updateBeginningOffsets(Map.of(models, 0L));
        consumer.updateEndOffsets(Map.of(models, 0L));
        reader.start();
    }

    void mistake(Event<?> event) {
        state.add(event);
        rings.get(Topic.MISTAKES).add(event);
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), http.port());
        socket.setSoTimeout(120_000);
        return socket;
    }

    /** Opens a connection and sends what is given, byte for byte. */
    Socket start(String request) throws IOException {
        Socket socket = connect();
        write(socket, request);
        return socket;
    }

    static void write(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns all that comes until the server closes. */
    static String rest(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    static void close(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** Sends what is given and returns all that comes back until the server closes. */
    String send(String request) throws IOException {
        try (Socket socket = start(request)) {
            return rest(socket);
        }
    }

    /** A request with a body and further header lines. */
    static String request(String method, String path, String body, String... headers) {
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + String.join("\r\n", headers) + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** GET with further header lines. */
    String get(String path, String... headers) throws IOException {
        StringBuilder request = new StringBuilder("GET " + path + " HTTP/1.1\r\nConnection: close\r\n");
        boolean hasHost = false;
        for (String header : headers) {
            request.append(header).append("\r\n");
            hasHost |= header.startsWith("Host:");
        }
        return send(request + (hasHost ? "" : "Host: localhost\r\n") + "\r\n");
    }

    static String body(String response) {
        return response.substring(response.indexOf("\r\n\r\n") + 4);
    }

    /** Opens a stream and waits for its first bytes. */
    Socket stream(String pathAndQuery) throws IOException {
        return start("GET /api/v1/stream/" + pathAndQuery + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    /** Reads until a text has come. */
    static String readUntil(Socket socket, String text) throws IOException {
        StringBuilder read = new StringBuilder();
        InputStream in = socket.getInputStream();
        while (read.indexOf(text, read.length() - text.length()) < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("ended before '" + text + "' came: " + read);
            }
            read.append((char) next);
        }
        return read.toString();
    }

    @Override
    public void close() {
        reader.close();
        streams.close();
        http.close();
        if (writes != null) {
            writes.close();
        }
        metrics.close();
        registry.close();
    }
}
