package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class CommandSignatureTest {
    private static final String KEY = "an example of a key";
    private static final long TIME = 1_700_000_000_000_000L;
    private static final byte[] NAME = utf8("m");
    private static final byte[] DELETE = utf8("{\"action\":\"DELETE\"}");

    /*
     * Computed by Python: hmac.new(b"an example of a key", b"\1" + struct.pack(">q", 1700000000000000) + b"m\0" +
     *     struct.pack(">i", len(purpose)) + purpose + value, sha256)
     */
    @Test
    void shouldBeReproducibleByProgramsInOtherLanguages() {
        assertThat(HexFormat.of()
                        .formatHex(CommandSignature.of(KEY, TIME, NAME, null, DELETE)
                                .encode()))
                .isEqualTo(
                        "01" + "00060a24181e4000" + "3930017693c3cede4fb96ce847f7b58b71be1f4025787d3b17bab0f8ba6aa6af");
        assertThat(HexFormat.of()
                        .formatHex(CommandSignature.of(KEY, TIME, NAME, utf8("comparator"), DELETE)
                                .mac()))
                .isEqualTo("068b308728d34d6fbff03ea70cdcd04efa4e43793187c332959001ce31efce20");
    }

    @Test
    void shouldHoldForItsKeyNamePurposeValueAndTimeOnly() {
        CommandSignature signature = CommandSignature.of(KEY, TIME, NAME, null, DELETE);
        assertThat(signature.isOf(KEY, NAME, null, DELETE)).isTrue();
        assertThat(signature.isOf(KEY + "2", NAME, null, DELETE)).isFalse();
        assertThat(signature.isOf(KEY, utf8("n"), null, DELETE)).isFalse();
        assertThat(signature.isOf(KEY, NAME, utf8("comparator"), DELETE)).isFalse();
        assertThat(signature.isOf(KEY, NAME, null, utf8("{\"action\":\"RESET\"}")))
                .isFalse();
        assertThat(new CommandSignature(TIME + 1, signature.mac()).isOf(KEY, NAME, null, DELETE))
                .isFalse();
    }

    @Test
    void shouldNotTakeBytesOfOnePartForThoseOfAnother() {
        CommandSignature signature = CommandSignature.of(KEY, TIME, NAME, utf8("ab"), utf8("c"));
        assertThat(signature.isOf(KEY, NAME, utf8("a"), utf8("bc"))).isFalse();
        assertThat(signature.isOf(KEY, NAME, utf8("abc"), new byte[0])).isFalse();
    }

    @Test
    void shouldReadItsOwnFormOnly() {
        byte[] header = CommandSignature.of(KEY, TIME, NAME, null, DELETE).encode();
        assertThat(CommandSignature.decode(header).isOf(KEY, NAME, null, DELETE))
                .isTrue();
        assertThat(CommandSignature.decode(null)).isNull();
        assertThat(CommandSignature.decode(new byte[40])).isNull();
        header[0] = 2;
        assertThat(CommandSignature.decode(header)).isNull();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
