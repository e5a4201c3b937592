package io.perceptronstreams.store;

import io.perceptronstreams.model.Portfolio;
import io.perceptronstreams.settings.Setting;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Bounds of an engine on the settings that commands and imports may set, such as {@code blocks.max<=200000}.
 *
 * <p>The default of a setting is always within its bounds, so that a model without settings is.
 */
public final class AllowedSettings {
    /** Rule for the texts that {@link #parse} accepts, after "must". */
    public static final String RULE =
            "be bounds NAME<=NUMBER or NAME>=NUMBER of numeric settings of models, separated by commas, within which"
                    + " their defaults are; 0 is always allowed";

    private static final List<String> OPERATORS = List.of("<=", ">=");

    private final List<Bound> bounds;

    private record Bound(Setting<?> setting, boolean isMaximum, double number, String text) {
        boolean allows(double value) {
            return value == 0 || (isMaximum ? value <= number : value >= number);
        }
    }

    private AllowedSettings(List<Bound> bounds) {
        this.bounds = bounds;
    }

    /** Returns settings without bounds. */
    public static AllowedSettings all() {
        return new AllowedSettings(List.of());
    }

    /**
     * Parses bounds, separated by commas.
     *
     * @throws IllegalArgumentException if they do not follow {@link #RULE}
     */
    public static AllowedSettings parse(String text) {
        List<Bound> bounds = new ArrayList<>();
        for (String each : text.isBlank() ? List.<String>of() : List.of(text.split(",", -1))) {
            bounds.add(bound(each.strip()));
        }
        return new AllowedSettings(bounds);
    }

    private static Bound bound(String text) {
        for (String operator : OPERATORS) {
            int at = text.indexOf(operator);
            if (at > 0) {
                String name = text.substring(0, at).strip();
                Setting<?> setting = Settings.all().stream()
                        .filter(each -> each.name().equals(name) && each.defaultValue() instanceof Number)
                        .findAny()
                        .orElseThrow(IllegalArgumentException::new);
                double number = Double.parseDouble(text.substring(at + operator.length()));
                Bound bound = new Bound(setting, operator.equals("<="), number, text);
                if (bound.allows(((Number) setting.defaultValue()).doubleValue())) {
                    return bound;
                }
            }
        }
        throw new IllegalArgumentException();
    }

    /**
     * Describes the first value that is out of bounds, after "must"; values that are not valid are left out. A
     * portfolio has the settings of its members.
     */
    public Optional<String> violation(Map<String, String> settings) {
        Optional<String> own = violationOf(settings);
        boolean hasPortfolio = Boolean.parseBoolean(settings.get(Settings.PORTFOLIO.name()));
        if (own.isPresent() || !hasPortfolio || bounds.isEmpty()) {
            return own;
        }
        return Portfolio.members().entrySet().stream()
                .flatMap(member -> violationOf(member.getValue()).stream()
                        .map(rule -> rule + " by the challenger " + member.getKey() + " of portfolio=true"))
                .findFirst();
    }

    private Optional<String> violationOf(Map<String, String> settings) {
        for (Bound bound : bounds) {
            String text = settings.get(bound.setting.name());
            if (text != null && !isAllowed(bound, text)) {
                return Optional.of("set " + bound.text + " in this engine (settings.bounds), got " + text);
            }
        }
        return Optional.empty();
    }

    private static boolean isAllowed(Bound bound, String text) {
        try {
            return bound.allows(((Number) bound.setting.parse(text)).doubleValue());
        } catch (IllegalArgumentException e) {
            // refused by the model itself
            return true;
        }
    }
}
