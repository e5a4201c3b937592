package io.perceptronstreams.drift;

import io.perceptronstreams.drift.DriftDetector.Level;
import io.perceptronstreams.drift.DriftSettings.Action;
import io.perceptronstreams.drift.DriftSettings.Detector;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.Supplier;
import moa.classifiers.core.driftdetection.ADWINChangeDetector;
import moa.classifiers.core.driftdetection.AbstractChangeDetector;
import moa.classifiers.core.driftdetection.DDM;
import moa.classifiers.core.driftdetection.PageHinkleyDM;

/**
 * Delay and false alarms of our detectors and of MOA's, each with its defaults, on the same streams of errors; prints a
 * table.
 *
 * <p>100 streams (seeds 0 to 99) of 10,000 errors at one rate, then 2,000 at another, drawn independently. False alarms
 * are those among the first 10,000, per 10,000 examples; the delay runs from the change to the first alarm after it.
 */
public final class MoaDrift {
    private static final int STREAMS = 100;
    private static final int BEFORE = 10_000;
    private static final int AFTER = 2_000;
    private static final double[][] JUMPS = {{0.05, 0.1}, {0.05, 0.2}, {0.05, 0.5}, {0.2, 0.3}, {0.2, 0.5}};

    private record Contestant(String name, Supplier<Predicate<Boolean>> detector) {}

    private MoaDrift() {}

    /** Prints the table in Markdown. */
    public static void main(String[] args) {
        List<Contestant> contestants = new ArrayList<>();
        contestants.add(ours(Detector.DDM));
        contestants.add(moa("DDM", DDM::new));
        contestants.add(ours(Detector.PAGE_HINKLEY));
        contestants.add(moa("Page-Hinkley", PageHinkleyDM::new));
        contestants.add(ours(Detector.ADWIN));
        contestants.add(moa("ADWIN", ADWINChangeDetector::new));
        System.out.println("| error rate | detector | false alarms per 10,000 | found | median delay | 90 % within |");
        System.out.println("|---|---|---|---|---|---|");
        for (double[] jump : JUMPS) {
            for (Contestant contestant : contestants) {
                print(jump, contestant);
            }
        }
    }

    private static void print(double[] jump, Contestant contestant) {
        int falseAlarms = 0;
        List<Integer> delays = new ArrayList<>();
        for (int seed = 0; seed < STREAMS; seed++) {
            Random random = new Random(seed);
            Predicate<Boolean> detector = contestant.detector.get();
            int delay = -1;
            for (int k = 0; k < BEFORE + AFTER; k++) {
                boolean isAlarm = detector.test(random.nextDouble() < jump[k < BEFORE ? 0 : 1]);
                falseAlarms += isAlarm && k < BEFORE ? 1 : 0;
                delay = isAlarm && k >= BEFORE && delay < 0 ? k - BEFORE + 1 : delay;
            }
            if (delay >= 0) {
                delays.add(delay);
            }
        }
        delays.sort(null);
        System.out.printf(
                Locale.ROOT,
                "| %s to %s | %s | %.2f | %d of %d | %s | %s |%n",
                jump[0],
                jump[1],
                contestant.name,
                (double) falseAlarms / STREAMS,
                delays.size(),
                STREAMS,
                quantile(delays, 0.5),
                quantile(delays, 0.9));
    }

    /** Of all streams: one without an alarm took longer than any. */
    private static String quantile(List<Integer> delays, double share) {
        int at = (int) Math.ceil(share * STREAMS) - 1;
        return at < delays.size() ? Integer.toString(delays.get(at)) : "> " + AFTER;
    }

    private static Contestant ours(Detector kind) {
        String name = kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
        return new Contestant("`drift=" + name + "`", () -> {
            DriftDetector detector = new DriftSettings(kind, Double.NaN, Double.NaN, Action.NONE, 100).create();
            return isError -> detector.add(isError) == Level.DRIFT;
        });
    }

    private static Contestant moa(String name, Supplier<AbstractChangeDetector> create) {
        return new Contestant("MOA's " + name, () -> {
            AbstractChangeDetector detector = create.get();
            detector.prepareForUse();
            detector.resetLearning();
            return isError -> {
                detector.input(isError ? 1 : 0);
                return detector.getChange();
            };
        });
    }
}
