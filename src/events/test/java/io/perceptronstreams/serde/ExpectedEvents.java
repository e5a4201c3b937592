package io.perceptronstreams.serde;

import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.evaluation.Reliability;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.labels.Corrections;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.learner.ComparatorWeights;
import io.perceptronstreams.learner.Decision;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.probability.Decisions;
import io.perceptronstreams.serde.EventEncoder.Origin;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.Threshold;
import io.perceptronstreams.theory.HingeBound;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** The events of a model and an example as Avro's generic records. */
final class ExpectedEvents {
    private final Model model;
    private final Example example;

    ExpectedEvents(Model model, Example example) {
        this.model = model;
        this.example = example;
    }

    private static GenericRecord event(String name, Object... values) {
        return record(EventSchemas.schema(name), values);
    }

    private static GenericRecord record(Schema schema, Object... values) {
        GenericRecord record = new GenericData.Record(schema);
        for (int k = 0; k < values.length; k++) {
            record.put(k, values[k]);
        }
        return record;
    }

    private static GenericData.EnumSymbol symbol(String event, String field, String symbol) {
        return new GenericData.EnumSymbol(
                EventSchemas.schema(event).getField(field).schema(), symbol);
    }

    private static Object value(Label label) {
        return label instanceof Label.Int number ? (Object) number.value() : label == null ? null : label.toString();
    }

    private static String text(Label label) {
        return label == null ? null : label.toString();
    }

    GenericRecord prediction(Outcome outcome, long epoch, long updates) {
        return event(
                "Prediction",
                example.id().toString(),
                value(outcome.predicted()),
                outcome.predictedScore(),
                scores(outcome),
                example.label() == null ? null : !outcome.isError(),
                updates,
                -updates,
                text(outcome.predicted()),
                epoch,
                outcome.hasProbability() ? outcome.millionths() / 1e6 : null,
                probabilities(outcome),
                outcome.labelSet() == null
                        ? null
                        : outcome.labelSet().stream().map(Label::toString).toList(),
                decision(outcome),
                outcome.decision() == Decision.WITHHELD);
    }

    private static Map<String, Double> probabilities(Outcome outcome) {
        if (!outcome.hasProbabilities()) {
            return null;
        }
        Map<String, Double> probabilities = new LinkedHashMap<>();
        for (int k = 0; k < outcome.scoreCount(); k++) {
            probabilities.put(outcome.scoredLabel(k).toString(), outcome.probability(k));
        }
        return probabilities;
    }

    private String decision(Outcome outcome) {
        boolean isAlert = outcome.decision() == Decision.POSITIVE || outcome.decision() == Decision.WITHHELD;
        List<String> labels = ConfusionMatrix.twoLabels(model.pipeline().settings());
        return outcome.decision() == Decision.NONE ? null : labels.get(isAlert ? 1 : 0);
    }

    private GenericRecord decisions() {
        Decisions made = model.decisions();
        if (made.labelled() == 0 && made.withheld() == 0) {
            return null;
        }
        Threshold costs = model.pipeline().settings().get(Settings.THRESHOLD);
        return record(
                EventSchemas.schema("ModelStatus")
                        .getField("decisions")
                        .schema()
                        .getTypes()
                        .get(1),
                made.labelled(),
                made.falseAlarms(),
                made.misses(),
                made.withheld(),
                made.cost(costs),
                made.costOfAlways(costs),
                made.costOfNever(costs),
                made.bestFixed(costs).probability(),
                made.bestFixed(costs).cost());
    }

    private static GenericRecord forecasts(String event, Counts counts, List<Reliability.Range> ranges) {
        long labelled = counts.of(Counter.PROBABILITIES);
        if (labelled == 0) {
            return null;
        }
        Schema schema = EventSchemas.schema(event)
                .getField("forecasts")
                .schema()
                .getTypes()
                .get(1);
        Schema range = schema.getField("ranges").schema().getElementType();
        return record(
                schema,
                labelled,
                counts.of(Counter.SQUARED_MILLIONTHS) / (double) labelled / 1e6,
                counts.of(Counter.LOG_LOSS_MILLIONTHS) / (double) labelled / 1e6,
                finite(Reliability.expectedError(ranges)),
                ranges.stream()
                        .map(each -> record(range, each.examples(), each.probability(), each.rate()))
                        .toList(),
                counts.of(Counter.SETS),
                counts.of(Counter.COVERED),
                counts.of(Counter.SET_LABELS),
                counts.of(Counter.UNSURE));
    }

    private static Map<String, Double> scores(Outcome outcome) {
        Map<String, Double> scores = new LinkedHashMap<>();
        for (int k = 0; k < outcome.scoreCount(); k++) {
            scores.put(outcome.scoredLabel(k).toString(), outcome.score(k));
        }
        return scores.isEmpty() ? null : scores;
    }

    GenericRecord mistake(Outcome outcome, Lateness lateness) {
        Counts totals = model.counts().totals();
        Lateness.Replaced replaced = lateness == null ? null : lateness.replaced();
        return event(
                "Mistake",
                example.id().toString(),
                symbol("Mistake", "kind", outcome.kind().name()),
                value(example.label()),
                value(outcome.predicted()),
                outcome.score(),
                outcome.margin(),
                totals.mistakes(),
                totals.marginMistakes(),
                totals.updates(),
                totals.labelled(),
                totals.examples(),
                model.pipeline().learner().weightNorm(),
                model.pipeline().learner().radius(),
                text(example.label()),
                text(outcome.predicted()),
                lateness == null ? null : lateness.predictedUpdates(),
                lateness == null ? null : lateness.delayMs(),
                evidence(outcome.evidence()),
                outcome.evidence().isEmpty() ? null : outcome.evidence().bias(),
                outcome.evidence().isEmpty() ? null : outcome.evidence().rest(),
                finite(outcome.evidence().marginAfter()),
                model.current().epoch(),
                lateness == null ? null : lateness.source(),
                replaced == null ? null : replaced.offset(),
                replaced == null ? null : text(replaced.label()),
                replaced == null ? null : (outcome.isError() ? 1 : 0) - (replaced.wasError() ? 1 : 0));
    }

    private GenericRecord corrections() {
        Corrections made = model.corrections();
        long correctable = model.late().state().settled();
        if (made.corrections() + made.leftEarly() + made.agreements().size() + correctable == 0) {
            return null;
        }
        Schema schema = EventSchemas.schema("ModelStatus")
                .getField("corrections")
                .schema()
                .getTypes()
                .get(1);
        Schema pair = schema.getField("sources").schema().getElementType();
        return record(
                schema,
                made.corrections(),
                made.outstanding(),
                correctable,
                made.leftEarly(),
                made.agreements().stream()
                        .map(each -> record(pair, each.truth(), each.other(), each.agreed(), each.disagreed()))
                        .toList());
    }

    GenericRecord mistakeCount(CountingWindow.Closed window) {
        GenericRecord event = event("MistakeCount");
        counters(event, "", window.counts());
        counters(event, "total", window.totals());
        event.put("windowStart", window.start());
        event.put("windowEnd", window.end());
        event.put("hingeLoss", window.counts().hingeLoss());
        event.put("totalHingeLoss", window.totals().hingeLoss());
        event.put("pending", model.late().pending());
        event.put("metrics", metrics("MistakeCount", window.atEnd().metrics()));
        event.put("totalMetrics", metrics("MistakeCount", window.atEnd().totalMetrics()));
        event.put("epoch", model.current().epoch());
        event.put("weightNorm", model.pipeline().learner().weightNorm());
        event.put("radius", model.pipeline().learner().radius());
        event.put("gammaUpperBound", gammaUpperBound());
        event.put("updateBound", updateBound());
        event.put("countsSince", model.counts().since());
        event.put("forecasts", forecasts("MistakeCount", window.counts(), List.of()));
        event.put(
                "totalForecasts",
                forecasts("MistakeCount", window.totals(), window.atEnd().reliability()));
        return event;
    }

    GenericRecord modelStatus(String cause, Origin origin) {
        GenericRecord event = event("ModelStatus");
        counters(event, "", model.counts().totals());
        event.put("state", symbol("ModelStatus", "state", model.state().name()));
        event.put("cause", cause);
        event.put("partition", origin.partition());
        event.put("offset", origin.offset());
        event.put("epoch", model.current().epoch());
        event.put("algorithm", model.pipeline().algorithm().toString());
        event.put("settings", model.pipeline().shown());
        event.put("hingeLoss", model.counts().totals().hingeLoss());
        event.put("weightNorm", model.pipeline().learner().weightNorm());
        event.put("radius", model.pipeline().learner().radius());
        event.put("rerouted", model.publications().rerouted());
        event.put("gammaUpperBound", gammaUpperBound());
        event.put("comparator", comparator());
        event.put("confusion", confusion());
        event.put("pending", model.late().pending());
        event.put("pendingLabels", model.late().waitingLabels());
        event.put("streamTime", time(model.late().state().streamTime()));
        event.put("oldestPending", time(model.late().state().oldest()));
        event.put("nextDue", time(model.late().state().nextDue()));
        event.put("labelDelays", model.late().state().delays());
        event.put("challengers", List.of());
        event.put("versions", versions());
        event.put("lastExample", time(model.publications().lastExample()));
        event.put("metrics", metrics("ModelStatus", model.counts().metrics()));
        event.put("countsSince", model.counts().since());
        event.put(
                "forecasts",
                forecasts("ModelStatus", model.counts().totals(), model.counts().reliability()));
        event.put("decisions", decisions());
        event.put("corrections", corrections());
        return event;
    }

    /** An alert without the fields of one kind. */
    GenericRecord alert(String kind, String message, Origin origin) {
        GenericRecord event = event("Alert");
        event.put("kind", symbol("Alert", "kind", kind));
        event.put("message", message);
        event.put("partition", origin.partition());
        event.put("offset", origin.offset());
        event.put("updates", model.current().version());
        event.put("epoch", model.current().epoch());
        event.put("examples", model.counts().totals().examples());
        event.put("labelled", model.counts().totals().labelled());
        event.put("countsSince", model.counts().since());
        return event;
    }

    /** Puts each counter into the field of its name behind a prefix, if there is one. */
    private static void counters(GenericRecord event, String prefix, Counts counts) {
        for (Counter counter : Counter.values()) {
            String name = prefix + counter.name().replace("_", "");
            event.getSchema().getFields().stream()
                    .filter(field -> field.name().equalsIgnoreCase(name))
                    .forEach(field -> event.put(field.pos(), counts.of(counter)));
        }
    }

    private Double gammaUpperBound() {
        // NaN where the first class of all was found
        return model.pipeline().learner().steps() > 0
                ? model.pipeline().learner().weightNorm()
                        / model.pipeline().learner().steps()
                : null;
    }

    private Double updateBound() {
        ComparatorWeights comparator = model.pipeline().comparator();
        return comparator == null
                ? null
                : finite(model.current().version() - comparator.updates() + HingeBound.updates(comparator));
    }

    /** The examples have no names. */
    private static List<GenericRecord> evidence(Evidence evidence) {
        Schema part =
                EventSchemas.schema("Mistake").getField("evidence").schema().getElementType();
        List<GenericRecord> parts = new ArrayList<>();
        for (int k = 0; k < evidence.size(); k++) {
            parts.add(record(
                    part,
                    null,
                    evidence.index(k),
                    null,
                    evidence.value(k),
                    evidence.weight(k),
                    evidence.contribution(k),
                    evidence.share(k)));
        }
        return parts;
    }

    private static GenericRecord metrics(String event, ClassMetrics metrics) {
        if (metrics.isEmpty()) {
            return null;
        }
        Schema schema = EventSchemas.schema(event)
                .getField("metrics")
                .schema()
                .getTypes()
                .get(1);
        Schema row = schema.getField("classes").schema().getElementType();
        List<GenericRecord> classes = new ArrayList<>();
        for (int k = 0; k < metrics.labels().size(); k++) {
            classes.add(
                    record(row, metrics.labels().get(k), metrics.seen(k), metrics.predicted(k), metrics.correct(k)));
        }
        if (metrics.hasOther()) {
            int other = ClassMetrics.OTHER;
            classes.add(record(row, null, metrics.seen(other), metrics.predicted(other), metrics.correct(other)));
        }
        return record(
                schema,
                classes,
                finite(metrics.balancedAccuracy()),
                finite(metrics.macroF1()),
                finite(metrics.kappa()),
                metrics.compared(),
                metrics.comparedErrors(),
                metrics.majorityErrors(),
                metrics.sameErrors(),
                finite(metrics.kappaMajority()),
                finite(metrics.kappaSame()),
                finite(metrics.auc()));
    }

    private static Double finite(double number) {
        return Double.isFinite(number) ? number : null;
    }

    private static Long time(long time) {
        return time < 0 ? null : time;
    }

    private List<GenericRecord> versions() {
        Schema version =
                EventSchemas.schema("ModelStatus").getField("versions").schema().getElementType();
        return model.publications().versions().all().stream()
                .map(each -> record(version, each.name(), each.epoch(), each.updates(), each.offset()))
                .toList();
    }

    private GenericRecord confusion() {
        ConfusionMatrix matrix = model.counts().confusion();
        if (matrix.isEmpty()) {
            return null;
        }
        Schema union = EventSchemas.schema("ModelStatus").getField("confusion").schema();
        int side = matrix.size() + (matrix.hasOther() ? 1 : 0);
        List<Long> counts = new ArrayList<>();
        for (int k = 0; k < side * side; k++) {
            counts.add(matrix.count(k / side, k % side));
        }
        return record(
                union.getTypes().get(1), matrix.labels(model.pipeline().settings()), counts, matrix.otherErrors());
    }

    private GenericRecord comparator() {
        ComparatorWeights u = model.pipeline().comparator();
        if (u == null) {
            return null;
        }
        Schema union = EventSchemas.schema("ModelStatus").getField("comparator").schema();
        double bound = HingeBound.updates(u);
        return record(
                union.getTypes().get(1),
                u.examples(),
                u.updates(),
                Math.sqrt(u.squaredNorm()),
                u.hingeLoss(),
                Double.isFinite(bound) ? bound : null);
    }
}
