package io.perceptronstreams.registry.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.perceptronstreams.registry.RegistryUnavailableException;
import io.perceptronstreams.thread.DaemonThread;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP client of the schema registry: credentials, TLS, time-outs, fail-over and retries.
 *
 * <p>Transient failures (no connection, time-out, 408, 429, 5xx) are retried at every address, then again after an
 * exponentially growing pause. The address that responded last is tried first.
 */
final class RegistryHttpClient implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RegistryHttpClient.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";
    private static final int ROUNDS = 4;
    private static final long FIRST_PAUSE_MS = 100;

    /** Maximum size of an answer; the registry itself limits schemas to 1 MiB. */
    static final int MAX_ANSWER_BYTES = 4 << 20;

    private final RegistryConfig settings;
    private final ExecutorService threads =
            Executors.newCachedThreadPool(task -> new DaemonThread("schema-registry-client", task));
    private final HttpClient http;
    private final AtomicInteger preferred = new AtomicInteger();
    /** Requests in flight. The keys are unique objects. */
    private final Map<Object, CompletableFuture<?>> inFlight = new ConcurrentHashMap<>();

    private final CountDownLatch closed = new CountDownLatch(1);

    RegistryHttpClient(RegistryConfig settings) {
        this.settings = settings;
        var builder = HttpClient.newBuilder()
                .executor(threads)
                // an HTTP/2 upgrade would only add headers that break old proxies
                .version(HttpClient.Version.HTTP_1_1)
                // to another host, a redirect would carry the credentials, or make this process a proxy
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(settings.requestTimeout());
        if (!settings.ssl().isEmpty()) {
            builder.sslContext(TlsContext.of(settings.ssl(), RegistryConfig.SSL_PREFIX));
        } else if (settings.urls().stream().noneMatch(url -> url.getScheme().equalsIgnoreCase("https"))) {
            // the JDK's client would otherwise load TLS and all trusted certificates, in up to a quarter of a second
            builder.sslContext(new UnusedTlsContext());
        }
        http = builder.build();
    }

    /**
     * A response that is not worth a retry.
     *
     * @param body missing if it is not JSON
     * @param location of a redirect, which is not followed; empty without one
     */
    record Answer(URI url, int status, JsonNode body, String location) {

        boolean isSuccess() {
            return status >= 200 && status < 300;
        }

        /** Confluent's error code, such as 40403; 0 if the response has none. */
        int errorCode() {
            return body.path("error_code").asInt(0);
        }

        /** Address, status and message, in one line. */
        String summary() {
            String message =
                    body.path("message").asText("").replaceAll("\\s+", " ").strip();
            return Addresses.withoutSecrets(url + " answered " + status
                    + (location.isEmpty() ? "" : ", a redirect to " + location)
                    + (message.isEmpty() ? "" : ": " + message));
        }
    }

    Answer get(String path) {
        return ask("GET", path, HttpRequest.BodyPublishers.noBody());
    }

    Answer post(String path, JsonNode body) {
        return ask("POST", path, HttpRequest.BodyPublishers.ofString(body.toString()));
    }

    /**
     * Sends a request, with retries, until there is a response.
     *
     * @param path relative to the base address, encoded
     * @throws RegistryUnavailableException if all attempts fail
     */
    private Answer ask(String method, String path, HttpRequest.BodyPublisher body) {
        String failure = "";
        Exception cause = null;
        for (int round = 0; round < ROUNDS; round++) {
            pauseBefore(round);
            int first = preferred.get();
            for (int i = 0; i < settings.urls().size(); i++) {
                int which = (first + i) % settings.urls().size();
                var request = request(which, method, path, body);
                try {
                    var answer = send(request);
                    if (!isTransient(answer.status())) {
                        preferred.set(which);
                        return answer;
                    }
                    failure = answer.summary();
                    cause = null;
                } catch (IOException | TimeoutException e) {
                    failure = request.uri() + ": " + reason(e);
                    cause = e;
                }
                LOG.debug("schema registry: {}", failure);
            }
        }
        throw new RegistryUnavailableException(
                "schema registry is unavailable: " + failure + " (after " + ROUNDS
                        + " attempts; check that it runs and " + RegistryConfig.URL + ")",
                cause);
    }

    private HttpRequest request(int which, String method, String path, HttpRequest.BodyPublisher body) {
        var request = HttpRequest.newBuilder(settings.urls().get(which).resolve(path))
                .method(method, body)
                .header("Accept", CONTENT_TYPE + ", application/json;q=0.9")
                .header("Content-Type", CONTENT_TYPE);
        settings.authorization().get(which).ifPresent(value -> request.header("Authorization", value));
        return request.build();
    }

    private Answer send(HttpRequest request) throws IOException, TimeoutException {
        // the time-out of HttpRequest ends with the headers: a missing body would block without end
        var key = new Object();
        var exchange = start(request);
        inFlight.put(key, exchange);
        try {
            if (closed.getCount() == 0) {
                throw new IOException("the client is closed");
            }
            var response = exchange.get(settings.requestTimeout().toMillis(), TimeUnit.MILLISECONDS);
            return new Answer(request.uri(), response.statusCode(), json(response.body()), location(response));
        } catch (TimeoutException e) {
            throw new TimeoutException(
                    "no answer within " + settings.requestTimeout().toMillis() + " ms");
        } catch (CancellationException e) {
            throw new IOException("the client is closed", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            exchange.cancel(true);
            inFlight.remove(key);
        }
    }

    private CompletableFuture<HttpResponse<byte[]>> start(HttpRequest request) throws IOException {
        try {
            return http.sendAsync(request, head -> new LimitedBody(MAX_ANSWER_BYTES));
        } catch (RejectedExecutionException e) {
            throw new IOException("the client is closed", e);
        }
    }

    private void pauseBefore(int round) {
        try {
            if (closed.await(round == 0 ? 0 : FIRST_PAUSE_MS << (round - 1), TimeUnit.MILLISECONDS)) {
                throw new RegistryUnavailableException("the schema registry client is closed", null);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static RegistryUnavailableException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new RegistryUnavailableException("interrupted while asking the schema registry", e);
    }

    private static boolean isTransient(int status) {
        return status >= 500 || status == 408 || status == 429;
    }

    private static String location(HttpResponse<?> response) {
        return response.statusCode() / 100 == 3
                ? response.headers().firstValue("Location").orElse("").replaceAll("[\\s\\p{Cntrl}]+", " ")
                : "";
    }

    private static JsonNode json(byte[] body) throws IOException {
        try {
            var tree = JSON.readTree(body);
            return tree == null ? MissingNode.getInstance() : tree;
        } catch (JsonProcessingException e) {
            // perhaps an error page of a proxy; the status is enough
            return MissingNode.getInstance();
        }
    }

    /** The deepest message of the causes: exceptions of HttpClient often have none. */
    private static String reason(Throwable failure) {
        String reason = failure.toString();
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e.getMessage() != null) {
                reason = e.getMessage();
            }
        }
        return Addresses.withoutSecrets(reason.replaceAll("\\s+", " "));
    }

    @Override
    public void close() {
        closed.countDown();
        inFlight.forEach((key, exchange) -> exchange.cancel(true));
        threads.shutdownNow();
    }
}
