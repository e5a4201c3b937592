package io.perceptronstreams.cli;

import io.perceptronstreams.learner.BatchTrainer.Pass;
import io.perceptronstreams.learner.Model;
import io.perceptronstreams.learner.Settings;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;

/** What {@code fit} prints: a line for each pass, and what came of it all; as a table for people, or as JSON objects. */
final class FitReport {
    private final PrintWriter out;
    private final boolean isJson;
    private long passStart = System.nanoTime();
    private Pass last;

    FitReport(PrintWriter out, boolean isJson) {
        this.out = out;
        this.isJson = isJson;
    }

    /** Before the first pass. */
    void start() {
        passStart = System.nanoTime();
        if (!isJson) {
            out.println(String.format(
                    Locale.ROOT,
                    "%5s %12s %12s %12s %12s %12s %10s",
                    "pass",
                    "examples",
                    "updates",
                    "mistakes",
                    "in margin",
                    "errors",
                    "seconds"));
            out.flush();
        }
    }

    void pass(Pass pass) {
        last = pass;
        long now = System.nanoTime();
        if (isJson) {
            out.println(EventLines.json(json -> {
                json.writeNumberField("pass", pass.number());
                json.writeNumberField("examples", pass.examples());
                json.writeNumberField("updates", pass.updates());
                json.writeNumberField("mistakes", pass.mistakes());
                json.writeNumberField("marginMistakes", pass.marginMistakes());
                json.writeNumberField("errors", pass.errors());
            }));
        } else {
            out.println(String.format(
                    Locale.ROOT,
                    "%5d %,12d %,12d %,12d %,12d %,12d %10.2f",
                    pass.number(),
                    pass.examples(),
                    pass.updates(),
                    pass.mistakes(),
                    pass.marginMistakes(),
                    pass.errors(),
                    (now - passStart) / 1e9));
        }
        out.flush();
        passStart = now;
    }

    /** Behind the last pass: why it was the last. */
    void end(boolean isStopped, Model model) {
        if (!isJson) {
            out.println(
                    isStopped
                            ? "stopped in pass " + last.number()
                            : last.updates() == 0
                                    ? "pass " + last.number() + " made no update"
                                    : "all passes made, the last one with updates (--epochs allows more)");
            out.println(String.format(
                    Locale.ROOT,
                    "%s: %,d updates, |w| = %.6g, R = %.6g",
                    model.algorithm(),
                    model.version(),
                    model.learner().weightNorm(),
                    model.learner().radius()));
        }
    }

    /** @param labelled how many examples with a label there were */
    void test(Map<Settings.Predict, Long> errors, long labelled) {
        if (isJson) {
            out.println(EventLines.json(json -> {
                json.writeObjectFieldStart("testErrors");
                for (Map.Entry<Settings.Predict, Long> each : errors.entrySet()) {
                    json.writeNumberField(name(each.getKey()), each.getValue());
                }
                json.writeEndObject();
            }));
        } else {
            errors.forEach((predict, wrong) -> out.println(String.format(
                    Locale.ROOT,
                    "test: %,d errors in %,d examples (%.2f %%), predict=%s",
                    wrong,
                    labelled,
                    100.0 * wrong / labelled,
                    name(predict))));
        }
    }

    void weights(String file) {
        if (!isJson) {
            out.println("weights: " + file + " (perceptron weights import MODEL " + file + ")");
        }
    }

    private static String name(Settings.Predict predict) {
        return predict.name().toLowerCase(Locale.ROOT);
    }
}
