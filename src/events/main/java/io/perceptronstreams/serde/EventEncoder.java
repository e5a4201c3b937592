package io.perceptronstreams.serde;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.drift.RoundSides;
import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.evaluation.Reliability;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.AlertKind;
import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.ClassCount;
import io.perceptronstreams.event.Comparator;
import io.perceptronstreams.event.Decisions;
import io.perceptronstreams.event.Forecasts;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.ModelVersion;
import io.perceptronstreams.event.ReliabilityRange;
import io.perceptronstreams.event.TrialVerdict;
import io.perceptronstreams.event.WeightsCounts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.labels.LateState;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.learner.ComparatorWeights;
import io.perceptronstreams.learner.Decision;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.HasComparator;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.Judgement;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.Threshold;
import io.perceptronstreams.settings.TrialSettings.Promotion;
import io.perceptronstreams.theory.HingeBound;
import io.perceptronstreams.theory.MarginCertificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ObjIntConsumer;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;

/**
 * Encodes the events of the engine.
 *
 * <p>A Prediction and a Mistake, of which there may be one for each example, are written field by field in the order of
 * their schemas, and allocate one array of their size. All others are made as objects. Not thread-safe.
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

    private static final List<CounterField> STATUS_COUNTERS = CounterField.of(ModelStatus.getClassSchema(), "");
    private static final List<CounterField> WINDOW_COUNTERS = CounterField.of(MistakeCount.getClassSchema(), "");
    private static final List<CounterField> TOTAL_COUNTERS = CounterField.of(MistakeCount.getClassSchema(), "total");

    private final EventIds ids;
    private final boolean isJson;
    private final AvroWriter out = new AvroWriter();
    private final EventWriter mistakeCounts;
    private final EventWriter modelStatuses;
    private final EventWriter alerts;
    private final SnapshotEncoder snapshots;
    private final EvidenceNames featureNames = new EvidenceNames();

    // Settings of the last status with each: most models have the same but for what their first label has decided.
    private final Map<NegativeLabel, Shown> lastShown = new EnumMap<>(NegativeLabel.class);

    private int avroBytes;

    private record Shown(Settings settings, Map<String, String> texts) {}

    /**
     * Creates an encoder.
     *
     * @param isJson true for JSON, false for Avro
     */
    public EventEncoder(EventIds ids, boolean isJson) {
        this.ids = ids;
        this.isJson = isJson;
        this.mistakeCounts = new EventWriter(EventSchemas.schema(Topic.COUNTS), ids.mistakeCount());
        this.modelStatuses = new EventWriter(EventSchemas.schema(Topic.MODELS), ids.modelStatus()).keepingMaps();
        this.alerts = new EventWriter(EventSchemas.schema(Topic.ALERTS), ids.alert());
        this.snapshots = new SnapshotEncoder(ids.weightsSnapshot(), isJson);
    }

    /** Size of the last Prediction, Mistake or MistakeCount as Avro, also of an encoder of JSON. */
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
                out.writeString(outcome.scoredLabel(k).toString()).writeDouble(outcome.probability(k));
            }
            out.writeLong(0);
        }
        List<Label> set = hasLabels ? outcome.labelSet() : null;
        out.writeLong(set == null ? 0 : 1);
        if (set != null) {
            if (!set.isEmpty()) {
                out.writeLong(set.size());
                for (int k = 0; k < set.size(); k++) {
                    out.writeString(set.get(k).toString());
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
            out.writeLong(1).writeString(outcome.choice(place).toString());
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
            out.writeString(outcome.scoredLabel(k).toString()).writeDouble(outcome.score(k));
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
        out.writeLong(outcome.kind() == Outcome.Kind.MISTAKE ? 0 : 1).writeLabel(example.label(), 0);
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
        return bytes("Mistake");
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
        Counts counts = window.counts();
        Counts totals = window.totals();
        Learner learner = window.atEnd().learner();
        MistakeCount event = new MistakeCount();
        event.setWindowStart(Instant.ofEpochMilli(window.start()));
        event.setWindowEnd(Instant.ofEpochMilli(window.end()));
        CounterField.fill(WINDOW_COUNTERS, event, counts);
        event.setHingeLoss(counts.hingeLoss());
        CounterField.fill(TOTAL_COUNTERS, event, totals);
        event.setTotalUpdates(window.atEnd().ofWeights().updates());
        event.setTotalHingeLoss(totals.hingeLoss());
        event.setPending(model.late().pending());
        event.setMetrics(metrics(window.atEnd().metrics()));
        event.setTotalMetrics(metrics(window.atEnd().totalMetrics()));
        event.setEpoch(window.atEnd().epoch());
        event.setWeightNorm(finite(learner.weightNorm()));
        event.setRadius(finite(learner.radius()));
        event.setGammaUpperBound(finite(MarginCertificate.upper(learner.weightNorm(), learner.steps())));
        event.setUpdateBound(finite(updateBound(window, model)));
        event.setCountsSince(window.atEnd().since());
        event.setOfWeights(ofWeights(window.atEnd().ofWeights(), totals));
        event.setForecasts(forecasts(counts, List.of()));
        event.setTotalForecasts(forecasts(totals, window.atEnd().reliability()));
        byte[] avro = mistakeCounts.write(event);
        avroBytes = avro.length;
        return isJson ? EventJson.bytes(event) : avro;
    }

    /** Counts of the weights as an event; null if they are those of what was emitted. */
    @SuppressWarnings("ReferenceEquality") // the object itself
    private static WeightsCounts ofWeights(Counts counts, Counts emitted) {
        return counts == emitted
                ? null
                : new WeightsCounts(
                        counts.examples(),
                        counts.labelled(),
                        counts.errors(),
                        counts.mistakes(),
                        counts.marginMistakes(),
                        counts.hingeLoss());
    }

    /**
     * How good probabilities and sets were; null where none was compared with a label.
     *
     * @param ranges empty of a window
     */
    private static Forecasts forecasts(Counts counts, List<Reliability.Range> ranges) {
        long compared = counts.of(Counter.PROBABILITIES);
        if (compared == 0) {
            return null;
        }
        return Forecasts.newBuilder()
                .setLabelled(compared)
                .setBrierScore((double) counts.of(Counter.SQUARED_MILLIONTHS) / compared / Outcome.UNIT)
                .setLogLoss((double) counts.of(Counter.LOG_LOSS_MILLIONTHS) / compared / Outcome.UNIT)
                .setCalibrationError(finite(Reliability.expectedError(ranges)))
                .setRanges(ranges.stream()
                        .map(each -> new ReliabilityRange(each.examples(), each.probability(), each.rate()))
                        .toList())
                .setSets(counts.of(Counter.SETS))
                .setCovered(counts.of(Counter.COVERED))
                .setSetLabels(counts.of(Counter.SET_LABELS))
                .setUnsure(counts.of(Counter.UNSURE))
                .build();
    }

    private static Decisions decisions(Model model) {
        io.perceptronstreams.probability.Decisions made = model.decisions();
        if (made.isEmpty()) {
            return null;
        }
        Threshold costs = model.pipeline().settings().get(Settings.THRESHOLD);
        var best = made.bestFixed(costs);
        return Decisions.newBuilder()
                .setLabelled(made.labelled())
                .setFalseAlarms(made.falseAlarms())
                .setMisses(made.misses())
                .setWithheld(made.withheld())
                .setCost(made.cost(costs))
                .setCostOfAlways(made.costOfAlways(costs))
                .setCostOfNever(made.costOfNever(costs))
                .setBestThreshold(best.probability())
                .setCostOfBest(best.cost())
                .build();
    }

    /** Upper bound of the updates of the epoch; NaN without a comparator. */
    private static double updateBound(CountingWindow.Closed window, Model model) {
        Learner learner = window.atEnd().learner();
        ComparatorWeights comparator = learner instanceof HasComparator comparing ? comparing.pinned() : null;
        if (comparator == null) {
            return Double.NaN;
        }
        // the learner, and so its comparator, may have made one update after the end of the window
        boolean isPresent = window.atEnd().epoch() == model.current().epoch();
        long updates = isPresent
                ? model.current().version()
                : window.atEnd().ofWeights().updates();
        return updates - comparator.updates() + HingeBound.updates(comparator);
    }

    /** Encodes a ModelStatus. */
    public byte[] modelStatus(Model model, StatusCause cause, Origin origin) {
        Counts totals = model.counts().totals();
        Learner learner = model.pipeline().learner();
        LateState late = model.late().published();
        ModelStatus event = new ModelStatus();
        event.setState(
                io.perceptronstreams.event.ModelState.valueOf(model.state().name()));
        event.setCause(cause.name());
        event.setPartition(origin.partition());
        event.setOffset(origin.offset());
        event.setEpoch(model.current().epoch());
        event.setAlgorithm(model.pipeline().algorithm().toString());
        event.setSettings(texts(model));
        CounterField.fill(STATUS_COUNTERS, event, totals);
        event.setUpdates(model.current().version());
        event.setHingeLoss(totals.hingeLoss());
        event.setWeightNorm(learner.weightNorm());
        event.setRadius(learner.radius());
        event.setRerouted(model.publications().rerouted());
        event.setGammaUpperBound(finite(MarginCertificate.upper(learner.weightNorm(), learner.steps())));
        event.setComparator(comparator(model.pipeline().comparator()));
        ConfusionMatrix matrix = model.counts().confusion();
        event.setConfusion(confusion(matrix, matrix.labels(model.pipeline().settings())));
        event.setPending(late.pending());
        event.setLastExample(time(model.publications().lastExample()));
        event.setStreamTime(time(late.streamTime()));
        event.setOldestPending(time(late.oldest()));
        event.setNextDue(time(late.nextDue()));
        event.setLabelDelays(late.delays());
        event.setMetrics(metrics(model.counts().metrics()));
        event.setChallengers(challengers(model));
        event.setVote(model.challengers().championShare());
        event.setVersions(versions(model.publications().versions().all()));
        event.setCountsSince(model.counts().since());
        event.setOfWeights(ofWeights(model.counts().ofWeights().counts(), totals));
        event.setForecasts(forecasts(totals, model.counts().reliability()));
        event.setDecisions(decisions(model));
        return bytes(modelStatuses, event);
    }

    private static List<ChallengerStatus> challengers(Model model) {
        List<Challenger> all = model.challengers().all();
        return all.isEmpty()
                ? List.of()
                : all.stream()
                        .map(each -> challenger(
                                each, model.pipeline(), model.challengers().share(each)))
                        .toList();
    }

    private static List<ModelVersion> versions(List<Versions.Version> all) {
        return all.isEmpty()
                ? List.of()
                : all.stream()
                        .map(each -> new ModelVersion(each.name(), each.epoch(), each.updates(), each.offset()))
                        .toList();
    }

    private static ChallengerStatus challenger(Challenger challenger, Pipeline champion, Double vote) {
        Pipeline pipeline = challenger.model().pipeline();
        Map<String, String> differing = pipeline.shown();
        differing.entrySet().removeAll(champion.shown().entrySet());
        differing.keySet().removeIf(Settings::isOfModel);
        Trial trial = challenger.trial();
        RoundSides sides = trial.sides();
        return ChallengerStatus.newBuilder()
                .setName(challenger.name())
                .setEpoch(challenger.model().epoch())
                .setAlgorithm(pipeline.algorithm().toString())
                .setSettings(differing)
                .setFrom(Settings.spelled(challenger.options().from()))
                .setPromote(
                        vote != null
                                ? "vote"
                                : Settings.spelled(
                                        challenger.options().isAutomatic() ? Promotion.AUTO : Promotion.MANUAL))
                .setSince(challenger.since())
                .setUpdates(challenger.model().version())
                .setLabelled(challenger.compared())
                .setErrors(challenger.onlyChallengerWrong() + challenger.bothWrong())
                .setChampionErrors(challenger.onlyChampionWrong() + challenger.bothWrong())
                .setOnlyChampionWrong(challenger.onlyChampionWrong())
                .setOnlyChallengerWrong(challenger.onlyChallengerWrong())
                .setEvidence(trial.evidence())
                .setThreshold(trial.neededEvidence())
                .setVerdict(TrialVerdict.valueOf(trial.verdict().name()))
                .setRounds(trial.rounds())
                .setRemaining(trial.remaining() < 0 ? null : (Long) trial.remaining())
                .setRoundsAhead(sides == null ? null : (Long) sides.ahead())
                .setRoundsBehind(sides == null ? null : (Long) sides.behind())
                .setSideChanges(sides == null ? null : (Long) sides.changes())
                .setTrialStart(challenger.trialStart() == Challenger.UNKNOWN ? null : (Long) challenger.trialStart())
                .setVote(vote)
                .build();
    }

    private static Comparator comparator(ComparatorWeights comparator) {
        return comparator == null
                ? null
                : Comparator.newBuilder()
                        .setLabelled(comparator.examples())
                        .setUpdates(comparator.updates())
                        .setNorm(Math.sqrt(comparator.squaredNorm()))
                        .setHingeLoss(comparator.hingeLoss())
                        .setBound(finite(HingeBound.updates(comparator)))
                        .build();
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

    private Map<String, String> texts(Model model) {
        Settings settings = model.pipeline().settings();
        Shown last = lastShown.get(model.pipeline().negative());
        if (last == null || !settings.equals(last.settings)) {
            last = new Shown(settings, model.pipeline().shown());
            lastShown.put(model.pipeline().negative(), last);
        }
        return last.texts;
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

    private static Long time(long time) {
        return time == LateState.NO_TIME ? null : time;
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

    /**
     * A field of an event that has the name of a counter, behind a prefix: {@code marginMistakes} or {@code
     * totalMarginMistakes} for {@link Counter#MARGIN_MISTAKES}. A counter without a field is not sent.
     */
    private record CounterField(Counter counter, int position) {
        static List<CounterField> of(Schema schema, String prefix) {
            return Arrays.stream(Counter.values())
                    .filter(counter -> schema.getField(field(counter, prefix)) != null)
                    .map(counter -> new CounterField(
                            counter, schema.getField(field(counter, prefix)).pos()))
                    .toList();
        }

        private static String field(Counter counter, String prefix) {
            String name = Arrays.stream(counter.name().split("_"))
                    .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining());
            return prefix.isEmpty() ? Character.toLowerCase(name.charAt(0)) + name.substring(1) : prefix + name;
        }

        static void fill(List<CounterField> fields, IndexedRecord event, Counts counts) {
            for (CounterField field : fields) {
                event.put(field.position, counts.of(field.counter));
            }
        }
    }
}
