package io.perceptronstreams.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class Utf8SliceTest {
    @Test
    void shouldBeEqualWhereverTheSameBytesStand() {
        Utf8Slice inside = new Utf8Slice();
        byte[] bytes = "<größe>".getBytes(StandardCharsets.UTF_8);
        inside.set(bytes, 1, bytes.length - 2);
        Utf8Slice alone = new Utf8Slice().set("größe");

        assertThat(inside).isEqualTo(alone).hasSameHashCodeAs(alone).hasToString("größe");
        assertThat(inside.length()).isEqualTo(7);
    }

    @Test
    void shouldNotEqualAnotherText() {
        assertThat(new Utf8Slice().set("a"))
                .isNotEqualTo(new Utf8Slice().set("b"))
                .isNotEqualTo(new Utf8Slice().set("ab"));
    }
}
