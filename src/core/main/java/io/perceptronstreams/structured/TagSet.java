package io.perceptronstreams.structured;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.TwoClassLabels;
import io.perceptronstreams.multiclass.Classes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts labels to numbers of tags, in order of appearance: by sequence, then by position.
 *
 * <p>Reading a label does not make its tags known; {@link #learn} does.
 */
final class TagSet {
    /** Maximum number of tags: the scores of their pairs take 32 MB. */
    static final int MAX_TAGS = 2048;

    private final Classes known = new Classes();

    // Unknown tags of the label that was read last; numbered after the known ones.
    private final Map<String, Integer> unknown = new LinkedHashMap<>();

    private int[] path = new int[0];

    /** The known tags, which can be predicted. */
    Classes known() {
        return known;
    }

    /**
     * The numbers of a label's tags, valid until the next call; unknown tags are numbered after the known ones.
     *
     * @param tokens required number of tags
     * @throws RejectedException if the number of tags differs, or a tag is not possible
     */
    int[] read(Label y, int tokens) {
        unknown.clear();
        if (!(y instanceof Label.Tags label)) {
            throw invalid("label must be tags, one for each token, got " + TwoClassLabels.describe(y));
        }
        List<String> tags = label.tags();
        if (tags.size() != tokens) {
            throw invalid("label must have as many tags as the sequence has tokens, got " + tags.size() + " tags and "
                    + tokens + " tokens");
        }
        path = SequenceScratch.sized(path, tokens);
        for (int i = 0; i < tokens; i++) {
            path[i] = number(tags.get(i));
        }
        return path;
    }

    private int number(String tag) {
        int number = known.find(new Label.ClassName(tag));
        if (number >= 0) {
            return number;
        }
        Integer next = known.size() + unknown.size();
        Integer given = unknown.putIfAbsent(tag, next);
        return given == null ? next : given;
    }

    /**
     * Checks that there is room for the unknown tags of the label that was read last.
     *
     * @throws RejectedException if there are too many
     */
    void requireRoom() {
        if (known.size() + unknown.size() > MAX_TAGS && !unknown.isEmpty()) {
            throw new RejectedException(
                    RejectReason.MODEL_FULL,
                    "a sequence model must not have more than " + MAX_TAGS + " tags, got " + unknown.size()
                            + " more than " + known.size() + " (use fewer tags)");
        }
        if (!unknown.isEmpty()) {
            known.requireRoom(List.copyOf(unknown.keySet()));
        }
    }

    /** Makes the unknown tags known. */
    void learn() {
        unknown.keySet().forEach(known::add);
        unknown.clear();
    }

    private static RejectedException invalid(String message) {
        return new RejectedException(RejectReason.INVALID_LABEL, message);
    }
}
