package io.perceptronstreams.serde;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.settings.LabelSources;
import java.util.List;

/**
 * Size limits of labels in Avro and JSON: a Mistake repeats the label and must not exceed the maximum record size.
 *
 * <p>A name or tag has at most {@link Label.ClassName#MAX_CHARACTERS} UTF-16 units. A sequence has at most {@link
 * Sequence#MAX_TOKENS} tags, with at most {@link Label.Tags#MAX_CHARACTERS} units in total: less than 900,000 bytes as
 * JSON, in which a control character has six bytes.
 */
public final class LabelLimits {
    /** Maximum number of bytes of a valid name in UTF-8. */
    private static final int MAX_BYTES = 3 * Label.ClassName.MAX_CHARACTERS;

    private LabelLimits() {}

    /**
     * Checks the length of an encoded name, before it is decoded.
     *
     * @throws RejectedException if the name exceeds the limit for certain
     */
    static void checkBytes(int utf8Bytes) {
        if (utf8Bytes > MAX_BYTES) {
            throw tooLong("more, in " + utf8Bytes + " bytes");
        }
    }

    /**
     * Checks a name or a tag.
     *
     * @throws RejectedException if it is too long
     */
    public static String checked(String name) {
        if (name.length() > Label.ClassName.MAX_CHARACTERS) {
            throw tooLong(Integer.toString(name.length()));
        }
        return name;
    }

    private static RejectedException tooLong(String got) {
        return new RejectedException(
                RejectReason.INVALID_LABEL,
                "label must have names or tags of at most " + Label.ClassName.MAX_CHARACTERS + " characters, got " + got
                        + " (use a shorter name)");
    }

    /**
     * Checks the source of a label.
     *
     * @throws RejectedException if it cannot be the name of one
     */
    static String source(String text) {
        if (LabelSources.isName(text)) {
            return text;
        }
        throw new RejectedException(
                RejectReason.INVALID_SOURCE,
                "source must be 1 to " + LabelSources.MAX_LENGTH + " of the characters A-Z a-z 0-9 . _ -, got '"
                        + Utf8Slice.shortened(text, 80).replaceAll("\\p{Cntrl}", "?") + "'");
    }

    /**
     * Checks the number of tags before they are decoded.
     *
     * @throws RejectedException if there are too many
     */
    public static void checkCount(long tags) {
        if (tags > Sequence.MAX_TOKENS) {
            throw new RejectedException(
                    RejectReason.INVALID_LABEL,
                    "label must have at most " + Sequence.MAX_TOKENS + " tags, one for each token, got " + tags
                            + " (cut the sequence)");
        }
    }

    /**
     * Checks the total length of tags, each of which is already {@link #checked}.
     *
     * @throws RejectedException if they are too long
     */
    public static Label.Tags tags(List<String> tags) {
        long characters = 0;
        for (String tag : tags) {
            characters += tag.length();
        }
        if (characters > Label.Tags.MAX_CHARACTERS) {
            throw new RejectedException(
                    RejectReason.INVALID_LABEL,
                    "label must have at most " + Label.Tags.MAX_CHARACTERS
                            + " characters in all its tags together, got " + characters
                            + " (use shorter tags, or cut the sequence)");
        }
        return new Label.Tags(tags);
    }
}
