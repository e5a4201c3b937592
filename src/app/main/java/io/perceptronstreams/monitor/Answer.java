package io.perceptronstreams.monitor;

import io.perceptronstreams.serde.EventJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.content.ByteBufferContentSource;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answer to a request: status, media type, caching and body. It is complete before its first byte is sent, so that
 * sending it occupies no thread.
 */
record Answer(int status, String type, String caching, List<ByteBuffer> body) {
    /** Media type of all answers but files and metrics. */
    static final String JSON_TYPE = "application/json";

    private static final Logger LOG = LoggerFactory.getLogger(Answer.class);

    /** An answer in JSON. */
    static Answer json(int status, Object value) {
        try {
            return json(status, List.of(ByteBuffer.wrap(EventJson.MAPPER.writeValueAsBytes(value))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An answer in JSON that is written. */
    static Answer json(int status, List<ByteBuffer> body) {
        return new Answer(status, JSON_TYPE, "no-store", body);
    }

    /** A file of this version. */
    static Answer file(String type, byte[] body) {
        // the page must not run with cached scripts of another version
        return new Answer(200, type, "no-cache", List.of(ByteBuffer.wrap(body)));
    }

    static Answer error(int status, String message) {
        return json(status, Map.of("error", String.valueOf(message)));
    }

    /** Error of a request that failed; only of one that was refused it has the message. */
    static Answer error(Throwable failure) {
        if (failure instanceof RefusedException refused) {
            return error(refused.status(), refused.getMessage());
        }
        LOG.warn("a request failed", failure);
        return error(500, "the monitor failed; its log has the cause");
    }

    /** Sends the answer; one to a request that may succeed a second later says so. */
    void send(Response response, Callback callback) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, caching);
        if ((status == 429 || status == 503) && !response.getHeaders().contains(HttpHeader.RETRY_AFTER)) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
        }
        response.getHeaders()
                .put(
                        HttpHeader.CONTENT_LENGTH,
                        body.stream().mapToLong(ByteBuffer::remaining).sum());
        if (body.size() == 1) {
            response.write(true, body.get(0), callback);
        } else {
            Content.copy(new ByteBufferContentSource(body), response, callback);
        }
    }
}
