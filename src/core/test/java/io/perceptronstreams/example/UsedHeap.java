package io.perceptronstreams.example;

import java.lang.management.ManagementFactory;

/** The heap that this JVM uses. */
public final class UsedHeap {
    private UsedHeap() {}

    /**
     * Returns the bytes of all live objects. Takes four collections: at three of four, the serial collector leaves up
     * to a twentieth of the old generation dead.
     */
    public static long bytes() {
        long least = Long.MAX_VALUE;
        for (int k = 0; k < 4; k++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }
}
