package io.perceptronstreams.bench;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the records replayed by an engine, from its log. Thread-safe. */
final class BenchReplayLog implements Consumer<String> {
    private static final Pattern REPLAYED =
            Pattern.compile("\\breplayed (\\d+) records of \\S+ from \\d+ to \\d+ in \\d+ ms");
    /** Time of day, level and logger, as in perceptron-log4j2.properties. */
    private static final Pattern INFORMATION = Pattern.compile("\\d\\d:\\d\\d:\\d\\d INFO .*");

    private final AtomicLong records = new AtomicLong();
    private final Consumer<String> others;

    /** @param others receives all lines that are not of level INFO */
    BenchReplayLog(Consumer<String> others) {
        this.others = others;
    }

    @Override
    public void accept(String line) {
        Matcher replay = REPLAYED.matcher(line);
        if (replay.find()) {
            records.addAndGet(Long.parseLong(replay.group(1)));
        }
        if (!INFORMATION.matcher(line).matches()) {
            others.accept(line);
        }
    }

    /** Number of records replayed so far, of all partitions. */
    long records() {
        return records.get();
    }
}
