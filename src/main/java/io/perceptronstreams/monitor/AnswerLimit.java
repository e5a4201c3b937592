package io.perceptronstreams.monitor;

import java.time.Duration;
import org.eclipse.jetty.server.handler.QoSHandler;

/**
 * Limits the number of concurrent answers, so that those to clients that read slowly never fill the memory.
 *
 * <p>Further requests wait without a thread, and get status 503 after {@link #MAX_WAIT}. Health endpoints never wait:
 * otherwise, slow readers could have a supervisor kill a healthy engine.
 */
final class AnswerLimit extends QoSHandler {
    /** Maximum number of concurrent answers. */
    static final int MAX_ANSWERS = 6;

    private static final Duration MAX_WAIT = Duration.ofSeconds(20);
    private static final int MAX_WAITING = 1_000;

    AnswerLimit() {
        RequestFilter.HEALTH.forEach(this::excludePath);
        setMaxRequestCount(MAX_ANSWERS);
        setMaxSuspend(MAX_WAIT);
        setMaxSuspendedRequestCount(MAX_WAITING);
    }
}
