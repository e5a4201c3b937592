package io.perceptronstreams.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Expected hashes: published test vectors of MurmurHash3_x86_32 and, for UTF-8, a second implementation that gives
 * SMHasher's verification value 0xb0f57ee3.
 */
final class FeatureHasherTest {
    @ParameterizedTest
    @CsvSource({
        "'', 0",
        "a, 3c2569b2",
        "aa, 371091a9",
        "aaa, b4d05fb7",
        "aaaa, 7eeed987",
        "abc, b3dd93fa",
        "test, ba6bd213",
        "'Hello, world!', c0363e43",
        "The quick brown fox jumps over the lazy dog, 2e4ff723",
        "größe, e3d3963f",
        "w=日本, a38f3549",
    })
    void shouldHashTextAsPublished(String text, String hash) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);

        assertThat(Integer.toHexString(FeatureHasher.murmur3(utf8, 0, utf8.length)))
                .isEqualTo(hash);
    }

    @ParameterizedTest
    @CsvSource({
        "00000000, 2362f9de",
        "ffffffff, 76293b50",
        "21436587, f55b516b",
        "214365, 7e4a8634",
        "2143, a0f7b07a",
        "21, 72661cf4",
    })
    void shouldTakeBytesAsUnsigned(String bytes, String hash) {
        byte[] parsed = HexFormat.of().parseHex(bytes);

        assertThat(Integer.toHexString(FeatureHasher.murmur3(parsed, 0, parsed.length)))
                .isEqualTo(hash);
    }

    @Test
    void shouldReadOnlyItsPartOfTheArray() {
        byte[] around = "<<test>>".getBytes(StandardCharsets.UTF_8);

        assertThat(FeatureHasher.murmur3(around, 2, 4)).isEqualTo(0xba6bd213);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 3", "8, 13", "18, 3d213", "30, 3a6bd213"})
    void shouldTakeTheLowestBitsOfTheHash(int bits, String index) {
        byte[] test = "test".getBytes(StandardCharsets.UTF_8);

        assertThat(Integer.toHexString(new FeatureHasher(bits).index(test, 0, 4)))
                .isEqualTo(index);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 31, 32})
    void shouldRefuseBitsThatGiveNoIndex(int bits) {
        assertThatThrownBy(() -> new FeatureHasher(bits))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("hash.bits must be from 1 to 30, got " + bits);
    }
}
