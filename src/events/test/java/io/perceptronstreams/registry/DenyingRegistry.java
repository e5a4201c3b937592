package io.perceptronstreams.registry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

/** Passes requests on to a registry, but denies some, as registries with rights for each subject do. */
public final class DenyingRegistry implements AutoCloseable {
    private static final String DENIED = "{\"error_code\":40301,\"message\":\"reading this subject is denied\"}";

    private final String registry;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client = HttpClient.newHttpClient();
    private volatile Predicate<String> denied = path -> false;

    /** @param registry address of the registry that answers */
    public DenyingRegistry(String registry) {
        this.registry = registry;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::pass);
        server.setExecutor(threads);
        server.start();
    }

    public String url() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    /** Denies requests to these paths from now on. */
    public void deny(Predicate<String> paths) {
        denied = paths;
    }

    private void pass(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (denied.test(exchange.getRequestURI().getPath())) {
            answer(exchange, 403, DENIED.getBytes(StandardCharsets.UTF_8));
            return;
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create(registry + exchange.getRequestURI()))
                .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body))
                .header("Content-Type", "application/vnd.schemaregistry.v1+json")
                .build();
        try {
            HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            answer(exchange, response.statusCode(), response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
