package io.perceptronstreams.monitor;

import io.perceptronstreams.access.Caller;
import io.perceptronstreams.access.Credentials;
import io.perceptronstreams.access.KeysMissingException;
import io.perceptronstreams.access.Role;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Rejects invalid requests before any other handler, and adds the security headers of all responses.
 *
 * <p>The Host must be a name of this server (against DNS rebinding) and the Origin must equal it. The method must be
 * GET or HEAD, without a body, because requests change nothing, except those that send events, which are off by
 * default.
 */
final class RequestFilter extends Handler.Wrapper {
    // Encoded once, because every response has them.
    private static final HttpFields HEADERS = HttpFields.from(
            new PreEncodedHttpField(
                    "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
                            + " font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
            new PreEncodedHttpField("X-Content-Type-Options", "nosniff"),
            new PreEncodedHttpField("X-Frame-Options", "DENY"),
            new PreEncodedHttpField("Referrer-Policy", "no-referrer"),
            new PreEncodedHttpField("Cross-Origin-Resource-Policy", "same-origin"),
            new PreEncodedHttpField("Cross-Origin-Opener-Policy", "same-origin"),
            new PreEncodedHttpField("Permissions-Policy", "camera=(), geolocation=(), microphone=()"));

    /** Health endpoints need no credentials: a supervisor has none, and they return a status only. */
    static final Set<String> HEALTH = Set.of("/healthz", "/readyz", "/startupz");

    /** Error for a request that needs the log. */
    static final String NOT_WRITING =
            "examples, labels and commands are accepted with http.write=true only, which is not set";

    private static final String CALLER = Caller.class.getName();

    private static final Set<String> LOOPBACK = Set.of("localhost");

    private final Set<String> names = new HashSet<>(LOOPBACK);
    private static final Pattern PORT = Pattern.compile(":\\d{1,5}$");
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.]+]");

    private final Credentials credentials;
    private final ConnectionReaper reaper;
    private final LoginDelay delay;
    private final boolean isWriting;
    private final Predicate<String> isWritePath;

    // Most requests have the same, and to compare costs less than to match.
    private volatile String lastOwnHost;

    /**
     * Creates a filter.
     *
     * @param isWriting true if requests that send events pass
     * @param isWritePath tells the paths of these
     */
    RequestFilter(
            EngineConfig config,
            Credentials credentials,
            ConnectionReaper reaper,
            LoginDelay delay,
            boolean isWriting,
            Predicate<String> isWritePath) {
        this.isWriting = isWriting;
        this.isWritePath = isWritePath;
        this.reaper = reaper;
        this.delay = delay;
        names.add(config.get(EngineConfigDef.HTTP_HOST).toLowerCase(Locale.ROOT));
        config.get(EngineConfigDef.HTTP_NAMES).forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        this.credentials = credentials;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        reaper.answering(request);
        response.getHeaders().add(HEADERS);
        if (!isOwnHost(request.getHeaders().get(HttpHeader.HOST))) {
            return refuse(response, callback, 421, "Host must be a name of this server (http.names lists more)");
        }
        if (!isSameOrigin(request)) {
            return refuse(response, callback, 403, "Origin must be this server");
        }
        String path = Request.getPathInContext(request);
        Caller caller;
        try {
            caller = HEALTH.contains(path)
                    ? Caller.ANYBODY
                    : credentials.caller(request.getHeaders().get(HttpHeader.AUTHORIZATION));
        } catch (KeysMissingException e) {
            return refuse(response, callback, 503, e.getMessage());
        }
        if (caller == null) {
            return refuseLogin(request, response, callback);
        }
        request.setAttribute(CALLER, caller);
        if (isWriting && isWritePath.test(path)) {
            return super.handle(request, response, callback);
        }
        if (request.getMethod().equals("POST") && isWritePath.test(path)) {
            return refuse(response, callback, 404, NOT_WRITING);
        }
        if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
            return refuse(response, callback, 405, "method must be GET or HEAD");
        }
        if (request.getLength() > 0 || request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)) {
            return refuse(response, callback, 413, "a request must have no body");
        }
        return super.handle(request, response, callback);
    }

    private boolean refuseLogin(Request request, Response response, Callback callback) {
        credentials.challenges().forEach(each -> response.getHeaders().add(HttpHeader.WWW_AUTHENTICATE, each));
        if (!request.getHeaders().contains(HttpHeader.AUTHORIZATION)) {
            return refuse(response, callback, 401, "credentials must be given, see " + credentials.settings());
        }
        delay.run(
                request,
                () -> refuse(response, callback, 401, "credentials must be those of " + credentials.settings()));
        return true;
    }

    private boolean isOwnHost(String host) {
        if (host == null || host.equals(lastOwnHost)) {
            return host != null;
        }
        String name = PORT.matcher(host).replaceFirst("").toLowerCase(Locale.ROOT);
        // DNS rebinding requires a name, so that any address is valid
        boolean isOwn = names.contains(name) || ADDRESS.matcher(name).matches();
        if (isOwn) {
            lastOwnHost = host;
        }
        return isOwn;
    }

    private static boolean isSameOrigin(Request request) {
        List<String> origins = request.getHeaders().getValuesList(HttpHeader.ORIGIN);
        String site = request.getHeaders().get("Sec-Fetch-Site");
        String mode = request.getHeaders().get("Sec-Fetch-Mode");
        boolean isForeign = "cross-site".equals(site) && !"navigate".equals(mode);
        String host = request.getHeaders().get(HttpHeader.HOST);
        return !isForeign && origins.stream().allMatch(origin -> host.equalsIgnoreCase(authority(origin)));
    }

    private static String authority(String origin) {
        try {
            return URI.create(origin).getRawAuthority();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Returns the client of a request that has passed. */
    static Caller caller(Request request) {
        return (Caller) request.getAttribute(CALLER);
    }

    /** Refuses a request for which its client lacks a right; returns false if it has it. */
    static boolean isForbidden(Role role, String model, Request request, Response response, Callback callback) {
        String refusal = caller(request).refusal(role, model);
        return refusal != null && refuse(response, callback, 403, refusal);
    }

    static boolean refuse(Response response, Callback callback, int status, String message) {
        // the rest of the request, such as a body, is not read
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        Answer.error(status, message).send(response, callback);
        return true;
    }
}
