package io.perceptronstreams.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.SeededTest;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StoredBitsTest {
    private final StoredFields out = new StoredFields();

    private static String bits(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) {
            text.append(Integer.toBinaryString(0x100 | (each & 0xff)), 1, 9);
        }
        return text.toString();
    }

    /*
     * One kind begins with k = 0: 0 is γ(1) = 1, and 4 is γ(5) = 00 101; k is then 2, so 5 = 4·1 + 1 is γ(2) = 0 10 and
     * 01, and 0 is γ(1) = 1 and 00, after which k is 0 again. The other one begins with 3 bits, so k = 2: 6 is γ(2) = 0
     * 10 and 10; -3 is folded to 5 = 0 10 01.
     */
    @Test
    void shouldWriteTheBitsOfItsDefinition() {
        StoredBits written = new StoredBits(out);
        StoredBits.Kind small = new StoredBits.Kind(0);
        StoredBits.Kind other = new StoredBits.Kind(3);
        written.unsigned(small, 0);
        written.unsigned(small, 4);
        written.unsigned(small, 5);
        written.unsigned(small, 0);
        written.unsigned(other, 6);
        written.signed(other, -3);
        written.flag(true);
        written.raw(4, 0b0110);
        written.end();

        assertThat(bits(out.toBytes()))
                .isEqualTo("1" + "00101" + "01001" + "100" + "01010" + "01001" + "1" + "0110" + "000");
    }

    private static StoredBits.Kind[] kinds() {
        return new StoredBits.Kind[] {new StoredBits.Kind(0), new StoredBits.Kind(20), new StoredBits.Kind(62)};
    }

    private static long exchange(StoredBits bits, StoredBits.Kind[] kinds, int what, long number) {
        return switch (what) {
            case 0 -> bits.unsigned(kinds[0], number & ((1L << 62) - 1));
            case 1 -> bits.signed(kinds[1], number >> 3);
            case 2 -> bits.near(kinds[2], 1_000, number >> 3);
            case 3 -> bits.raw(11, number & 0x7ff);
            case 4 -> bits.raw(63, number >>> 1);
            default -> bits.flag((number & 1) != 0) ? 1 : 0;
        };
    }

    @SeededTest
    void shouldReadWhatItHasWritten(long seed) {
        Random random = new Random(seed);
        int count = random.nextInt(200);
        int[] what = random.ints(count, 0, 6).toArray();
        long[] numbers =
                random.longs(count).map(number -> number >> random.nextInt(64)).toArray();
        long[] expected = new long[count];
        out.bits(77);
        StoredBits written = new StoredBits(out);
        StoredBits.Kind[] kinds = kinds();
        for (int k = 0; k < count; k++) {
            expected[k] = exchange(written, kinds, what[k], numbers[k]);
        }
        written.end();
        out.bits(99);

        StoredFields in = new StoredFields(out.toBytes());
        assertThat(in.bits(0)).isEqualTo(77);
        StoredBits read = new StoredBits(in);
        StoredBits.Kind[] again = kinds();
        for (int k = 0; k < count; k++) {
            assertThat(exchange(read, again, what[k], 0))
                    .as("seed %d, number %d", seed, k)
                    .isEqualTo(expected[k]);
        }
        read.end();
        assertThat(in.bits(0)).as("seed %d", seed).isEqualTo(99);
        in.requireEnd();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, (1L << 61) - 1, (1L << 62) - 1})
    void shouldKeepTheLargestNumbersAfterAnyOther(long number) {
        for (int bits = 0; bits <= 62; bits++) {
            out.clear();
            StoredBits written = new StoredBits(out);
            StoredBits.Kind kind = new StoredBits.Kind(bits);
            written.unsigned(kind, number);
            written.unsigned(kind, number);
            written.end();
            StoredBits read = new StoredBits(new StoredFields(out.toBytes()));
            StoredBits.Kind again = new StoredBits.Kind(bits);
            assertThat(read.unsigned(again, 0)).isEqualTo(number);
            assertThat(read.unsigned(again, 0)).isEqualTo(number);
            read.end();
        }
    }

    private static void read(byte[] bytes) {
        long unused = new StoredBits(new StoredFields(bytes)).unsigned(new StoredBits.Kind(5), 0);
    }

    @Test
    void shouldRefuseWhatNothingHasWritten() {
        byte[] zeros = new byte[30];
        assertThatThrownBy(() -> read(zeros))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageContaining("packed numbers of 62 bits at most, got a longer one");
        assertThatThrownBy(() -> read(new byte[1]))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageContaining("have 1 more bytes, got 0");
        StoredBits rest = new StoredBits(new StoredFields(new byte[] {(byte) 0b1000_0010}));
        assertThat(rest.unsigned(new StoredBits.Kind(0), 0)).isZero();
        assertThatThrownBy(rest::end)
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageContaining("end packed numbers with zeros, got 2");
    }
}
