package io.perceptronstreams.client;

import io.perceptronstreams.event.Corrections;
import io.perceptronstreams.event.Decisions;
import io.perceptronstreams.event.Estimates;
import io.perceptronstreams.event.Forecasts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How good probabilities, sets of labels, decisions and estimated errors were, and which labels changed, in words. */
public final class ForecastText {
    private static final double MAX_EXACT = 1e15;

    private ForecastText() {}

    /** A line about the probabilities and, if there are any, one about the sets. */
    public static List<String> of(Forecasts forecasts) {
        List<String> lines = new ArrayList<>();
        String error = forecasts.getCalibrationError() == null
                ? ""
                : String.format(Locale.ROOT, ", calibration error %.4f", forecasts.getCalibrationError());
        lines.add(String.format(
                Locale.ROOT,
                "probabilities of %,d labelled examples: Brier score %.4f, log loss %.4f%s",
                forecasts.getLabelled(),
                forecasts.getBrierScore(),
                forecasts.getLogLoss(),
                error));
        double sets = forecasts.getSets();
        if (sets > 0) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%,d sets of labels: %.2f %% have the true one, mean size %.2f, unsure %.1f %%",
                    forecasts.getSets(),
                    100 * forecasts.getCovered() / sets,
                    forecasts.getSetLabels() / sets,
                    100 * forecasts.getUnsure() / sets));
        }
        return lines;
    }

    /** A line about the decisions and, if they have a cost, one about the cost of others. */
    public static List<String> of(Decisions decisions) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%,d decisions with a label: %,d false alarms, %,d misses; withheld: %,d",
                decisions.getLabelled(),
                decisions.getFalseAlarms(),
                decisions.getMisses(),
                decisions.getWithheld()));
        if (decisions.getCostOfAlways() > 0 || decisions.getCostOfNever() > 0) {
            lines.add(String.format(
                    Locale.ROOT,
                    "cost %s; always: %s, never: %s, best fixed threshold (%s): %s",
                    cost(decisions.getCost()),
                    cost(decisions.getCostOfAlways()),
                    cost(decisions.getCostOfNever()),
                    decisions.getBestThreshold() > 1 ? "never" : Double.toString(decisions.getBestThreshold()),
                    cost(decisions.getCostOfBest())));
        }
        return lines;
    }

    /** A line about what is out and, if estimates were compared with what they became, one about that. */
    public static List<String> of(Estimates estimates) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%,d labels are out: %,.1f of these predictions are expected to be wrong",
                estimates.getWaiting(),
                estimates.getExpectedErrors()));
        if (estimates.getMeanGap() != null) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%,d estimates were compared with what they became: off by %.4f on average, %.4f at worst",
                    estimates.getCompared(),
                    estimates.getMeanGap(),
                    estimates.getWorstGap()));
        }
        return lines;
    }

    /** A line about labels that were corrected, and one about those that can be. */
    public static List<String> of(Corrections corrections) {
        List<String> lines = new ArrayList<>();
        String outstanding = corrections.getOutstanding() == 0
                ? ""
                : String.format(Locale.ROOT, ", %,d of which the weights lack", corrections.getOutstanding());
        lines.add(String.format(Locale.ROOT, "%,d labels were corrected%s", corrections.getCorrections(), outstanding));
        String left = corrections.getLeftEarly() == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; %,d could not for the whole time (raise await.labels.max)",
                        corrections.getLeftEarly());
        lines.add(String.format(
                Locale.ROOT, "%,d examples can still be corrected%s", corrections.getCorrectable(), left));
        return lines;
    }

    /** Without decimals where it has none, as with costs that are whole numbers. */
    private static String cost(double cost) {
        return cost > MAX_EXACT || cost != Math.rint(cost)
                ? String.format(Locale.ROOT, "%.6g", cost)
                : String.format(Locale.ROOT, "%,.0f", cost);
    }
}
