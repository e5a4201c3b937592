package io.perceptronstreams.embed;

import io.perceptronstreams.event.Label;
import io.perceptronstreams.settings.LabelSources;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * True label of an example that is sent without it, to the same model, with the setting {@code await.labels.ms}, or
 * another one that corrects an earlier one, with {@code labels.sources}; before its example it waits for {@code
 * await.examples.ms}.
 *
 * <pre>{@code
 * LearnLabel late = LearnLabel.of("a1", "fraud");
 * LearnLabel number = LearnLabel.of("a2", -1);
 * LearnLabel ofSequence = LearnLabel.ofTags("s1", "DET", "NOUN");
 * LearnLabel correction = LearnLabel.of("a1", "ok").withSource("analyst");
 * }</pre>
 *
 * @since 0.2.0
 */
@NullMarked
public final class LearnLabel implements LearnInput {
    private final String exampleId;
    private final Object label;
    private final @Nullable String source;
    private final @Nullable Long knowableAt;

    private LearnLabel(String exampleId, Object label, @Nullable String source, @Nullable Long knowableAt) {
        this.exampleId = exampleId;
        this.label = label;
        this.source = source;
        this.knowableAt = knowableAt;
    }

    private LearnLabel(String exampleId, Object label) {
        this(exampleId, label, null, null);
    }

    /** Creates a label that is a class name. */
    public static LearnLabel of(String exampleId, String name) {
        return new LearnLabel(exampleId, name);
    }

    /** Creates a label of a sequence: a tag for each token. */
    public static LearnLabel ofTags(String exampleId, String... tags) {
        return new LearnLabel(exampleId, List.of(tags));
    }

    /** Creates a label that is -1, 0 or +1. */
    public static LearnLabel of(String exampleId, int number) {
        return new LearnLabel(exampleId, number);
    }

    /**
     * Returns the same label of a source, which may correct that of a weaker one by the setting {@code labels.sources}.
     *
     * @throws IllegalArgumentException if it is not 1 to 40 of the characters A-Z a-z 0-9 . _ -
     */
    public LearnLabel withSource(String newSource) {
        if (!LabelSources.isName(newSource)) {
            throw new IllegalArgumentException(
                    "source must be 1 to 40 of the characters A-Z a-z 0-9 . _ -, got '" + newSource + "'");
        }
        return new LearnLabel(exampleId, label, newSource, knowableAt);
    }

    /**
     * Returns the same label with the time from which on its source knew it, for {@code perceptron what-if}.
     *
     * @param ms event time in ms since 1970, at most that of the record
     */
    public LearnLabel withKnowableAt(long ms) {
        return new LearnLabel(exampleId, label, source, ms);
    }

    @Nullable
    String source() {
        return source;
    }

    @Nullable
    Long knowableAt() {
        return knowableAt;
    }

    String exampleId() {
        return exampleId;
    }

    /** A String, an Integer, or a List of tags. */
    Object label() {
        return label;
    }

    Label event() {
        return new Label(exampleId, label, 1.0, source, knowableAt);
    }
}
