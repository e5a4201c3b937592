package io.perceptronstreams.model;

import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.settings.Setting;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.TrialSettings;
import io.perceptronstreams.settings.TrialSettings.From;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Beginning of a challenger, as the command CHALLENGE describes it.
 *
 * @param changes settings of the learner that differ from those of the champion
 */
record Challenge(String name, Challenger.Options options, Map<String, String> changes) {
    /** Key of the name of the challenger, in the settings of the commands. */
    static final String NAME = "challenger";

    private static final long WARMUP_FROM_SCRATCH = 1_000;
    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._-]{1,32}");

    /**
     * Parses the settings of the command.
     *
     * @throws IllegalArgumentException with all faults
     */
    static Challenge of(Map<String, String> command) {
        List<String> faults = new ArrayList<>();
        Map<String, String> rest = new HashMap<>(command);
        String name = rest.remove(NAME);
        if (name == null || !VALID.matcher(name).matches() || Challenger.isReserved(name)) {
            faults.add(NAME + " must be a name of 1 to 32 of the characters A-Z, a-z, 0-9, '.', '_', '-', and not "
                    + Challenger.DRIFT + " or " + Challenger.PREVIOUS + ", got "
                    + (name == null ? "none" : "'" + Utf8Slice.shortened(name, 80) + "'"));
        }
        From from = take(TrialSettings.FROM, rest, faults);
        boolean isAutomatic = take(TrialSettings.PROMOTE, rest, faults) == TrialSettings.Promotion.AUTO;
        double alpha = take(TrialSettings.ALPHA, rest, faults);
        long round = take(TrialSettings.ROUND, rest, faults);
        Trial.Growth growth = take(TrialSettings.GROWTH, rest, faults);
        long givenWarmup = take(TrialSettings.WARMUP, rest, faults);
        long warmup = givenWarmup >= 0 ? givenWarmup : from == From.SCRATCH ? WARMUP_FROM_SCRATCH : 0;
        long limit = take(TrialSettings.LIMIT, rest, faults);
        if (growth == Trial.Growth.SQUARE && round < Trial.MIN_SQUARE_STEP) {
            faults.add(TrialSettings.ROUND.name() + " must be >= " + Trial.MIN_SQUARE_STEP + " with "
                    + TrialSettings.GROWTH.name() + "=square, got " + round);
        }
        if (limit > 0 && limit <= warmup) {
            faults.add(TrialSettings.LIMIT.name() + " must be 0 or > " + TrialSettings.WARMUP.name() + " = " + warmup
                    + ", got " + limit + " (which ends the trial before its first round)");
        }
        for (String setting : new TreeSet<>(rest.keySet())) {
            if (Settings.isOfModel(setting)) {
                faults.add(setting + " must not be set for a challenger, which has that of its model, got '"
                        + rest.get(setting) + "' (set " + setting + "=" + rest.get(setting) + " for the model)");
            }
        }
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", faults));
        }
        Trial.Rules rules = new Trial.Rules(warmup, round, growth, alpha, limit, true);
        return new Challenge(name, new Challenger.Options(from, isAutomatic, false, rules), Map.copyOf(rest));
    }

    /** Returns the challenge of a member that votes. */
    Challenge voting() {
        return new Challenge(name, Challenger.Options.VOTING, changes);
    }

    /** Returns true if the challenger begins with weights and counts of the champion. */
    boolean isCopy() {
        return options.from() == From.LIVE;
    }

    private static <T> T take(Setting<T> option, Map<String, String> command, List<String> faults) {
        String text = command.remove(option.name());
        try {
            return text == null ? option.defaultValue() : option.parse(text);
        } catch (IllegalArgumentException e) {
            faults.add(e.getMessage());
            return option.defaultValue();
        }
    }

    /**
     * Parses the settings of a challenger with imported weights.
     *
     * @throws IllegalArgumentException with all faults
     */
    static Challenge ofImport(Map<String, String> command) {
        Map<String, String> all = new HashMap<>(command);
        all.put(TrialSettings.FROM.name(), Settings.spelled(From.IMPORT));
        Challenge challenge = of(all);
        if (!challenge.changes.isEmpty()) {
            throw new IllegalArgumentException(
                    "settings of the learner must be those of the imported weights, got also "
                            + new TreeSet<>(challenge.changes.keySet()) + " (leave them out)");
        }
        return challenge;
    }

    /**
     * Returns the name in the settings of another command about a challenger.
     *
     * @throws IllegalArgumentException if there is none, or something else
     */
    static String name(Map<String, String> command) {
        if (!command.keySet().equals(Set.of(NAME))) {
            throw new IllegalArgumentException("the settings of the command must have the key " + NAME
                    + " and no other, got " + new TreeSet<>(command.keySet()));
        }
        return command.get(NAME);
    }
}
