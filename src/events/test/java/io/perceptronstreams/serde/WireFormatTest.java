package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WireFormatTest {

    @Test
    void shouldWriteTheIdBigEndianAfterByteZero() {
        byte[] value = {9, 9, 9, 9, 9, 42};
        WireFormat.writeHeader(value, 0x01020304);
        assertThat(value).containsExactly(0, 1, 2, 3, 4, 42);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, 256, 0x7fffffff, 0x80000000, -1})
    void shouldReadEveryIdItWrites(int id) {
        byte[] value = new byte[WireFormat.HEADER];
        WireFormat.writeHeader(value, id);
        assertThat(WireFormat.hasHeader(value)).isTrue();
        assertThat(WireFormat.schemaId(value)).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void shouldRefuseAValueShorterThanAHeader(int length) {
        byte[] value = new byte[length];
        assertThat(WireFormat.hasHeader(value)).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WireFormat.schemaId(value))
                .withMessage("value must have at least 5 bytes, got " + length);
    }

    @Test
    void shouldRefuseAnotherFirstByte() {
        byte[] json = {'{', '"', 'i', 'd', '"'};
        assertThat(WireFormat.hasHeader(json)).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WireFormat.schemaId(json))
                .withMessage("value must begin with byte 0, got 123");
    }
}
