package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * What each detector and action makes of a change of concept: errors before and after it, alarms and adaptations;
 * prints a table.
 *
 * <p>20 streams (seeds 0 to 19) of 10,000 random unit vectors with 20 features labelled by a hyperplane, then 10,000 by
 * another one, one label in ten wrong, learned by the averaged two-class perceptron.
 */
public final class DriftActions {
    private static final int STREAMS = 20;
    private static final int LENGTH = 10_000;
    private static final int DIMENSION = 20;

    private DriftActions() {}

    /** Prints the table in Markdown. */
    public static void main(String[] args) {
        System.out.println(
                "| drift | drift.action | false alarms | first alarm | first adaptation | errors in the 1,000 after the change |"
                        + " in the 10,000 |");
        System.out.println("|---|---|---|---|---|---|---|");
        print("none", "none");
        for (String drift : List.of("ddm", "page-hinkley", "adwin")) {
            for (String action : List.of("none", "reset", "shadow")) {
                print(drift, action);
            }
        }
    }

    private static void print(String drift, String action) {
        double falseAlarms = 0;
        int[] alarms = new int[STREAMS];
        int[] adaptations = new int[STREAMS];
        double soon = 0;
        double late = 0;
        for (int seed = 0; seed < STREAMS; seed++) {
            Random random = new Random(seed);
            Model model = new Model();
            model.configure(Map.of("drift", drift, "drift.action", action, "predict", "averaged"));
            Example example = new Example();
            double[] plane = random.doubles(DIMENSION, -1, 1).toArray();
            alarms[seed] = Integer.MAX_VALUE;
            adaptations[seed] = Integer.MAX_VALUE;
            for (int k = 0; k < 2 * LENGTH; k++) {
                if (k == LENGTH) {
                    plane = random.doubles(DIMENSION, -1, 1).toArray();
                }
                fill(example, random, plane);
                boolean isError = model.use(example, k, null, null).isError();
                boolean isAlarm = model.drift().alarm() != null;
                boolean isAdapted = model.adapt() != null;
                if (k < LENGTH) {
                    falseAlarms += isAlarm ? 1.0 / STREAMS : 0;
                } else {
                    alarms[seed] = isAlarm ? Math.min(alarms[seed], k - LENGTH + 1) : alarms[seed];
                    adaptations[seed] = isAdapted ? Math.min(adaptations[seed], k - LENGTH + 1) : adaptations[seed];
                    soon += isError && k < LENGTH + 1000 ? 1.0 / STREAMS : 0;
                    late += isError ? 1.0 / STREAMS : 0;
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "| %s | %s | %.2f | %s | %s | %.0f | %.0f |%n",
                drift,
                action,
                falseAlarms,
                median(alarms),
                median(adaptations),
                soon,
                late);
    }

    private static void fill(Example example, Random random, double[] plane) {
        example.vector().resetDense();
        double score = 0;
        for (int i = 0; i < DIMENSION; i++) {
            double value = random.nextGaussian();
            example.vector().append(value);
            score += plane[i] * value;
        }
        example.vector().scaleToUnitNorm();
        boolean isPositive = score >= 0 ^ random.nextInt(10) == 0;
        example.setLabel(isPositive ? Label.PLUS_ONE : Label.MINUS_ONE);
    }

    private static String median(int[] places) {
        int[] sorted = places.clone();
        Arrays.sort(sorted);
        int middle = sorted[STREAMS / 2 - 1];
        return middle == Integer.MAX_VALUE ? "-" : Integer.toString(middle);
    }
}
