package io.perceptronstreams.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C and SIGTERM as a question to ask now and then; until it is closed, the process waits for what is being done. */
public final class ShutdownSignal implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 8;

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook;
    private final List<Runnable> wakes = new ArrayList<>();
    private boolean isRequested;

    /** Nothing to wake yet. */
    public ShutdownSignal() {
        hook = new Thread(
                () -> {
                    request();
                    await();
                },
                "stop");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** As {@link #ShutdownSignal()} and {@link #wakes}. */
    public ShutdownSignal(Runnable wake) {
        this();
        wakes(wake);
    }

    /** Calls {@code wake} when the process is to end, to cut a wait short; from another thread, or at once if that is so already. */
    public void wakes(Runnable wake) {
        synchronized (wakes) {
            if (!isRequested) {
                wakes.add(wake);
                return;
            }
        }
        wake.run();
    }

    private void request() {
        List<Runnable> waiting;
        synchronized (wakes) {
            isRequested = true;
            waiting = List.copyOf(wakes);
        }
        waiting.forEach(Runnable::run);
    }

    public boolean isRequested() {
        synchronized (wakes) {
            return isRequested;
        }
    }

    private void await() {
        try {
            // a longer delay would make the caller kill the process
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
        if (!isRequested()) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The process began to end just now: the hook finds the latch open.
                return;
            }
        }
    }
}
