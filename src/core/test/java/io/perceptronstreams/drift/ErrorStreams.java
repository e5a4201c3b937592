package io.perceptronstreams.drift;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Made streams of errors. */
final class ErrorStreams {
    private ErrorStreams() {}

    /** Errors of one rate. */
    static List<Boolean> bernoulli(Random random, int n, double rate) {
        List<Boolean> errors = new ArrayList<>(n);
        for (int k = 0; k < n; k++) {
            errors.add(random.nextDouble() < rate);
        }
        return errors;
    }

    /** Stretches of any length and rate, so that there are warnings, alarms and falling rates. */
    static List<Boolean> changing(Random random, int n) {
        List<Boolean> errors = new ArrayList<>(n);
        while (errors.size() < n) {
            double rate = random.nextInt(4) == 0 ? 0 : random.nextDouble();
            errors.addAll(bernoulli(random, Math.min(n - errors.size(), 1 + random.nextInt(700)), rate));
        }
        return errors;
    }

    /** One rate, then another. */
    static List<Boolean> jump(Random random, int n, double before, double after) {
        List<Boolean> errors = bernoulli(random, n, before);
        errors.addAll(bernoulli(random, n, after));
        return errors;
    }

    /** Where the alarms of a detector are, counted from 1. */
    static List<Integer> alarms(DriftDetector detector, List<Boolean> errors) {
        List<Integer> alarms = new ArrayList<>();
        for (int k = 0; k < errors.size(); k++) {
            if (detector.add(errors.get(k)) == DriftDetector.Level.DRIFT) {
                alarms.add(k + 1);
            }
        }
        return alarms;
    }
}
