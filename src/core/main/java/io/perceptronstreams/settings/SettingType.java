package io.perceptronstreams.settings;

import io.perceptronstreams.example.Crosses;
import io.perceptronstreams.example.FeatureRules;
import io.perceptronstreams.example.Label;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The valid values of a setting.
 *
 * @param rule completes the sentence "NAME must be …"
 * @param parse parses a value; throws IllegalArgumentException, whose message is shown in parentheses
 * @param print formats a value so that {@code parse} accepts it
 */
public record SettingType<T>(String rule, Function<String, T> parse, Function<T, String> print) {
    // names are part of every stored model and of every prediction
    private static final int MAX_NAME_LENGTH = 256;

    // settings are part of every chunk of published weights
    private static final int MAX_CLASSES_LENGTH = 16 * 1024;

    private static final String AUTO = "auto";

    /** Values that meet a condition. */
    private static <T> SettingType<T> where(
            String rule, Function<String, T> parse, Predicate<T> condition, Function<T, String> print) {
        return new SettingType<>(
                rule,
                text -> {
                    T value = parse.apply(text);
                    if (condition.test(value)) {
                        return value;
                    }
                    throw new IllegalArgumentException();
                },
                print);
    }

    /** One of a few values, by its text. */
    private static <T> SettingType<T> among(String rule, List<T> values, Function<T, String> print) {
        Map<String, T> byText = values.stream().collect(Collectors.toMap(print, Function.identity()));
        return where(rule, byText::get, Objects::nonNull, print);
    }

    /**
     * A number with conditions, which are part of the rule.
     *
     * @param conditions such as {@code "> 0 and <= 1.0"}; empty: any finite number
     */
    static SettingType<Double> number(String conditions) {
        return where(
                conditions.isEmpty() ? "a finite number" : "a number " + conditions,
                Double::valueOf,
                value -> Double.isFinite(value) && meets(value, conditions),
                value -> Double.toString(value));
    }

    private static boolean meets(double value, String conditions) {
        return conditions.isEmpty()
                || Stream.of(conditions.split(" and ", -1)).allMatch(condition -> {
                    int space = condition.indexOf(' ');
                    double limit = Double.parseDouble(condition.substring(space));
                    return switch (condition.substring(0, space)) {
                        case ">" -> value > limit;
                        case ">=" -> value >= limit;
                        case "<" -> value < limit;
                        case "<=" -> value <= limit;
                        default -> throw new IllegalStateException(condition);
                    };
                });
    }

    /** 0, or another number with {@link #number(String) conditions}. */
    static SettingType<Double> zeroOrNumber(String conditions) {
        SettingType<Double> number = number(conditions);
        return new SettingType<>(
                "0 or " + number.rule,
                text -> Double.parseDouble(text) == 0 ? (Double) 0.0 : number.parse.apply(text),
                number.print);
    }

    /** The text {@code auto} for a value, or a value of another type. */
    static <T> SettingType<T> orAuto(SettingType<T> type, T auto) {
        return new SettingType<>(
                "auto or " + type.rule,
                text -> text.equals(AUTO) ? auto : type.parse.apply(text),
                value -> value.equals(auto) ? AUTO : type.print.apply(value));
    }

    static SettingType<Threshold> threshold() {
        return new SettingType<>(
                "a finite number, or cost:FP:FN with positive numbers as in cost:1:20",
                Threshold::parse,
                Threshold::toString);
    }

    static SettingType<AlertLimit> alertLimit() {
        return new SettingType<>(
                "NUMBER/hour or NUMBER/day with a positive number as in 200/day, or empty",
                AlertLimit::parse,
                AlertLimit::toString);
    }

    static SettingType<LabelSources> labelSources() {
        return new SettingType<>(
                "at most " + LabelSources.MAX + " different names separated by >, the strongest first, each of 1 to "
                        + LabelSources.MAX_LENGTH + " of the characters A-Z a-z 0-9 . _ -, or empty",
                LabelSources::parse,
                LabelSources::toString);
    }

    static SettingType<ClassFactors> classWeights() {
        return new SettingType<>(
                "balanced, or CLASS:NUMBER for each class as in spam:5,ham:1 with numbers > 0, or empty",
                ClassFactors::parse,
                ClassFactors::toString);
    }

    static SettingType<Long> whole(long low, long high) {
        return where(
                "a whole number from " + low + " to " + high,
                Long::valueOf,
                value -> value >= low && value <= high,
                value -> Long.toString(value));
    }

    static SettingType<Integer> count(int low, int high) {
        SettingType<Long> whole = whole(low, high);
        return new SettingType<>(
                whole.rule, text -> Math.toIntExact(whole.parse.apply(text)), value -> Integer.toString(value));
    }

    static SettingType<Boolean> flag() {
        return among("true or false", List.of(true, false), value -> Boolean.toString(value));
    }

    /** {@code false} for 0, {@code true} for all, or a number from 1 to {@code high}. */
    static SettingType<Integer> flagOrCount(int high) {
        return new SettingType<>(
                "true, false or a whole number from 1 to " + high,
                text -> {
                    if (text.equals("true") || text.equals("false")) {
                        return text.equals("true") ? Integer.MAX_VALUE : 0;
                    }
                    return count(1, high).parse.apply(text);
                },
                value -> value == 0 ? "false" : value == Integer.MAX_VALUE ? "true" : Integer.toString(value));
    }

    /** One of the constants of an enum, in the spelling of {@link #spelled}. */
    static <E extends Enum<E>> SettingType<E> oneOf(Class<E> type) {
        return oneOf(List.of(type.getEnumConstants()), SettingType::spelled);
    }

    /** One of a few values, by its spelling. */
    static <T> SettingType<T> oneOf(List<? extends T> values, Function<T, String> spelling) {
        String spellings = values.stream().map(spelling).collect(Collectors.joining(", "));
        return among("one of " + spellings, List.copyOf(values), spelling);
    }

    /** Spelling of a constant for users: {@code unit-norm}. */
    public static String spelled(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static SettingType<NegativeLabel> negativeLabel() {
        SettingType<NegativeLabel> type =
                among("auto, -1 or 0", List.of(NegativeLabel.values()), NegativeLabel::toString);
        return new SettingType<>(
                type.rule,
                text -> NegativeLabel.ofDecision(text) == NegativeLabel.AUTO
                        ? type.parse.apply(text)
                        : NegativeLabel.AUTO,
                type.print);
    }

    /** Empty, or the canonical text of a {@link Kernel} expression. */
    static SettingType<String> kernel() {
        return new SettingType<>(
                "an expression such as 0.5*poly(c=1,k=2) + rbf(g=0.1)",
                // the canonical text, which may be longer, must be valid, too: learners parse it again
                text -> text.isBlank()
                        ? ""
                        : Kernel.parse(Kernel.parse(text).text()).text(),
                text -> text);
    }

    /** Empty, or the canonical text of {@link Crosses}. */
    static SettingType<String> crosses() {
        return new SettingType<>(
                "namespaces joined by * as in user*item,user*item*hour, or empty for none",
                text -> text.isBlank() ? "" : Crosses.parse(text).text(),
                text -> text);
    }

    static SettingType<List<String>> namespaces() {
        // a null, which JSON allows, has the text null
        return where(
                "namespaces separated by commas, or empty",
                text -> text.isBlank() ? List.of() : text.equals("null") ? null : FeatureRules.parseNamespaces(text),
                Objects::nonNull,
                names -> String.join(",", names));
    }

    static SettingType<String> comparator(String imported) {
        return where(
                "a version of the model, or empty for none",
                text -> text,
                text -> text.isEmpty() || text.equals(imported) || text.matches("0|[1-9][0-9]{0,14}"),
                text -> text);
    }

    /** Empty, or a label; see {@link Label#parse}. */
    static SettingType<String> label() {
        // a null, which JSON allows, has the text null
        return where(
                "empty, or a label of at most " + MAX_NAME_LENGTH + " characters that is not null",
                text -> text,
                text -> text.length() <= MAX_NAME_LENGTH && !text.equals("null"),
                text -> text);
    }

    static SettingType<List<String>> labels() {
        return where(
                "two different names of at most " + MAX_NAME_LENGTH
                        + " characters, the one for -1 first, as in ham,spam",
                text -> text.isEmpty() ? List.<String>of() : List.of(text.split(",", 3)),
                names -> names.isEmpty()
                        || (names.size() == 2
                                && !names.get(0).equals(names.get(1))
                                && names.stream()
                                        .allMatch(name -> !name.isEmpty() && name.length() <= MAX_NAME_LENGTH)),
                names -> String.join(",", names));
    }

    /** Returns true if a class may have this name. Control characters would grow sixfold in JSON. */
    public static boolean isClassName(String name) {
        return !name.isEmpty()
                && name.length() <= Label.ClassName.MAX_CHARACTERS
                && name.chars().noneMatch(Character::isISOControl);
    }

    static SettingType<List<String>> classes() {
        return where(
                "two or more different names of 1 to " + Label.ClassName.MAX_CHARACTERS + " characters, in all at most "
                        + MAX_CLASSES_LENGTH + ", as in red,green,blue",
                text -> text.isEmpty()
                        ? List.<String>of()
                        : List.of((text.length() <= MAX_CLASSES_LENGTH ? text : "").split(",", -1)),
                names -> names.isEmpty()
                        || (names.size() >= 2
                                && names.stream().allMatch(SettingType::isClassName)
                                && Set.copyOf(names).size() == names.size()),
                names -> String.join(",", names));
    }
}
