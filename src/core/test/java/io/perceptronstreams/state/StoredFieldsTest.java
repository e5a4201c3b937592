package io.perceptronstreams.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.SeededTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredFieldsTest {
    private static final double[] SPECIAL = {
        0.0,
        -0.0,
        1,
        -1,
        0.1,
        Math.PI,
        Double.MIN_VALUE,
        -Double.MAX_VALUE,
        Double.POSITIVE_INFINITY,
        Double.NaN,
        Double.longBitsToDouble(0x7ff8000000000001L),
        Double.longBitsToDouble(0x0000000000000100L)
    };

    private static byte[] written(Consumer<StoredFields> write) {
        StoredFields out = new StoredFields();
        write.accept(out);
        return out.toBytes();
    }

    private static int[] bytes(Consumer<StoredFields> write) {
        byte[] bytes = written(write);
        int[] unsigned = new int[bytes.length];
        Arrays.setAll(unsigned, k -> bytes[k] & 0xff);
        return unsigned;
    }

    @Test
    void shouldWriteNumbersInSevenBitsEach() {
        assertThat(bytes(out -> out.unsigned(0))).containsExactly(0);
        assertThat(bytes(out -> out.unsigned(127))).containsExactly(127);
        assertThat(bytes(out -> out.unsigned(128))).containsExactly(0x80, 1);
        // 300 = 2·128 + 44
        assertThat(bytes(out -> out.unsigned(300))).containsExactly(0x80 | 44, 2);
        assertThat(bytes(out -> out.signed(-1))).containsExactly(1);
        assertThat(bytes(out -> out.signed(1))).containsExactly(2);
        assertThat(bytes(out -> out.signed(-64))).containsExactly(127);
        assertThat(bytes(out -> out.unsigned(-1))).containsExactly(255, 255, 255, 255, 255, 255, 255, 255, 255, 1);
    }

    @SeededTest
    void shouldKeepEveryNumber(long seed) {
        Random random = new Random(seed);
        List<Long> numbers = new ArrayList<>(List.of(0L, Long.MAX_VALUE, Long.MIN_VALUE, -1L));
        for (int k = 0; k < 1000; k++) {
            numbers.add(random.nextLong() >> random.nextInt(64));
        }
        StoredFields in = new StoredFields(written(out -> numbers.forEach(number -> {
            out.unsigned(number);
            out.signed(number);
        })));
        for (long number : numbers) {
            assertThat(in.unsigned(0)).isEqualTo(number);
            assertThat(in.signed(0)).isEqualTo(number);
        }
        in.requireEnd();
    }

    @Test
    void shouldWriteDoublesWithoutTheirLastZeroBytes() {
        assertThat(bytes(out -> out.numbers(new double[] {0, 0}, 0, 2))).containsExactly(0);
        // 1.0 is 3ff0 0000 0000 0000, -0.0 is 8000 0000 0000 0000
        assertThat(bytes(out -> out.numbers(new double[] {1, -0.0}, 0, 2))).containsExactly(0x21, 0x3f, 0xf0, 0x80);
        assertThat(bytes(out -> out.numbers(new double[] {0, 0.1}, 0, 2)))
                .containsExactly(0x08, 0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a);
        assertThat(bytes(out -> out.numbers(List.of(1.0, 0.0, 1.0))))
                .containsExactly(3, 0x20, 0x3f, 0xf0, 0x20, 0x3f, 0xf0);
        assertThat(bytes(out -> out.numbers(new double[] {9, 1, 0, 1, 9}, 1, 3)))
                .containsExactly(0x20, 0x3f, 0xf0, 0x20, 0x3f, 0xf0);
    }

    @Test
    void shouldKeepTheBitsOfEveryDouble() {
        for (int count = 0; count <= SPECIAL.length; count++) {
            double[] numbers = Arrays.copyOf(SPECIAL, count);
            List<Double> list = Arrays.stream(numbers).boxed().toList();
            StoredFields in = new StoredFields(written(out -> {
                out.numbers(list);
                out.numbers(numbers, 0, numbers.length);
            }));
            double[] read = new double[count];
            assertThat(bits(in.numbers(List.of()).stream()
                            .mapToDouble(each -> each)
                            .toArray()))
                    .isEqualTo(bits(numbers));
            in.numbers(read, 0, count);
            assertThat(bits(read)).isEqualTo(bits(numbers));
            in.requireEnd();
        }
    }

    @Test
    void shouldWriteAMultipleOfTheNumberBefore() {
        double pi = Math.PI; // 4009 21fb 5444 2d18
        assertThat(bytes(out -> out.numbers(new double[] {pi, 300 * pi}, 0, 2)))
                .containsExactly(0x8a, 0x40, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18, 0x01, 0x2c);
        assertThat(bytes(out -> out.numbers(new double[] {-pi, 7 * -pi, pi, 0xffff_ffffL * pi}, 0, 4)))
                .hasSize(1 + 8 + 1 + 1 + 8 + 4)
                .startsWith(0x89);
        // a quotient that is no whole number, is negative, too large, or off by a bit; as short as it is
        for (double[] pair : new double[][] {
            {pi, 2.5 * pi}, {pi, -3 * pi}, {pi, 0x1p32 * pi}, {pi, Math.nextUp(300 * pi)}, {0.5, 2}, {0, pi}
        }) {
            assertThat(bytes(out -> out.numbers(pair, 0, 2))[0] & 0xf)
                    .as("%s", Arrays.toString(pair))
                    .isLessThanOrEqualTo(8);
        }
    }

    @SeededTest
    void shouldKeepTheBitsOfNumbersNearAMultiple(long seed) {
        Random random = new Random(seed);
        double[] numbers = new double[20_000];
        for (int k = 0; k < numbers.length; k += 2) {
            numbers[k] = random.nextGaussian() * Math.scalb(1.0, random.nextInt(80) - 40);
            numbers[k + 1] = numbers[k] * (random.nextLong() >>> (20 + random.nextInt(44)));
            numbers[k + 1] += (random.nextInt(3) - 1) * Math.ulp(numbers[k + 1]);
        }
        StoredFields in = new StoredFields(written(out -> out.numbers(numbers, 0, numbers.length)));
        double[] read = new double[numbers.length];
        in.numbers(read, 0, read.length);
        assertThat(bits(read)).isEqualTo(bits(numbers));
        in.requireEnd();
    }

    private static long[] bits(double[] values) {
        return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a", "\0", "ß", "€", "\ud83d\ude00", "\ud800", "a\udc00b", "\uffff\u07ff\u0800\u007f\u0080"})
    void shouldKeepEveryString(String text) {
        StoredFields in = new StoredFields(written(out -> out.text(text)));
        assertThat(in.text(null)).isEqualTo(text);
        in.requireEnd();
    }

    @Test
    void shouldWriteUtf8WhereThereAreNoSurrogates() {
        assertThat(bytes(out -> out.text("aß€"))).containsExactly(6, 'a', 0xc3, 0x9f, 0xe2, 0x82, 0xac);
    }

    @Test
    void shouldGrow() {
        String text = "x".repeat(5000);
        byte[] bytes = written(out -> {
            out.rest(new byte[1023]);
            out.text(text);
            out.rest(new byte[100_000]);
        });
        StoredFields in = new StoredFields(bytes);
        assertThat(in.raw(1023, null)).containsOnly(0);
        assertThat(in.text(null)).isEqualTo(text);
        assertThat(in.left()).isEqualTo(100_000);
    }

    @Test
    void shouldCountZerosAndLeaveTheLastOut() {
        assertThat(bytes(out -> out.counts(new long[0]))).containsExactly(0);
        assertThat(bytes(out -> out.counts(new long[5]))).containsExactly(0);
        // 6 counts: -1; 0 and two more; 150 = 2·64 + 22, doubled 300 = 2·128 + 44; 0 and no more; 1
        assertThat(bytes(out -> out.counts(new long[] {-1, 0, 0, 0, 150, 0, 1, 0, 0})))
                .containsExactly(7, 1, 0, 2, 0x80 | 44, 2, 0, 0, 2);
        assertThat(new StoredFields(written(out -> out.counts(new long[] {-1, 0, 0, 0, 150, 0, 1, 0, 0})))
                        .counts(new long[0]))
                .containsExactly(-1, 0, 0, 0, 150, 0, 1);
        requireFault(in -> in.counts(new long[0]), "have a number from 0 to 2, got 3 (before byte 3 of 3)", 3, 0, 3);
        requireFault(
                in -> in.counts(new long[0]),
                "have a number from 0 to 65536, got 2097151 (before byte 3 of 3)",
                0xff,
                0xff,
                0x7f);
    }

    @Test
    void shouldBeginAgain() {
        StoredFields out = new StoredFields();
        out.rest(new byte[] {1, 2, 3});
        out.clear();
        out.bits(9);
        assertThat(out.toBytes()).containsExactly(9);
    }

    private static void requireFault(Consumer<StoredFields> read, String message, int... bytes) {
        byte[] array = new byte[bytes.length];
        for (int k = 0; k < bytes.length; k++) {
            array[k] = (byte) bytes[k];
        }
        assertThatThrownBy(() -> read.accept(new StoredFields(array)))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessage("a stored model must " + message);
    }

    @Test
    void shouldRefuseWhatWasNeverWritten() {
        requireFault(in -> in.bits(0), "have 1 more bytes, got 0 (before byte 0 of 0)");
        requireFault(in -> in.unsigned(0), "have 1 more bytes, got 0 (before byte 1 of 1)", 0x80);
        requireFault(
                in -> in.unsigned(0),
                "have numbers of 64 bits at most, got a longer one (before byte 10 of 10)",
                255,
                255,
                255,
                255,
                255,
                255,
                255,
                255,
                255,
                2);
        requireFault(
                in -> in.numbers(new double[2], 0, 2),
                "have doubles of 0 to 8 bytes, got 9 (before byte 1 of 1)",
                0x90);
        requireFault(in -> in.numbers(new double[2], 0, 2), "have 2 more bytes, got 1 (before byte 1 of 2)", 0x20, 1);
        requireFault(
                in -> in.numbers(new double[2], 0, 2), "have 2 more bytes, got 1 (before byte 3 of 4)", 0x2a, 64, 0, 1);
        requireFault(
                in -> in.numbers(new double[2], 0, 2),
                "have doubles of 0 to 8 bytes, or multiples of 1 to 4, got 13 (before byte 1 of 1)",
                0x0d);
        requireFault(
                in -> in.numbers(new double[1], 0, 1),
                "have no number after the last one, got 6.0 (before byte 3 of 3)",
                0x19,
                0x40,
                3);
        requireFault(
                in -> in.numbers(new double[1], 0, 1),
                "have no number after the last one, got 2.0 (before byte 2 of 2)",
                0x01,
                0x40);
        requireFault(in -> in.text(null), "have a number from 0 to 1, got 2 (before byte 1 of 2)", 2, 'a');
        requireFault(in -> in.text(null), "have strings of UTF-16 units, got byte 240 (before byte 2 of 2)", 1, 0xf0);
        requireFault(
                in -> in.text(null),
                "have strings of whole UTF-16 units, got a part of one (before byte 2 of 3)",
                1,
                0xc3,
                0x9f);
        requireFault(StoredFields::requireEnd, "end after its last field, got 1 more bytes (before byte 0 of 1)", 7);
    }

    @Test
    void shouldBelieveNoCountThatTheBytesCannotHold() {
        // 2^31 - 1
        int[] large = {0xff, 0xff, 0xff, 0xff, 7, 0};
        requireFault(
                in -> in.numbers(List.of()), "have a number from 0 to 2, got 2147483647 (before byte 5 of 6)", large);
        requireFault(in -> in.text(null), "have a number from 0 to 1, got 2147483647 (before byte 5 of 6)", large);
        requireFault(in -> in.count(1, 0), "have a number from 0 to 1, got 2147483647 (before byte 5 of 6)", large);
    }
}
