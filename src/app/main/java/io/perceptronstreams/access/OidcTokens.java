package io.perceptronstreams.access;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.security.Key;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.keys.resolvers.JwksVerificationKeyResolver;
import org.jose4j.lang.UnresolvableKeyException;

/**
 * Bearer tokens of an OpenID Connect issuer: JSON web tokens that it has signed for this audience, with roles and
 * models as claims.
 *
 * <p>Only signatures with a private key are valid: a token that needs none, or the public key as a secret, is not.
 */
final class OidcTokens implements CredentialSource {
    /** Difference of the clocks of issuer and server that is tolerated. */
    static final int CLOCK_SKEW_SECONDS = 30;

    private final String rolesClaim;
    private final String modelsClaim;
    private final IssuerKeys keys;
    private final JwtConsumer verifier;

    OidcTokens(EngineConfig config, IssuerKeys keys) {
        this.keys = keys;
        rolesClaim = config.get(EngineConfigDef.HTTP_OIDC_ROLES_CLAIM);
        modelsClaim = config.get(EngineConfigDef.HTTP_OIDC_MODELS_CLAIM);
        verifier = new JwtConsumerBuilder()
                .setExpectedIssuer(true, config.get(EngineConfigDef.HTTP_OIDC_ISSUER))
                .setExpectedAudience(true, config.get(EngineConfigDef.HTTP_OIDC_AUDIENCE))
                .setRequireSubject()
                .setRequireExpirationTime()
                .setAllowedClockSkewInSeconds(CLOCK_SKEW_SECONDS)
                .setJwsAlgorithmConstraints(
                        AlgorithmConstraints.ConstraintType.PERMIT,
                        AlgorithmIdentifiers.RSA_USING_SHA256,
                        AlgorithmIdentifiers.RSA_USING_SHA384,
                        AlgorithmIdentifiers.RSA_USING_SHA512,
                        AlgorithmIdentifiers.RSA_PSS_USING_SHA256,
                        AlgorithmIdentifiers.RSA_PSS_USING_SHA384,
                        AlgorithmIdentifiers.RSA_PSS_USING_SHA512,
                        AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256,
                        AlgorithmIdentifiers.ECDSA_USING_P384_CURVE_AND_SHA384,
                        AlgorithmIdentifiers.ECDSA_USING_P521_CURVE_AND_SHA512)
                .setVerificationKeyResolver((signature, nesting) -> key(signature))
                .build();
    }

    @Override
    public String setting() {
        return "http.oidc.issuer";
    }

    @Override
    public boolean areForBrowsers() {
        return false;
    }

    /** @throws KeysMissingException if the key of a token is not known, but may be after the next refresh */
    @Override
    public Caller caller(String scheme, String secret) {
        if (!scheme.equals("bearer")
                || secret.chars().filter(each -> each == '.').count() != 2) {
            return null;
        }
        try {
            JwtClaims claims = verifier.processToClaims(secret);
            return new Caller(claims.getSubject(), roles(claims), models(claims));
        } catch (InvalidJwtException | MalformedClaimException e) {
            if (e.getCause() instanceof UnresolvableKeyException) {
                keys.awaitOthers();
            }
            return null;
        }
    }

    private Key key(JsonWebSignature signature) throws UnresolvableKeyException {
        JwksVerificationKeyResolver resolver = new JwksVerificationKeyResolver(keys.keys());
        // of several keys without names
        resolver.setDisambiguateWithVerifySignature(true);
        return resolver.resolveKey(signature, List.of());
    }

    private Set<Role> roles(JwtClaims claims) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        // the claim may have roles of other programs, too
        texts(claims, rolesClaim).forEach(each -> Role.of(each).ifPresent(roles::add));
        return roles;
    }

    private ModelPattern models(JwtClaims claims) {
        return modelsClaim == null ? ModelPattern.ALL : new ModelPattern(texts(claims, modelsClaim));
    }

    /** Words of a claim that is a text, or the texts of one that is a list; none of another or a missing one. */
    private static List<String> texts(JwtClaims claims, String name) {
        Object value = value(claims.getClaimsMap(), name);
        List<String> texts = new ArrayList<>();
        if (value instanceof String text && !text.isBlank()) {
            texts.addAll(List.of(text.trim().split("\\s+", -1)));
        } else if (value instanceof List<?> list) {
            list.forEach(each -> texts.add(String.valueOf(each)));
        }
        return texts;
    }

    /**
     * Value of a field of this name; or of one in an object, where the name is a JSON pointer (RFC 6901), or its points
     * lead there. Names of fields may have points, too: of several ways the first one that leads to a field counts,
     * with the shortest names of objects. Null without such a field.
     */
    private static Object value(Map<?, ?> fields, String name) {
        if (fields.containsKey(name)) {
            return fields.get(name);
        }
        if (name.startsWith("/")) {
            Object found = fields;
            for (String part : name.substring(1).split("/", -1)) {
                found = found instanceof Map<?, ?> inner
                        ? inner.get(part.replace("~1", "/").replace("~0", "~"))
                        : null;
            }
            return found;
        }
        for (int point = name.indexOf('.'); point >= 0; point = name.indexOf('.', point + 1)) {
            Object found = fields.get(name.substring(0, point)) instanceof Map<?, ?> inner
                    ? value(inner, name.substring(point + 1))
                    : null;
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    @Override
    public void refresh() {
        keys.refresh();
    }
}
