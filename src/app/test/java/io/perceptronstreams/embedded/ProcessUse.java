package io.perceptronstreams.embedded;

import java.io.IOException;
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
public record ProcessUse(long heapBytes, long residentBytes, long threads, long files) {

    /** Has a Java process collect garbage and measures it. */
    public static ProcessUse of(long pid) throws IOException, InterruptedException {
        long heap = LiveObjects.of(pid).bytes();
        Path process = Path.of("/proc", Long.toString(pid));
        Map<String, Long> status = Files.readAllLines(process.resolve("status")).stream()
                .filter(line -> line.startsWith("VmRSS:") || line.startsWith("Threads:"))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(':')),
                        line -> Long.valueOf(line.replaceAll("\\D", ""))));
        return new ProcessUse(heap, status.get("VmRSS") * 1024, status.get("Threads"), files(pid));
    }

    /** Number of open files of a process. */
    public static long files(long pid) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return files.count();
        }
    }

    /** All of it, for people. */
    public String text() {
        return heapBytes / 1_000_000 + " MB of live heap, " + residentBytes / 1_000_000 + " MB resident, " + threads
                + " threads, " + files + " files";
    }
}
