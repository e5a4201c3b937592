package io.perceptronstreams.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a process of this machine uses, from Linux's {@code /proc}, and the heap that a collection leaves.
 *
 * @param heapBytes live objects, after a full collection
 * @param residentBytes resident memory
 * @param threads number of threads
 * @param files number of open files
 */
record ProcessUse(long heapBytes, long residentBytes, long threads, long files) {

    /** Collects garbage in a JVM and measures it. */
    static ProcessUse of(long pid) throws IOException, InterruptedException {
        long heap = heap(pid);
        Path process = Path.of("/proc", Long.toString(pid));
        Map<String, Long> status = Files.readAllLines(process.resolve("status")).stream()
                .filter(line -> line.startsWith("VmRSS:") || line.startsWith("Threads:"))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(':')),
                        line -> Long.valueOf(line.replaceAll("\\D", ""))));
        return new ProcessUse(heap, status.get("VmRSS") * 1024, status.get("Threads"), files(pid));
    }

    /** Number of open files of a process. */
    static long files(long pid) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return files.count();
        }
    }

    /** Bytes of all objects that a full collection leaves. */
    private static long heap(long pid) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(pid),
                        "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String[] lines = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split("\n");
        if (jcmd.waitFor() != 0) {
            throw new IOException("jcmd must answer, got " + String.join(" ", lines));
        }
        // Total      123456       7890123
        return Long.parseLong(lines[lines.length - 1].trim().split("\\s+", -1)[2]);
    }

    String text() {
        return heapBytes / 1_000_000 + " MB of live heap, " + residentBytes / 1_000_000 + " MB resident, " + threads
                + " threads, " + files + " files";
    }
}
