package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.UnreadableModelException;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EntriesCodecTest {

    private static byte[] encode(BlockVector vector) {
        StoredFields out = new StoredFields();
        EntriesCodec.exchange(out, vector.entries(), vector);
        return out.toBytes();
    }

    private static BlockVector decode(byte[] bytes, int count, int lanes) {
        BlockVector vector = new BlockVector(lanes);
        StoredFields in = new StoredFields(bytes);
        EntriesCodec.exchange(in, count, vector);
        in.requireEnd();
        return vector;
    }

    private static List<String> entries(BlockVector vector) {
        List<String> entries = new ArrayList<>();
        vector.forEachEntry((index, numbers, from) -> {
            StringBuilder entry = new StringBuilder().append(index);
            for (int lane = 0; lane < vector.lanes(); lane++) {
                entry.append(' ').append(Double.doubleToRawLongBits(numbers[from + lane]));
            }
            entries.add(entry.toString());
        });
        return entries;
    }

    @Test
    void shouldWriteDistancesAndNumbers() {
        BlockVector vector = new BlockVector(2);
        vector.restoreEntry(300, new double[] {-1, 0}, 0);
        vector.restoreEntry(5, new double[] {9, 0, 0}, 1);
        vector.restoreEntry(6, new double[] {1, 2}, 0);
        assertThat(encode(vector))
                .containsExactly(
                        2, //
                        5,
                        0, //
                        0,
                        0x21,
                        0x3f,
                        0xf0,
                        0x40, //
                        // 300 - 6 - 1 = 293 = 2·128 + 37
                        0xa5,
                        2,
                        0x20,
                        0xbf,
                        0xf0);
    }

    @SeededTest
    void shouldKeepAllEntries(long seed) {
        Random random = new Random(seed);
        for (int lanes = 1; lanes <= 4; lanes++) {
            BlockVector vector = new BlockVector(lanes);
            vector.restoreEntry(0, random.doubles(lanes).toArray(), 0);
            vector.restoreEntry(Integer.MAX_VALUE, random.doubles(lanes).toArray(), 0);
            for (int k = 0; k < 100; k++) {
                double[] numbers = random.doubles(lanes).toArray();
                numbers[random.nextInt(lanes)] = random.nextInt(3) - 1;
                int index = random.nextInt() >>> (1 + random.nextInt(30));
                if (vector.find(index) < 0) {
                    vector.restoreEntry(index, numbers, 0);
                }
            }
            BlockVector decoded = decode(encode(vector), vector.entries(), lanes);
            assertThat(entries(decoded)).isEqualTo(entries(vector)).hasSizeGreaterThan(50);
            assertThat(decoded.isSmall()).isTrue();
            vector.forEachEntry(
                    (index, numbers, from) -> assertThat(decoded.read(index, 0)).isEqualTo(numbers[from]));
        }
    }

    @Test
    void shouldReadACopyAndTheChangedEntries() {
        BlockVector vector = new BlockVector(2);
        vector.restoreEntry(5, new double[] {9, 0}, 0);
        vector.restoreEntry(300, new double[] {-1, 0}, 0);
        byte[] copy = EntriesCodec.encodeCopy(vector);
        vector.markStored();
        vector.write(6, 1, 2);
        vector.write(300, 0, 4);
        StoredFields out = new StoredFields();
        EntriesCodec.exchangeChanged(out, vector.changedEntries(), vector);

        BlockVector read = new BlockVector(2);
        EntriesCodec.decodeCopy(copy, read);
        EntriesCodec.exchangeChanged(new StoredFields(out.toBytes()), 2, read);

        assertThat(copy).containsExactly(1, 2, 2, 5, 0x20, 0x40, 0x22, 0xa6, 2, 0x20, 0xbf, 0xf0);
        // index 6: 0 and 2; index 300 = 6 + 1 + 293: 4 and 0
        assertThat(out.toBytes()).containsExactly(2, 6, 0x01, 0x40, 0xa5, 2, 0x20, 0x40, 0x10);
        assertThat(entries(read)).isEqualTo(entries(vector));
        assertThat(read.changedEntries()).isEqualTo(2);
    }

    @Test
    void shouldRefuseEntriesOfAnotherVector() {
        BlockVector vector = new BlockVector(2);
        vector.restoreEntry(300, new double[] {-1, 0}, 0);
        byte[] bytes = encode(vector);
        assertThatThrownBy(() -> decode(bytes, 1, 3))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageContaining("must have entries of 3 lanes, got 2");
        assertThatThrownBy(() -> decode(bytes, 2, 2)).isInstanceOf(UnreadableModelException.class);
    }

    @Test
    void shouldRefuseAnIndexBeyondTheLastOne() {
        byte[] bytes = {1, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 7, 0, 0, 0};
        assertThatThrownBy(() -> decode(bytes, 2, 1))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageContaining("must have a number from 0 to -1, got 0");
    }
}
