package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.SeededTest;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BlockCodecTest {
    @SeededTest
    void shouldKeepEveryBitHoweverManyNumbersAreNotZero(long seed) {
        Random random = new Random(seed);
        for (int length : new int[] {128, 256, 384}) {
            for (int nonZeros = 0; nonZeros <= length; nonZeros++) {
                double[] block = new double[length];
                for (int k = 0; k < nonZeros; k++) {
                    // any bits at all, NaNs with payloads included
                    block[random.nextInt(length)] = Double.longBitsToDouble(random.nextLong());
                }
                assertThat(bits(BlockCodec.decode(BlockCodec.encode(block)))).isEqualTo(bits(block));
            }
        }
    }

    @Test
    void shouldKeepTheSignOfZero() {
        double[] block = new double[256];
        block[255] = -0.0;
        byte[] encoded = BlockCodec.encode(block);
        assertThat(bits(BlockCodec.decode(encoded))).isEqualTo(bits(block));
        // form, length, one index and one double
        assertThat(encoded).hasSize(1 + 4 + 2 + 8);
    }

    @Test
    void shouldTakeTheShorterOfTheTwoForms() {
        double[] block = new double[256];
        // 5 + 10n < 1 + 2048 for n up to 204
        Arrays.fill(block, 0, 204, 1.5);
        assertThat(BlockCodec.encode(block)).hasSize(5 + 2040).startsWith(1);
        block[204] = 1.5;
        assertThat(BlockCodec.encode(block)).hasSize(1 + 2048).startsWith(0);
    }

    @Test
    void shouldRefuseAnUnknownForm() {
        assertThatThrownBy(() -> BlockCodec.decode(new byte[] {2, 0}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("got 2");
    }

    private static long[] bits(double[] block) {
        return Arrays.stream(block).mapToLong(Double::doubleToRawLongBits).toArray();
    }
}
