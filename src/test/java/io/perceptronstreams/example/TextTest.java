package io.perceptronstreams.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class TextTest {
    @Test
    void shouldBeEqualWhereverTheSameBytesStand() {
        Text inside = new Text();
        byte[] bytes = "<größe>".getBytes(StandardCharsets.UTF_8);
        inside.set(bytes, 1, bytes.length - 2);
        Text alone = new Text().set("größe");

        assertThat(inside).isEqualTo(alone).hasSameHashCodeAs(alone).hasToString("größe");
        assertThat(inside.length()).isEqualTo(7);
    }

    @Test
    void shouldNotEqualAnotherText() {
        assertThat(new Text().set("a")).isNotEqualTo(new Text().set("b")).isNotEqualTo(new Text().set("ab"));
    }
}
