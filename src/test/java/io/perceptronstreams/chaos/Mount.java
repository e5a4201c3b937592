package io.perceptronstreams.chaos;

import java.io.IOException;
import java.nio.file.Path;

/** File systems in memory that can become full. Needs root on Linux. */
final class Mount {
    /** Why tests are skipped where {@link #tmpfs} returns false. */
    static final String IMPOSSIBLE = "a small file system cannot be mounted: needs root on Linux";

    private Mount() {}

    /** Mounts one of a size like {@code 64m}; returns false where that is impossible. */
    static boolean tmpfs(Path directory, String size) throws InterruptedException {
        return succeeds("mount", "-t", "tmpfs", "-o", "size=" + size, "none", directory.toString());
    }

    /** Changes the size, to not less than what is in use. */
    static void resize(Path directory, String size) throws IOException, InterruptedException {
        if (!succeeds("mount", "-o", "remount,size=" + size, directory.toString())) {
            throw new IOException(directory + " must get size " + size);
        }
    }

    /** Unmounts it, as soon as no process uses it. */
    static void remove(Path directory) throws InterruptedException {
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
