package io.perceptronstreams.monitor;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/** Opens event streams: before the servlets, for there a stream could only be written by a thread that waits for its client. */
final class StreamRoutes extends Handler.Wrapper {
    private static final String PATH = Api.ROOT + "/stream/";

    private final SseBroadcaster streams;

    StreamRoutes(SseBroadcaster streams) {
        this.streams = streams;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = Request.getPathInContext(request);
        for (Feed feed : SseBroadcaster.feeds()) {
            if (path.equals(PATH + feed.suffix()) && request.getMethod().equals("GET")) {
                return open(feed, request, response, callback);
            }
        }
        return super.handle(request, response, callback);
    }

    private boolean open(Feed feed, Request request, Response response, Callback callback) {
        Fields query = Request.extractQueryParameters(request);
        String last = request.getHeaders().get("Last-Event-ID");
        // a page that was loaded anew has no header to set
        String lastEventId = last == null ? query.getValue("lastEventId") : last;
        if (streams.open(feed, query.getValue("model"), lastEventId, response, callback)) {
            return true;
        }
        response.getHeaders().put(HttpHeader.RETRY_AFTER, "10");
        // a client that only waits for more would keep its connection, and in the end others from having one
        Callback end = Callback.from(
                callback,
                () -> request.getConnectionMetaData()
                        .getConnection()
                        .getEndPoint()
                        .close());
        return RequestFilter.refuse(
                response, end, 503, "there must be fewer event streams, got the most that http.streams.max allows");
    }
}
