package io.perceptronstreams.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Objects of a JVM of this machine that a full collection leaves.
 *
 * @param bytes of all of them
 * @param numbers number of objects of each class
 */
public record LiveObjects(long bytes, Map<String, Long> numbers) {
    //    1:         22936        1865408  [B (java.base@17.0.15)
    private static final Pattern CLASS = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*");

    /** Has a process collect garbage and counts what is left. */
    public static LiveObjects of(long pid) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(JavaProcess.tool("jcmd"), Long.toString(pid), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        List<String> lines = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        if (jcmd.waitFor() != 0) {
            throw new IOException("jcmd must answer, got " + String.join(" ", lines));
        }
        long bytes = 0;
        Map<String, Long> numbers = new TreeMap<>();
        for (String line : lines) {
            Matcher match = CLASS.matcher(line);
            if (match.matches()) {
                bytes += Long.parseLong(match.group(2));
                // two class loaders may have classes of one name
                numbers.merge(match.group(3), Long.valueOf(match.group(1)), Long::sum);
            }
        }
        return new LiveObjects(bytes, numbers);
    }

    /** Classes of which there are at least {@code least} more objects than before, and how many more. */
    public Map<String, Long> gained(LiveObjects before, long least) {
        return numbers.keySet().stream()
                .filter(name -> gain(name, before) >= least)
                .collect(Collectors.toMap(name -> name, name -> gain(name, before), Long::sum, TreeMap::new));
    }

    private long gain(String name, LiveObjects before) {
        return numbers.get(name) - before.numbers.getOrDefault(name, 0L);
    }
}
