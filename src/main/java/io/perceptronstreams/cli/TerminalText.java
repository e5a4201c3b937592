package io.perceptronstreams.cli;

/** Text on a terminal: how wide it is there, and what of it must not get there. */
final class TerminalText {
    private static final int REPLACEMENT = 0xFFFD;

    /** First and last of the blocks whose characters take two columns (East Asian Width W and F, roughly). */
    private static final int[][] WIDE = {
        {0x1100, 0x115F},
        {0x2E80, 0x303E},
        {0x3041, 0xA4CF},
        {0xA960, 0xA97F},
        {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF},
        {0xFE30, 0xFE6F},
        {0xFF00, 0xFF60},
        {0xFFE0, 0xFFE6},
        {0x1F300, 0x1F64F},
        {0x1F680, 0x1F6FF},
        {0x1F900, 0x1FAFF},
        {0x20000, 0x3FFFD}
    };

    private TerminalText() {}

    /**
     * The same with U+FFFD for all that could move the cursor, colour what follows, or turn its direction: names and ids are whatever a producer
     * sent.
     */
    static String harmless(String text) {
        if (text.codePoints().noneMatch(TerminalText::isHarmful)) {
            return text;
        }
        StringBuilder harmless = new StringBuilder();
        text.codePoints().forEach(each -> harmless.appendCodePoint(isHarmful(each) ? REPLACEMENT : each));
        return harmless.toString();
    }

    private static boolean isHarmful(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> true;
            default -> false;
        };
    }

    /** How many columns a harmless text takes. */
    static int columns(String text) {
        return text.codePoints().map(TerminalText::columns).sum();
    }

    private static int columns(int character) {
        int type = Character.getType(character);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        for (int[] block : WIDE) {
            if (character >= block[0] && character <= block[1]) {
                return 2;
            }
        }
        return 1;
    }

    /** Harmless, and cut to so many columns at most, with … at the end of what was cut. */
    static String cut(String text, int columns) {
        String harmless = harmless(text);
        if (columns(harmless) <= columns) {
            return harmless;
        }
        StringBuilder cut = new StringBuilder();
        int left = columns - 1;
        for (int at = 0; at < harmless.length() && left >= 0; at += Character.charCount(harmless.codePointAt(at))) {
            int character = harmless.codePointAt(at);
            left -= columns(character);
            if (left >= 0) {
                cut.appendCodePoint(character);
            }
        }
        return columns == 0 ? "" : cut.append('…').toString();
    }
}
