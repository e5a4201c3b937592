package io.perceptronstreams.cli;

import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.relearn.Difference;
import io.perceptronstreams.relearn.Explanation;
import io.perceptronstreams.relearn.VerificationReport;
import io.perceptronstreams.serde.EventJson;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Prints the explanation of a prediction. */
final class ExplanationReport {
    /** Fields of the Mistake that carries the evidence. */
    private static final List<String> EVIDENCE =
            List.of("evidence", "evidenceBias", "evidenceRest", "margin", "marginAfter");

    private ExplanationReport() {}

    static void print(EngineConfig config, ExplainCommand command, PrintWriter out, PrintWriter err) {
        String model = command.model;
        ModelKey.of(model);
        VerificationReport.requireTag(command.tag);
        VerificationReport.requireKey(config, command.unsigned.isWithout);
        try {
            Explanation.Explained explained = Explanation.of(
                    config,
                    model,
                    command.example,
                    command.limit,
                    command.unsigned.isWithout,
                    command.tag,
                    VerificationReport.notes(err));
            if (command.isJson) {
                out.println(json(model, explained));
            } else {
                printText(model, explained, out);
            }
        } catch (Difference e) {
            throw VerificationReport.printed(e, out);
        }
    }

    private static void printText(String model, Explanation.Explained explained, PrintWriter out) {
        Prediction prediction = explained.prediction();
        out.println(TerminalText.sanitize(String.format(
                Locale.ROOT,
                "%s at %s: example '%s', epoch %d, version %,d",
                model,
                explained.place(),
                prediction.getExampleId(),
                prediction.getEpoch(),
                prediction.getUpdates())));
        out.println(TerminalText.sanitize("predicted " + prediction.getLabelText() + ", score " + prediction.getScore()
                + (explained.label() == null
                        ? ", without a label; the margin is that of the prediction"
                        : ", label " + explained.label() + ": "
                                + (Boolean.TRUE.equals(prediction.getCorrect()) ? "right" : "wrong")
                                + (explained.isUpdated() ? ", the weights were updated" : ", no update"))));
        out.println(
                explained.sent() == null
                        ? "not compared: the topic does not have this prediction"
                        : "equal to the prediction at " + explained.sent());
        VerificationReport.printUnsigned(explained.unsigned(), out);
        if (explained.evidence() == null) {
            out.println(
                    "no evidence: the model had learned nothing, its learner has no terms, or a portfolio has voted");
        } else {
            EvidenceText.lines(explained.evidence()).forEach(out::println);
        }
    }

    private static String json(String model, Explanation.Explained explained) {
        return EventFormat.json(json -> {
            json.writeStringField("model", model);
            json.writeStringField("place", explained.place());
            EventJson.writeFields(json, explained.prediction(), name -> name);
            json.writeStringField(
                    "trueLabel",
                    explained.label() == null ? null : explained.label().toString());
            json.writeBooleanField("updated", explained.isUpdated());
            json.writeStringField("sent", explained.sent());
            json.writeFieldName("unsigned");
            EventJson.write(json, explained.unsigned().all());
            Mistake evidence = explained.evidence();
            for (String name : EVIDENCE) {
                json.writeFieldName(name);
                EventJson.write(json, evidence == null ? null : evidence.get(name));
            }
        });
    }
}
