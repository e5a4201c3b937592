package io.perceptronstreams.serde;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.learner.ComparatorWeights;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.CountingWindow;
import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.theory.HingeBound;
import io.perceptronstreams.theory.MarginCertificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Writes the events that the engine sends, field by field in the order of their schemas in {@code schemas/}.
 *
 * <p>One reused buffer; each event costs one array of its size. Not thread-safe.
 */
public final class EventEncoder {
    /** Where an event comes from: a record of the examples topic. */
    public record Origin(int partition, long offset) {}

    private final EventIds ids;
    private final boolean isJson;
    private final AvroWriter out = new AvroWriter();
    private final SnapshotEncoder snapshots;

    /**
     * An encoder.
     *
     * @param isJson whether the bytes are JSON instead of Avro
     */
    public EventEncoder(EventIds ids, boolean isJson) {
        this.ids = ids;
        this.isJson = isJson;
        this.snapshots = new SnapshotEncoder(ids.weightsSnapshot(), isJson);
    }

    /**
     * A Prediction.
     *
     * @param version how many updates the model had made before this example
     * @param seen how many examples it has seen, this one included
     */
    public byte[] prediction(Example example, Outcome outcome, long version, long seen) {
        out.start(ids.prediction()).text(example.id());
        if (outcome.predicted() == null) {
            out.number(0);
        } else {
            out.label(outcome.predicted(), 1);
        }
        out.number(outcome.predictedScore());
        scores(outcome);
        if (example.label() == null) {
            out.number(0);
        } else {
            out.number(1).flag(!outcome.isError());
        }
        out.number(version).number(seen);
        return bytes("Prediction");
    }

    private void scores(Outcome outcome) {
        int count = outcome.scoreCount();
        if (count == 0) {
            out.number(0);
            return;
        }
        out.number(1).number(count);
        for (int k = 0; k < count; k++) {
            out.text(outcome.scoredLabel(k).toString()).number(outcome.score(k));
        }
        out.number(0);
    }

    /** A Mistake, with the model's counts after it. */
    public byte[] mistake(Example example, Outcome outcome, Model model) {
        out.start(ids.mistake()).text(example.id());
        out.number(outcome.kind() == Outcome.Kind.MISTAKE ? 0 : 1).label(example.label(), 0);
        if (outcome.predicted() == null) {
            out.number(0);
        } else {
            out.label(outcome.predicted(), 1);
        }
        Counts totals = model.totals();
        out.number(outcome.score()).number(outcome.margin());
        out.number(totals.mistakes()).number(totals.marginMistakes()).number(totals.updates());
        out.number(totals.labelled()).number(totals.examples());
        out.number(model.learner().weightNorm()).number(model.learner().radius());
        return bytes("Mistake");
    }

    /** A MistakeCount. */
    public byte[] mistakeCount(CountingWindow.Closed window) {
        Counts counts = window.counts();
        Counts totals = window.totals();
        out.start(ids.mistakeCount()).number(window.start()).number(window.end());
        out.number(counts.examples()).number(counts.labelled()).number(counts.errors());
        out.number(counts.mistakes()).number(counts.marginMistakes()).number(counts.hingeLoss());
        out.number(totals.examples()).number(totals.labelled()).number(totals.errors());
        out.number(totals.mistakes()).number(totals.marginMistakes()).number(totals.updates());
        out.number(totals.hingeLoss());
        return bytes("MistakeCount");
    }

    /** A ModelStatus. */
    public byte[] modelStatus(Model model, StatusCause cause, Origin origin) {
        Counts totals = model.totals();
        int state = EventSchemas.schema("ModelStatus")
                .getField("state")
                .schema()
                .getEnumOrdinal(model.state().name());
        out.start(ids.modelStatus()).number(state).text(cause.name());
        out.number(origin.partition()).number(origin.offset()).number(model.epoch());
        out.text(model.algorithm().toString()).texts(model.settings().toMap());
        out.number(model.version()).number(totals.examples()).number(totals.labelled());
        out.number(totals.errors()).number(totals.mistakes()).number(totals.marginMistakes());
        out.number(totals.hingeLoss());
        out.number(model.learner().weightNorm()).number(model.learner().radius());
        out.number(model.rerouted());
        optional(MarginCertificate.upper(
                model.learner().weightNorm(), model.learner().steps()));
        ComparatorWeights comparator = model.comparator();
        if (comparator == null) {
            out.number(0);
        } else {
            out.number(1).number(comparator.examples()).number(comparator.updates());
            out.number(Math.sqrt(comparator.squaredNorm())).number(comparator.hingeLoss());
            optional(HingeBound.updates(comparator));
        }
        return bytes("ModelStatus");
    }

    /** A union of null and double, null where there is no finite number. */
    private void optional(double value) {
        if (Double.isFinite(value)) {
            out.number(1).number(value);
        } else {
            out.number(0);
        }
    }

    /** An Alert of kind QUARANTINED. */
    public byte[] quarantineAlert(Model model, String message, Origin origin) {
        out.start(ids.alert()).number(1).text(message);
        out.number(origin.partition()).number(origin.offset()).number(model.version());
        out.number(0).number(0).number(0);
        return bytes("Alert");
    }

    /** An Alert of kind DRIFT, of a model whose {@link Model#alarm} is not null. */
    public byte[] driftAlert(Model model, Origin origin) {
        Alarm alarm = model.alarm();
        out.start(ids.alert())
                .number(2)
                .text(String.format(
                        Locale.ROOT,
                        "the error rate has risen from %.3f to %.3f; %s",
                        alarm.rateBefore(),
                        alarm.rateAfter(),
                        consequence(model)));
        out.number(origin.partition()).number(origin.offset()).number(model.version());
        out.number(1).text(alarm.detector());
        out.number(1).number(alarm.rateBefore()).number(1).number(alarm.rateAfter());
        return bytes("Alert");
    }

    private static String consequence(Model model) {
        if (model.state() == Model.State.FROZEN) {
            return "the model is frozen and stays as it is (thaw it to let it learn)";
        }
        return switch (model.settings().drift().action()) {
            case NONE -> "the model goes on (look at its latest mistakes, or set drift.action)";
            case RESET -> "the model is reset and learns anew";
            case SHADOW -> "a second learner is on trial, which takes over if it errs less";
        };
    }

    /**
     * A WeightsSnapshot, chunk by chunk. Cost: O(touched weights) in time, memory for one chunk.
     *
     * @param sink takes each chunk before the next one is made, at least one in all
     * @return the number of chunks, {@link #weightsChunks}
     */
    public int weightsSnapshot(Model model, Origin origin, Consumer<byte[]> sink) {
        return snapshots.encode(model, origin, sink);
    }

    /** The number of chunks of a WeightsSnapshot of a model as it is now. Cost: O(touched weights) in time, no memory. */
    public int weightsChunks(Model model) {
        return snapshots.count(model);
    }

    /** All chunks of a WeightsSnapshot at once, for models that are known to be small. */
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
