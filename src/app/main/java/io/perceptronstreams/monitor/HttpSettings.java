package io.perceptronstreams.monitor;

import io.perceptronstreams.access.Credentials;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rules of the settings {@code http.*} that concern each other. */
final class HttpSettings {
    private static final Logger LOG = LoggerFactory.getLogger(HttpSettings.class);
    private static final int MIN_SECRET = 16;

    private HttpSettings() {}

    /**
     * Validates address and credentials.
     *
     * @throws MonitorException if the address is not loopback and has no credentials, if {@code http.auth} is
     *     malformed, or if it is missing although events are accepted
     */
    static void check(EngineConfig config) {
        String host = config.get(EngineConfigDef.HTTP_HOST);
        String auth = config.get(EngineConfigDef.HTTP_AUTH);
        boolean hasCredentials = Credentials.areRequired(config);
        boolean isExposed = !config.get(EngineConfigDef.HTTP_INSECURE) && !isLoopback(host);
        if (!hasCredentials && isExposed) {
            throw new MonitorException("http.host must be a loopback address if there are no credentials, got " + host
                    + " (set http.auth, http.tokens.file, http.oidc.issuer or --insecure)");
        }
        if (!hasCredentials && config.get(EngineConfigDef.HTTP_WRITE)) {
            throw new MonitorException("http.auth must be set with http.write=true, got none (basic:USER:PASSWORD or"
                    + " bearer:TOKEN; or http.tokens.file, http.oidc.issuer)");
        }
        if ((config.get(EngineConfigDef.HTTP_OIDC_ISSUER) == null)
                != (config.get(EngineConfigDef.HTTP_OIDC_AUDIENCE) == null)) {
            throw new MonitorException("http.oidc.issuer and http.oidc.audience must be set together, got only one"
                    + " (a token for another program must not be valid here)");
        }
        if (auth != null && !auth.matches("(?s)basic:[^:]+:.+|bearer:\\S+")) {
            throw new MonitorException("http.auth must be basic:USER:PASSWORD or bearer:TOKEN, got another value");
        }
        if (hasCredentials && config.httpTls().isEmpty() && isExposed) {
            throw new MonitorException("http.host must be a loopback address without TLS, which protects the"
                    + " credentials in transit, got " + host
                    + " (set http.ssl.keystore.location; --insecure if a proxy adds TLS)");
        }
        if (auth == null) {
            return;
        }
        int secret = auth.length() - auth.indexOf(':', auth.startsWith("basic:") ? "basic:".length() : 0) - 1;
        if (secret < MIN_SECRET) {
            LOG.warn("the secret in http.auth should have at least {} characters, as it can be guessed", MIN_SECRET);
        }
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new MonitorException("http.host must be an address of this machine, got " + host);
        }
    }
}
