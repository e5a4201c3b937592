package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.relearn.Difference;
import io.perceptronstreams.relearn.Verification;
import java.io.PrintWriter;
import java.util.Locale;

/** Prints the result of a verification. */
final class VerificationReport {
    private VerificationReport() {}

    /** @throws CommandFailedException if there is a difference, after both events were printed */
    static void print(EngineConfig config, String model, PrintWriter out) {
        ModelKey.of(model);
        try {
            Verification.Report report = Verification.of(config, model);
            ModelStatus status = report.status();
            out.println(String.format(
                    Locale.ROOT,
                    "reproduced %s at %s: epoch %d, version %,d, %,d examples, %,d labelled, %,d errors, %,d mistakes",
                    model,
                    report.place(),
                    status.getEpoch(),
                    status.getUpdates(),
                    status.getExamples(),
                    status.getLabelled(),
                    status.getErrors(),
                    status.getMistakes()));
            Verification.Counted equal = report.equal();
            out.println(String.format(
                    Locale.ROOT,
                    "%,d predictions, %,d mistakes, %,d counts: %s.",
                    equal.predictions(),
                    equal.mistakes(),
                    equal.counts(),
                    equal.isNone() ? "nothing to compare, the topics have no events of these records" : "all equal"));
            if (!report.isComplete()) {
                out.println("not compared: events of the topics after these, because group " + config.applicationId()
                        + " has no committed offset any more");
            }
        } catch (Difference e) {
            throw printed(e, out);
        }
    }

    /** Prints both events of a difference, and returns the failure of the command. */
    static CommandFailedException printed(Difference difference, PrintWriter out) {
        if (difference.sent() != null) {
            out.println("sent:      " + TerminalText.sanitize(difference.sent()));
        }
        if (difference.relearned() != null) {
            out.println("relearned: " + TerminalText.sanitize(difference.relearned()));
        }
        return new CommandFailedException(difference.getMessage());
    }
}
