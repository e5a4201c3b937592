package io.perceptronstreams.example;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Parser of {@link Crosses} and of lists of namespaces.
 *
 * <pre>
 * crosses = cross { "," cross }
 * cross   = factor "*" factor { "*" factor }
 * factor  = namespace | "*"
 * </pre>
 *
 * <p>A namespace is a text without blanks, control characters and {@code * , ^}. Blanks may stand between all of these.
 */
final class CrossesParser extends ExpressionText {
    private static final Comparator<String> ANY_LAST =
            Comparator.comparing((String name) -> name.equals(Crosses.ANY)).thenComparing(Comparator.naturalOrder());

    CrossesParser(String text) {
        super(text);
    }

    /** Parses crosses; the factors of each are in alphabetical order, those that stand for any namespace last. */
    List<List<String>> parse() {
        checkLength();
        List<List<String>> crosses = new ArrayList<>();
        do {
            skipBlanks();
            if (crosses.size() == Crosses.MAX_CROSSES) {
                throw fault("at most " + Crosses.MAX_CROSSES + " crosses");
            }
            crosses.add(cross());
        } while (isNext(','));
        if (!isAtEnd()) {
            throw fault("*, a comma or the end");
        }
        return crosses;
    }

    /** Parses namespaces that are separated by commas. */
    List<String> names() {
        checkLength();
        List<String> names = new ArrayList<>();
        do {
            skipBlanks();
            int start = at;
            String name = name();
            if (name.isEmpty()) {
                throw fault(start, "a namespace");
            }
            if (names.contains(name)) {
                throw fault(start, "another namespace than before");
            }
            if (names.size() == Crosses.MAX_NAMES) {
                throw fault(start, "at most " + Crosses.MAX_NAMES + " namespaces");
            }
            names.add(name);
        } while (isNext(','));
        if (!isAtEnd()) {
            throw fault("a comma or the end");
        }
        return names;
    }

    private void checkLength() {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > Crosses.MAX_BYTES) {
            throw new IllegalArgumentException("expected at most " + Crosses.MAX_BYTES + " bytes, got " + bytes);
        }
    }

    private List<String> cross() {
        int start = at;
        List<String> factors = new ArrayList<>();
        do {
            skipBlanks();
            if (factors.size() == Crosses.MAX_FACTORS) {
                throw fault("at most " + Crosses.MAX_FACTORS + " factors");
            }
            factors.add(factor());
        } while (isNext('*'));
        if (factors.size() == 1 && at < text.length() && text.charAt(at) != ',') {
            throw fault("*");
        }
        if (factors.size() == 1) {
            throw fault(start, "two or more factors as in user*item");
        }
        factors.sort(ANY_LAST);
        return List.copyOf(factors);
    }

    private String factor() {
        if (isNext('*')) {
            return Crosses.ANY;
        }
        String name = name();
        if (name.isEmpty()) {
            throw fault("a namespace, or * for any");
        }
        return name;
    }

    private String name() {
        int start = at;
        while (at < text.length() && isOfName(text.charAt(at))) {
            at++;
        }
        return text.substring(start, at);
    }

    private static boolean isOfName(char character) {
        return "*,^".indexOf(character) < 0 && !Character.isWhitespace(character) && !Character.isISOControl(character);
    }
}
