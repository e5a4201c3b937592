package io.perceptronstreams.fit;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.client.Columns;
import io.perceptronstreams.client.ConfusionTable;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.ForecastText;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.client.Verdict;
import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.event.Forecasts;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.BatchTrainer.Pass;
import io.perceptronstreams.model.Evaluation;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.theory.BoundsReport;
import io.perceptronstreams.theory.MarginCertificate;
import io.perceptronstreams.theory.TrainingRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;

/** Prints the passes and the result of {@code fit}, as a table or as JSON objects. */
public final class FitReport {
    private static final int NAME_WIDTH = 21;
    private static final int TEXT_WIDTH = 89;

    private final PrintWriter out;
    private final boolean isJson;
    private final Columns<Row> passes;
    private long passStart = System.nanoTime();
    private Pass last;

    private record Row(Pass pass, Long testErrors, double seconds) {}

    public FitReport(PrintWriter out, boolean isJson, boolean isTested) {
        this.out = out;
        this.isJson = isJson;
        passes = new Columns<Row>()
                .add("pass", "%5d", row -> row.pass.number())
                .add("examples", " %,12d", row -> row.pass.examples())
                .add("updates", " %,12d", row -> row.pass.updates())
                .add("mistakes", " %,12d", row -> row.pass.mistakes())
                .add("in margin", " %,12d", row -> row.pass.marginMistakes())
                .add("errors", " %,12d", row -> row.pass.errors())
                .add("mean loss", " %10.4g", row -> row.pass.loss());
        if (isTested) {
            passes.add("test errors", " %,12d", Row::testErrors);
        }
        passes.add("seconds", " %10.2f", Row::seconds);
    }

    /** Must be called before the first pass. */
    public void start() {
        passStart = System.nanoTime();
        if (!isJson) {
            out.println(passes.header());
            out.flush();
        }
    }

    /** @param testErrors null without a test */
    void pass(Pass pass, Long testErrors) {
        last = pass;
        long now = System.nanoTime();
        if (isJson) {
            out.println(EventFormat.json(json -> {
                json.writeNumberField("pass", pass.number());
                json.writeNumberField("examples", pass.examples());
                json.writeNumberField("updates", pass.updates());
                json.writeNumberField("mistakes", pass.mistakes());
                json.writeNumberField("marginMistakes", pass.marginMistakes());
                json.writeNumberField("errors", pass.errors());
                json.writeNumberField("loss", pass.loss());
                if (testErrors != null) {
                    json.writeNumberField("testErrors", testErrors);
                }
            }));
        } else {
            out.println(passes.row(new Row(pass, testErrors, (now - passStart) / 1e9)));
        }
        out.flush();
        passStart = now;
    }

    /** Prints why training ended. */
    public void end(String why) {
        if (!isJson) {
            out.println(why);
            out.flush();
        }
    }

    /** Returns the last pass; null before the first. */
    public Pass last() {
        return last;
    }

    /** Prints the members of a portfolio, and whose weights are written; nothing for a model that predicts alone. */
    public void voters(Model model) {
        List<Model.Voter> voters = model.voters();
        if (voters.isEmpty()) {
            return;
        }
        if (isJson) {
            out.println(EventFormat.json(json -> {
                json.writeArrayFieldStart("portfolio");
                for (Model.Voter each : voters) {
                    json.writeStartObject();
                    json.writeStringField("member", each.name());
                    json.writeNumberField("errors", each.errors());
                    json.writeNumberField("labelled", each.labelled());
                    json.writeNumberField("vote", each.share());
                    json.writeBooleanField("isWritten", each.isLeading());
                    json.writeEndObject();
                }
                json.writeEndArray();
            }));
            return;
        }
        Columns<Model.Voter> table = new Columns<Model.Voter>()
                .add("member", "%-16s", Model.Voter::name)
                .add("examples", " %,12d", Model.Voter::labelled)
                .add("errors", " %,12d", Model.Voter::errors)
                .add("vote", " %7s", each -> String.format(Locale.ROOT, "%.1f %%", 100 * each.share()));
        out.println(
                "portfolio: errors of the passes are those of the vote; the weights are those of the member that leads");
        out.println(table.header());
        voters.forEach(each -> out.println(table.row(each) + (each.isLeading() ? "  leads" : "")));
    }

    /**
     * Prints the result of all passes.
     *
     * @param facts null if there are none
     * @param tests null without test examples
     * @param ofPass null if it is not known
     */
    public void result(Model model, TrainingRun facts, Map<Settings.Predict, Evaluation> tests, Verdict ofPass) {
        if (isJson) {
            out.println(EventFormat.json(json -> {
                if (ofPass != null) {
                    ofPass.writeJson(json, "lastPass");
                }
                if (tests != null) {
                    writeTests(json, tests);
                }
                write(json, "forecasts", EventEncoder.forecasts(model.counts()));
                if (facts == null) {
                    json.writeNullField("theory");
                } else {
                    writeTheory(json, facts);
                }
            }));
            return;
        }
        out.println(String.format(
                Locale.ROOT,
                "%s: M = %,d updates, R = %.6g, |w| = %.6g%s",
                model.pipeline().algorithm(),
                model.current().version(),
                facts == null ? model.pipeline().learner().radius() : facts.radius(),
                model.pipeline().learner().weightNorm(),
                facts == null || Double.isNaN(facts.margin())
                        ? ""
                        : String.format(Locale.ROOT, ", margin(w) = %.6g", facts.margin())));
        if (facts != null) {
            theory(model, facts);
        }
        if (tests != null) {
            tests.forEach(this::test);
            Settings.Predict predict = model.pipeline().settings().get(Settings.PREDICT);
            metrics(tests.get(predict)).forEach(out::println);
        }
        Forecasts forecasts = EventEncoder.forecasts(model.counts());
        if (forecasts != null) {
            // each was made before its label was learned, but from the second pass on of an example that was known
            ForecastText.of(forecasts).forEach(line -> out.println("passes: " + line));
        }
    }

    /** Prints why there are no bounds after a single pass over more than a number of bytes. */
    public void boundless(long bytes) {
        if (!isJson) {
            out.println("no bounds of theorems: they need all examples again, and one pass keeps none of more than "
                    + (bytes >> 20) + " MB (--bounds keeps them)");
        }
    }

    private void theory(Model model, TrainingRun facts) {
        if (!FitFacts.isMarginKnown(model.pipeline().settings())) {
            out.println("With scale=standard the vectors of examples change over time: the margin is not defined.");
        }
        TextTable table = TextTable.forColumns(
                Help.defaultColorScheme(Help.Ansi.OFF),
                new Column(NAME_WIDTH, 0, Column.Overflow.SPAN),
                new Column(TEXT_WIDTH, 0, Column.Overflow.WRAP));
        for (BoundsReport.Line line : BoundsReport.of(facts)) {
            table.addRowValues(line.name(), line.text());
        }
        out.print(table);
    }

    private void test(Settings.Predict predict, Evaluation test) {
        String tags = test.tags() == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; %,d of %,d tags (%.2f %%)",
                        test.wrongTags(),
                        test.tags(),
                        100.0 * test.wrongTags() / test.tags());
        out.println(String.format(
                Locale.ROOT,
                "test: %,d errors in %,d examples (%.2f %%)%s, predict=%s",
                test.errors(),
                test.labelled(),
                100.0 * test.errors() / test.labelled(),
                tags,
                name(predict)));
    }

    private static void writeTests(JsonGenerator json, Map<Settings.Predict, Evaluation> tests) throws IOException {
        json.writeObjectFieldStart("testErrors");
        for (Map.Entry<Settings.Predict, Evaluation> each : tests.entrySet()) {
            json.writeNumberField(name(each.getKey()), each.getValue().errors());
        }
        json.writeEndObject();
        Evaluation any = tests.values().iterator().next();
        json.writeNumberField("testExamples", any.labelled());
        if (any.tags() > 0) {
            json.writeObjectFieldStart("testTagErrors");
            for (Map.Entry<Settings.Predict, Evaluation> each : tests.entrySet()) {
                json.writeNumberField(name(each.getKey()), each.getValue().wrongTags());
            }
            json.writeEndObject();
            json.writeNumberField("testTags", any.tags());
        }
        json.writeObjectFieldStart("testMetrics");
        for (Map.Entry<Settings.Predict, Evaluation> each : tests.entrySet()) {
            write(json, name(each.getKey()), each.getValue());
        }
        json.writeEndObject();
    }

    /** Metrics, see docs/metrics.md; none for a model without classes. */
    private static List<String> metrics(Evaluation evaluation) {
        List<String> lines = new ArrayList<>();
        ClassMetrics metrics = evaluation.metrics();
        if (metrics.isEmpty()) {
            return lines;
        }
        List<String> labels = metrics.labels();
        Columns<Integer> table = new Columns<Integer>()
                .add("label", "%-16s", k -> TerminalText.sanitize(labels.get(k)))
                .add("examples", " %10s", metrics::seen)
                .add("predicted", " %10s", metrics::predicted)
                .add("correct", " %10s", metrics::correct)
                .add("precision", " %10s", k -> number(metrics.precision(k)))
                .add("recall", " %10s", k -> number(metrics.recall(k)))
                .add("F1", " %10s", k -> number(metrics.f1(k)));
        lines.add(table.header());
        IntStream.range(0, labels.size()).mapToObj(table::row).forEach(lines::add);
        String of = metrics.hasOther() ? " (of the " + metrics.labels().size() + " classes above)" : "";
        lines.add("balanced accuracy " + number(metrics.balancedAccuracy()) + ", macro F1 " + number(metrics.macroF1())
                + of + ", kappa " + number(metrics.kappa())
                + (Double.isNaN(metrics.auc()) ? "" : ", AUC " + number(metrics.auc())));
        lines.add("baselines: majority so far " + errors(metrics.majorityErrors(), metrics.compared())
                + ", kappa against it " + number(metrics.kappaMajority()) + "; same as last label "
                + errors(metrics.sameErrors(), metrics.compared()) + ", kappa against it "
                + number(metrics.kappaSame()));
        lines.add("confusion matrix (rows: true label, columns: predicted label):");
        lines.addAll(ConfusionTable.lines(EventEncoder.confusion(evaluation.confusion(), metrics.labels())));
        return lines;
    }

    private static String errors(long errors, long examples) {
        return String.format(Locale.ROOT, "%,d errors (%.2f %%)", errors, 100.0 * errors / examples);
    }

    private static String number(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.4f", value) : "-";
    }

    /** Writes the metrics with the names of the API; null for a model without classes. */
    private static void write(JsonGenerator json, String name, Evaluation evaluation) throws IOException {
        ClassMetrics metrics = evaluation.metrics();
        Metrics event = EventEncoder.metrics(metrics);
        if (event == null) {
            json.writeNullField(name);
            return;
        }
        json.writeObjectFieldStart(name);
        json.writeArrayFieldStart("classes");
        for (int k = 0; k < metrics.labels().size(); k++) {
            json.writeStartObject();
            EventJson.writeFields(json, event.getClasses().get(k), UnaryOperator.identity());
            write(json, "precision", metrics.precision(k));
            write(json, "recall", metrics.recall(k));
            write(json, "f1", metrics.f1(k));
            json.writeEndObject();
        }
        json.writeEndArray();
        for (Schema.Field field : event.getSchema().getFields()) {
            if (!field.name().equals("classes")) {
                write(json, field.name(), event.get(field.pos()));
            }
        }
        write(json, "confusion", EventEncoder.confusion(evaluation.confusion(), metrics.labels()));
        json.writeEndObject();
    }

    private static void writeTheory(JsonGenerator json, TrainingRun facts) throws IOException {
        json.writeObjectFieldStart("theory");
        json.writeNumberField("updates", facts.updates());
        write(json, "radius", facts.radius());
        write(json, "weightNorm", facts.norm());
        write(json, "margin", facts.margin());
        MarginCertificate gamma = MarginCertificate.of(facts.margin(), facts.norm(), facts.steps());
        write(json, "gammaLowerBound", gamma.lower());
        write(json, "gammaUpperBound", gamma.upper());
        json.writeArrayFieldStart("theorems");
        for (BoundsReport.Line line : BoundsReport.of(facts)) {
            json.writeStartObject();
            json.writeStringField("name", line.name());
            write(json, "value", line.value());
            json.writeStringField("text", line.text());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes null for NaN and infinity, which JSON does not have. */
    private static void write(JsonGenerator json, String name, Object value) throws IOException {
        json.writeFieldName(name);
        EventJson.write(json, value);
    }

    /** Prints one line for each advice. */
    public void advice(List<Advice> advice) {
        for (Advice each : advice) {
            String setting =
                    each.settings() == null ? "" : " (--set " + each.settings().replace(" ", " --set ") + ")";
            out.println(
                    isJson
                            ? EventFormat.json(json -> {
                                json.writeStringField("advice", each.kind().name());
                                json.writeStringField("message", each.finding() + setting);
                            })
                            : "advice: " + TerminalText.sanitize(each.finding() + setting));
        }
    }

    /**
     * Prints whether the model is of use: on the test examples, or without them in the last pass.
     *
     * @param ofPass null if it is not known
     * @param tests null without test examples
     */
    public void verdict(Model model, Verdict ofPass, Map<Settings.Predict, Evaluation> tests) {
        Verdict verdict = tests == null
                ? ofPass
                : Verdict.of(EventEncoder.metrics(
                        tests.get(model.pipeline().settings().get(Settings.PREDICT))
                                .metrics()));
        if (verdict != null && !isJson) {
            out.println((tests == null ? "pass " + last.number() : "test") + ": "
                    + TerminalText.sanitize(verdict.toText()));
        }
    }

    /**
     * Names the file of the weights.
     *
     * @param pass of the weights; 0 for the last one
     */
    public void weights(String file, int pass) {
        if (!isJson) {
            out.println("weights" + (pass == 0 ? ": " : " of pass " + pass + ": ") + file
                    + " (perceptron weights import MODEL " + file + ")");
        }
    }

    private static String name(Settings.Predict predict) {
        return predict.name().toLowerCase(Locale.ROOT);
    }
}
