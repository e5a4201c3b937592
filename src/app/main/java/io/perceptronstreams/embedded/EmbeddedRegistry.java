package io.perceptronstreams.embedded;

import com.sun.net.httpserver.HttpServer;
import io.perceptronstreams.thread.DaemonThread;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Schema registry for Avro on 127.0.0.1, for demos and tests: what Confluent's clients call to register, look up and
 * check schemas. They are stored in the topic {@code _schemas}.
 *
 * <p>A registration is answered after the broker has acknowledged it. At most one registry may run per cluster.
 *
 * <p>Not supported: deletion, modes and imports, Protobuf and JSON schemas, references, contexts, schema GUIDs.
 */
public final class EmbeddedRegistry implements AutoCloseable {

    private static final int THREADS = 8;

    static {
        // The JDK's server sends headers and body separately: without TCP_NODELAY each response waits 40 ms for the
        // client's delayed acknowledgement. Only this property sets it, before the first server is created.
        if (System.getProperty("sun.net.httpserver.nodelay") == null) {
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }
    }

    private final HttpServer server;
    private final ExecutorService threads;
    private final SchemaTopic topic;

    private EmbeddedRegistry(HttpServer server, SchemaTopic topic) {
        this.server = server;
        this.topic = topic;
        var number = new AtomicInteger();
        threads = Executors.newFixedThreadPool(
                THREADS, task -> new DaemonThread("embedded-registry-" + number.incrementAndGet(), task));
        server.setExecutor(threads);
        server.createContext("/", new RegistryRoutes(new SchemaStore(topic)));
        server.start();
    }

    /**
     * Starts the registry and returns when it answers; creates its topic if missing.
     *
     * @param port port on 127.0.0.1, 0 for any free one
     * @throws EmbeddedException if the port is in use or the topic cannot be used; nothing is left running
     */
    public static EmbeddedRegistry start(String bootstrapServers, int port) {
        var server = bind(port);
        SchemaTopic topic = null;
        try {
            topic = new SchemaTopic(bootstrapServers);
            return new EmbeddedRegistry(server, topic);
        } catch (RuntimeException e) {
            server.stop(0);
            if (topic != null) {
                topic.close();
            }
            throw e instanceof EmbeddedException
                    ? e
                    : new EmbeddedException(
                            "schema registry does not start on " + bootstrapServers + ": " + e.getMessage(), e);
        }
    }

    private static HttpServer bind(int port) {
        // seconds for a request and for an answer; without them, half-sent requests occupy the threads without end
        for (String limit : List.of("sun.net.httpserver.maxReqTime", "sun.net.httpserver.maxRspTime")) {
            if (System.getProperty(limit) == null) {
                System.setProperty(limit, "30");
            }
        }
        try {
            return HttpServer.create(Loopback.socket(port), 0);
        } catch (IOException e) {
            throw new EmbeddedException(
                    "port " + port + " cannot be opened: " + e.getMessage() + "; choose another with --registry-port",
                    e);
        }
    }

    /** Value of {@code schema.registry.url} for clients. */
    public String url() {
        return "http://" + Loopback.HOST + ":" + port();
    }

    /** Port on 127.0.0.1. */
    public int port() {
        return server.getAddress().getPort();
    }

    /** Stops the server. Every registration that was answered is stored. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        topic.close();
    }
}
