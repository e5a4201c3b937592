package io.perceptronstreams.monitor;

import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Request;

/**
 * Delays the answer to wrong credentials, so that guesses are slow.
 *
 * <p>A delayed answer occupies its connection but no thread, so that the number of guesses per second is at most the
 * number of connections ({@code http.connections.max}), also if the client closes its side earlier.
 */
@FunctionalInterface
interface LoginDelay {
    LoginDelay SECOND = (request, answer) -> {
        // the scheduler has a single thread
        Runnable onThread = () -> request.getComponents().getExecutor().execute(answer);
        request.getComponents().getScheduler().schedule(onThread, 1, TimeUnit.SECONDS);
    };

    /** Answers later, without blocking the calling thread. */
    void run(Request request, Runnable answer);
}
