package io.perceptronstreams.access;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.RsaJwkGenerator;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.lang.JoseException;

/** An OpenID Connect issuer on the loopback address. */
public final class TestIssuer implements AutoCloseable {
    private final HttpServer server;
    private final AtomicInteger requests = new AtomicInteger();
    private volatile List<PublicJsonWebKey> keys;
    private volatile String discovery;
    private volatile boolean isBroken;

    /** Starts with one RSA key, the same in all issuers. */
    public TestIssuer() throws IOException, JoseException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        keys = List.of(FirstKey.KEY);
        discovery = "{\"issuer\":\"" + url() + "\",\"jwks_uri\":\"" + url() + "/keys\"}";
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            boolean isDiscovery = exchange.getRequestURI().getPath().equals("/.well-known/openid-configuration");
            String text = isDiscovery
                    ? discovery
                    : "{\"keys\":["
                            + keys.stream()
                                    .map(each -> each.toJson(JsonWebKey.OutputControlLevel.PUBLIC_ONLY))
                                    .collect(Collectors.joining(","))
                            + "]}";
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(isBroken ? 500 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    /** Made once: nothing else takes as long here. */
    private static final class FirstKey {
        static final PublicJsonWebKey KEY = create();

        private static PublicJsonWebKey create() {
            try {
                return key("first");
            } catch (JoseException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Makes another key at each call. */
    static PublicJsonWebKey key(String id) throws JoseException {
        PublicJsonWebKey key = RsaJwkGenerator.generateJwk(2048);
        key.setKeyId(id);
        return key;
    }

    /** Address of the issuer, and its name. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    int requests() {
        return requests.get();
    }

    void publish(PublicJsonWebKey... published) {
        keys = List.of(published);
    }

    PublicJsonWebKey key() {
        return keys.get(0);
    }

    void setDiscovery(String text) {
        discovery = text;
    }

    void setBroken(boolean isBroken) {
        this.isBroken = isBroken;
    }

    /** Claims of a token for audience {@code perceptron} that is valid for a minute. */
    JwtClaims claims(Map<String, ?> more) {
        JwtClaims claims = new JwtClaims();
        claims.setIssuer(url());
        claims.setAudience("perceptron");
        claims.setSubject("ann");
        NumericDate end = NumericDate.now();
        end.addSeconds(60);
        claims.setExpirationTime(end);
        more.forEach(claims::setClaim);
        return claims;
    }

    /** A valid token with further claims. */
    public String token(Map<String, ?> more) throws JoseException {
        return signed(claims(more), key(), AlgorithmIdentifiers.RSA_USING_SHA256);
    }

    static String signed(JwtClaims claims, PublicJsonWebKey key, String algorithm) throws JoseException {
        JsonWebSignature signature = new JsonWebSignature();
        signature.setPayload(claims.toJson());
        signature.setKey(key.getPrivateKey());
        signature.setKeyIdHeaderValue(key.getKeyId());
        signature.setAlgorithmHeaderValue(algorithm);
        return signature.getCompactSerialization();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
