package io.perceptronstreams.cli;

import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.event.Evidence;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.example.Utf8Slice;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The evidence of a Mistake as lines of text: bias, listed terms and rest, which add up to the margin. */
final class EvidenceText {
    private static final int MAX_NAME = 39;

    private EvidenceText() {}

    /** Returns the lines; one that shows how to get evidence if the mistake has none. */
    static List<String> lines(Mistake mistake) {
        List<String> lines = new ArrayList<>();
        if (mistake.getEvidenceBias() == null) {
            lines.add("    no evidence (perceptron models set MODEL explain=5)");
            return lines;
        }
        lines.add(line(mistake.getEvidenceBias(), "", "", "bias"));
        for (Evidence term : mistake.getEvidence()) {
            lines.add(line(
                    term.getContribution(),
                    String.format(Locale.ROOT, "%.0f %%", 100 * term.getShare()),
                    plain(term.getValue()) + " * " + plain(term.getWeight()),
                    name(term)));
        }
        lines.add(line(mistake.getEvidenceRest(), "", "", "rest"));
        Double after = mistake.getMarginAfter();
        lines.add(line(
                mistake.getMargin(),
                "",
                "",
                "margin, " + (after == null ? "no update" : plain(after) + " after the update")));
        return lines;
    }

    private static String line(double contribution, String share, String product, String name) {
        return String.format(Locale.ROOT, "    %12s %6s  %-25s %s", plain(contribution), share, product, name);
    }

    /** Six digits without zeros at the end. */
    private static String plain(double value) {
        double rounded = new BigDecimal(value).round(new MathContext(6)).doubleValue();
        return rounded == Math.rint(rounded) && Math.abs(rounded) < 1e9
                ? Long.toString((long) rounded)
                : Double.toString(rounded);
    }

    private static String name(Evidence term) {
        String text = term.getName() == null ? "#" + term.getIndex() : term.getName();
        return Utf8Slice.shortened(
                TerminalText.sanitize(text + (term.getTag() == null ? "" : " " + term.getTag())), MAX_NAME);
    }
}
