package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.Sequence;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * CoNLL-U, the format of Universal Dependencies: sentences as sequences of {@link WordFeatures} with tags as label.
 *
 * <p>A word is a line whose ID is a plain number, counted from 1; multiword tokens (IDs such as 4-5) and empty nodes
 * (8.1) are skipped. The id of a sentence comes from the comment {@code # sent_id = …}, or is the line of its first
 * word. A sentence whose tags are all {@code _} has no label and is only predicted.
 */
final class ConlluReader extends LineExampleReader {
    private static final int COLUMNS = 10;
    private static final String NONE = "_";

    private final TagColumn tagColumn;

    // The current sentence.
    private String id;
    private final List<String> words = new ArrayList<>();
    private final List<String> tags = new ArrayList<>();
    private int untagged;
    private boolean isMalformed;
    private boolean hasOtherTags;
    private long line;

    ConlluReader(LineReader lines, ExampleIds ids, TagColumn tagColumn) {
        super(lines, ids);
        this.tagColumn = tagColumn;
    }

    @Override
    public Example next() throws IOException {
        id = null;
        words.clear();
        tags.clear();
        untagged = 0;
        boolean isBehindFault = isMalformed;
        isMalformed = true;
        while (lines.advance()) {
            if (isBehindFault) {
                // skips the rest of a sentence
                isBehindFault = lines.start() != lines.end();
            } else if (lines.start() == lines.end()) {
                if (!words.isEmpty()) {
                    isMalformed = false;
                    return sentence();
                }
                // comments without a sentence do not apply to the next one
                id = null;
            } else if (lines.bytes()[lines.start()] == '#') {
                comment(lines.text());
            } else {
                word(lines.text().split("\t", -1));
            }
        }
        isMalformed = false;
        return words.isEmpty() ? null : sentence();
    }

    private void comment(String line) {
        String text = line.substring(1).strip();
        if (text.startsWith("sent_id")) {
            String rest = text.substring("sent_id".length()).strip();
            if (rest.startsWith("=") && !rest.substring(1).isBlank()) {
                id = ids.given(rest.substring(1).strip());
            }
        }
    }

    private void word(String[] columns) throws MalformedExampleException {
        if (columns.length != COLUMNS) {
            throw lines.malformed("line must have " + COLUMNS + " columns with a tab between them, got "
                    + columns.length + " (sentences end with an empty line)");
        }
        if (columns[0].matches("[0-9]+[-.][0-9]+")) {
            return;
        }
        int number = words.size() + 1;
        if (!columns[0].equals(Integer.toString(number))) {
            throw lines.malformed("ID must be " + number + ", or a range or an empty node, got '" + columns[0]
                    + "' (sentences end with an empty line)");
        }
        if (columns[1].isEmpty()) {
            throw lines.malformed("FORM must not be empty");
        }
        String tag = columns[tagColumn.column];
        if (tag.isEmpty()) {
            throw lines.malformed(tagColumn + " must not be empty");
        }
        if (words.isEmpty()) {
            line = lines.number();
            id = id == null ? ids.ofLine(line) : id;
        }
        hasOtherTags |= !columns[other().column].equals(NONE) && !columns[other().column].isEmpty();
        words.add(columns[1]);
        tags.add(tag);
        untagged += tag.equals(NONE) ? 1 : 0;
        if (untagged != 0 && untagged != tags.size()) {
            throw lines.malformed(tagColumn + " must be given for all words of a sentence or for none, got '" + tag
                    + "' after '" + tags.get(0) + "'");
        }
    }

    private TagColumn other() {
        return tagColumn == TagColumn.UPOS ? TagColumn.XPOS : TagColumn.UPOS;
    }

    @Override
    public String labelHint() {
        String blank = tagColumn + ", column " + (tagColumn.column + 1) + ", is _ for all words";
        return hasOtherTags
                ? blank + "; --tag " + other().toString().toLowerCase(Locale.ROOT) + " takes column "
                        + (other().column + 1)
                : blank + ", and so is " + other();
    }

    private Example sentence() {
        List<String> label = untagged == 0 ? List.copyOf(tags) : null;
        return new Example(id, label, new Sequence(WordFeatures.of(words)), 1.0);
    }

    @Override
    public long line() {
        return line;
    }
}
