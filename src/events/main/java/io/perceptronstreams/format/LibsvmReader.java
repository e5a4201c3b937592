package io.perceptronstreams.format;

import io.perceptronstreams.event.SparseVector;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.serde.LabelLimits;
import io.perceptronstreams.serde.NumberLists;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * LIBSVM's format, {@code label index:value …}, as sparse vectors.
 *
 * <p>Indices are kept, whether they start at 0 or 1; they must ascend. {@code qid:n} is ignored, {@code #} starts a
 * comment, empty lines are skipped. Cost: O(length of the line), no object per feature.
 */
final class LibsvmReader extends LineExampleReader implements DirectReader {
    private static final byte[] QID = {'q', 'i', 'd'};
    private static final byte COMMENT = '#';
    private static final Pattern SEVERAL = Pattern.compile("-?[0-9]+(?:,-?[0-9]+)+");

    private final LabelParser labels;
    private int[] indices = new int[64];
    private double[] values = new double[64];
    private int size;
    // of the current line
    private int labelStart;
    private int labelEnd;

    LibsvmReader(LineReader lines, ExampleIds ids, LabelParser labels) {
        super(lines, ids);
        this.labels = labels;
    }

    @Override
    public io.perceptronstreams.event.Example next() throws IOException {
        if (!advance()) {
            return null;
        }
        SparseVector features = new SparseVector(NumberLists.ints(indices, size), NumberLists.doubles(values, size));
        return new io.perceptronstreams.event.Example(ids.ofLine(lines.number()), label(), features, 1.0);
    }

    @Override
    public boolean next(Example example) throws IOException {
        if (!advance()) {
            return false;
        }
        FeatureVector x = example.vector().resetSparse();
        x.ensureCapacity(size);
        System.arraycopy(indices, 0, x.indices(), 0, size);
        System.arraycopy(values, 0, x.values(), 0, size);
        x.setSize(size);
        example.setFeatures(x);
        example.setNames(null);
        Object label = label();
        example.setLabel(
                label instanceof Integer number
                        ? Label.of(number)
                        : label == null ? null : new Label.ClassName(LabelLimits.checked((String) label)));
        example.setWeight(1.0);
        return true;
    }

    /** Parses the features of the next line that is not empty; returns false at the end. */
    private boolean advance() throws IOException {
        while (lines.advance()) {
            byte[] text = lines.bytes();
            int from = skipBlanks(text, lines.start(), lines.end());
            if (from < lines.end() && text[from] != COMMENT) {
                features(text, from, lines.end());
                return true;
            }
        }
        return false;
    }

    private void features(byte[] text, int from, int end) throws MalformedExampleException {
        int at = tokenEnd(text, from, end);
        labelStart = from;
        labelEnd = at;
        if (indexOf(text, from, at, (byte) ':') >= 0) {
            throw lines.malformed("line must start with a label, got '" + lines.text(from, at) + "'");
        }
        size = 0;
        int last = -1;
        // each byte is looked at once where it is well-formed
        for (at = skipBlanks(text, at, end); at < end && text[at] != COMMENT; at = skipBlanks(text, at, end)) {
            int colon = digitsEnd(text, at, end);
            if (colon == at || colon == end || text[colon] != ':') {
                int tokenEnd = tokenEnd(text, at, end);
                colon = indexOf(text, at, tokenEnd, (byte) ':');
                if (colon < 0) {
                    throw lines.malformed("feature must be index:value, got '" + lines.text(at, tokenEnd) + "'");
                }
                if (Arrays.equals(text, at, colon, QID, 0, QID.length)) {
                    at = tokenEnd;
                    continue;
                }
            }
            if (size == indices.length) {
                indices = Arrays.copyOf(indices, 2 * size);
                values = Arrays.copyOf(values, 2 * size);
            }
            last = index(text, at, colon, last);
            int plainEnd = Decimals.plainEnd(text, colon + 1, end);
            int tokenEnd = tokenEnd(text, plainEnd, end);
            indices[size] = last;
            values[size++] = value(text, colon + 1, tokenEnd, tokenEnd == plainEnd, last);
            at = tokenEnd;
        }
    }

    private static int digitsEnd(byte[] text, int from, int to) {
        int at = from;
        while (at < to && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        return at;
    }

    private Object label() throws MalformedExampleException {
        try {
            Object label = labels.parse(lines.bytes(), labelStart, labelEnd);
            if (label instanceof String name && labels.isGuessed() && isSeveral(name)) {
                throw lines.malformed("label must be one label, got '" + name
                        + "' (of several labels each needs a model, whose label is whether an example has it; --label-type"
                        + " string takes the list as the name of a class)");
            }
            return label;
        } catch (IllegalArgumentException e) {
            throw lines.malformed(e.getMessage());
        }
    }

    /** Returns true for numbers with commas between, as files with several labels for an example have them. */
    private static boolean isSeveral(String label) {
        return label.indexOf(',') > 0 && SEVERAL.matcher(label).matches();
    }

    private int index(byte[] text, int from, int to, int last) throws MalformedExampleException {
        long index = from == to ? -1 : 0;
        for (int i = from; i < to && index >= 0; i++) {
            boolean digit = text[i] >= '0' && text[i] <= '9';
            index = digit && index <= Integer.MAX_VALUE ? 10 * index + (text[i] - '0') : -1;
        }
        if (index < 0 || index > Integer.MAX_VALUE) {
            throw lines.malformed("index must be a whole number from 0 to " + Integer.MAX_VALUE + ", got '"
                    + lines.text(from, to) + "'");
        }
        if (index <= last) {
            throw lines.malformed("indices must ascend, got " + index + " after " + last
                    + (index == last
                            ? ""
                            : " (perl -lane 'print join q( ), shift @F, sort {$a <=> $b} @F' FILE sorts them)"));
        }
        return (int) index;
    }

    private double value(byte[] text, int from, int to, boolean isPlain, int index) throws MalformedExampleException {
        double value = isPlain ? Decimals.parsePlain(text, from, to) : Decimals.parse(text, from, to);
        if (!Double.isFinite(value)) {
            throw lines.malformed("value must be a " + (Double.isNaN(value) ? "number" : "finite number") + ", got '"
                    + lines.text(from, to) + "' (index " + index
                    + (Double.isNaN(value)
                                    && lines.text(from, to)
                                            .toLowerCase(Locale.ROOT)
                                            .endsWith("nan")
                            ? "; leave a missing value out"
                            : "")
                    + ")");
        }
        return value;
    }

    private static int indexOf(byte[] text, int from, int to, byte wanted) {
        for (int i = from; i < to; i++) {
            if (text[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static int skipBlanks(byte[] text, int from, int to) {
        int at = from;
        while (at < to && isBlank(text[at])) {
            at++;
        }
        return at;
    }

    private static int tokenEnd(byte[] text, int from, int to) {
        int at = from;
        while (at < to && !isBlank(text[at]) && text[at] != COMMENT) {
            at++;
        }
        return at;
    }

    private static boolean isBlank(byte c) {
        return c == ' ' || c == '\t';
    }
}
