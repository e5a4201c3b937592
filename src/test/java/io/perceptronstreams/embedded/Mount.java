package io.perceptronstreams.embedded;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** File systems in memory that can become full. Needs root on Linux. */
public final class Mount {
    /** Why tests are skipped where {@link #tmpfs} returns false. */
    public static final String IMPOSSIBLE = "a small file system cannot be mounted: needs root on Linux";

    private Mount() {}

    /** Mounts one of a size like {@code 64m}; returns false where that is impossible. */
    public static boolean tmpfs(Path directory, String size) throws InterruptedException {
        return succeeds("mount", "-t", "tmpfs", "-o", "size=" + size, "none", directory.toString());
    }

    /** Changes the size, to not less than what is in use. */
    public static void resize(Path directory, String size) throws IOException, InterruptedException {
        if (!succeeds("mount", "-o", "remount,size=" + size, directory.toString())) {
            throw new IOException(directory + " must get size " + size);
        }
    }

    /** Makes it full but for this number of bytes. */
    public static void fill(Path directory, int bytes) throws IOException, InterruptedException {
        FileStore store = Files.getFileStore(directory);
        // a size of 0 means without limit
        resize(directory, Long.toString(store.getTotalSpace() - store.getUnallocatedSpace() + 4096 + bytes));
    }

    /** Unmounts it, as soon as no process uses it. */
    public static void remove(Path directory) throws InterruptedException {
        succeeds("umount", "--lazy", directory.toString());
    }

    private static boolean succeeds(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
