package io.perceptronstreams.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.topology.LogLines;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwk.EcJwkGenerator;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.keys.EllipticCurves;
import org.jose4j.keys.HmacKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bearer tokens of an issuer. */
final class OidcTokensTest {
    private final AtomicLong nanoTime = new AtomicLong();
    private TestIssuer issuer;
    private OidcTokens tokens;

    @BeforeEach
    void open() throws Exception {
        issuer = new TestIssuer();
        tokens = tokens(Map.of());
        tokens.refresh();
        await().until(() -> isReady(tokens, issuer.token(Map.of())));
    }

    @AfterEach
    void close() {
        issuer.close();
    }

    private OidcTokens tokens(Map<String, String> more) {
        Map<String, String> settings =
                new HashMap<>(Map.of("http.oidc.issuer", issuer.url(), "http.oidc.audience", "perceptron"));
        settings.putAll(more);
        return new OidcTokens(
                EngineConfig.of(settings, Map.of(), null, Map.of()), new IssuerKeys(issuer.url(), nanoTime::get));
    }

    private static boolean isReady(OidcTokens tokens, String token) {
        try {
            tokens.caller("bearer", token);
            return true;
        } catch (KeysMissingException e) {
            return false;
        }
    }

    private Caller caller(Map<String, String> settings, Map<String, ?> claims) throws Exception {
        OidcTokens other = tokens(settings);
        String token = issuer.token(claims);
        other.refresh();
        await().until(() -> isReady(other, token));
        return other.caller("bearer", token);
    }

    @Test
    void shouldTakeNameAndRolesFromTheToken() throws Exception {
        Caller caller = tokens.caller("bearer", issuer.token(Map.of("roles", List.of("read", "admin", "send"))));

        assertThat(caller.name()).isEqualTo("ann");
        assertThat(caller.roles()).containsExactlyInAnyOrder(Role.READ, Role.SEND);
        assertThat(caller.models().isAll()).isTrue();
        assertThat(tokens.caller("bearer", issuer.token(Map.of("roles", "read openid")))
                        .roles())
                .containsExactly(Role.READ);
        assertThat(tokens.caller("bearer", issuer.token(Map.of())).roles()).isEmpty();
        assertThat(tokens.caller("bearer", issuer.token(Map.of("roles", 7))).roles())
                .isEmpty();
        assertThat(tokens.caller("basic", issuer.token(Map.of("roles", "read"))))
                .isNull();
        assertThat(tokens.caller("bearer", "no-web-token")).isNull();
        assertThat(tokens.caller("bearer", "a.b.c")).isNull();
    }

    @Test
    void shouldFindRolesInTheClaimThatIsSet() throws Exception {
        Map<String, String> nested = Map.of("http.oidc.roles.claim", "realm_access.roles");
        Map<String, String> address = Map.of("http.oidc.roles.claim", "https://x.example/roles");

        assertThat(caller(nested, Map.of("realm_access", Map.of("roles", List.of("send"))))
                        .roles())
                .containsExactly(Role.SEND);
        assertThat(caller(nested, Map.of("roles", "read")).roles()).isEmpty();
        assertThat(caller(address, Map.of("https://x.example/roles", List.of("read")))
                        .roles())
                .containsExactly(Role.READ);
    }

    /** The name of a client, which is a level of the claim, often has points; so may every other level. */
    @ParameterizedTest
    @CsvSource({
        "resource_access.shop.example.com.roles",
        "/resource_access/shop.example.com/roles",
        "a.b.c.d.e.roles.of.all",
        "/a.b/c.d.e/roles.of.all",
        "https://x.example/claims.shop.example.com.roles",
        "/https:~1~1x.example~1claims/shop.example.com/roles",
    })
    void shouldFindAClaimInObjectsWhoseNamesHavePoints(String claim) throws Exception {
        Map<String, ?> claims = Map.of(
                "resource_access",
                        Map.of("shop", Map.of("example", "send"), "shop.example.com", Map.of("roles", List.of("read"))),
                "a", Map.of("b.c", 1),
                "a.b", Map.of("c", Map.of("roles", "send"), "c.d.e", Map.of("roles.of.all", "read")),
                "https://x.example/claims", Map.of("shop.example.com", Map.of("roles", "read")));

        assertThat(caller(Map.of("http.oidc.roles.claim", claim), claims).roles())
                .containsExactly(Role.READ);
        assertThat(caller(Map.of("http.oidc.roles.claim", claim + "s"), claims).roles())
                .isEmpty();
    }

    @Test
    void shouldTakeModelsFromTheClaimThatIsSet() throws Exception {
        Map<String, String> settings = Map.of("http.oidc.models.claim", "models");

        Caller some = caller(settings, Map.of("roles", "read", "models", List.of("team-a-*", "spam")));
        assertThat(some.models().matches("team-a-x")).isTrue();
        assertThat(some.models().matches("other")).isFalse();
        assertThat(caller(settings, Map.of("roles", "read")).models().matches("spam"))
                .isFalse();
    }

    @Test
    void shouldRefuseTokensOfOthersForOthersAndOfAnotherTime() throws Exception {
        PublicJsonWebKey key = issuer.key();
        String algorithm = AlgorithmIdentifiers.RSA_USING_SHA256;
        assertThat(refused(claims -> claims.setIssuer("http://127.0.0.1:1"))).isTrue();
        assertThat(refused(claims -> claims.unsetClaim("iss"))).isTrue();
        assertThat(refused(claims -> claims.setAudience("another"))).isTrue();
        assertThat(refused(claims -> claims.unsetClaim("aud"))).isTrue();
        assertThat(refused(claims -> claims.unsetClaim("sub"))).isTrue();
        assertThat(refused(claims -> claims.unsetClaim("exp"))).isTrue();
        assertThat(refused(claims -> claims.setExpirationTime(inSeconds(-2 * OidcTokens.CLOCK_SKEW_SECONDS))))
                .isTrue();
        assertThat(refused(claims -> claims.setNotBefore(inSeconds(4 * OidcTokens.CLOCK_SKEW_SECONDS))))
                .isTrue();
        // another key under the same name
        assertThat(tokens.caller(
                        "bearer",
                        TestIssuer.signed(issuer.claims(Map.of()), TestIssuer.key(key.getKeyId()), algorithm)))
                .isNull();
        String valid = issuer.token(Map.of("roles", "read"));
        String[] parts = valid.split("\\.", -1);
        String forged = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(
                        issuer.claims(Map.of("roles", "read send")).toJson().getBytes(StandardCharsets.UTF_8));
        assertThat(tokens.caller("bearer", parts[0] + "." + forged + "." + parts[2]))
                .isNull();
        assertThat(tokens.caller("bearer", valid)).isNotNull();
    }

    @Test
    void shouldTolerateAClockThatIsALittleWrong() throws Exception {
        assertThat(refused(claims -> claims.setExpirationTime(inSeconds(-2)))).isFalse();
        assertThat(refused(claims -> claims.setNotBefore(inSeconds(OidcTokens.CLOCK_SKEW_SECONDS - 10))))
                .isFalse();
    }

    private static NumericDate inSeconds(long seconds) {
        NumericDate date = NumericDate.now();
        date.addSeconds(seconds);
        return date;
    }

    private boolean refused(Consumer<JwtClaims> change) throws Exception {
        JwtClaims claims = issuer.claims(Map.of("roles", "read"));
        change.accept(claims);
        return tokens.caller("bearer", TestIssuer.signed(claims, issuer.key(), AlgorithmIdentifiers.RSA_USING_SHA256))
                == null;
    }

    @Test
    void shouldRefuseTokensThatNeedNoPrivateKey() throws Exception {
        JsonWebSignature none = new JsonWebSignature();
        none.setPayload(issuer.claims(Map.of("roles", "read")).toJson());
        none.setAlgorithmConstraints(AlgorithmConstraints.NO_CONSTRAINTS);
        none.setAlgorithmHeaderValue(AlgorithmIdentifiers.NONE);
        assertThat(tokens.caller("bearer", none.getCompactSerialization())).isNull();

        // the public key, which everybody has, as the secret
        JsonWebSignature shared = new JsonWebSignature();
        shared.setPayload(issuer.claims(Map.of("roles", "read")).toJson());
        shared.setKeyIdHeaderValue(issuer.key().getKeyId());
        shared.setAlgorithmHeaderValue(AlgorithmIdentifiers.HMAC_SHA256);
        shared.setKey(new HmacKey(issuer.key().getPublicKey().getEncoded()));
        assertThat(tokens.caller("bearer", shared.getCompactSerialization())).isNull();
    }

    @Test
    void shouldTakeSignaturesOnEllipticCurves() throws Exception {
        PublicJsonWebKey curve = EcJwkGenerator.generateJwk(EllipticCurves.P256);
        curve.setKeyId("curve");
        issuer.publish(curve);
        nanoTime.addAndGet(IssuerKeys.REFRESH_NS);
        String token = TestIssuer.signed(
                issuer.claims(Map.of()), curve, AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256);
        tokens.refresh();

        await().until(() -> isReady(tokens, token) && tokens.caller("bearer", token) != null);
    }

    /** The request is answered by status 503 until then, and no thread waits for the issuer. */
    @Test
    void shouldReadTheKeysAgainForATokenWithANewKey() throws Exception {
        PublicJsonWebKey next = TestIssuer.key("next");
        String token = TestIssuer.signed(issuer.claims(Map.of()), next, AlgorithmIdentifiers.RSA_USING_SHA256);
        issuer.publish(issuer.key(), next);
        int before = issuer.requests();

        // not for every unknown key
        assertThat(tokens.caller("bearer", token)).isNull();
        tokens.refresh();
        assertThat(issuer.requests()).isEqualTo(before);
        nanoTime.addAndGet(IssuerKeys.PAUSE_NS);
        assertThatExceptionOfType(KeysMissingException.class).isThrownBy(() -> tokens.caller("bearer", token));
        tokens.refresh();
        await().until(() -> isReady(tokens, token));
        assertThat(tokens.caller("bearer", token)).isNotNull();
        assertThat(issuer.requests()).isEqualTo(before + 2);
    }

    @Test
    void shouldForgetAKeyThatIsNoLongerPublished() throws Exception {
        String token = issuer.token(Map.of());
        issuer.publish(TestIssuer.key("next"));
        String next = issuer.token(Map.of());
        nanoTime.addAndGet(IssuerKeys.REFRESH_NS);
        tokens.refresh();

        await().until(() -> isReady(tokens, next) && tokens.caller("bearer", next) != null);
        assertThat(tokens.caller("bearer", token)).isNull();
    }

    @Test
    void shouldKeepTheKeysWhileTheIssuerIsBroken() throws Exception {
        try (LogLines log = new LogLines(IssuerKeys.class)) {
            issuer.setBroken(true);
            nanoTime.addAndGet(IssuerKeys.REFRESH_NS);
            tokens.refresh();
            await().until(() -> !log.lines().isEmpty());

            assertThat(log.lines()).singleElement().asString().contains("got status 500", "the last ones stay valid");
            assertThat(tokens.caller("bearer", issuer.token(Map.of()))).isNotNull();
            issuer.setBroken(false);
            nanoTime.addAndGet(IssuerKeys.PAUSE_NS);
            tokens.refresh();
            await().until(() -> log.lines().size() == 2);
            assertThat(log.lines()).last().asString().contains("read again");
        }
    }

    @Test
    void shouldNotTakeTheKeysOfAnotherIssuer() throws Exception {
        for (String discovery : List.of(
                "{\"issuer\":\"http://127.0.0.1:1\",\"jwks_uri\":\"" + issuer.url() + "/keys\"}",
                "{\"issuer\":\"" + issuer.url() + "\",\"jwks_uri\":\"file:///etc/keys\"}",
                "{\"issuer\":\"" + issuer.url() + "\"}",
                "keys")) {
            try (LogLines log = new LogLines(IssuerKeys.class)) {
                issuer.setDiscovery(discovery);
                OidcTokens other = tokens(Map.of());
                other.refresh();
                await().until(() -> !log.lines().isEmpty());

                assertThat(log.lines()).singleElement().asString().contains("its tokens get status 503");
                assertThatExceptionOfType(KeysMissingException.class)
                        .isThrownBy(() -> other.caller("bearer", issuer.token(Map.of())))
                        .withMessageContaining("keys of http.oidc.issuer must be read, got");
            }
        }
    }

    @Test
    void shouldTellNeitherTheFailureNorAPasswordOfTheIssuersAddress() throws Exception {
        String address = issuer.url().replace("http://", "http://u:canary@");
        issuer.setBroken(true);
        try (LogLines log = new LogLines(IssuerKeys.class)) {
            IssuerKeys keys = new IssuerKeys(address, nanoTime::get);
            keys.refresh();
            await().until(() -> !log.lines().isEmpty());
            issuer.setBroken(false);
            issuer.setDiscovery("{\"issuer\":\"http://u:canary@h\"}");
            nanoTime.addAndGet(IssuerKeys.PAUSE_NS);
            keys.refresh();
            await().until(() -> log.lines().size() == 2);

            assertThat(log.lines().toString())
                    .contains("got status 500 from http://…@127.0.0.1", "discovery document of issuer 'http://…@h'")
                    .doesNotContain("canary");
            assertThatExceptionOfType(KeysMissingException.class)
                    .isThrownBy(keys::awaitOthers)
                    .withMessage("keys of http.oidc.issuer must be read, got a failure, which the log of the server"
                            + " has (send the request again in a second)");
        }
    }
}
