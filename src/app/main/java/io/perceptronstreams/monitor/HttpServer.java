package io.perceptronstreams.monitor;

import io.perceptronstreams.access.Credentials;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.registry.http.TlsContext;
import java.net.SocketException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.apache.kafka.common.config.ConfigException;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.server.handler.QoSHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** HTTP server with its limits on threads, headers and connections. */
final class HttpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    static final int MAX_THREADS = 3 * ReplicaPredictions.MAX_THREADS;
    private static final int MAX_HEADER_BYTES = 8 * 1024;
    private static final long IDLE_MS = 30_000;
    private static final int MAX_ANSWERS = 6;
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    /**
     * Without it the kernel buffers megabytes for a client that does not read, and its stream is encoded to fill them.
     */
    private static final int SEND_BUFFER_BYTES = 128 * 1024;

    private final EngineConfig config;
    private final int wantedPort;
    private final Server server;
    private final ServerConnector connector;
    private final ConnectionReaper reaper = new ConnectionReaper();
    private final Credentials credentials;
    private final QoSHandler limit = answerLimit();

    /**
     * @param port 0 for any free one
     * @param writes null if nothing is accepted
     */
    HttpServer(EngineConfig config, int port, SseBroadcaster streams, Api api, EventRequests writes) {
        this(config, port, streams, api, writes, LoginDelay.SECOND);
    }

    HttpServer(EngineConfig config, int port, SseBroadcaster streams, Api api, EventRequests writes, LoginDelay delay) {
        this.config = config;
        this.wantedPort = port;
        SSLContext tls = config.httpTls().isEmpty() ? null : tls();
        credentials = credentials();
        QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS, 2, (int) IDLE_MS);
        threads.setName("monitor-http");
        server = new Server(threads);
        server.setErrorHandler(new Errors());
        server.setStopTimeout(0);
        HttpConfiguration http = new HttpConfiguration();
        limit(http);
        connector = connector(http, tls);
        server.addConnector(connector);
        GetHandler answers = new GetHandler();
        api.addTo(answers);
        limit.setHandler(answers);
        RequestFilter filter =
                new RequestFilter(config, credentials, reaper, delay, writes != null, WriteRoutes::isPath);
        StreamRoutes routes = new StreamRoutes(streams, reaper, credentials);
        filter.setHandler(routes);
        // before the limit: the streams, which have no end, and the requests that wait for predictions
        if (writes == null) {
            routes.setHandler(limit);
        } else {
            WriteRoutes writeRoutes = new WriteRoutes(writes, reaper);
            routes.setHandler(writeRoutes);
            writeRoutes.setHandler(limit);
        }
        server.setHandler(filter);
    }

    /**
     * Limits the number of concurrent answers, so that those to clients that read slowly never fill the memory.
     *
     * <p>Further requests wait without a thread, and get status 503 after {@link #MAX_WAIT}. Health endpoints never
     * wait: otherwise, slow readers could have a supervisor kill a healthy engine.
     */
    private static QoSHandler answerLimit() {
        QoSHandler limit = new QoSHandler();
        RequestFilter.HEALTH.forEach(limit::excludePath);
        limit.setMaxRequestCount(MAX_ANSWERS);
        limit.setMaxSuspend(MAX_WAIT);
        limit.setMaxSuspendedRequestCount(1_000);
        return limit;
    }

    private static void limit(HttpConfiguration http) {
        http.setRequestHeaderSize(MAX_HEADER_BYTES);
        http.setUriCompliance(UriCompliance.RFC3986);
        http.setSendDateHeader(false);
        http.setSendServerVersion(false);
        http.setMaxUnconsumedRequestContentReads(1);
    }

    private ServerConnector connector(HttpConfiguration http, SSLContext tls) {
        ServerConnector created;
        if (tls == null) {
            created = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
        } else {
            SslContextFactory.Server factory = new SslContextFactory.Server();
            factory.setSslContext(tls);
            factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
            created = new ServerConnector(server, factory, new HttpConnectionFactory(http));
        }
        created.setHost(host());
        created.setPort(wantedPort);
        created.setIdleTimeout(IDLE_MS);
        created.setAcceptQueueSize(128);
        created.setAcceptedSendBufferSize(SEND_BUFFER_BYTES);
        created.addBean(reaper);
        server.addBean(new NetworkConnectionLimit(config.get(EngineConfigDef.HTTP_CONNECTIONS_MAX), created));
        return created;
    }

    private Credentials credentials() {
        try {
            return new Credentials(config);
        } catch (ConfigException e) {
            throw new MonitorException(e.getMessage(), e);
        }
    }

    private SSLContext tls() {
        try {
            return TlsContext.of(config.httpTls(), "http.");
        } catch (ConfigException e) {
            throw new MonitorException(e.getMessage(), e);
        }
    }

    /**
     * Starts to listen.
     *
     * @throws MonitorException if the address is not available
     */
    void start() {
        try {
            server.start();
            reaper.start();
            credentials.start();
        } catch (Exception e) {
            close();
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof SocketException) {
                throw new MonitorException(
                        "http.port must be free, got " + wantedPort + " on " + host()
                                + ", which is in use or not allowed (--http-port names another; 0: any free one)",
                        e);
            }
            throw new MonitorException(
                    "the monitor must be able to listen on " + host() + ":" + wantedPort + ", got: "
                            + cause.getMessage(),
                    e);
        }
    }

    private String host() {
        return config.get(EngineConfigDef.HTTP_HOST);
    }

    int port() {
        return connector.getLocalPort();
    }

    /** Number of requests that wait because too many answers are being read. */
    int waitingRequests() {
        return limit.getSuspendedRequestCount();
    }

    /** Closes connections whose time-out has passed at {@code now}, in ns; also runs every second in the background. */
    void sweep(long now) {
        reaper.sweep(now);
    }

    /** URL for browsers. */
    String url() {
        String host = host();
        if (host.equals("0.0.0.0") || host.equals("::")) {
            host = "localhost";
        }
        String shown = host.contains(":") ? "[" + host + "]" : host;
        return (config.httpTls().isEmpty() ? "http://" : "https://") + shown + ":" + port() + "/";
    }

    @Override
    public void close() {
        reaper.close();
        credentials.close();
        try {
            server.stop();
        } catch (Exception e) {
            LOG.debug("the server must stop", e);
        }
    }

    /** Responses of Jetty to invalid requests, such as too long headers, without internal details. */
    private static final class Errors extends ErrorHandler {
        @Override
        protected void generateResponse(
                Request request, Response response, int code, String message, Throwable cause, Callback callback) {
            response.getHeaders().put("X-Content-Type-Options", "nosniff");
            response.getHeaders().put("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
            Answer.error(code, reason(code)).send(response, callback);
        }

        /** Rule that a request has broken; Jetty's own message may contain parts of the request. */
        private static String reason(int code) {
            return switch (code) {
                case 400 -> "request must be valid HTTP/1.1: a path without .. or encoded slashes, one Host header";
                case 404 -> "path must exist";
                case 405 -> "method must be GET or HEAD";
                case 413 -> "a request must have no body";
                case 414 ->
                    "address must be shorter: request line and headers are limited to " + MAX_HEADER_BYTES
                            + " bytes together";
                case 415 -> "a request must have no body, hence no type of one";
                case 431 ->
                    "headers must be shorter: request line and headers are limited to " + MAX_HEADER_BYTES
                            + " bytes together";
                case 505 -> "version must be HTTP/1.1";
                default ->
                    code < 500
                            ? "request must be valid, got status " + code
                            : "the monitor failed with status " + code + "; its log has the cause";
            };
        }

        @Override
        public boolean errorPageForMethod(String method) {
            return true;
        }
    }
}
