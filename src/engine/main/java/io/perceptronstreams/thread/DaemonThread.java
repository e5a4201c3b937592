package io.perceptronstreams.thread;

/** Named thread, such as of an executor, that does not keep the process alive. */
public final class DaemonThread extends Thread {
    /** Creates a thread that does not run yet. */
    public DaemonThread(String name, Runnable task) {
        super(task, name);
        setDaemon(true);
    }
}
