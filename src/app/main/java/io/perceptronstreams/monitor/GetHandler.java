package io.perceptronstreams.monitor;

import io.perceptronstreams.access.ModelPattern;
import io.perceptronstreams.access.Role;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/**
 * Answers GET and HEAD requests by the routes of {@link Api} and by {@link StaticFiles}.
 */
final class GetHandler extends Handler.Abstract {
    /** Path of the API. */
    static final String ROOT = "/api/v1";

    private static final Pattern MODEL = Pattern.compile(Pattern.quote(ROOT + "/models/") + "([^/]+)(/.*)?");

    /** Shorter answers are sent as they are. */
    private static final int MIN_GZIP_BYTES = 1_500;

    private final Map<String, Route> routes = new HashMap<>();

    /** Answer to the requests of a path. */
    @FunctionalInterface
    interface Route {
        /**
         * Returns the answer.
         *
         * @throws RefusedException if a parameter is wrong, with status 400, or something is not there, with 404
         */
        Answer answer(Call call) throws IOException;
    }

    /**
     * A request.
     *
     * @param model in the path; null if the path has none
     * @param models that the client may read
     */
    record Call(String model, Fields query, ModelPattern models) {
        /** Value of a parameter of the query; null without it. */
        String parameter(String name) {
            return query.getValue(name);
        }
    }

    /** Adds a route; a part {@code {model}} of the path stands for the name of a model. */
    void add(String path, Route route) {
        routes.put(path, route);
    }

    /** Paths of the routes. */
    Set<String> paths() {
        return routes.keySet();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Answer answer = answer(request);
        ByteBuffer body = answer.body().get(0);
        if (body.remaining() >= MIN_GZIP_BYTES && request.getHeaders().contains(HttpHeader.ACCEPT_ENCODING, "gzip")) {
            response.getHeaders().put(HttpHeader.CONTENT_ENCODING, "gzip");
            answer = new Answer(answer.status(), answer.type(), answer.caching(), List.of(compressed(body)));
        }
        answer.send(response, callback);
        return true;
    }

    private Answer answer(Request request) throws IOException {
        try {
            String path = request.getHttpURI().getDecodedPath();
            path = path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
            Matcher matcher = MODEL.matcher(path);
            boolean isOfModel = matcher.matches();
            String rest = isOfModel && matcher.group(2) != null ? matcher.group(2) : "";
            String model = isOfModel ? matcher.group(1) : null;
            // all that this handler answers is read, files and unknown paths, too
            String refusal = RequestFilter.caller(request).refusal(Role.READ, model);
            if (refusal != null) {
                return Answer.error(403, refusal);
            }
            Route route = routes.get(isOfModel ? ROOT + "/models/{model}" + rest : path);
            if (route != null) {
                Call call = new Call(
                        model, query(request), RequestFilter.caller(request).models());
                Answer found = route.answer(call);
                String csv = call.parameter("csv");
                return csv == null || found.status() != 200 || !found.type().equals(Answer.JSON_TYPE)
                        ? found
                        : Csv.of(found, csv);
            }
            Answer file = StaticFiles.answer(path);
            return file == null ? Answer.error(404, "path must exist") : file;
        } catch (RefusedException e) {
            return Answer.error(e);
        }
    }

    private static Fields query(Request request) {
        try {
            return Request.extractQueryParameters(request);
        } catch (IllegalArgumentException e) {
            throw new RefusedException(400, "query must be encoded as that of a form, got another");
        }
    }

    private static ByteBuffer compressed(ByteBuffer body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (WritableByteChannel gzip = Channels.newChannel(new GZIPOutputStream(bytes))) {
            gzip.write(body);
        }
        return ByteBuffer.wrap(bytes.toByteArray());
    }
}
