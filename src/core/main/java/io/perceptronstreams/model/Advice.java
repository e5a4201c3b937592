package io.perceptronstreams.model;

import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.TrialSettings;
import io.perceptronstreams.settings.TrialSettings.From;
import io.perceptronstreams.settings.TrialSettings.Promotion;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finding about a model, and settings that may help; see {@link Advisor}.
 *
 * @param finding one clause without an end mark
 * @param settings the settings that may help, each as {@code name=value}, separated by spaces, {@code algorithm} first;
 *     null if no setting does
 * @param way on which the model gets them; null without settings
 */
public record Advice(Kind kind, String finding, String settings, Way way) {
    /**
     * Labelled examples from which on a model has learned more than a reset should discard: until then the errors of a
     * new model cost more than they can save.
     */
    public static final long IN_USE = 1024;

    private static final String PROGRAM = "perceptron ";
    private static final String CHALLENGER = "advised-";
    private static final String AUTO = " " + TrialSettings.PROMOTE.name() + "=" + Settings.spelled(Promotion.AUTO);
    private static final String LIVE = " " + TrialSettings.FROM.name() + "=" + Settings.spelled(From.LIVE);

    /** Kinds of advice, at most one of each per model. The stored bits never change. */
    public enum Kind {
        /** Sizes of features differ by more than {@link FeatureSizes#MAX_RATIO}. */
        SCALE(1),
        /** The errors are not fewer than the errors of always predicting the majority label. */
        BASELINE(2),
        /** A label is seen less than once in a thousand. */
        RARE_LABEL(4),
        /** More names share a weight than one in a hundred. */
        COLLISIONS(8),
        /** The average of the weights errs less than the last weights. */
        AVERAGED(16),
        /** No label is of a class that {@code class.weights} names. */
        CLASS_WEIGHTS(32),
        /** The labels come in runs, and the model is hardly better than the last label would be. */
        RUNS(64),
        /** The values of a named feature are texts that stand for numbers. */
        NUMBER_TEXTS(128);

        private final long bit;

        Kind(long bit) {
            this.bit = bit;
        }

        /** In the stored set of the kinds that were given. */
        long bit() {
            return bit;
        }
    }

    /** Ways on which a model gets other settings without weights that were learned with its present ones. */
    public enum Way {
        /** The model begins again, while it has learned little. */
        RESET,
        /** A new model learns beside it, and takes its place where it is better. */
        CHALLENGER,
        /** A copy of its weights does. */
        COPY_OF_WEIGHTS,
        /** A model of another name learns the same examples: a challenger has the features of its model. */
        OTHER_MODEL
    }

    /** The command for a model; null if there is none. */
    public String command(String model) {
        return settings == null ? null : command(model, kind, settings, way);
    }

    private static String command(String model, Kind kind, String settings, Way way) {
        return PROGRAM
                + switch (way) {
                    case RESET -> "models reset " + model + " " + settings;
                    case CHALLENGER -> challenge(model, kind) + settings + AUTO;
                    case COPY_OF_WEIGHTS -> challenge(model, kind) + settings + LIVE + AUTO;
                    case OTHER_MODEL -> "models copy " + model + " " + model + "-next " + settings;
                };
    }

    private static String challenge(String model, Kind kind) {
        // a challenger of the same name would be replaced, and its trial lost
        return "challengers begin " + model + " " + challenger(kind.name()) + " ";
    }

    /** Name of the challenger that the command of an advice begins. */
    public static String challenger(String kind) {
        return CHALLENGER + kind.toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the command of an advice that was given earlier, for the model as it is now: one that has learned much is
     * not reset.
     *
     * @param command as it was given; null if there was none
     * @param labelled labelled examples of the model's present weights
     */
    public static String command(String kind, String command, long labelled) {
        List<String> words = command == null ? List.of() : List.of(command.split(" ", -1));
        if (labelled < IN_USE || words.size() < 5 || !words.get(2).equals("reset")) {
            return command;
        }
        boolean isOfFeatures = pairs(words).anyMatch(each -> Settings.isOfFeatures(name(each)));
        String settings = pairs(words)
                .filter(each -> isOfFeatures || !Settings.isOfModel(name(each)))
                .collect(Collectors.joining(" "));
        return command(words.get(3), Kind.valueOf(kind), settings, isOfFeatures ? Way.OTHER_MODEL : Way.CHALLENGER);
    }

    /**
     * The settings of the learner or the features that the command of an advice gives a model, as {@code name=value}.
     */
    public static List<String> settings(String command) {
        return command == null
                ? List.of()
                : pairs(List.of(command.split(" ", -1))).toList();
    }

    private static Stream<String> pairs(List<String> words) {
        return words.stream()
                .filter(each -> each.indexOf('=') > 0)
                .filter(each -> TrialSettings.all().stream()
                        .noneMatch(option -> option.name().equals(name(each))));
    }

    private static String name(String pair) {
        return pair.substring(0, pair.indexOf('='));
    }

    /** The command that shows whether the settings would have helped a model, from its log; null if there are none. */
    public String question(String model) {
        return settings == null ? null : "perceptron what-if " + model + " --set " + settings.replace(" ", " --set ");
    }
}
