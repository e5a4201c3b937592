package io.perceptronstreams.embed;

import io.perceptronstreams.event.Label;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * True label of an example that is sent without it, to the same model, with the setting {@code await.labels.ms}; before
 * its example it waits for {@code await.examples.ms}.
 *
 * @since 0.2.0
 */
@NullMarked
public final class LearnLabel implements LearnInput {
    private final String exampleId;
    private final Object label;

    private LearnLabel(String exampleId, Object label) {
        this.exampleId = exampleId;
        this.label = label;
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

    String exampleId() {
        return exampleId;
    }

    /** A String, an Integer, or a List of tags. */
    Object label() {
        return label;
    }

    Label event() {
        return new Label(exampleId, label, 1.0, null, null);
    }
}
