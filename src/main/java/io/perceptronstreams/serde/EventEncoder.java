package io.perceptronstreams.serde;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.learner.ComparatorWeights;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.HasComparator;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.ClassCounts;
import io.perceptronstreams.model.ClassMetrics;
import io.perceptronstreams.model.ConfusionMatrix;
import io.perceptronstreams.model.CountingWindow;
import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.Counts.Counter;
import io.perceptronstreams.model.LateState;
import io.perceptronstreams.model.Lateness;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.theory.HingeBound;
import io.perceptronstreams.theory.MarginCertificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Encodes the events of the engine, field by field in the order of their schemas in {@code schemas/}.
 *
 * <p>The buffer is reused; each event allocates one array of its size. Not thread-safe.
 */
public final class EventEncoder {
    /** Position of the record of the examples topic that caused an event. */
    public record Origin(int partition, long offset) {}

    /** With headers, a longer event may be larger than a record: that of long tags is not much shorter without evidence. */
    private static final int MAX_EXPLAINED_BYTES = 900_000;

    private final EventIds ids;
    private final boolean isJson;
    private final AvroWriter out = new AvroWriter();
    private final SnapshotEncoder snapshots;
    private final EvidenceNames featureNames = new EvidenceNames();

    // Settings of the last status: most models have the same, and their map is most of a status.
    private Settings lastSettings;
    private byte[] lastEncoded;

    /**
     * Creates an encoder.
     *
     * @param isJson true for JSON, false for Avro
     */
    public EventEncoder(EventIds ids, boolean isJson) {
        this.ids = ids;
        this.isJson = isJson;
        this.snapshots = new SnapshotEncoder(ids.weightsSnapshot(), isJson);
    }

    /**
     * Encodes a Prediction.
     *
     * @param epoch of the model
     * @param updates number of updates before this example
     * @param examples number of examples, this one included
     */
    public byte[] prediction(Example example, Outcome outcome, long epoch, long updates, long examples) {
        out.start(ids.prediction()).writeString(example.id());
        if (outcome.predicted() == null) {
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
        return bytes("Prediction");
    }

    private void scores(Outcome outcome) {
        int count = outcome.scoreCount();
        if (count == 0) {
            out.writeLong(0);
            return;
        }
        out.writeLong(1).writeLong(count);
        for (int k = 0; k < count; k++) {
            out.writeString(outcome.scoredLabel(k).toString()).writeDouble(outcome.score(k));
        }
        out.writeLong(0);
    }

    /**
     * Encodes a Mistake, with the counts of the model after it; without evidence if it would be longer than 900,000 bytes.
     *
     * @param lateness of the label, or null
     */
    public byte[] mistake(Example example, Outcome outcome, Model model, Lateness lateness) {
        byte[] event = mistake(example, outcome, outcome.evidence(), model, lateness);
        boolean isTooLong =
                event.length > MAX_EXPLAINED_BYTES && !outcome.evidence().isEmpty();
        return isTooLong ? mistake(example, outcome, new Evidence(), model, lateness) : event;
    }

    private byte[] mistake(Example example, Outcome outcome, Evidence evidence, Model model, Lateness lateness) {
        out.start(ids.mistake()).writeString(example.id());
        out.writeLong(outcome.kind() == Outcome.Kind.MISTAKE ? 0 : 1).writeLabel(example.label(), 0);
        if (outcome.predicted() == null) {
            out.writeLong(0);
        } else {
            out.writeLabel(outcome.predicted(), 1);
        }
        Counts totals = model.totals();
        out.writeDouble(outcome.score()).writeDouble(outcome.margin());
        out.writeLong(totals.mistakes()).writeLong(totals.marginMistakes()).writeLong(totals.updates());
        out.writeLong(totals.labelled()).writeLong(totals.examples());
        out.writeDouble(model.learner().weightNorm())
                .writeDouble(model.learner().radius());
        out.writeLabelText(example.label()).writeLabelText(outcome.predicted());
        if (lateness == null) {
            out.writeLong(0).writeLong(0);
        } else {
            out.writeLong(1).writeLong(lateness.predictedUpdates());
            out.writeLong(1).writeLong(lateness.delayMs());
        }
        evidence(example, evidence, model);
        out.writeLong(1).writeLong(model.epoch());
        return bytes("Mistake");
    }

    private void evidence(Example example, Evidence evidence, Model model) {
        if (evidence.isEmpty()) {
            out.writeLong(0).writeLong(0).writeLong(0).writeLong(0);
            return;
        }
        String[] names = featureNames.of(example, evidence, model.hasher());
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
        optional(evidence.marginAfter());
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
        Counts counts = window.counts();
        Counts totals = window.totals();
        out.start(ids.mistakeCount()).writeLong(window.start()).writeLong(window.end());
        out.writeLong(counts.examples()).writeLong(counts.labelled()).writeLong(counts.errors());
        out.writeLong(counts.mistakes()).writeLong(counts.marginMistakes()).writeDouble(counts.hingeLoss());
        out.writeLong(totals.examples()).writeLong(totals.labelled()).writeLong(totals.errors());
        out.writeLong(totals.mistakes()).writeLong(totals.marginMistakes()).writeLong(totals.updates());
        out.writeDouble(totals.hingeLoss());
        lateLabels(model.late().pending(), counts);
        metrics(window.atEnd().metrics());
        metrics(window.atEnd().totalMetrics());
        Learner learner = window.atEnd().learner();
        out.writeLong(1).writeLong(window.atEnd().epoch());
        optional(learner.weightNorm());
        optional(learner.radius());
        optional(MarginCertificate.upper(learner.weightNorm(), learner.steps()));
        optional(updateBound(window, model));
        return bytes("MistakeCount");
    }

    /** Upper bound of the updates of the epoch; NaN without a comparator. */
    private static double updateBound(CountingWindow.Closed window, Model model) {
        Learner learner = window.atEnd().learner();
        ComparatorWeights comparator = learner instanceof HasComparator comparing ? comparing.pinned() : null;
        if (comparator == null) {
            return Double.NaN;
        }
        // the learner, and so its comparator, may have made one update after the end of the window
        boolean isPresent = window.atEnd().epoch() == model.epoch();
        long updates = isPresent ? model.version() : window.totals().updates();
        return updates - comparator.updates() + HingeBound.updates(comparator);
    }

    private void lateLabels(long pending, Counts counts) {
        out.writeLong(pending).writeLong(counts.of(Counter.UNLABELLED)).writeLong(counts.of(Counter.DEFAULTED));
        out.writeLong(counts.of(Counter.LATE)).writeLong(counts.of(Counter.DUPLICATES));
    }

    /** Encodes a ModelStatus. */
    public byte[] modelStatus(Model model, StatusCause cause, Origin origin) {
        Counts totals = model.totals();
        int state = EventSchemas.schema("ModelStatus")
                .getField("state")
                .schema()
                .getEnumOrdinal(model.state().name());
        out.start(ids.modelStatus()).writeLong(state).writeString(cause.name());
        out.writeLong(origin.partition()).writeLong(origin.offset()).writeLong(model.epoch());
        out.writeString(model.algorithm().toString());
        settings(model.settings());
        out.writeLong(model.version()).writeLong(totals.examples()).writeLong(totals.labelled());
        out.writeLong(totals.errors()).writeLong(totals.mistakes()).writeLong(totals.marginMistakes());
        out.writeDouble(totals.hingeLoss());
        out.writeDouble(model.learner().weightNorm())
                .writeDouble(model.learner().radius());
        out.writeLong(model.rerouted());
        optional(MarginCertificate.upper(
                model.learner().weightNorm(), model.learner().steps()));
        ComparatorWeights comparator = model.comparator();
        if (comparator == null) {
            out.writeLong(0);
        } else {
            out.writeLong(1).writeLong(comparator.examples()).writeLong(comparator.updates());
            out.writeDouble(Math.sqrt(comparator.squaredNorm())).writeDouble(comparator.hingeLoss());
            optional(HingeBound.updates(comparator));
        }
        confusion(model);
        LateState late = model.late().published();
        lateLabels(late.pending(), totals);
        time(late.streamTime());
        time(late.oldest());
        time(late.nextDue());
        if (!late.delays().isEmpty()) {
            out.writeLong(late.delays().size());
            late.delays().forEach(out::writeLong);
        }
        out.writeLong(0);
        metrics(model.counts().metrics(model.settings()));
        return bytes("ModelStatus");
    }

    private void metrics(ClassMetrics metrics) {
        if (metrics.isEmpty()) {
            out.writeLong(0);
            return;
        }
        ClassCounts classes = metrics.classes();
        boolean hasOther = metrics.hasOther();
        out.writeLong(1).writeLong(metrics.labels().size() + (hasOther ? 1 : 0));
        for (int row = 0; row < metrics.labels().size(); row++) {
            out.writeLong(1).writeString(metrics.labels().get(row));
            classCount(classes, row + 1);
        }
        if (hasOther) {
            out.writeLong(0);
            classCount(classes, 0);
        }
        if (hasOther || !metrics.labels().isEmpty()) {
            out.writeLong(0);
        }
        optional(metrics.balancedAccuracy());
        optional(metrics.macroF1());
        optional(metrics.kappa());
        out.writeLong(metrics.compared()).writeLong(metrics.comparedErrors());
        out.writeLong(metrics.majorityErrors()).writeLong(metrics.sameErrors());
        optional(metrics.kappaMajority());
        optional(metrics.kappaSame());
        optional(metrics.auc());
    }

    private void classCount(ClassCounts classes, int place) {
        out.writeLong(classes.seen(place)).writeLong(classes.predicted(place)).writeLong(classes.correct(place));
    }

    private void settings(Settings settings) {
        if (settings.equals(lastSettings)) {
            out.writeEncoded(lastEncoded);
            return;
        }
        int from = out.size();
        out.writeMap(settings.toMap());
        lastEncoded = out.toBytes(from);
        lastSettings = settings;
    }

    private void confusion(Model model) {
        ConfusionMatrix matrix = model.confusion();
        if (matrix.isEmpty()) {
            out.writeLong(0);
            return;
        }
        int side = matrix.size() + (matrix.hasOther() ? 1 : 0);
        out.writeLong(1).writeArray(matrix.labels(model.settings()));
        out.writeLong((long) side * side);
        for (int row = 0; row < side; row++) {
            for (int column = 0; column < side; column++) {
                out.writeLong(matrix.count(row, column));
            }
        }
        out.writeLong(0).writeLong(matrix.otherErrors());
    }

    private void time(long time) {
        if (time == LateState.NO_TIME) {
            out.writeLong(0);
        } else {
            out.writeLong(1).writeLong(time);
        }
    }

    /** Writes a union of null and double: null for NaN and infinities. */
    private void optional(double value) {
        if (Double.isFinite(value)) {
            out.writeLong(1).writeDouble(value);
        } else {
            out.writeLong(0);
        }
    }

    /** Encodes an Alert of kind QUARANTINED. */
    public byte[] quarantineAlert(Model model, String message, Origin origin) {
        out.start(ids.alert()).writeLong(1).writeString(message);
        out.writeLong(origin.partition()).writeLong(origin.offset()).writeLong(model.version());
        out.writeLong(0).writeLong(0).writeLong(0);
        out.writeLong(0).writeLong(0);
        place(model);
        return bytes("Alert");
    }

    /**
     * Encodes an Alert of kind ADVICE.
     *
     * @param name of the model, for the command
     */
    public byte[] adviceAlert(Model model, String name, Advice advice, Origin origin) {
        String command = advice.command(name);
        out.start(ids.alert()).writeLong(3);
        out.writeString(advice.finding() + (command == null ? "" : " (" + command + ")"));
        out.writeLong(origin.partition()).writeLong(origin.offset()).writeLong(model.version());
        out.writeLong(0).writeLong(0).writeLong(0);
        out.writeLong(1).writeString(advice.kind().name());
        if (command == null) {
            out.writeLong(0);
        } else {
            out.writeLong(1).writeString(command);
        }
        place(model);
        return bytes("Alert");
    }

    /** Encodes an Alert of kind DRIFT; {@link io.perceptronstreams.model.DriftMonitor#alarm} must not be null. */
    public byte[] driftAlert(Model model, Origin origin) {
        Alarm alarm = model.drift().alarm();
        out.start(ids.alert())
                .writeLong(2)
                .writeString(String.format(
                        Locale.ROOT,
                        "the error rate has risen from %.3f to %.3f; %s",
                        alarm.rateBefore(),
                        alarm.rateAfter(),
                        consequence(model)));
        out.writeLong(origin.partition()).writeLong(origin.offset()).writeLong(model.version());
        out.writeLong(1).writeString(alarm.detector());
        out.writeLong(1).writeDouble(alarm.rateBefore()).writeLong(1).writeDouble(alarm.rateAfter());
        out.writeLong(0).writeLong(0);
        place(model);
        return bytes("Alert");
    }

    /** Writes where the model is in its epoch. */
    private void place(Model model) {
        out.writeLong(1).writeLong(model.epoch());
        out.writeLong(1).writeLong(model.totals().examples());
        out.writeLong(1).writeLong(model.totals().labelled());
    }

    private static String consequence(Model model) {
        if (model.state() == ModelState.FROZEN) {
            return "the model is frozen and does not change (thaw it to let it learn)";
        }
        return switch (model.settings().drift().action()) {
            case NONE -> "the model continues to learn (look at its latest mistakes, or set drift.action)";
            case RESET -> "the model is reset";
            case SHADOW -> "a shadow model starts to learn, and takes over if it makes fewer errors";
        };
    }

    /**
     * Encodes a WeightsSnapshot in one or more chunks. Cost: O(touched weights) in time; memory for one chunk.
     *
     * @param sink receives each chunk before the next one is encoded
     * @return the number of chunks, as {@link #weightsChunks}
     */
    public int weightsSnapshot(Model model, Origin origin, Consumer<byte[]> sink) {
        return snapshots.encode(model, origin, sink);
    }

    /** Number of chunks of a WeightsSnapshot of the model. Cost: O(touched weights) in time, no memory. */
    public int weightsChunks(Model model) {
        return snapshots.count(model);
    }

    /** Encodes all chunks of a WeightsSnapshot into a list; for small models. */
    public List<byte[]> weightsSnapshot(Model model, Origin origin) {
        List<byte[]> chunks = new ArrayList<>();
        snapshots.encode(model, origin, chunks::add);
        return chunks;
    }

    private byte[] bytes(String event) {
        byte[] avro = out.toBytes();
        return isJson ? EventJson.fromAvro(EventSchemas.schema(event), avro, WireFormat.HEADER) : avro;
    }
}
