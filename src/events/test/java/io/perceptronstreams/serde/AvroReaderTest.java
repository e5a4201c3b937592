package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;

class AvroReaderTest {
    private final AvroReader reader = new AvroReader();

    /** Ints of one to five bytes, up to the last byte there is. */
    @SeededTest
    void shouldReadTheIntsThatAvroWrites(long seed) throws IOException {
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            int[] ints = new int[1 + random.nextInt(12)];
            Arrays.setAll(ints, k -> random.nextInt() >> random.nextInt(Integer.SIZE));
            byte[] bytes = written(ints);
            int[] read = new int[ints.length + 2];

            reader.reset(bytes, 0);
            reader.readInts(read, 1, ints.length);

            assertThat(Arrays.copyOfRange(read, 1, 1 + ints.length))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(ints);
            assertThat(reader.remaining()).isZero();
        }
    }

    /**
     * From any position to any other one, also where a long number begins or ends in the eight bytes that are skipped
     * at once.
     */
    @SeededTest
    void shouldSkipTheNumbersThatItReads(long seed) throws IOException {
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            long[] longs = random.longs(1 + random.nextInt(40))
                    .map(any -> any >> random.nextInt(Long.SIZE))
                    .toArray();
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(written, null);
            for (long each : longs) {
                encoder.writeLong(each);
            }
            int first = random.nextInt(longs.length);
            int count = random.nextInt(longs.length - first + 1);

            reader.reset(written.toByteArray(), 0);
            reader.skipNumbers(first);
            assertThat(reader.readLong()).as("round %d", round).isEqualTo(longs[first]);
            reader.reset(written.toByteArray(), 0);
            reader.skipNumbers(first);
            reader.skipNumbers(count);
            int skipped = reader.position();
            reader.reset(written.toByteArray(), 0);
            for (int k = 0; k < first + count; k++) {
                var unused = reader.readLong();
            }
            assertThat(skipped).as("round %d", round).isEqualTo(reader.position());
            assertThatThrownBy(() -> reader.skipNumbers(longs.length - first - count + 1))
                    .isInstanceOf(RejectedException.class)
                    .hasMessageStartingWith("the value ends in the middle of a number");
        }
    }

    @Test
    void shouldSayWhereIntsEnd() throws IOException {
        byte[] bytes = written(5, -300, 70_000);

        reader.reset(Arrays.copyOf(bytes, bytes.length - 1), 0);

        assertThatThrownBy(() -> reader.readInts(new int[3], 0, 3))
                .isInstanceOf(RejectedException.class)
                .hasMessage("the value ends in the middle of a number (at byte 5 of 5)");
    }

    @Test
    void shouldRefuseALongWhereAnIntBelongs() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        encoder.writeInt(1);
        encoder.writeLong(1L + Integer.MAX_VALUE);
        encoder.flush();

        reader.reset(bytes.toByteArray(), 0);

        assertThatThrownBy(() -> reader.readInts(new int[2], 0, 2))
                .isInstanceOf(RejectedException.class)
                .hasMessageStartingWith("an int must have 32 bits, got 2147483648");
    }

    private static byte[] written(int... ints) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        for (int each : ints) {
            encoder.writeInt(each);
        }
        encoder.flush();
        return bytes.toByteArray();
    }
}
