package io.perceptronstreams.registry.http;

import io.perceptronstreams.registry.SchemaRegistry;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;

/**
 * Settings of the registry client, named as in Confluent's serializer.
 *
 * @param urls base addresses without credentials, tried in turn; empty for {@code mock://}
 * @param mockName name of the in-memory registry, if the address is {@code mock://name}
 * @param authorization value of the HTTP header of that name, one for each of {@code urls}
 * @param autoRegister whether to register unknown schemas
 * @param useLatest whether to use the latest version of the subject if {@code autoRegister} is off
 * @param requestTimeout maximum duration of one request, from connecting to the last byte
 * @param ssl Kafka's {@code ssl.*} settings, without the prefix
 */
public record RegistryConfig(
        List<URI> urls,
        Optional<String> mockName,
        List<Optional<String>> authorization,
        boolean autoRegister,
        boolean useLatest,
        Duration requestTimeout,
        Map<String, String> ssl) {

    /** Addresses, separated by commas, or {@code mock://name} for an in-memory registry. */
    public static final String URL = "schema.registry.url";
    /** Whether to register missing schemas; default true. */
    public static final String AUTO_REGISTER = SchemaRegistry.AUTO_REGISTER;
    /** Whether to use the latest version of the subject; only if {@link #AUTO_REGISTER} is false; default false. */
    public static final String USE_LATEST = "use.latest.version";
    /** Source of user and password of basic authentication: URL (default) or USER_INFO. */
    public static final String BASIC_SOURCE = "basic.auth.credentials.source";
    /** {@code user:password}. A secret. */
    public static final String BASIC_USER_INFO = "basic.auth.user.info";
    /** Source of the token: STATIC_TOKEN, the only value and the default if a token is set. */
    public static final String BEARER_SOURCE = "bearer.auth.credentials.source";
    /** The token. A secret. */
    public static final String BEARER_TOKEN = "bearer.auth.token";
    /** Milliseconds for one request; default 10000. */
    public static final String REQUEST_TIMEOUT_MS = "schema.registry.request.timeout.ms";
    /** Prefix of Kafka's {@code ssl.truststore.location} and similar keys. */
    public static final String SSL_PREFIX = "schema.registry.";

    /** Keys whose values must never be printed. */
    public static final List<String> SECRETS = List.of(
            BASIC_USER_INFO,
            BEARER_TOKEN,
            SSL_PREFIX + "ssl.truststore.password",
            SSL_PREFIX + "ssl.keystore.password",
            SSL_PREFIX + "ssl.key.password",
            SSL_PREFIX + "ssl.keystore.key");

    /** All supported keys. */
    public static final List<String> NAMES = List.of(
            URL,
            AUTO_REGISTER,
            USE_LATEST,
            BASIC_SOURCE,
            BASIC_USER_INFO,
            BEARER_SOURCE,
            BEARER_TOKEN,
            REQUEST_TIMEOUT_MS,
            SSL_PREFIX + "ssl.truststore.location",
            SSL_PREFIX + "ssl.truststore.password",
            SSL_PREFIX + "ssl.truststore.type",
            SSL_PREFIX + "ssl.truststore.certificates",
            SSL_PREFIX + "ssl.keystore.location",
            SSL_PREFIX + "ssl.keystore.password",
            SSL_PREFIX + "ssl.keystore.type",
            SSL_PREFIX + "ssl.keystore.key",
            SSL_PREFIX + "ssl.keystore.certificate.chain",
            SSL_PREFIX + "ssl.key.password");

    private static final String MOCK = "mock://";

    static RegistryConfig of(Map<String, ?> settings) {
        var given = text(settings);
        String url = given.getOrDefault(URL, "").strip();
        if (url.isEmpty()) {
            throw new ConfigException(URL + " must be set, such as http://localhost:8081");
        }
        boolean isMock = url.startsWith(MOCK);
        var parsed = isMock ? List.<URI>of() : parse(url);
        var ssl = given.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(SSL_PREFIX + "ssl."))
                .collect(Collectors.toMap(entry -> entry.getKey().substring(SSL_PREFIX.length()), Map.Entry::getValue));
        return new RegistryConfig(
                parsed.stream().map(RegistryConfig::withoutUserInfo).toList(),
                isMock ? Optional.of(url.substring(MOCK.length())) : Optional.empty(),
                parsed.stream().map(uri -> authorization(given, uri)).toList(),
                bool(given, AUTO_REGISTER, true),
                bool(given, USE_LATEST, false),
                Duration.ofMillis(positive(given, REQUEST_TIMEOUT_MS, 10_000)),
                ssl);
    }

    /** Contains no secret. */
    @Override
    public String toString() {
        return mockName.map(MOCK::concat)
                .orElseGet(() -> urls.stream().map(URI::toString).collect(Collectors.joining(",")));
    }

    private static Map<String, String> text(Map<String, ?> settings) {
        var text = new HashMap<String, String>();
        settings.forEach((name, value) -> {
            if (value instanceof Password password) {
                text.put(name, password.value());
            } else if (value instanceof Collection<?> list) {
                text.put(name, list.stream().map(String::valueOf).collect(Collectors.joining(",")));
            } else if (value != null) {
                text.put(name, value.toString());
            }
        });
        return text;
    }

    private static List<URI> parse(String urls) {
        var parsed = new ArrayList<URI>();
        for (String url : urls.split(",", -1)) {
            try {
                // a relative path replaces the last segment of a base address without a trailing slash
                var uri = new URI(url.strip().replaceAll("/+$", "") + "/");
                if (uri.getHost() == null
                        || uri.getScheme() == null
                        || !uri.getScheme().matches("(?i)https?")) {
                    throw new URISyntaxException("(hidden)", "no http(s) address");
                }
                parsed.add(uri);
            } catch (URISyntaxException e) {
                // the message must not contain the address: it may contain a password
                throw new ConfigException(
                        URL + " must be a list of http:// or https:// addresses separated by commas, or one " + MOCK
                                + "name; address " + (parsed.size() + 1) + " is not (" + e.getReason() + ")");
            }
        }
        return parsed;
    }

    private static URI withoutUserInfo(URI uri) {
        try {
            return new URI(uri.getScheme(), null, uri.getHost(), uri.getPort(), uri.getPath(), null, null);
        } catch (URISyntaxException e) {
            throw new ConfigException(URL + " must be a list of valid addresses: " + e.getReason());
        }
    }

    private static Optional<String> authorization(Map<String, String> given, URI uri) {
        var basic = basic(given, uri);
        String token = given.get(BEARER_TOKEN);
        String source = given.getOrDefault(BEARER_SOURCE, "STATIC_TOKEN");
        if (!source.equals("STATIC_TOKEN")) {
            throw new ConfigException(BEARER_SOURCE + " must be STATIC_TOKEN, got " + source);
        }
        if (token == null && given.containsKey(BEARER_SOURCE)) {
            throw new ConfigException(BEARER_TOKEN + " must be set, as " + BEARER_SOURCE + " is STATIC_TOKEN");
        }
        if (token != null && basic.isPresent()) {
            throw new ConfigException("either basic or bearer credentials must be set, not both; leave out "
                    + BEARER_TOKEN + " or the user and password");
        }
        return token == null ? basic : Optional.of("Bearer " + token);
    }

    private static Optional<String> basic(Map<String, String> given, URI uri) {
        String source = given.getOrDefault(BASIC_SOURCE, "URL");
        String userInfo;
        if (source.equals("USER_INFO")) {
            userInfo = given.get(BASIC_USER_INFO);
            if (userInfo == null || !userInfo.contains(":")) {
                throw new ConfigException(
                        BASIC_USER_INFO + " must be user:password, as " + BASIC_SOURCE + " is USER_INFO");
            }
        } else if (source.equals("URL")) {
            String raw = uri.getRawUserInfo();
            // unlike in a form, a plus sign is literal in this part of an address
            userInfo = raw == null ? null : URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
        } else {
            throw new ConfigException(BASIC_SOURCE + " must be URL or USER_INFO, got " + source
                    + "; give the user and password in " + BASIC_USER_INFO);
        }
        return Optional.ofNullable(userInfo)
                .map(info -> "Basic " + Base64.getEncoder().encodeToString(info.getBytes(StandardCharsets.UTF_8)));
    }

    private static boolean bool(Map<String, String> given, String name, boolean otherwise) {
        String value = given.getOrDefault(name, String.valueOf(otherwise)).strip();
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw new ConfigException(name + " must be true or false, got " + value);
        }
        return Boolean.parseBoolean(value);
    }

    private static long positive(Map<String, String> given, String name, long otherwise) {
        String value = given.getOrDefault(name, String.valueOf(otherwise)).strip();
        try {
            long number = Long.parseLong(value);
            if (number > 0 && number <= Integer.MAX_VALUE) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new ConfigException(name + " must be a number of milliseconds, got " + value);
        }
        throw new ConfigException(name + " must be from 1 to " + Integer.MAX_VALUE + " milliseconds, got " + value);
    }
}
