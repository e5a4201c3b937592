package io.perceptronstreams.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C and SIGTERM as a question to ask now and then; until it is closed, the process waits for what is being done. */
final class Stop implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 8;

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook;
    private volatile boolean isRequested;

    /** @param wake called when the process is to end, to cut a wait short; may come from another thread */
    Stop(Runnable wake) {
        hook = new Thread(
                () -> {
                    isRequested = true;
                    wake.run();
                    await();
                },
                "stop");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    boolean isRequested() {
        return isRequested;
    }

    private void await() {
        try {
            // Too late after that: who asked will lose patience, too.
            if (!closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("perceptron: command must end within " + PATIENCE_SECONDS + " s, still at it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        if (!isRequested) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The process began to end just now: the hook finds the latch open.
                return;
            }
        }
    }
}
