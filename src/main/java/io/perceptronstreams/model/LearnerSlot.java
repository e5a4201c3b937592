package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.ClassNames;
import io.perceptronstreams.learner.ComparatorSetting;
import io.perceptronstreams.learner.HasComparator;
import io.perceptronstreams.learner.HasEvidence;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.NegativeLabel;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.function.Consumer;

/** The learner of a model: by its settings or, with {@code algorithm=auto}, by its first label. */
final class LearnerSlot {
    private Algorithm algorithm;
    private Learner learner;

    private LearnerSlot(Algorithm algorithm, Learner learner) {
        this.algorithm = algorithm;
        this.learner = learner;
    }

    /** Creates a slot with a new learner. */
    static LearnerSlot of(Settings settings) {
        Algorithm algorithm = settings.get(Settings.ALGORITHM).refined(settings);
        return create(algorithm, settings, 0);
    }

    /** Creates a slot with a stored learner. */
    static LearnerSlot restored(Settings settings, Algorithm algorithm, LearnerState state) {
        Learner learner = algorithm.create(settings);
        learner.restore(state);
        return new LearnerSlot(algorithm, learner);
    }

    /**
     * Checks that a model may have these settings with that learner, as if each setting had been configured.
     *
     * @throws IllegalArgumentException if it may not, now or after a reset
     */
    static void check(Settings settings, Algorithm algorithm) {
        if (!settings.get(Settings.ALGORITHM).allows(algorithm)) {
            throw new IllegalArgumentException("algorithm must be that of the settings, "
                    + settings.get(Settings.ALGORITHM) + ", got " + algorithm);
        }
        Settings afterReset = afterReset(settings);
        afterReset.requireUsedBy(algorithm, Settings.DEFAULTS);
        create(algorithm, afterReset, 0);
        of(afterReset);
    }

    /** Returns the settings after a reset: without a comparator if its weights were imported. */
    static Settings afterReset(Settings settings) {
        return ComparatorSetting.isImported(settings) ? settings.with(Settings.COMPARATOR, "") : settings;
    }

    private static LearnerSlot create(Algorithm algorithm, Settings settings, long version) {
        LearnerSlot created = new LearnerSlot(algorithm, algorithm.create(settings));
        created.pin(ComparatorSetting.updatesUntil(settings, version));
        return created;
    }

    /** Calls {@link HasComparator#pin(long)}; does nothing if the learner has no comparator. */
    void pin(long updates) {
        if (learner instanceof HasComparator comparing) {
            comparing.pin(updates);
        }
    }

    /**
     * Configures a learner that has replaced that of the model.
     *
     * @return the settings; without a comparator that belonged to the last epoch or has no room
     */
    Settings adopt(Settings settings, long version) {
        boolean isPast = ComparatorSetting.updatesUntil(settings, version) < 0;
        Settings kept = isPast ? withoutComparator(settings) : settings;
        learner.configure(kept);
        try {
            pin(ComparatorSetting.updatesUntil(kept, version));
            return kept;
        } catch (IllegalArgumentException e) {
            Settings without = withoutComparator(settings);
            learner.configure(without);
            pin(-1);
            return without;
        }
    }

    private static Settings withoutComparator(Settings settings) {
        return settings.with(Settings.COMPARATOR, "");
    }

    /**
     * Pins other weights.
     *
     * @throws IllegalArgumentException if the learner cannot be compared, or there is no room
     */
    void pin(BlockVector weights, double bias) {
        if (!algorithm.hasComparator() || !(learner instanceof HasComparator comparing)) {
            throw new IllegalArgumentException("algorithm must be perceptron to compare a model with weights, got "
                    + algorithm
                    + (algorithm.isDecided() ? "" : " before the first label (set algorithm=perceptron)"));
        }
        comparing.pin(weights, bias);
    }

    Algorithm algorithm() {
        return algorithm;
    }

    Learner learner() {
        return learner;
    }

    /**
     * Learns from an example with a label, which may decide what learner this is, and which ints are its labels.
     *
     * @param counts those of the model before the example
     * @return the settings after the label; those before unless it decides something
     * @throws RejectedException if the learner cannot use the example; then nothing is decided
     */
    Settings learn(Example example, Settings settings, EpochCounts counts, Outcome outcome) {
        boolean isFirst = counts.totals().labelled() == 0;
        if (algorithm.isDecided()) {
            NegativeLabel after = NegativeLabel.after(example.label(), settings, algorithm, isFirst);
            if (after == settings.get(Settings.NEGATIVE_LABEL)) {
                learn(learner, example, settings, counts, outcome);
                return settings;
            }
            return decided(after, settings, decided -> learn(learner, example, decided, counts, outcome));
        }
        Algorithm fitting =
                Algorithm.fitting(settings, example.features(), example.label()).refined(settings);
        Settings decided = settings.with(NegativeLabel.after(example.label(), settings, fitting, true));
        LearnerSlot candidate;
        try {
            settings.requireUsedBy(fitting, Settings.DEFAULTS);
            candidate = create(fitting, decided, counts.totals().updates());
        } catch (IllegalArgumentException e) {
            throw new RejectedException(
                    RejectReason.INVALID_LABEL,
                    "the first label makes this a model of algorithm=" + fitting + ", but " + e.getMessage());
        }
        learn(candidate.learner, example, decided, counts, outcome);
        learner = candidate.learner;
        algorithm = fitting;
        return decided;
    }

    private static void learn(
            Learner learner, Example example, Settings settings, EpochCounts counts, Outcome outcome) {
        double weight = counts.weight(example, learner, settings);
        outcome.evidence().ask(settings.get(Settings.EXPLAIN), example.id());
        learner.learn(example.features(), example.label(), weight, outcome);
        if (!outcome.evidence().isEmpty() && outcome.isUpdated() && learner instanceof HasEvidence explaining) {
            explaining.explainUpdate(example.features(), example.label(), outcome);
        }
    }

    /** Like {@link #learn}, but compares only. */
    Settings evaluate(Example example, Settings settings, boolean isFirst, Outcome outcome) {
        NegativeLabel after = NegativeLabel.after(example.label(), settings, algorithm, isFirst);
        return decided(after, settings, decided -> evaluate(example, decided, outcome));
    }

    private void evaluate(Example example, Settings settings, Outcome outcome) {
        outcome.evidence().ask(settings.get(Settings.EXPLAIN), example.id());
        learner.evaluate(example.features(), example.label(), outcome);
        if (learner instanceof HasEvidence explaining) {
            explaining.explainIfAsked(example.features(), example.label(), outcome);
        }
    }

    /** Runs {@code use} with the settings that a label has decided, and returns these; takes them back if it is refused. */
    private Settings decided(NegativeLabel after, Settings before, Consumer<Settings> use) {
        Settings decided = before.with(after);
        learner.configure(decided);
        try {
            use.accept(decided);
        } catch (RejectedException e) {
            learner.configure(before);
            throw e;
        }
        return decided;
    }

    /** Returns true if the learner has a state of its own; an imported one may have it without counted labels. */
    boolean hasWeights() {
        return learner.weightNorm() > 0 || learner.blocks().stream().anyMatch(blocks -> blocks.count() > 0);
    }

    /**
     * Applies changed settings.
     *
     * @param hasLabels true if the model has seen labels, or has weights
     * @param version that of the model
     * @throws IllegalArgumentException if the learner does not support them; then it has not changed
     */
    void configure(Settings present, Settings changed, boolean hasLabels, long version) {
        boolean hasLearned = algorithm.isDecided() && hasLabels;
        Algorithm wanted = hasLearned && changed.get(Settings.ALGORITHM).allows(algorithm)
                ? algorithm
                : changed.get(Settings.ALGORITHM).refined(changed);
        ClassNames.requireWeighted(changed, present, wanted, hasLabels);
        boolean isOtherComparator = !changed.get(Settings.COMPARATOR).equals(present.get(Settings.COMPARATOR));
        if (isOtherComparator) {
            ComparatorSetting.check(changed.get(Settings.COMPARATOR), version);
        }
        boolean isRemade = !hasLabels && wanted.has(Algorithm.Trait.STATE_OF_SETTINGS);
        if (wanted != algorithm || isRemade) {
            if (hasLearned) {
                throw new IllegalArgumentException("algorithm must stay " + algorithm
                        + " once a model has seen labels, got " + wanted
                        + " (to discard what it has learned, reset with algorithm=" + changed.get(Settings.ALGORITHM)
                        + ")");
            }
            changed.requireUsedBy(wanted, Settings.DEFAULTS);
            learner = create(wanted, changed, version).learner;
            algorithm = wanted;
            return;
        }
        changed.requireUsedBy(algorithm, present);
        learner.configure(changed);
        if (isOtherComparator) {
            try {
                pin(ComparatorSetting.updatesUntil(changed, version));
            } catch (IllegalArgumentException e) {
                learner.configure(present);
                throw e;
            }
        }
    }
}
