package io.perceptronstreams.monitor;

import io.perceptronstreams.serde.Topic;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/** Opens event streams, before the servlets: a servlet needs one blocking thread for each stream. */
final class StreamRoutes extends Handler.Wrapper {
    private static final String PATH = GetHandler.ROOT + "/stream/";

    private final SseBroadcaster streams;
    private final ConnectionReaper reaper;

    StreamRoutes(SseBroadcaster streams, ConnectionReaper reaper) {
        this.streams = streams;
        this.reaper = reaper;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = Request.getPathInContext(request);
        for (Topic topic : SseBroadcaster.TOPICS) {
            if (path.equals(PATH + topic.suffix())) {
                // another method than these two has been refused
                return request.getMethod().equals("GET")
                        ? open(topic, request, response, callback)
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

    private boolean open(Topic topic, Request request, Response response, Callback callback) {
        Fields query = Request.extractQueryParameters(request);
        String last = request.getHeaders().get("Last-Event-ID");
        // JavaScript cannot set the header of a new EventSource
        String lastEventId = last == null ? query.getValue("lastEventId") : last;
        if (streams.open(topic, query.getValue("model"), lastEventId, response, callback)) {
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
