package io.perceptronstreams.store;

import io.perceptronstreams.thread.DaemonThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.utils.Utils;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * RocksDB's native library, unpacked from its jar, loaded, and removed again at once.
 *
 * <p>RocksDB itself removes the file (15 MB in {@code java.io.tmpdir}) at the end of the JVM, so that every killed
 * process leaves one. A loaded library needs its file no more. On Windows it cannot be removed, and stays in
 * {@code java.io.tmpdir}.
 */
public final class RocksLibrary {
    private static boolean isLoaded;

    private RocksLibrary() {}

    /**
     * Begins to load in another thread, which takes a tenth of a second. {@link #load} waits for it, or reports the
     * failure.
     */
    public static void begin() {
        Thread thread = new DaemonThread("rocksdb-library", () -> {
            try {
                load();
            } catch (RuntimeException | LinkageError e) {
                // load() fails again in the thread that needs the library
            }
        });
        thread.start();
    }

    /** Loads the library, before any other class of RocksDB is used. Idempotent. */
    public static synchronized void load() {
        if (isLoaded) {
            return;
        }
        // with this variable, the user chooses a directory in which one file is replaced at every start
        if (System.getenv("ROCKSDB_SHAREDLIB_DIR") == null) {
            try {
                Path directory = Files.createTempDirectory("perceptron-rocksdb");
                try {
                    NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
                } finally {
                    remove(directory);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "RocksDB's library must be unpacked into java.io.tmpdir, got: " + e.getMessage()
                                + " (make it writable, or set another directory by PERCEPTRON_OPTS=-Djava.io.tmpdir=DIR)",
                        e);
            }
        }
        RocksDB.loadLibrary();
        isLoaded = true;
    }

    private static void remove(Path directory) {
        try {
            Utils.delete(directory.toFile());
        } catch (IOException e) {
            // Windows keeps the file of a loaded library, which is no reason not to start
        }
    }

    /** Returns true if a failure comes from RocksDB, whose message may lack the directory. */
    public static boolean isFault(Throwable failure) {
        return failure instanceof RocksDBException;
    }
}
