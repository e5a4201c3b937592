package io.perceptronstreams.registry.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.perceptronstreams.registry.SchemaRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A registry with the answers of a test, which records its requests; as an extension, a new one for each test. */
public final class StubRegistry implements BeforeEachCallback, AfterEachCallback, AutoCloseable {

    /** What is answered. A status of 0 means: never. The body of a redirect is its Location. */
    public record Reply(int status, String body) {}

    public record Asked(String method, String path, String body, String authorization) {}

    static final Schema SCHEMA =
            SchemaBuilder.record("R").fields().requiredInt("a").endRecord();

    /** The answer that has {@link #SCHEMA}. */
    static final String STORED = "{\"schema\":\"{\\\"type\\\":\\\"record\\\",\\\"name\\\":\\\"R\\\",\\\"fields\\\":"
            + "[{\\\"name\\\":\\\"a\\\",\\\"type\\\":\\\"int\\\"}]}\"}";

    static final String UNKNOWN = "{\"error_code\":40403,\"message\":\"Schema 7 not found\"}";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private int port;
    private final Map<String, List<Reply>> replies = new ConcurrentHashMap<>();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();

    /** Creates a registry that the extension starts and stops. */
    StubRegistry() {}

    private StubRegistry(HttpServer server) {
        listen(server);
    }

    private void listen(HttpServer created) {
        server = created;
        port = server.getAddress().getPort();
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** Starts a registry on any free port. */
    public static StubRegistry start() throws IOException {
        return new StubRegistry(HttpServer.create(loopback(0), 0));
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        listen(HttpServer.create(loopback(0), 0));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        close();
    }

    /** Starts again on the same port, after {@link #stop}. */
    void restart() throws IOException {
        listen(HttpServer.create(loopback(port), 0));
    }

    /** Ends the connections; the port is free for others. */
    void stop() {
        server.stop(0);
    }

    static StubRegistry startTls(SSLContext context) throws IOException {
        var server = HttpsServer.create(loopback(0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return new StubRegistry(server);
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Answers to one route in turn; the last one is repeated. */
    public StubRegistry on(String methodAndPath, Reply... answers) {
        replies.put(methodAndPath, new CopyOnWriteArrayList<>(answers));
        return this;
    }

    public StubRegistry on(String methodAndPath, int status, String body) {
        return on(methodAndPath, new Reply(status, body));
    }

    public int port() {
        return port;
    }

    public String url() {
        return "http://localhost:" + port();
    }

    /** A client of this registry, with further settings: keys, each with its value. */
    SchemaRegistry client(String... settings) {
        var map = new HashMap<String, String>(Map.of(RegistryConfig.URL, url()));
        for (int i = 0; i < settings.length; i += 2) {
            map.put(settings[i], settings[i + 1]);
        }
        return SchemaRegistries.of(map);
    }

    public List<Asked> asked() {
        return asked;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String authorization = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        asked.add(new Asked(exchange.getRequestMethod(), path, body, authorization));
        var all = replies.getOrDefault(
                exchange.getRequestMethod() + " " + path, List.of(new Reply(404, "<html>no such page</html>")));
        var reply = all.size() > 1 ? all.remove(0) : all.get(0);
        if (reply.status() == 0) {
            return;
        }
        byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
        if (reply.status() / 100 == 3) {
            exchange.getResponseHeaders().set("Location", reply.body());
        }
        exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
