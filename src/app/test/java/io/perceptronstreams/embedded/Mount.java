package io.perceptronstreams.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** File systems in memory that can become full. Needs root on Linux. */
public final class Mount {
    /** Why tests are skipped where {@link #tmpfs} returns false. */
    public static final String IMPOSSIBLE = "a small file system cannot be mounted: needs root on Linux";

    private static final int TRIES = 100;

    private Mount() {}

    /** Mounts one of a size like {@code 64m}; returns false where that is impossible, or its size is for ever. */
    public static boolean tmpfs(Path directory, String size) throws InterruptedException {
        return call("mount", "-t", "tmpfs", "-o", "size=" + size, "none", directory.toString())
                        .isEmpty()
                && remount(directory, size).isEmpty();
    }

    /** Changes the size, to not less than what is in use. */
    public static void resize(Path directory, String size) throws IOException, InterruptedException {
        String refusal = remount(directory, size);
        if (!refusal.isEmpty()) {
            throw new IOException(directory + " must get size " + size + ": " + refusal);
        }
    }

    /** Makes it full but for about this number of bytes, while others write to it. */
    public static void fill(Path directory, int bytes) throws IOException, InterruptedException {
        FileStore store = Files.getFileStore(directory);
        String refusal = "";
        for (int i = 0; i < TRIES; i++) {
            // a size of 0 means without limit; a size is refused if more has been written since it was computed
            refusal = remount(
                    directory, Long.toString(store.getTotalSpace() - store.getUnallocatedSpace() + 4096 + bytes));
            if (refusal.isEmpty()) {
                return;
            }
        }
        throw new IOException(directory + " must become full: " + refusal);
    }

    /** Unmounts it, as soon as no process uses it. */
    public static void remove(Path directory) throws InterruptedException {
        call("umount", "--lazy", directory.toString());
    }

    private static String remount(Path directory, String size) throws InterruptedException {
        return call("mount", "-o", "remount,size=" + size, directory.toString());
    }

    /** Returns what is said against the command, or an empty string if it succeeds. */
    private static String call(String... command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            return code == 0 ? "" : "exit code " + code + " " + output.strip();
        } catch (IOException e) {
            return e.toString();
        }
    }
}
