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
                    "%,d predictions, %,d mistakes, %,d counts: all equal.",
                    equal.predictions(),
                    equal.mistakes(),
                    equal.counts()));
        } catch (Difference e) {
            if (e.sent() != null) {
                out.println("sent:      " + TerminalText.sanitize(e.sent()));
            }
            if (e.relearned() != null) {
                out.println("relearned: " + TerminalText.sanitize(e.relearned()));
            }
            throw new CommandFailedException(e.getMessage());
        }
    }
}
