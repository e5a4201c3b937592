package io.perceptronstreams.serde;

import io.perceptronstreams.drift.RoundSides;
import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.evaluation.Reliability;
import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.Corrections;
import io.perceptronstreams.event.Decisions;
import io.perceptronstreams.event.EstimateWindow;
import io.perceptronstreams.event.Estimates;
import io.perceptronstreams.event.Forecasts;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.ReliabilityRange;
import io.perceptronstreams.event.SourceAgreement;
import io.perceptronstreams.event.TrialVerdict;
import io.perceptronstreams.labels.LateState;
import io.perceptronstreams.learner.ComparatorWeights;
import io.perceptronstreams.learner.HasComparator;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.probability.ErrorEstimates;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.Threshold;
import io.perceptronstreams.settings.TrialSettings.Promotion;
import io.perceptronstreams.theory.HingeBound;
import io.perceptronstreams.theory.MarginCertificate;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;

/**
 * Encodes ModelStatus and MistakeCount, the events with counts of a model, field by field in the order of their
 * schemas; challengers, forecasts, decisions, estimates and corrections are made as objects. Not thread-safe.
 */
final class StatusEncoder {
    private static final Schema STATE =
            ModelStatus.getClassSchema().getField("state").schema();

    private final AvroWriter out;
    private final EventWriter challengers = new EventWriter(ChallengerStatus.getClassSchema(), 0);
    private final EventWriter forecasts = new EventWriter(Forecasts.getClassSchema(), 0);
    private final EventWriter decisions = new EventWriter(Decisions.getClassSchema(), 0);
    private final EventWriter estimates = new EventWriter(Estimates.getClassSchema(), 0);
    private final EventWriter corrections = new EventWriter(Corrections.getClassSchema(), 0);

    // Settings of the last status with each: most models have the same but for what their first label has decided.
    private final Map<NegativeLabel, Shown> lastShown = new EnumMap<>(NegativeLabel.class);

    /** Settings, and how they are encoded. */
    private static final class Shown {
        private final Settings settings;
        private final byte[] texts;

        private Shown(Settings settings, byte[] texts) {
            this.settings = settings;
            this.texts = texts;
        }
    }

    /** @param out receives the events */
    StatusEncoder(AvroWriter out) {
        this.out = out;
    }

    /**
     * Encodes a ModelStatus.
     *
     * @param partition of the record that caused it
     * @param offset of that record
     */
    void modelStatus(int schemaId, Model model, StatusCause cause, int partition, long offset) {
        byte[] settings = settings(model);
        Counts totals = model.counts().totals();
        Learner learner = model.pipeline().learner();
        LateState late = model.late().published();
        out.start(schemaId);
        out.writeLong(STATE.getEnumOrdinal(model.state().name())).writeString(cause.name());
        out.writeLong(partition).writeLong(offset);
        out.writeLong(model.current().epoch());
        out.writeString(model.pipeline().algorithm().toString());
        out.writeRest(settings, 0);
        out.writeLong(model.current().version());
        examples(totals);
        out.writeDouble(totals.hingeLoss());
        out.writeDouble(learner.weightNorm()).writeDouble(learner.radius());
        out.writeLong(model.publications().rerouted());
        finite(MarginCertificate.upper(learner.weightNorm(), learner.steps()));
        comparator(model.pipeline().comparator());
        confusion(model.counts().confusion(), model.pipeline().settings());
        out.writeLong(late.pending());
        out.writeLong(1).writeLong(late.labels());
        lateLabels(totals);
        time(model.publications().lastExample());
        time(late.streamTime());
        time(late.oldest());
        time(late.nextDue());
        longs(late.delays());
        metrics(model.counts().metrics());
        out.writeLong(totals.of(Counter.TAGS)).writeLong(totals.of(Counter.TAG_ERRORS));
        out.writeLong(totals.of(Counter.ABSTAINED));
        challengers(model);
        versions(model.publications().versions().all());
        out.writeLong(1).writeLong(model.counts().since());
        ofWeights(model.counts().ofWeights().counts(), totals);
        optional(model.challengers().championShare());
        record(forecasts, forecasts(totals, model.counts().reliability()));
        record(decisions, decisions(model));
        record(estimates, estimates(model.estimates()));
        record(corrections, corrections(model, late));
    }

    /**
     * Encodes a MistakeCount.
     *
     * @param model of the window, after the record that closed it
     */
    void mistakeCount(int schemaId, CountingWindow.Closed window, Model model) {
        Counts counts = window.counts();
        Counts totals = window.totals();
        CountingWindow.AtEnd atEnd = window.atEnd();
        Learner learner = atEnd.learner();
        out.start(schemaId).writeLong(window.start()).writeLong(window.end());
        examples(counts);
        out.writeDouble(counts.hingeLoss());
        examples(totals);
        out.writeLong(atEnd.ofWeights().updates()).writeDouble(totals.hingeLoss());
        out.writeLong(model.late().pending());
        lateLabels(counts);
        metrics(atEnd.metrics());
        metrics(atEnd.totalMetrics());
        out.writeLong(1).writeLong(atEnd.epoch());
        finite(learner.weightNorm());
        finite(learner.radius());
        finite(MarginCertificate.upper(learner.weightNorm(), learner.steps()));
        finite(updateBound(window, model));
        out.writeLong(1).writeLong(atEnd.since());
        ofWeights(atEnd.ofWeights(), totals);
        record(forecasts, forecasts(counts, List.of()));
        record(forecasts, forecasts(totals, atEnd.reliability()));
    }

    /** A record that few models have, or null. */
    private void record(EventWriter writer, SpecificRecord value) {
        if (value == null) {
            out.writeLong(0);
        } else {
            out.writeLong(1).writeRest(writer.write(value), WireFormat.HEADER);
        }
    }

    private void examples(Counts counts) {
        out.writeLong(counts.examples()).writeLong(counts.labelled()).writeLong(counts.errors());
        out.writeLong(counts.mistakes()).writeLong(counts.marginMistakes());
    }

    private void lateLabels(Counts counts) {
        out.writeLong(counts.of(Counter.UNLABELLED)).writeLong(counts.of(Counter.DEFAULTED));
        out.writeLong(counts.of(Counter.LATE)).writeLong(counts.of(Counter.DUPLICATES));
    }

    /** Null if the counts of the weights are those of what was emitted. */
    @SuppressWarnings("ReferenceEquality") // the object itself
    private void ofWeights(Counts counts, Counts emitted) {
        if (counts == emitted) {
            out.writeLong(0);
            return;
        }
        out.writeLong(1);
        examples(counts);
        out.writeDouble(counts.hingeLoss());
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

    /**
     * How good probabilities and sets were; null where none was compared with a label.
     *
     * @param ranges empty of a window
     */
    static Forecasts forecasts(Counts counts, List<Reliability.Range> ranges) {
        long compared = counts.of(Counter.PROBABILITIES);
        if (compared == 0) {
            return null;
        }
        return Forecasts.newBuilder()
                .setLabelled(compared)
                .setBrierScore((double) counts.of(Counter.SQUARED_MILLIONTHS) / compared / Outcome.UNIT)
                .setLogLoss((double) counts.of(Counter.LOG_LOSS_MILLIONTHS) / compared / Outcome.UNIT)
                .setCalibrationError(finiteOrNull(Reliability.expectedError(ranges)))
                .setRanges(ranges.stream()
                        .map(each -> new ReliabilityRange(each.examples(), each.probability(), each.rate()))
                        .toList())
                .setSets(counts.of(Counter.SETS))
                .setCovered(counts.of(Counter.COVERED))
                .setSetLabels(counts.of(Counter.SET_LABELS))
                .setUnsure(counts.of(Counter.UNSURE))
                .build();
    }

    private static Estimates estimates(ErrorEstimates made) {
        return made.isEmpty()
                ? null
                : Estimates.newBuilder()
                        .setWaiting(made.waiting())
                        .setExpectedErrors(made.expectedErrors())
                        .setCompared(made.compared())
                        .setMeanGap(finiteOrNull(made.meanGap()))
                        .setWorstGap(made.worstGap())
                        .setWindows(made.windows().stream()
                                .map(StatusEncoder::estimate)
                                .toList())
                        .build();
    }

    private static Corrections corrections(Model model, LateState late) {
        io.perceptronstreams.labels.Corrections made = model.corrections();
        return made.isEmpty() && late.settled() == 0
                ? null
                : Corrections.newBuilder()
                        .setCorrections(made.corrections())
                        .setOutstanding(made.outstanding())
                        .setCorrectable(late.settled())
                        .setLeftEarly(made.leftEarly())
                        .setSources(made.agreements().stream()
                                .map(each -> new SourceAgreement(
                                        each.truth(), each.other(), each.agreed(), each.disagreed()))
                                .toList())
                        .build();
    }

    private static EstimateWindow estimate(ErrorEstimates.Window window) {
        return EstimateWindow.newBuilder()
                .setStart(window.start())
                .setEnd(window.end())
                .setPredictions(window.predictions())
                .setEstimate(window.estimate())
                .setOut(window.out())
                .setPresent(finiteOrNull(window.present()))
                .setLabelled(window.labelled())
                .setErrors(window.errors())
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

    private void challengers(Model model) {
        List<Challenger> all = model.challengers().all();
        startArray(all.size());
        for (Challenger each : all) {
            Double vote = model.challengers().share(each);
            out.writeRest(challengers.write(challenger(each, model.pipeline(), vote)), WireFormat.HEADER);
        }
        endArray();
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

    private void versions(List<Versions.Version> all) {
        startArray(all.size());
        for (Versions.Version each : all) {
            out.writeString(each.name()).writeLong(each.epoch());
            out.writeLong(each.updates()).writeLong(each.offset());
        }
        endArray();
    }

    private void comparator(ComparatorWeights comparator) {
        if (comparator == null) {
            out.writeLong(0);
            return;
        }
        out.writeLong(1).writeLong(comparator.examples()).writeLong(comparator.updates());
        out.writeDouble(Math.sqrt(comparator.squaredNorm())).writeDouble(comparator.hingeLoss());
        finite(HingeBound.updates(comparator));
    }

    /** The matrix as {@link EventEncoder#confusion} makes it. */
    private void confusion(ConfusionMatrix matrix, Settings settings) {
        if (matrix.isEmpty()) {
            out.writeLong(0);
            return;
        }
        out.writeLong(1).writeArray(matrix.labels(settings));
        int side = matrix.size() + (matrix.hasOther() ? 1 : 0);
        startArray(side * side);
        for (int row = 0; row < side; row++) {
            for (int column = 0; column < side; column++) {
                out.writeLong(matrix.count(row, column));
            }
        }
        endArray();
        out.writeLong(matrix.otherErrors());
    }

    /** The metrics as {@link EventEncoder#metrics} makes them. */
    private void metrics(ClassMetrics metrics) {
        if (metrics.isEmpty()) {
            out.writeLong(0);
            return;
        }
        List<String> labels = metrics.labels();
        int rows = labels.size() + (metrics.hasOther() ? 1 : 0);
        out.writeLong(1);
        startArray(rows);
        for (int row = 0; row < labels.size(); row++) {
            out.writeLong(1).writeString(labels.get(row));
            classCount(metrics, row);
        }
        if (metrics.hasOther()) {
            out.writeLong(0);
            classCount(metrics, ClassMetrics.OTHER);
        }
        endArray();
        finite(metrics.balancedAccuracy());
        finite(metrics.macroF1());
        finite(metrics.kappa());
        out.writeLong(metrics.compared()).writeLong(metrics.comparedErrors());
        out.writeLong(metrics.majorityErrors()).writeLong(metrics.sameErrors());
        finite(metrics.kappaMajority());
        finite(metrics.kappaSame());
        finite(metrics.auc());
    }

    private void classCount(ClassMetrics metrics, int row) {
        out.writeLong(metrics.seen(row)).writeLong(metrics.predicted(row)).writeLong(metrics.correct(row));
    }

    private byte[] settings(Model model) {
        Settings settings = model.pipeline().settings();
        Shown last = lastShown.get(model.pipeline().negative());
        if (last == null || !settings.equals(last.settings)) {
            Map<String, String> texts = model.pipeline().shown();
            out.startText();
            startArray(texts.size());
            texts.forEach((name, text) -> out.writeString(name).writeString(text));
            endArray();
            last = new Shown(settings, out.toBytes());
            lastShown.put(model.pipeline().negative(), last);
        }
        return last.texts;
    }

    private void longs(List<Long> numbers) {
        startArray(numbers.size());
        numbers.forEach(out::writeLong);
        endArray();
    }

    /** Starts an array or a map, which has one block. */
    private void startArray(int size) {
        if (size > 0) {
            out.writeLong(size);
        }
    }

    private void endArray() {
        out.writeLong(0);
    }

    private void time(long time) {
        if (time == LateState.NO_TIME) {
            out.writeLong(0);
        } else {
            out.writeLong(1).writeLong(time);
        }
    }

    /** Null for NaN and infinities. */
    private void finite(double value) {
        if (Double.isFinite(value)) {
            out.writeLong(1).writeDouble(value);
        } else {
            out.writeLong(0);
        }
    }

    private static Double finiteOrNull(double value) {
        return Double.isFinite(value) ? value : null;
    }

    private void optional(Double value) {
        if (value == null) {
            out.writeLong(0);
        } else {
            out.writeLong(1).writeDouble(value);
        }
    }
}
