package io.perceptronstreams.multiclass;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.StateFields;
import io.perceptronstreams.learner.TwoClassLabels;
import io.perceptronstreams.settings.LearnedException;
import io.perceptronstreams.settings.SettingType;
import io.perceptronstreams.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The classes of a model, numbered in order of appearance. The order is state: it decides ties.
 *
 * <p>Names are part of the model's header, of predictions with scores and of published weights, so their lengths are
 * limited.
 */
public final class Classes {
    /** Maximum length of all names together, in UTF-8. */
    static final int MAX_BYTES = 256 * 1024;

    /** Heap per name: string, label, number and map entry, and half as much for an int that the name may spell. */
    private static final int BYTES_OF_NAME = 240;

    private final List<Label.ClassName> labels = new ArrayList<>();
    private final List<Label.ClassName> readOnly = Collections.unmodifiableList(labels);

    // By name and, if the name spells an int, also by the int: no example has to convert its label.
    private final Map<Label, Integer> numbers = new HashMap<>();
    private int bytes;
    private long characters;

    // of the settings: whether no class can be added, and the maximum number
    private boolean isFixed;
    private int classesMax;

    public int size() {
        return labels.size();
    }

    public Label label(int number) {
        return labels.get(number);
    }

    /** In order of appearance, read-only. */
    public List<Label.ClassName> labels() {
        return readOnly;
    }

    public List<String> names() {
        return labels.stream().map(Label.ClassName::name).toList();
    }

    /**
     * The number of a class, or -1 for a label that could be added; an int names the class that it spells.
     *
     * @throws RejectedException if the label cannot name a class
     */
    public int find(Label y) {
        Integer number = numbers.get(y);
        if (number != null) {
            return number;
        }
        if (y instanceof Label.Tags) {
            throw refused("label must be a string or an int for a model of several classes", y);
        }
        if (isFixed) {
            String more = size() > 10 ? ", …" : "";
            List<Label.ClassName> shown = labels.subList(0, Math.min(10, size()));
            throw refused("label must be one of the model's " + size() + " classes " + shown + more, y);
        }
        if (!SettingType.isClassName(y.toString())) {
            throw refused(
                    "a class must have a name of 1 to " + Label.ClassName.MAX_CHARACTERS
                            + " characters, none of them a control character",
                    y);
        }
        return -1;
    }

    private static RejectedException refused(String rule, Label y) {
        return new RejectedException(RejectReason.INVALID_LABEL, rule + ", got " + TwoClassLabels.describe(y));
    }

    /**
     * Checks that there is room for more classes.
     *
     * @throws RejectedException if there is not
     */
    public void requireRoom(List<String> added) {
        if (size() + added.size() > classesMax) {
            throw new RejectedException(
                    RejectReason.MODEL_FULL,
                    "a model must not have more than classes.max = " + classesMax + " classes, got " + shown(added)
                            + " (raise classes.max, or name the classes by classes=A,B,…)");
        }
        int more = added.stream().mapToInt(Classes::utf8Length).sum();
        if (bytes + more > MAX_BYTES) {
            throw new RejectedException(
                    RejectReason.MODEL_FULL,
                    "the names of all classes together must not have more than " + MAX_BYTES + " bytes, got "
                            + shown(added) + " (use shorter labels)");
        }
    }

    private static String shown(List<String> names) {
        String last = TwoClassLabels.describe(new Label.ClassName(names.get(names.size() - 1)));
        return (names.size() == 1 ? "one" : names.size()) + " more: " + (names.size() == 1 ? "" : "…, ") + last;
    }

    /** Adds a class; {@link #find} must have returned -1 and {@link #requireRoom} must have passed. */
    public void add(String name) {
        int number = size();
        labels.add(new Label.ClassName(name));
        numbers.put(labels.get(number), number);
        bytes += utf8Length(name);
        characters += name.length();
        try {
            Label.Int spelled = new Label.Int(Integer.parseInt(name));
            if (spelled.toString().equals(name)) {
                numbers.put(spelled, number);
            }
        } catch (NumberFormatException e) {
            // not an int
        }
    }

    /** Replaces all classes. */
    void replaceBy(List<String> names) {
        labels.clear();
        numbers.clear();
        bytes = 0;
        characters = 0;
        names.forEach(this::add);
    }

    /**
     * Writes or reads the names.
     *
     * @throws IllegalArgumentException if stored names are not valid with these settings
     */
    public void exchange(StateFields fields, Settings settings) {
        List<String> names = fields.names(names());
        if (fields.isReading()) {
            restore(names, settings);
        }
    }

    private void restore(List<String> names, Settings settings) {
        if (names.size() > Settings.MAX_CLASSES) {
            throw new IllegalArgumentException(
                    "a model must not have more than " + Settings.MAX_CLASSES + " classes, got " + names.size());
        }
        Set<String> seen = new HashSet<>();
        int sum = 0;
        for (String name : names) {
            sum += utf8Length(name);
            if (!SettingType.isClassName(name) || !seen.add(name) || sum > MAX_BYTES) {
                throw new IllegalArgumentException("classes must have different names of 1 to "
                        + Label.ClassName.MAX_CHARACTERS
                        + " characters, none of them a control character, in all at most " + MAX_BYTES + " bytes, got "
                        + TwoClassLabels.describe(new Label.ClassName(name)) + " as number " + (seen.size() + 1));
            }
        }
        if (!settings.get(Settings.CLASSES).isEmpty()
                && !settings.get(Settings.CLASSES).equals(names)) {
            throw new IllegalArgumentException("the classes of a model must be those of its setting classes, got "
                    + names.size() + " other ones than these "
                    + settings.get(Settings.CLASSES).size());
        }
        replaceBy(names);
    }

    /** Estimated heap of the names and their map, in bytes. */
    public long heapBytes() {
        return (long) BYTES_OF_NAME * labels.size() + 2 * characters;
    }

    /**
     * Applies the setting {@code classes}. If it is empty, the classes of an earlier setting are removed unless the
     * model has learned.
     *
     * @param hasLearned true if the model has weights
     * @throws IllegalArgumentException if existing classes would change, or there are too many; then nothing has
     *     changed
     */
    public void configure(Settings changed, boolean hasLearned) {
        List<String> fixed = changed.get(Settings.CLASSES);
        if (fixed.isEmpty()) {
            if (!hasLearned) {
                replaceBy(List.of());
            }
            isFixed = false;
            classesMax = changed.get(Settings.CLASSES_MAX);
            return;
        }
        List<String> known = names();
        boolean isLonger =
                fixed.size() >= known.size() && fixed.subList(0, known.size()).equals(known);
        if (!isLonger && hasLearned) {
            throw new LearnedException(
                    "classes must begin with those that the model has, in their order, the first being "
                            + known.subList(0, Math.min(10, known.size())),
                    "reset the model first");
        }
        if (fixed.size() > changed.get(Settings.CLASSES_MAX)) {
            throw new IllegalArgumentException("classes must not be more than classes.max = "
                    + changed.get(Settings.CLASSES_MAX) + ", got " + fixed.size());
        }
        replaceBy(fixed);
        isFixed = true;
        classesMax = changed.get(Settings.CLASSES_MAX);
    }

    private static int utf8Length(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length;
    }
}
