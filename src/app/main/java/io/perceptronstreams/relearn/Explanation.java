package io.perceptronstreams.relearn;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.log.ModelInput;
import io.perceptronstreams.log.ModelLog;
import io.perceptronstreams.log.Relearner;
import io.perceptronstreams.log.ReplayedEvents;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Why a model has predicted what it has: learns its log up to an example, and writes the evidence of the prediction by
 * the weights as of then.
 */
public final class Explanation implements AutoCloseable {
    private static final Pattern PLACE = Pattern.compile("(\\d{1,9})@(\\d{1,18})(?:#(\\d{1,4}))?");

    private final ModelInput input;
    private final long offset;
    // null for a record of one example
    private final Integer part;
    private final String id;
    private final String example;
    private final int parts;
    private final Relearner relearner;
    private final EventEncoder encoder = OwnEvents.encoder();
    private final EventReader<Prediction> predictions = OwnEvents.reader(Prediction.class);
    private final EventReader<Mistake> mistakes = OwnEvents.reader(Mistake.class);
    private Explained present;
    private Explained last;
    private String refused;
    private boolean several;

    /**
     * A prediction and why it was made.
     *
     * @param place of the example
     * @param label that it had when it was predicted; null for none
     * @param isUpdated true if the weights were changed by it
     * @param evidence a Mistake with the terms of the label or, without one, of the predicted label; null if the model
     *     had learned nothing, its learner has no terms, or a portfolio has voted
     * @param sent place of the same prediction in its topic; null if the topic does not have it
     * @param unsigned commands and chunks of weights up to it that were taken without a valid signature
     */
    public record Explained(
            String place,
            Prediction prediction,
            Label label,
            boolean isUpdated,
            Mistake evidence,
            String sent,
            Places unsigned) {

        /** Returns this one with the place of the prediction that was sent. */
        private Explained sentBy(ModelLog log, SchemaRegistry registry) {
            EventReader<Prediction> events = EventReader.of(Prediction.class, registry);
            try (ModelLog.Sent all = log.sent(Topic.PREDICTIONS)) {
                while (all.hasNext()) {
                    ConsumerRecord<byte[], byte[]> record = all.next();
                    List<Prediction> several = record.value() == null ? List.of() : events.readAll(record.value());
                    for (Prediction event : several) {
                        if (event.getEpoch() == prediction.getEpoch()
                                && event.getExamples() == prediction.getExamples()) {
                            return sentIn(record, event);
                        }
                    }
                }
            }
            return this;
        }

        private Explained sentIn(ConsumerRecord<byte[], byte[]> record, Prediction event) {
            String at = record.topic() + "-" + record.partition() + "@" + record.offset();
            String field = EventComparison.firstDifference(event, prediction);
            if (field == null) {
                return new Explained(place, prediction, label, isUpdated, evidence, at, unsigned);
            }
            throw new Difference(
                    "the event at " + at + " must be that of the record " + place + ", got another " + field,
                    EventJson.text(event),
                    EventJson.text(prediction));
        }
    }

    /**
     * Creates a run.
     *
     * @param example place of the example such as {@code 2@1234}, with {@code #3} if its record has several, or its id;
     *     of examples with equal ids the last one
     * @param parts maximum number of terms
     * @param changes what is left out
     * @throws CommandFailedException if the place is on another partition than the model, or before the start of the
     *     run
     */
    public Explanation(ModelInput input, SchemaRegistry registry, String example, int parts, Changes changes) {
        Matcher place = PLACE.matcher(example);
        this.input = input;
        this.example = example;
        this.parts = parts;
        if (place.matches()) {
            offset = Long.parseLong(place.group(2));
            part = place.group(3) == null ? null : Integer.valueOf(place.group(3));
            id = null;
            int right = input.at(offset).partition();
            if (Integer.parseInt(place.group(1)) != right) {
                throw CommandFailedException.wrongUsage("the example must be on partition " + right + ", where "
                        + input.model() + " is, got " + example);
            }
            if (input.start() != null && offset <= input.start().offset()) {
                throw CommandFailedException.wrongUsage("the example must come after "
                        + Versions.key(input.model(), input.start().name()) + " at offset "
                        + input.start().offset() + ", got " + example + " (perceptron versions list " + input.model()
                        + " lists earlier ones)");
            }
        } else {
            offset = -1;
            part = null;
            id = example;
        }
        relearner = new Relearner(input, registry, changes, new PredictionListener());
    }

    private final class PredictionListener extends ReplayedEvents {
        PredictionListener() {
            super(model -> 0);
        }

        @Override
        public void predicted(Model model, Example example, Outcome outcome, long updates) {
            super.predicted(model, example, outcome, updates);
            long examples = model.counts().totals().examples();
            Prediction prediction = predictions.read(
                    encoder.prediction(example, outcome, model.current().epoch(), updates, examples));
            present = new Explained(null, prediction, example.label(), outcome.isUpdated(), null, null, null);
        }
    }

    /** Learns the next record of the partition, and explains it, or those of its examples, if it is the example. */
    public void learn(ConsumerRecord<byte[], byte[]> record) {
        if (id == null && record.offset() != offset) {
            relearner.relearn(record);
            return;
        }
        Example example = relearner.example(record);
        if (example == null) {
            learnSeveral(record);
        } else if (id == null ? part != null : !example.id().toString().equals(id)) {
            relearner.relearn(record);
        } else {
            present = null;
            Mistake evidence = evidence(example);
            explain(input.place(record.offset()), example, evidence, relearner.relearn(record));
        }
    }

    /** Explains the example of several that is the example; nothing if the record has none. */
    private void learnSeveral(ConsumerRecord<byte[], byte[]> record) {
        relearner.relearn(record, new Relearner.PartListener() {
            private int current;
            private Example example;
            private Mistake evidence;

            @Override
            public void before(int number, Example each) {
                boolean isIt = id == null
                        ? Integer.valueOf(number).equals(part)
                        : each.id().toString().equals(id);
                several |= id == null && part == null;
                example = isIt ? each : null;
                if (isIt) {
                    current = number;
                    present = null;
                    evidence = evidence(each);
                }
            }

            @Override
            public void after() {
                if (example != null) {
                    String place = input.place(record.offset()) + "#" + current;
                    explain(place, example, evidence, relearner.refusedParts().get(current));
                }
            }
        });
        RejectedException unreadable =
                last == null && part != null ? relearner.refusedParts().get(part) : null;
        if (unreadable != null) {
            refused = input.place(record.offset()) + "#" + part + " was refused: " + unreadable.getMessage();
        }
    }

    /** Explains the example that was used last. */
    private void explain(String place, Example example, Mistake evidence, RejectedException why) {
        if (present == null) {
            refused = place + " was refused: " + (why == null ? "a reason outside the log" : why.getMessage());
            return;
        }
        if (evidence != null) {
            evidence.setMarginAfter(marginAfter(example));
        }
        last = new Explained(
                place,
                present.prediction,
                present.label,
                present.isUpdated,
                evidence,
                null,
                Places.of(input, relearner.unsigned()));
    }

    /** Scales the features of the example, and sets its label if it has none. */
    private Mistake evidence(Example example) {
        Model model = relearner.model();
        boolean isAlone = model != null && model.voters().isEmpty();
        if (!isAlone || model.state() == ModelState.DELETED) {
            return null;
        }
        try {
            Outcome outcome = model.current().explain(example, parts);
            return outcome.evidence().isEmpty() ? null : mistakes.read(encoder.mistake(example, outcome, model, null));
        } catch (RejectedException e) {
            // a first label of a class that the model does not know yet
            return null;
        }
    }

    /** Null if the example has changed no weight, or the model has begun a new epoch with it. */
    private Double marginAfter(Example example) {
        boolean isSameEpoch = relearner.model().current().epoch() == present.prediction.getEpoch();
        double margin =
                present.isUpdated && isSameEpoch ? relearner.model().current().margin(example) : Double.NaN;
        return Double.isFinite(margin) ? margin : null;
    }

    /**
     * The explained prediction.
     *
     * @throws CommandFailedException if there is none
     */
    public Explained explained() {
        if (last != null) {
            return last;
        }
        if (several) {
            throw CommandFailedException.wrongUsage(
                    "the record " + input.place(offset) + " has several examples, whose places are "
                            + input.at(offset).partition() + "@" + offset + "#0 and so on");
        }
        throw new CommandFailedException(
                refused != null
                        ? refused
                        : "the example must be a record of " + input.model() + ", got "
                                + (id == null
                                        ? "none at " + input.place(offset) + (part == null ? "" : "#" + part)
                                        : "none with the id '" + id + "'"
                                                + (input.start() == null
                                                        ? ""
                                                        : " after offset "
                                                                + input.start().offset())));
    }

    /**
     * Learns the log of a model up to an example, and compares the prediction with the one that was sent.
     *
     * @param example place or id
     * @param parts maximum number of terms
     * @param omitsUnsigned true if commands and weights without a valid signature are left out
     * @param tag name of the snapshot from which the run starts; null for the first record
     * @param notes receives a line where the log lacks its first records, before the run
     * @throws Difference if another prediction was sent
     * @throws CommandFailedException if there is no such model, or no such example, or its first records were deleted
     */
    public static Explained of(
            EngineConfig config,
            String model,
            String example,
            int parts,
            boolean omitsUnsigned,
            String tag,
            Consumer<String> notes) {
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                ModelLog log = ModelLog.open(config, model, notes)) {
            ModelStatus status = Verification.latestStatus(log, registry);
            long end = log.endAfter(status.getOffset());
            RunStart start = RunStart.of(config, log, status, end, tag, notes);
            Changes changes = omitsUnsigned ? Changes.WITHOUT_UNSIGNED : Changes.NONE;
            try (Explanation run = new Explanation(start.input(), registry, example, parts, changes)) {
                long to = run.id == null ? Math.min(end, run.offset + 1) : end;
                log.read(start.first(), to, block -> block.forEach(run::learn));
                return explained(run, log, registry, start);
            }
        }
    }

    private static Explained explained(Explanation run, ModelLog log, SchemaRegistry registry, RunStart start) {
        try {
            return run.explained().sentBy(log, registry);
        } catch (Difference e) {
            Difference difference =
                    e.taking(Places.of(log.input(), run.relearner.unsigned())).since(run.input.start());
            throw start.isCut()
                    ? difference.because(start.cut("explain " + log.input().model() + " " + run.example))
                    : difference;
        }
    }

    @Override
    public void close() {
        relearner.close();
    }
}
