package io.perceptronstreams.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Set;

/** The credentials of {@code http.auth}, which may read and send. */
final class FixedCredentials implements CredentialSource {
    private static final String BASIC = "basic:";

    private final boolean isBasic;
    private final byte[] digest;
    private final Caller caller;

    /** @param auth basic:USER:PASSWORD or bearer:TOKEN */
    FixedCredentials(String auth) {
        isBasic = auth.startsWith(BASIC);
        String secret = auth.substring(auth.indexOf(':') + 1);
        digest = Secret.digest(
                isBasic
                        ? "basic " + Base64.getEncoder().encodeToString(secret.getBytes(StandardCharsets.UTF_8))
                        : "bearer " + secret);
        caller = new Caller(
                isBasic ? secret.substring(0, Math.max(0, secret.indexOf(':'))) : setting(),
                Set.of(Role.READ, Role.SEND),
                ModelPattern.ALL);
    }

    @Override
    public String setting() {
        return "http.auth";
    }

    @Override
    public boolean areForBrowsers() {
        return isBasic;
    }

    @Override
    public Caller caller(String scheme, String secret) {
        return MessageDigest.isEqual(digest, Secret.digest(scheme + " " + secret)) ? caller : null;
    }
}
