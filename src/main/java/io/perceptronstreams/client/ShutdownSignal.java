package io.perceptronstreams.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Shutdown flag, set by SIGINT and SIGTERM; delays the exit of the JVM until it is closed, for at most 8 s. */
public final class ShutdownSignal implements AutoCloseable {
    private static final long MAX_DELAY_SECONDS = 8;

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook;
    private final List<Runnable> listeners = new ArrayList<>();
    private boolean isRequested;

    /** Installs the shutdown hook. */
    public ShutdownSignal() {
        hook = new Thread(
                () -> {
                    request();
                    await();
                },
                "stop");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Like {@link #ShutdownSignal()}, with a first listener. */
    public ShutdownSignal(Runnable listener) {
        this();
        onShutdown(listener);
    }

    /** Calls {@code listener} from another thread when the shutdown begins, or at once if it has begun. */
    public void onShutdown(Runnable listener) {
        synchronized (listeners) {
            if (!isRequested) {
                listeners.add(listener);
                return;
            }
        }
        listener.run();
    }

    private void request() {
        List<Runnable> called;
        synchronized (listeners) {
            isRequested = true;
            called = List.copyOf(listeners);
        }
        called.forEach(Runnable::run);
    }

    public boolean isRequested() {
        synchronized (listeners) {
            return isRequested;
        }
    }

    private void await() {
        try {
            // after a longer delay, a supervisor would kill the process
            if (!closed.await(MAX_DELAY_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("perceptron: command must end within " + MAX_DELAY_SECONDS + " s, still running");
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
                // the shutdown has just begun: the hook finds the latch open
                return;
            }
        }
    }
}
