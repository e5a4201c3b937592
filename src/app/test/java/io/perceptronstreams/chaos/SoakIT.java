package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.embedded.ProcessUse;
import io.perceptronstreams.topology.LoadedCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One undisturbed engine under a steady load: memory, threads and open files stay flat. Needs Linux. */
@Tag("chaos")
final class SoakIT {
    private static final int RECORDS_PER_SECOND = 500;
    private static final int MEASUREMENTS = 20;

    /** Of these many at the end, and as many before the middle, the median counts. */
    private static final int MEDIAN_OF = 5;

    /**
     * So long models, caches, compilers and malloc take to have the memory that they need; a shorter run does not look
     * at it.
     */
    private static final int MINUTES_TO_SETTLE = 20;

    private static final long MEGABYTES = 1_000_000;

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(SoakIT.class);
    private final List<ProcessUse> uses = new ArrayList<>();

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldStayFlat() throws Exception {
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group =
                        new EngineGroup(run, cluster, directory, 1, Map.of("store.cache.bytes", "8388608"))) {
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                group.live(run.minutes() * 60_000 / MEASUREMENTS);
                ProcessUse use = ProcessUse.of(group.engine(0).pid());
                uses.add(use);
                run.say(cluster.predictions() + " predictions, " + use.text());
            } while (!run.isOver() || uses.size() < 2 * MEDIAN_OF);
            group.requireExact();
            group.requireUndisturbed();
        }
        if (run.minutes() >= MINUTES_TO_SETTLE) {
            assertThat(growth(ProcessUse::heapBytes)).as("live heap").isLessThan(8 * MEGABYTES);
            assertThat(growth(ProcessUse::residentBytes)).as("resident memory").isLessThan(24 * MEGABYTES);
        }
        assertThat(growth(ProcessUse::threads)).as("threads").isLessThan(4);
        assertThat(growth(ProcessUse::files)).as("open files").isLessThan(40);
    }

    /** Median of the last measurements, minus that of those before the middle. */
    private long growth(ToLongFunction<ProcessUse> value) {
        int half = uses.size() / 2;
        return median(value, uses.size() - MEDIAN_OF) - median(value, half - MEDIAN_OF);
    }

    private long median(ToLongFunction<ProcessUse> value, int from) {
        return uses.subList(from, from + MEDIAN_OF).stream()
                .mapToLong(value)
                .sorted()
                .toArray()[MEDIAN_OF / 2];
    }
}
