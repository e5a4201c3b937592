package io.perceptronstreams.settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Values other than the default for every declared setting. */
public final class OtherValues {
    private static final List<String> CANDIDATES = List.of("true", "false", "0.5", "7", "0");

    private OtherValues() {}

    /** Returns the given values, and for each of the other settings one that is valid and not its default. */
    public static Map<String, String> with(Map<String, String> given) {
        Map<String, String> all = new LinkedHashMap<>();
        for (Setting<?> setting : Settings.all()) {
            String value = given.get(setting.name());
            all.put(setting.name(), value == null ? other(setting) : value);
        }
        return all;
    }

    private static String other(Setting<?> setting) {
        String[] listed = setting.rule().replace("one of ", "").split(", ");
        return Stream.concat(CANDIDATES.stream(), Stream.of(listed))
                .map(candidate -> text(setting.name(), candidate))
                .filter(text -> !text.equals(setting.defaultText()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("give a value of " + setting + ", " + setting.rule()));
    }

    /** Text of a valid value; the default's for an invalid one. */
    private static String text(String name, String value) {
        try {
            return Settings.DEFAULTS.with(Map.of(name, value)).toMap().get(name);
        } catch (IllegalArgumentException e) {
            return Settings.DEFAULTS.toMap().get(name);
        }
    }
}
