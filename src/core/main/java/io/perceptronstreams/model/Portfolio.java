package io.perceptronstreams.model;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.algorithm.Algorithm.Trait;
import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.settings.Setting;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.TrialSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Settings for streams of which nothing is known: their vote is near the best of them on every kind of stream in
 * docs/streams.md.
 *
 * <p>A model with {@code portfolio=true} begins with the first of them, unless it has settings of a learner. The others
 * are challengers from its first label on, and predict with it by a {@link Vote}; or, with options of trials, each
 * becomes the model where it is better.
 */
public final class Portfolio {
    /**
     * Settings for one kind of streams.
     *
     * @param name of the challenger with them
     */
    private record Member(String name, Map<String, String> settings) {
        static Member of(String name, String settings) {
            Map<String, String> pairs = new LinkedHashMap<>();
            for (String pair : settings.split(" ", -1)) {
                int end = pair.indexOf('=');
                pairs.put(pair.substring(0, end), pair.substring(end + 1));
            }
            return new Member(name, pairs);
        }
    }

    /** The best settings of one learner alone, of two classes: {@code algorithm=adaptive}, and a member. */
    private static final String ADAGRAD = "algorithm=sgd rate=adagrad scale=standard implicit=true stacked=true";

    /**
     * Two classes. At its beginning every concept stays, and scw needs the fewest examples. The second one is for
     * tables of which nothing is known, and for labels in runs. The others do not scale features by their deviation:
     * where a 0 means that something is absent, or a column is rarely anything else, that hides what matters.
     */
    private static final List<Member> TWO_CLASSES = List.of(
            Member.of("scw", "algorithm=scw scale=standard"),
            Member.of("adagrad", ADAGRAD),
            Member.of("normalised", "algorithm=sgd rate=adagrad normalised=true"),
            Member.of("perceptron", "algorithm=perceptron predict=averaged average.halflife=100"));

    /** Several classes: features of one size, with and without labels in runs, and the same for features in units. */
    private static final List<Member> CLASSES = List.of(
            Member.of("average", "algorithm=multiclass-pa predict=averaged average.halflife=200"),
            Member.of("last", "algorithm=multiclass-pa"),
            Member.of(
                    "scaled-average",
                    "algorithm=multiclass-pa c=0.1 predict=averaged average.halflife=1000 scale=standard"),
            Member.of("scaled-last", "algorithm=multiclass-pa c=0.1 scale=standard"));

    /** Names of all challengers of a portfolio. */
    static final List<String> NAMES = Stream.of(TWO_CLASSES, CLASSES)
            .flatMap(List::stream)
            .map(Member::name)
            .toList();

    private static final Map<String, String> ADAPTIVE_OF_TWO = Member.of("", ADAGRAD).settings;

    /** The same of several classes. */
    private static final Map<String, String> ADAPTIVE_OF_SEVERAL =
            Member.of("", "algorithm=softmax rate=adagrad eta=0.3 scale=standard implicit=true").settings;

    /** For a concept that is replaced by another one now and then. */
    private static final Map<String, String> DETECTOR = Member.of("", "drift=adwin drift.action=reset").settings;

    private Portfolio() {}

    /** Settings of the members that differ from the defaults, by name of the challenger. */
    public static Map<String, Map<String, String>> members() {
        Map<String, Map<String, String>> members = new LinkedHashMap<>();
        Stream.of(TWO_CLASSES, CLASSES).flatMap(List::stream).forEach(each -> members.put(each.name, each.settings));
        return members;
    }

    /** Returns true if a command CHALLENGE begins a portfolio. */
    static boolean isAsked(Map<String, String> command) {
        return command.containsKey(Settings.PORTFOLIO.name());
    }

    /**
     * Returns the challengers: the members that differ from the champion.
     *
     * @param command settings of the command CHALLENGE: {@code portfolio=true} and options of the trials
     * @throws IllegalArgumentException with all faults, or if the champion has no classes
     */
    static List<Challenge> challenges(Pipeline champion, Map<String, String> command) {
        Algorithm algorithm = champion.algorithm();
        if (!algorithm.hasClasses()) {
            throw new IllegalArgumentException("a portfolio must be for a model with classes, got algorithm="
                    + algorithm + (algorithm.isDecided() ? "" : " before the first label (set portfolio=true)"));
        }
        boolean isVote = command.keySet().equals(Set.of(Settings.PORTFOLIO.name()));
        Map<String, String> options = options(command);
        List<Challenge> all = new ArrayList<>();
        for (Member each : members(algorithm)) {
            Map<String, String> changes = changes(champion, each);
            if (!changes.isEmpty()) {
                changes.putAll(options);
                changes.put(Challenge.NAME, each.name);
                Challenge member = Challenge.of(changes);
                all.add(isVote ? member.voting() : member);
            }
        }
        return all;
    }

    private static List<Member> members(Algorithm algorithm) {
        return algorithm.has(Trait.TWO_CLASSES) ? TWO_CLASSES : CLASSES;
    }

    /**
     * Returns the options of the trials. To exchange models that are equally good costs nothing: little evidence is
     * enough, from rounds that are as short as possible.
     */
    private static Map<String, String> options(Map<String, String> command) {
        boolean isSquare = Trial.Growth.SQUARE.name().equalsIgnoreCase(command.get(TrialSettings.GROWTH.name()));
        Map<String, String> options = new HashMap<>(Map.of(
                TrialSettings.PROMOTE.name(), "auto",
                TrialSettings.ALPHA.name(), "0.05",
                TrialSettings.ROUND.name(), isSquare ? Long.toString(Trial.MIN_SQUARE_STEP) : "1"));
        command.forEach((name, value) -> {
            boolean isOption =
                    TrialSettings.all().stream().anyMatch(each -> each.name().equals(name))
                            && !name.equals(TrialSettings.FROM.name());
            if (isOption) {
                options.put(name, value);
            } else if (!name.equals(Settings.PORTFOLIO.name()) || !Settings.PORTFOLIO.parse(String.valueOf(value))) {
                throw new IllegalArgumentException(
                        "the settings of a portfolio must be portfolio=true and options of its trials, got " + name
                                + "=" + value + " (challenge with a name and without portfolio)");
            }
        });
        return options;
    }

    /** Returns the name of the member that has the settings of a model, except for its threshold; null if none has. */
    static String member(Pipeline model) {
        for (Member member : model.algorithm().hasClasses() ? members(model.algorithm()) : List.<Member>of()) {
            Map<String, String> changes = changes(model, member);
            // that of a champion is set for its scores
            changes.remove(Settings.THRESHOLD.name());
            if (changes.isEmpty()) {
                return member.name;
            }
        }
        return null;
    }

    /** Returns the changed settings of labels and sizes that a challenger uses and had as the champion. */
    static Map<String, String> changesToFollow(Settings before, Settings after, Pipeline challenger) {
        Map<String, String> changes = new HashMap<>();
        Map<String, String> texts = null;
        for (Setting<?> setting : Pipeline.KEPT) {
            Object old = before.get(setting);
            boolean isChanged = !old.equals(after.get(setting));
            if (isChanged
                    && old.equals(challenger.given().get(setting))
                    && challenger.algorithm().uses(setting)) {
                texts = texts == null ? after.toMap() : texts;
                changes.put(setting.name(), texts.get(setting.name()));
            }
        }
        return changes;
    }

    /** The settings that make a champion a member; empty if it is that member. */
    private static Map<String, String> changes(Pipeline champion, Member member) {
        return champion.changesTo(member.settings);
    }

    /**
     * Returns the settings with which a model begins that has seen no label: the first member of a portfolio, or those
     * of {@code algorithm=adaptive}; and, unless the model has a detector, one with resets. Empty if settings of a
     * learner are set, or the labels are not classes.
     *
     * @param example with the first label
     */
    static Map<String, String> first(Pipeline model, Example example) {
        Settings given = model.given();
        Algorithm fitting = Algorithm.fitting(given, example.features(), example.label());
        boolean isFree = Settings.all().stream()
                .allMatch(each -> !Pipeline.isOfLearner(each)
                        || each.equals(Settings.ALGORITHM)
                        || given.isDefault(each)
                        || (each.equals(Settings.THRESHOLD)
                                && given.get(Settings.THRESHOLD).isByCost()));
        if (model.algorithm().isDecided() || !fitting.hasClasses() || !isFree) {
            return Map.of();
        }
        boolean isOfTwo = fitting.has(Trait.TWO_CLASSES);
        Map<String, String> first = new HashMap<>(
                given.get(Settings.PORTFOLIO)
                        ? members(fitting).get(0).settings
                        : isOfTwo ? ADAPTIVE_OF_TWO : ADAPTIVE_OF_SEVERAL);
        if (given.get(Settings.DRIFT) == DriftSettings.Detector.NONE) {
            first.putAll(DETECTOR);
        }
        return first;
    }
}
