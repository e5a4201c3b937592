package io.perceptronstreams.client;

/** Width and sanitization of text for a terminal. */
public final class TerminalText {
    private static final int REPLACEMENT = 0xFFFD;

    /** First and last character of blocks that are two columns wide (East Asian Width W and F, approximately). */
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

    /** Replaces characters that move the cursor or change colour or direction by U+FFFD: ids come from producers. */
    public static String sanitize(String text) {
        if (text.codePoints().noneMatch(TerminalText::isUnsafe)) {
            return text;
        }
        StringBuilder safe = new StringBuilder();
        text.codePoints().forEach(each -> safe.appendCodePoint(isUnsafe(each) ? REPLACEMENT : each));
        return safe.toString();
    }

    private static boolean isUnsafe(int character) {
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

    /** Returns the width of a sanitized text in columns. */
    public static int columns(String text) {
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
}
