package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.state.UnreadableModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NamePartsTest {
    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(k -> "ß" + k).toList();
    }

    private static List<byte[]> parts(List<String> names) {
        List<byte[]> parts = new ArrayList<>();
        for (int part = 0; part < StoredNames.parts(names.size()); part++) {
            parts.add(StoredNames.encode(names, part));
        }
        return parts;
    }

    private static List<String> decode(int count, List<byte[]> parts) {
        return StoredNames.decode(count, part -> part < parts.size() ? parts.get(part) : null);
    }

    // The layout never changes: what is stored must be readable for ever.
    @Test
    void shouldWriteFormCountAndNames() {
        assertThat(StoredNames.encode(List.of("no", "ß", ""), 0)).containsExactly(1, 3, 2, 'n', 'o', 2, 0xc3, 0x9f, 0);
        List<String> names = names(129);
        assertThat(StoredNames.encode(names, 1)).containsExactly(1, 1, 5, 0xc3, 0x9f, '1', '2', '8');
    }

    @Test
    void shouldKeepAllNamesInTheirOrder() {
        for (int count : new int[] {0, 1, 127, 128, 129, 256, 10_000}) {
            List<String> names = names(count);
            assertThat(parts(names)).hasSize((count + 127) / 128);
            assertThat(decode(count, parts(names))).isEqualTo(names);
        }
    }

    @Test
    void shouldFindThatNamesAreMissing() {
        List<String> names = names(300);
        List<byte[]> parts = parts(names);
        assertThat(decode(301, parts)).hasSize(256);
        assertThat(decode(299, parts)).hasSize(256);
        assertThat(decode(300, parts.subList(0, 2))).hasSize(256);
        assertThat(decode(Integer.MAX_VALUE, parts)).hasSize(256);
        parts.set(0, StoredNames.encode(names(127), 0));
        assertThat(decode(300, parts)).isEmpty();
    }

    @Test
    void shouldFitIntoARecord() {
        List<String> longest =
                IntStream.range(0, 128).mapToObj(k -> "\uffff".repeat(256)).toList();
        assertThat(StoredNames.encode(longest, 0)).hasSizeBetween(96 * 1024, 97 * 1024);
    }

    @Test
    void shouldRefuseBytesThatAreNoPart() {
        for (byte[] bytes : new byte[][] {{}, {2, 0}, {1}, {1, 2, 0}, {1, 1, 0, 0}, {1, -1, -1, -1, -1, 7}}) {
            assertThatThrownBy(() -> decode(1, List.of(bytes))).isInstanceOf(UnreadableModelException.class);
        }
    }
}
