package io.perceptronstreams.access;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.thread.StoppableThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Credentials of all clients that the settings know. Thread-safe. */
public final class Credentials implements AutoCloseable {
    private static final Duration REFRESH = Duration.ofSeconds(1);

    private final List<CredentialSource> sources = new ArrayList<>();
    private final StoppableThread thread = new StoppableThread("monitor-credentials", this::run);

    /** @throws org.apache.kafka.common.config.ConfigException if a file of them is invalid */
    public Credentials(EngineConfig config) {
        if (config.get(EngineConfigDef.HTTP_AUTH) != null) {
            sources.add(new FixedCredentials(config.get(EngineConfigDef.HTTP_AUTH)));
        }
        if (config.get(EngineConfigDef.HTTP_TOKENS_FILE) != null) {
            sources.add(new TokensFile(config.get(EngineConfigDef.HTTP_TOKENS_FILE)));
        }
        if (config.get(EngineConfigDef.HTTP_OIDC_ISSUER) != null) {
            sources.add(new OidcTokens(
                    config, new IssuerKeys(config.get(EngineConfigDef.HTTP_OIDC_ISSUER), System::nanoTime)));
        }
    }

    /** Returns true if requests need credentials. */
    public static boolean areRequired(EngineConfig config) {
        return config.get(EngineConfigDef.HTTP_AUTH) != null
                || config.get(EngineConfigDef.HTTP_TOKENS_FILE) != null
                || config.get(EngineConfigDef.HTTP_OIDC_ISSUER) != null;
    }

    /** Starts to read again what changes. */
    public void start() {
        thread.start();
    }

    /**
     * Returns the client of a request; null if its credentials are wrong or missing.
     *
     * @param authorization value of the header; null without one
     * @throws KeysMissingException if it cannot be checked at this moment
     */
    public Caller caller(String authorization) {
        if (sources.isEmpty()) {
            return Caller.ANYBODY;
        }
        if (authorization == null) {
            return null;
        }
        // the name of the scheme is case-insensitive
        String[] parts = authorization.split(" +", 2);
        String scheme = parts[0].toLowerCase(Locale.ROOT);
        Caller found = null;
        for (CredentialSource source : sources) {
            Caller caller = source.caller(scheme, parts.length == 2 ? parts[1] : "");
            found = found == null ? caller : found;
        }
        return found;
    }

    /** Settings that the credentials come from, for messages. */
    public String settings() {
        return sources.stream().map(CredentialSource::setting).collect(Collectors.joining(" or "));
    }

    /** Values of the header {@code WWW-Authenticate}. */
    public List<String> challenges() {
        List<String> challenges = new ArrayList<>();
        if (sources.stream().anyMatch(CredentialSource::areForBrowsers)) {
            challenges.add("Basic realm=\"perceptron\", charset=\"UTF-8\"");
        }
        if (challenges.isEmpty() || sources.size() > 1 || !(sources.get(0) instanceof FixedCredentials)) {
            challenges.add("Bearer realm=\"perceptron\"");
        }
        return challenges;
    }

    private void run() {
        do {
            sources.forEach(CredentialSource::refresh);
        } while (!thread.pause(REFRESH));
    }

    @Override
    public void close() {
        thread.stop();
    }
}
