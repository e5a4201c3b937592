package io.perceptronstreams.embedded;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Refuses requests that a page in a browser of this machine could send: the registry has no login.
 *
 * <p>A page may send GET and POST requests with the media types of forms and text anywhere, and reads the answers of a
 * name that its owner has bound to 127.0.0.1 (DNS rebinding). Browsers add Origin or Sec-Fetch-Site to such requests,
 * and the page's name as Host.
 */
final class WebPageCheck {
    private static final Set<String> MEDIA_TYPES = Set.of(
            "application/vnd.schemaregistry.v1+json",
            "application/vnd.schemaregistry+json",
            "application/json",
            "application/octet-stream");

    /** DNS rebinding needs a name: every address is harmless. */
    private static final Pattern OWN_HOST =
            Pattern.compile("(localhost|\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]+])(:\\d{1,5})?");

    private WebPageCheck() {}

    /** Throws if the request may come from a web page. */
    static void check(HttpExchange exchange) {
        Headers headers = exchange.getRequestHeaders();
        String host = headers.getFirst("Host");
        if (host == null || !OWN_HOST.matcher(host.toLowerCase(Locale.ROOT)).matches()) {
            throw new RegistryError(421, 421, "Host must be localhost or an address, got " + host);
        }
        String site = headers.getFirst("Sec-Fetch-Site");
        if (headers.containsKey("Origin")
                || (site != null && !Set.of("none", "same-origin").contains(site))) {
            throw new RegistryError(
                    403, 403, "a request must not come from a web page, got an Origin or Sec-Fetch-Site");
        }
        if (List.of("POST", "PUT").contains(exchange.getRequestMethod())) {
            checkType(headers.getFirst("Content-Type"));
        }
    }

    private static void checkType(String type) {
        String mediaType =
                type == null ? "" : type.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
        if (!MEDIA_TYPES.contains(mediaType)) {
            throw new RegistryError(
                    415, 415, "Content-Type must be application/vnd.schemaregistry.v1+json, got " + type);
        }
    }
}
