package io.perceptronstreams.serde;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.AlertKind;
import io.perceptronstreams.event.ClassCount;
import io.perceptronstreams.event.Forecasts;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.learner.Decision;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.EpochCounts;
import io.perceptronstreams.model.Judgement;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.probability.ErrorEstimates;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ObjIntConsumer;
import org.apache.avro.generic.IndexedRecord;

/**
 * Encodes the events of the engine.
 *
 * <p>A Prediction and a Mistake, of which there may be one for each example, and a MistakeCount and a ModelStatus, of
 * which many models give one for every few, are written field by field in the order of their schemas; the first two
 * allocate one array of their size. All others are made as objects. Not thread-safe.
 */
public final class EventEncoder {
    /** Position of the record of the examples topic that caused an event. */
    public record Origin(int partition, long offset) {}

    /**
     * With headers, a longer event may be larger than a record. An event of long tags is not much shorter without
     * evidence.
     */
    private static final int MAX_EXPLAINED_BYTES = 900_000;

    /** A longer Prediction may be larger than a record as JSON, where names can take twice as many bytes. */
    private static final int MAX_FORECAST_BYTES = 300_000;

    private final EventIds ids;
    private final boolean isJson;
    private final AvroWriter out = new AvroWriter();
    private final StatusEncoder statuses = new StatusEncoder(out);
    private final EventWriter alerts;
    private final SnapshotEncoder snapshots;
    private final EvidenceNames featureNames = new EvidenceNames();

    private int avroBytes;

    /**
     * Creates an encoder.
     *
     * @param isJson true for JSON, false for Avro
     */
    public EventEncoder(EventIds ids, boolean isJson) {
        this.ids = ids;
        this.isJson = isJson;
        this.alerts = new EventWriter(EventSchemas.schema(Topic.ALERTS), ids.alert());
        this.snapshots = new SnapshotEncoder(ids.weightsSnapshot(), isJson);
    }

    /** Size of the last Prediction, Mistake, MistakeCount or ModelStatus as Avro, also of an encoder of JSON. */
    public int avroBytes() {
        return avroBytes;
    }

    /**
     * Encodes a Prediction; without the probabilities of other labels and the set of labels if it would be longer than
     * 300,000 bytes as Avro.
     *
     * @param epoch of the model
     * @param updates number of updates of the weights before this example
     * @param examples number of examples of the model, this one included
     */
    public byte[] prediction(Example example, Outcome outcome, long epoch, long updates, long examples) {
        byte[] event = prediction(example, outcome, epoch, updates, examples, true);
        boolean isTooLong =
                avroBytes > MAX_FORECAST_BYTES && (outcome.hasProbabilities() || outcome.labelSet() != null);
        return isTooLong ? prediction(example, outcome, epoch, updates, examples, false) : event;
    }

    private byte[] prediction(
            Example example, Outcome outcome, long epoch, long updates, long examples, boolean hasLabels) {
        out.start(ids.prediction()).writeString(example.id());
        if (outcome.isAbstained()) {
            out.writeLong(0);
        } else {
            out.writeLabel(outcome.predicted(), 1);
        }
        out.writeDouble(outcome.predictedScore());
        scores(outcome);
        if (example.label() == null) {
            out.writeLong(0);
        } else {
            out.writeLong(1).writeBoolean(!outcome.isError());
        }
        out.writeLong(updates).writeLong(examples);
        out.writeLabelText(outcome.predicted()).writeLong(epoch);
        forecast(outcome, hasLabels);
        decision(outcome);
        return bytes("Prediction");
    }

    /** @param hasLabels false to leave out the probabilities of other labels, and the set */
    private void forecast(Outcome outcome, boolean hasLabels) {
        if (!outcome.hasProbability()) {
            out.writeLong(0).writeLong(0).writeLong(0);
            return;
        }
        out.writeLong(1).writeDouble(outcome.probability());
        int count = hasLabels && outcome.hasProbabilities() ? outcome.scoreCount() : 0;
        out.writeLong(count == 0 ? 0 : 1);
        if (count > 0) {
            out.writeLong(count);
            for (int k = 0; k < count; k++) {
                out.writeText(outcome.scoredLabel(k)).writeDouble(outcome.probability(k));
            }
            out.writeLong(0);
        }
        List<Label> set = hasLabels ? outcome.labelSet() : null;
        out.writeLong(set == null ? 0 : 1);
        if (set != null) {
            if (!set.isEmpty()) {
                out.writeLong(set.size());
                for (int k = 0; k < set.size(); k++) {
                    out.writeText(set.get(k));
                }
            }
            out.writeLong(0);
        }
    }

    private void decision(Outcome outcome) {
        if (outcome.decision() == Decision.NONE) {
            out.writeLong(0);
        } else {
            int place = outcome.decision() == Decision.NEGATIVE ? 0 : 1;
            out.writeLong(1).writeText(outcome.choice(place));
        }
        out.writeBoolean(outcome.decision() == Decision.WITHHELD);
    }

    /**
     * Joins the predictions of a record with several examples to one event: a PredictionBatch or a JSON array.
     *
     * @param predictions events of {@link #prediction}, at least one
     */
    public byte[] predictionBatch(List<byte[]> predictions) {
        int header = isJson ? 0 : WireFormat.HEADER;
        out.start(ids.predictionBatch());
        if (isJson) {
            out.startText();
        } else {
            out.writeLong(predictions.size());
        }
        for (int k = 0; k < predictions.size(); k++) {
            if (isJson) {
                out.writeByte(k == 0 ? '[' : ',');
            }
            out.writeRest(predictions.get(k), header);
        }
        return out.writeByte(isJson ? ']' : 0).toBytes();
    }

    private void scores(Outcome outcome) {
        int count = outcome.scoreCount();
        if (count == 0) {
            out.writeLong(0);
            return;
        }
        out.writeLong(1).writeLong(count);
        for (int k = 0; k < count; k++) {
            out.writeText(outcome.scoredLabel(k)).writeDouble(outcome.score(k));
        }
        out.writeLong(0);
    }

    /**
     * Encodes a Mistake, with the counts of the model after it; without evidence if it would be longer than 900,000
     * bytes.
     *
     * @param lateness of the label, or null
     */
    public byte[] mistake(Example example, Outcome outcome, Model model, Lateness lateness) {
        byte[] event = mistake(example, outcome, outcome.evidence(), model, lateness);
        boolean isTooLong =
                event.length > MAX_EXPLAINED_BYTES && !outcome.evidence().isEmpty();
        return isTooLong ? mistake(example, outcome, Evidence.NONE, model, lateness) : event;
    }

    private byte[] mistake(Example example, Outcome outcome, Evidence evidence, Model model, Lateness lateness) {
        out.start(ids.mistake()).writeString(example.id());
        out.writeLong(kind(outcome)).writeLabel(example.label(), 0);
        if (outcome.isAbstained()) {
            out.writeLong(0);
        } else {
            out.writeLabel(outcome.predicted(), 1);
        }
        Counts totals = model.counts().totals();
        out.writeDouble(outcome.score()).writeDouble(outcome.margin());
        out.writeLong(totals.mistakes())
                .writeLong(totals.marginMistakes())
                .writeLong(model.current().version());
        out.writeLong(totals.labelled()).writeLong(totals.examples());
        out.writeDouble(model.pipeline().learner().weightNorm())
                .writeDouble(model.pipeline().learner().radius());
        out.writeLabelText(example.label()).writeLabelText(outcome.predicted());
        if (lateness == null) {
            out.writeLong(0).writeLong(0);
        } else {
            out.writeLong(1).writeLong(lateness.predictedUpdates());
            out.writeLong(1).writeLong(lateness.delayMs());
        }
        evidence(example, evidence, model);
        out.writeLong(1).writeLong(model.current().epoch());
        text(lateness == null ? null : lateness.source());
        replaced(lateness == null ? null : lateness.replaced(), outcome);
        return bytes("Mistake");
    }

    private static int kind(Outcome outcome) {
        return switch (outcome.kind()) {
            case MISTAKE -> 0;
            case MARGIN_MISTAKE -> 1;
            case CORRECT -> 2;
        };
    }

    private void replaced(Lateness.Replaced replaced, Outcome outcome) {
        if (replaced == null) {
            out.writeLong(0).writeLong(0).writeLong(0);
            return;
        }
        out.writeLong(1).writeLong(replaced.offset()).writeLabelText(replaced.label());
        out.writeLong(1).writeLong((outcome.isError() ? 1 : 0) - (replaced.wasError() ? 1 : 0));
    }

    private void evidence(Example example, Evidence evidence, Model model) {
        if (evidence.isEmpty()) {
            out.writeLong(0).writeLong(0).writeLong(0).writeLong(0);
            return;
        }
        String[] names = featureNames.of(example, evidence, model.pipeline().hasher());
        if (evidence.size() > 0) {
            out.writeLong(evidence.size());
        }
        for (int k = 0; k < evidence.size(); k++) {
            boolean isNamed = evidence.index(k) == Evidence.NO_FEATURE;
            text(isNamed ? evidence.tag(k) : names[k]);
            if (isNamed) {
                out.writeLong(0);
            } else {
                out.writeLong(1).writeLong(evidence.index(k));
            }
            text(isNamed ? null : evidence.tag(k));
            out.writeDouble(evidence.value(k)).writeDouble(evidence.weight(k));
            out.writeDouble(evidence.contribution(k)).writeDouble(evidence.share(k));
        }
        out.writeLong(0);
        out.writeLong(1).writeDouble(evidence.bias()).writeLong(1).writeDouble(evidence.rest());
        if (Double.isFinite(evidence.marginAfter())) {
            out.writeLong(1).writeDouble(evidence.marginAfter());
        } else {
            out.writeLong(0);
        }
    }

    private void text(String text) {
        if (text == null) {
            out.writeLong(0);
        } else {
            out.writeLong(1).writeString(text);
        }
    }

    /**
     * Encodes a MistakeCount.
     *
     * @param model of the window, after the record that closed it
     */
    public byte[] mistakeCount(CountingWindow.Closed window, Model model) {
        statuses.mistakeCount(ids.mistakeCount(), window, model);
        return bytes("MistakeCount");
    }

    /** Encodes a ModelStatus. */
    public byte[] modelStatus(Model model, StatusCause cause, Origin origin) {
        statuses.modelStatus(ids.modelStatus(), model, cause, origin.partition(), origin.offset());
        return bytes("ModelStatus");
    }

    /**
     * How good probabilities and sets of labels were since the counts began, as an event; null where none was compared
     * with a label.
     */
    public static Forecasts forecasts(EpochCounts counts) {
        return StatusEncoder.forecasts(counts.totals(), counts.reliability());
    }

    /** The metrics as an event; null without a labelled example. */
    public static Metrics metrics(ClassMetrics metrics) {
        if (metrics.isEmpty()) {
            return null;
        }
        List<ClassCount> classes = new ArrayList<>();
        for (int row = 0; row < metrics.labels().size(); row++) {
            classes.add(classCount(metrics.labels().get(row), metrics, row));
        }
        if (metrics.hasOther()) {
            classes.add(classCount(null, metrics, ClassMetrics.OTHER));
        }
        return Metrics.newBuilder()
                .setClasses(classes)
                .setBalancedAccuracy(finite(metrics.balancedAccuracy()))
                .setMacroF1(finite(metrics.macroF1()))
                .setKappa(finite(metrics.kappa()))
                .setCompared(metrics.compared())
                .setComparedErrors(metrics.comparedErrors())
                .setMajorityErrors(metrics.majorityErrors())
                .setSameErrors(metrics.sameErrors())
                .setKappaMajority(finite(metrics.kappaMajority()))
                .setKappaSame(finite(metrics.kappaSame()))
                .setAuc(finite(metrics.auc()))
                .build();
    }

    private static ClassCount classCount(String label, ClassMetrics metrics, int row) {
        return ClassCount.newBuilder()
                .setLabel(label)
                .setExamples(metrics.seen(row))
                .setPredicted(metrics.predicted(row))
                .setCorrect(metrics.correct(row))
                .build();
    }

    /** The matrix as an event; null if it is empty. */
    public static io.perceptronstreams.event.ConfusionMatrix confusion(ConfusionMatrix matrix, List<String> labels) {
        if (matrix.isEmpty()) {
            return null;
        }
        int side = matrix.size() + (matrix.hasOther() ? 1 : 0);
        List<Long> counts = new ArrayList<>(side * side);
        for (int row = 0; row < side; row++) {
            for (int column = 0; column < side; column++) {
                counts.add(matrix.count(row, column));
            }
        }
        return io.perceptronstreams.event.ConfusionMatrix.newBuilder()
                .setLabels(labels)
                .setCounts(counts)
                .setOtherErrors(matrix.otherErrors())
                .build();
    }

    /** Null for NaN and infinities. */
    private static Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    /** Encodes an Alert of kind QUARANTINED. */
    public byte[] quarantineAlert(Model model, String message, Origin origin) {
        return bytes(alerts, alert(model, AlertKind.QUARANTINED, message, origin));
    }

    /**
     * Encodes an Alert of kind ADVICE.
     *
     * @param name of the model, for the command
     */
    public byte[] adviceAlert(Model model, String name, Advice advice, Origin origin) {
        String command = advice.command(name);
        String message = advice.finding()
                + (command == null
                        ? ""
                        : " (" + command + "; whether it would have helped: " + advice.question(name) + ")");
        Alert alert = alert(model, AlertKind.ADVICE, message, origin);
        alert.setAdvice(advice.kind().name());
        alert.setCommand(command);
        return bytes(alerts, alert);
    }

    /**
     * Encodes an Alert of kind TRIAL.
     *
     * @param name of the model, for the command
     */
    public byte[] trialAlert(Model model, String name, Judgement judgement, Origin origin) {
        Alert alert = alert(model, AlertKind.TRIAL, judgement.message(), origin);
        alert.setCommand(judgement.command(name));
        return bytes(alerts, alert);
    }

    /**
     * Encodes an Alert of kind ESTIMATED_ERROR.
     *
     * @param name of the model, for the command
     */
    public byte[] estimateAlert(Model model, String name, ErrorEstimates.Outlier outlier, Origin origin) {
        Alert alert = alert(
                model,
                AlertKind.ESTIMATED_ERROR,
                String.format(
                        Locale.ROOT,
                        "the expected error of the last predictions whose labels are out is %.3f, that of those whose"
                                + " labels came was %.3f to %.3f: the inputs have changed, if the probabilities still hold"
                                + " (perceptron models show %s has the estimates and what became of them)",
                        outlier.estimate(),
                        outlier.least(),
                        outlier.most(),
                        name),
                origin);
        alert.setCommand("perceptron models show " + name);
        return bytes(alerts, alert);
    }

    /** Encodes an Alert of kind DRIFT. */
    public byte[] driftAlert(Model model, Alarm alarm, Origin origin) {
        String message = model.drift().message(alarm, model.state() == ModelState.FROZEN);
        Alert alert = alert(model, AlertKind.DRIFT, message, origin);
        alert.setDetector(alarm.detector());
        alert.setErrorRateBefore(alarm.rateBefore());
        alert.setErrorRateAfter(alarm.rateAfter());
        return bytes(alerts, alert);
    }

    /** Encodes an Alert of kind POSITION, which is about no model. */
    public byte[] positionAlert(String message, Origin origin) {
        return bytes(
                alerts,
                Alert.newBuilder()
                        .setKind(AlertKind.POSITION)
                        .setMessage(message)
                        .setPartition(origin.partition())
                        .setOffset(origin.offset())
                        .setUpdates(0)
                        .build());
    }

    private static Alert alert(Model model, AlertKind kind, String message, Origin origin) {
        return Alert.newBuilder()
                .setKind(kind)
                .setMessage(message)
                .setPartition(origin.partition())
                .setOffset(origin.offset())
                .setUpdates(model.current().version())
                .setEpoch(model.current().epoch())
                .setExamples(model.counts().totals().examples())
                .setLabelled(model.counts().totals().labelled())
                .setCountsSince(model.counts().since())
                .build();
    }

    /**
     * Encodes a WeightsSnapshot in one or more chunks. Cost: O(touched weights) in time; memory for one chunk.
     *
     * @param isNamed true for a snapshot with a name, which has what the model has emitted, too
     * @param sink receives each chunk, with its number from 0, before the next one is encoded
     * @return the number of chunks, as {@link #weightsChunks}
     */
    public int weightsSnapshot(Model model, Origin origin, boolean isNamed, ObjIntConsumer<byte[]> sink) {
        return snapshots.encode(model, origin, isNamed, sink);
    }

    /** Number of chunks of a WeightsSnapshot of the model. Cost: O(touched weights) in time, no memory. */
    public int weightsChunks(Model model) {
        return snapshots.count(model);
    }

    /** Encodes all chunks of a WeightsSnapshot into a list; for small models. */
    public List<byte[]> weightsSnapshot(Model model, Origin origin) {
        List<byte[]> chunks = new ArrayList<>();
        snapshots.encode(model, origin, false, (chunk, number) -> chunks.add(chunk));
        return chunks;
    }

    private byte[] bytes(EventWriter writer, IndexedRecord event) {
        return isJson ? EventJson.bytes(event) : writer.write(event);
    }

    private byte[] bytes(String event) {
        byte[] avro = out.toBytes();
        avroBytes = avro.length;
        return isJson ? EventJson.fromAvro(EventSchemas.schema(event), avro, WireFormat.HEADER) : avro;
    }
}
