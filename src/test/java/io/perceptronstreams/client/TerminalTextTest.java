package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TerminalTextTest {

    @ParameterizedTest
    @CsvSource({
        "abc, 3, abc",
        "abcd, 3, ab…",
        "abcd, 1, …",
        "abcd, 0, ''",
        // two columns each: a third one and the ellipsis do not fit
        "日本語, 6, 日本語",
        "日本語, 5, 日本…",
        "日本語, 4, 日…",
        "日本語, 3, 日…",
        // a combining accent has no width
        "e\u0301tat, 4, e\u0301tat",
        "e\u0301tat, 3, e\u0301t…",
        "😀😀, 4, 😀😀",
        "😀😀, 3, 😀…",
        "한국, 3, 한…"
    })
    void shouldCutByColumnsOfTheTerminal(String text, int columns, String expected) {
        assertThat(TerminalText.truncate(text, columns)).isEqualTo(expected);
        assertThat(TerminalText.columns(TerminalText.truncate(text, columns))).isLessThanOrEqualTo(columns);
    }

    @Test
    void shouldMakeHarmlessWhateverATerminalWouldObey() {
        // colour, title, carriage return, backspace, one-byte form of ESC [, direction, line separator, lone surrogate
        String hostile = "a\u001b[31mb\u001b]0;t\u0007c\rd\be\u009b2Jf\u202eg\u2028h\n\ud800i";

        String safe = TerminalText.sanitize(hostile);

        assertThat(safe).isEqualTo("a\ufffd[31mb\ufffd]0;t\ufffdc\ufffdd\ufffde\ufffd2Jf\ufffdg\ufffdh\ufffd\ufffdi");
        assertThat(TerminalText.sanitize("Zürich 日本 e\u0301 😀")).isEqualTo("Zürich 日本 e\u0301 😀");
    }

    @ParameterizedTest
    @CsvSource({"'24 80\n', 80, 24", "'7 200', 200, 7", "'0 0\n', 80, 24", "'', 80, 24", "'stty: no', 80, 24"})
    void shouldReadTheWindowFromStty(String said, int columns, int rows) {
        assertThat(Terminal.parse(said)).isEqualTo(new Terminal.Size(columns, rows));
    }
}
