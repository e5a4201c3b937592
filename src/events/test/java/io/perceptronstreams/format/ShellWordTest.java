package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShellWordTest {
    @Test
    void shouldQuoteOnlyTextThatAShellWouldInterpret() {
        assertThat(ShellWord.of("dir/a-b_1.csv,x=2:50%")).isEqualTo("dir/a-b_1.csv,x=2:50%");
        assertThat(ShellWord.of("two words")).isEqualTo("'two words'");
        assertThat(ShellWord.of("$(reboot)")).isEqualTo("'$(reboot)'");
        assertThat(ShellWord.of("it's")).isEqualTo("'it'\\''s'");
        assertThat(ShellWord.of("")).isEqualTo("''");
    }
}
