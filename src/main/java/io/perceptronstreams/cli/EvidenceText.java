package io.perceptronstreams.cli;

import io.perceptronstreams.client.TerminalText;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.avro.generic.GenericRecord;

/** The evidence of a Mistake as lines of text: bias, listed terms and rest, which add up to the margin. */
final class EvidenceText {
    private static final int MAX_NAME = 40;

    private EvidenceText() {}

    /** Returns the lines; one that shows how to get evidence if the mistake has none. */
    static List<String> lines(GenericRecord mistake) {
        List<String> lines = new ArrayList<>();
        if (mistake.get("evidenceBias") == null) {
            lines.add("    no evidence (perceptron models set MODEL explain=5)");
            return lines;
        }
        lines.add(line((Double) mistake.get("evidenceBias"), "", "", "bias"));
        for (Object each : (List<?>) mistake.get("evidence")) {
            GenericRecord term = (GenericRecord) each;
            lines.add(line(
                    (Double) term.get("contribution"),
                    String.format(Locale.ROOT, "%.0f %%", 100 * (Double) term.get("share")),
                    number(term.get("value")) + " * " + number(term.get("weight")),
                    name(term)));
        }
        lines.add(line((Double) mistake.get("evidenceRest"), "", "", "rest"));
        Object after = mistake.get("marginAfter");
        lines.add(line(
                (Double) mistake.get("margin"),
                "",
                "",
                "margin, " + (after == null ? "no update" : number(after) + " after the update")));
        return lines;
    }

    private static String line(double contribution, String share, String product, String name) {
        return String.format(Locale.ROOT, "    %12s %6s  %-25s %s", plain(contribution), share, product, name);
    }

    private static String number(Object value) {
        return plain((Double) value);
    }

    /** Six digits without zeros at the end. */
    private static String plain(double value) {
        double rounded = new BigDecimal(value).round(new MathContext(6)).doubleValue();
        return rounded == Math.rint(rounded) && Math.abs(rounded) < 1e9
                ? Long.toString((long) rounded)
                : Double.toString(rounded);
    }

    private static String name(GenericRecord term) {
        Object name = term.get("name");
        String text = name == null ? "#" + term.get("index") : name.toString();
        String safe = TerminalText.sanitize(text + (term.get("tag") == null ? "" : " " + term.get("tag")));
        return safe.length() <= MAX_NAME ? safe : safe.substring(0, MAX_NAME - 1) + "…";
    }
}
