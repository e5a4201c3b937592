package io.perceptronstreams.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.registry.http.Addresses;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.lang.JoseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Public keys of an OpenID Connect issuer, found through its discovery document.
 *
 * <p>They are read at the start, every {@link #REFRESH_NS}, and sooner for a token with an unknown key; without a
 * thread that waits for the issuer. While it does not answer, the last keys stay valid.
 */
final class IssuerKeys {
    static final long REFRESH_NS = TimeUnit.MINUTES.toNanos(5);

    /** Minimum time between two attempts, so that tokens with unknown keys do not cause a request each. */
    static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(10);

    private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String issuer;
    private final LongSupplier nanoTime;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(TIMEOUT)
            .build();

    private List<JsonWebKey> keys = List.of();
    private String fault;
    private boolean isReading;
    private boolean isWanted = true;
    private long attemptAt;

    /** @param nanoTime clock, as {@link System#nanoTime} */
    IssuerKeys(String issuer, LongSupplier nanoTime) {
        this.issuer = issuer;
        this.nanoTime = nanoTime;
        attemptAt = nanoTime.getAsLong() - PAUSE_NS;
    }

    /** The keys that were read last; none before the first time. */
    synchronized List<JsonWebKey> keys() {
        return keys;
    }

    /**
     * To be called where a key is missing.
     *
     * @throws KeysMissingException if the keys are being read, or will be by the next {@link #refresh}, or never were
     */
    synchronized void awaitOthers() {
        isWanted = true;
        if (isReading || isDue() || keys.isEmpty()) {
            // the client has no credentials yet: it gets neither the failure nor the address
            throw new KeysMissingException("keys of http.oidc.issuer must be read, got "
                    + (fault == null ? "none yet" : "a failure, which the log of the server has")
                    + " (send the request again in a second)");
        }
    }

    private boolean isDue() {
        return nanoTime.getAsLong() - attemptAt >= (isWanted ? PAUSE_NS : REFRESH_NS);
    }

    /** Begins to read the keys if it is time; returns at once. */
    synchronized void refresh() {
        if (isReading || !isDue()) {
            return;
        }
        isReading = true;
        attemptAt = nanoTime.getAsLong();
        String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        var unused = get(URI.create(base + "/.well-known/openid-configuration"))
                .thenCompose(body -> get(keysAddress(body)))
                .thenApply(IssuerKeys::parse)
                .whenComplete(this::finish);
    }

    private CompletableFuture<byte[]> get(URI address) {
        HttpRequest request = HttpRequest.newBuilder(address).timeout(TIMEOUT).build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                .orTimeout(2 * TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(response -> {
                    if (response.statusCode() != 200) {
                        throw new IllegalArgumentException("status " + response.statusCode() + " from " + address);
                    }
                    return response.body();
                });
    }

    /** Reads the discovery document, which must be of this issuer. */
    private URI keysAddress(byte[] document) {
        try {
            JsonNode fields = JSON.readTree(document);
            if (!issuer.equals(fields.path("issuer").asText())) {
                throw new IllegalArgumentException("a discovery document of issuer '"
                        + fields.path("issuer").asText() + "'");
            }
            URI address = URI.create(fields.path("jwks_uri").asText());
            // what comes in clear text could be replaced on its way
            boolean isPlain = issuer.startsWith("http://");
            if (!"https".equals(address.getScheme()) && !(isPlain && "http".equals(address.getScheme()))) {
                throw new IllegalArgumentException("jwks_uri '" + address + "'");
            }
            return address;
        } catch (IOException e) {
            throw new IllegalArgumentException("a discovery document that is not JSON", e);
        }
    }

    private static List<JsonWebKey> parse(byte[] body) {
        try {
            List<JsonWebKey> keys = new JsonWebKeySet(new String(body, StandardCharsets.UTF_8))
                    .getJsonWebKeys().stream()
                            .filter(PublicJsonWebKey.class::isInstance)
                            .toList();
            if (keys.isEmpty()) {
                throw new IllegalArgumentException("no public key");
            }
            return keys;
        } catch (JoseException e) {
            throw new IllegalArgumentException("keys that cannot be read", e);
        }
    }

    private synchronized void finish(List<JsonWebKey> read, Throwable failure) {
        isReading = false;
        if (failure == null) {
            if (fault != null) {
                LOG.info("the keys of http.oidc.issuer are read again");
            }
            keys = read;
            fault = null;
            isWanted = false;
            return;
        }
        isWanted = true;
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        String now = Addresses.withoutSecrets(
                cause instanceof IllegalArgumentException ? cause.getMessage() : cause.toString());
        if (!now.equals(fault)) {
            LOG.error(
                    "keys of http.oidc.issuer must be readable, got {} ({})",
                    now,
                    keys.isEmpty() ? "its tokens get status 503" : "the last ones stay valid");
        }
        fault = now;
    }
}
