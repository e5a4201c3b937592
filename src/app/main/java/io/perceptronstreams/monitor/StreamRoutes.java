package io.perceptronstreams.monitor;

import io.perceptronstreams.access.Credentials;
import io.perceptronstreams.access.Role;
import io.perceptronstreams.serde.Topic;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Opens event streams, before the servlets: a servlet needs one blocking thread for each stream. */
final class StreamRoutes extends Handler.Wrapper {
    private static final String PATH = GetHandler.ROOT + "/stream/";

    private final SseBroadcaster streams;
    private final ConnectionReaper reaper;
    private final Credentials credentials;

    StreamRoutes(SseBroadcaster streams, ConnectionReaper reaper, Credentials credentials) {
        this.credentials = credentials;
        this.streams = streams;
        this.reaper = reaper;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = Request.getPathInContext(request);
        for (Topic topic : SseBroadcaster.TOPICS) {
            if (path.equals(PATH + topic.suffix())) {
                String model = Request.extractQueryParameters(request).getValue("model");
                if (RequestFilter.isForbidden(Role.READ, model, request, response, callback)) {
                    return true;
                }
                // another method than these two has been refused
                return request.getMethod().equals("GET")
                        ? open(topic, model, request, response, callback)
                        : describe(response, callback);
            }
        }
        return super.handle(request, response, callback);
    }

    /** Answers HEAD: no stream is opened. */
    private static boolean describe(Response response, Callback callback) {
        SseBroadcaster.putHeaders(response);
        callback.succeeded();
        return true;
    }

    private boolean open(Topic topic, String model, Request request, Response response, Callback callback) {
        String last = request.getHeaders().get("Last-Event-ID");
        // JavaScript cannot set the header of a new EventSource
        String lastEventId =
                last == null ? Request.extractQueryParameters(request).getValue("lastEventId") : last;
        // the headers of the request may be reused when its connection ends
        String authorization = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        if (streams.open(topic, model, lastEventId, () -> credentials.caller(authorization), response, callback)) {
            reaper.streaming(request);
            return true;
        }
        response.getHeaders().put(HttpHeader.RETRY_AFTER, "10");
        // close the connection: a rejected client that keeps it would occupy one of maxConnections
        Callback end = Callback.from(
                callback,
                () -> request.getConnectionMetaData()
                        .getConnection()
                        .getEndPoint()
                        .close());
        return RequestFilter.refuse(
                response,
                end,
                503,
                "event streams must be fewer than http.streams.max (close other pages, or raise it)");
    }
}
