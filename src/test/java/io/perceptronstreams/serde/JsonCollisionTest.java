package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Names with equal hashes in the table of names that Jackson's parsers share, whatever the seed of the table is. */
final class JsonCollisionTest {
    private static final int NAMES = 300;
    private static final int VALUES = 8;

    /** Inverse of 33 modulo 2^32. */
    private static final int INVERSE = 1_041_204_193;

    private final Random random = new Random(7);

    /** Names of eight letters, digits and signs; the hash of the two words a and b depends on mix(a) + 33·b alone. */
    private List<String> names() {
        List<String> names = new ArrayList<>();
        while (names.size() < NAMES) {
            int a = 0;
            for (int k = 0; k < 4; k++) {
                a = a << 8 | 'a' + random.nextInt(26);
            }
            int mixed = a + (a >>> 15);
            mixed ^= mixed >>> 9;
            int b = (0x12345678 - mixed) * INVERSE;
            String name = new String(ByteBuffer.allocate(8).putInt(a).putInt(b).array(), StandardCharsets.ISO_8859_1);
            if (name.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '"' && c != '\\') && !names.contains(name)) {
                names.add(name);
            }
        }
        return names;
    }

    private static byte[] value(List<String> names, String more) {
        StringBuilder json = new StringBuilder("{\"features\":{");
        names.forEach(name -> json.append('"').append(name).append("\":1,"));
        json.setCharAt(json.length() - 1, '}');
        return json.append(more).append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldBeReadWhateverWasReadBefore() {
        assertThat((int) (33L * INVERSE)).isEqualTo(1);
        JsonDecoder decoder = new JsonDecoder();
        FeatureHasher hasher = new FeatureHasher(20);
        for (int k = 0; k < VALUES; k++) {
            List<String> names = names();
            Example example = new Example();
            byte[] value = value(names, ",\"timestamp\":42");

            assertThat(JsonTimestamp.of(value, 7)).isEqualTo(42);
            assertThat(decoder.decode(value, hasher, example)).isEqualTo(InputDecoder.Kind.EXAMPLE);
            assertThat(example.vector().size()).isGreaterThan(NAMES / 2);
            List<String> read = new ArrayList<>();
            example.names()
                    .forEach((bytes, offset, length) ->
                            read.add(new String(bytes, offset, length, StandardCharsets.UTF_8)));
            assertThat(read).containsExactlyInAnyOrderElementsOf(names);
        }
    }

    // Jackson's table of names was broken by a name that it refused, and threw ArrayIndexOutOfBoundsException later.
    @Test
    void shouldReadOtherNamesAfterThem() {
        JsonDecoder decoder = new JsonDecoder();
        FeatureHasher hasher = new FeatureHasher(20);
        for (int k = 0; k < VALUES; k++) {
            decoder.decode(value(names(), ""), hasher, new Example());
        }
        for (int k = 0; k < 1_000; k++) {
            List<String> others =
                    random.ints(20).mapToObj(number -> "some name " + number).toList();

            assertThat(decoder.decode(value(others, ""), hasher, new Example())).isEqualTo(InputDecoder.Kind.EXAMPLE);
        }
    }
}
