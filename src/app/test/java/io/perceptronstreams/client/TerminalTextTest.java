package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TerminalTextTest {

    @ParameterizedTest
    @CsvSource({"abc, 3", "'', 0", "日本語, 6", "e\u0301tat, 4", "😀😀, 4", "한국, 4"})
    void shouldMeasureColumnsOfTheTerminal(String text, int columns) {
        assertThat(TerminalText.columns(text)).isEqualTo(columns);
    }

    @Test
    void shouldMakeHarmlessWhateverATerminalWouldObey() {
        // colour, title, carriage return, backspace, one-byte form of ESC [, direction, line separator, lone surrogate
        String hostile = "a\u001b[31mb\u001b]0;t\u0007c\rd\be\u009b2Jf\u202eg\u2028h\n\ud800i";

        String safe = TerminalText.sanitize(hostile);

        assertThat(safe).isEqualTo("a\ufffd[31mb\ufffd]0;t\ufffdc\ufffdd\ufffde\ufffd2Jf\ufffdg\ufffdh\ufffd\ufffdi");
        assertThat(TerminalText.sanitize("Zürich 日本 e\u0301 😀")).isEqualTo("Zürich 日本 e\u0301 😀");
    }
}
