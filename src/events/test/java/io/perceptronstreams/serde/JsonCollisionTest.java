package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Names with equal hashes in the table of names that Jackson's parsers share, whatever the seed of the table is. */
final class JsonCollisionTest {
    private static final int NAMES = 300;
    private static final int VALUES = 8;

    private final Random random = new Random(7);

    private List<String> names() {
        return CollidingNames.of(NAMES, random);
    }

    private static byte[] value(List<String> names, String more) {
        StringBuilder json = new StringBuilder("{\"features\":{");
        names.forEach(name -> json.append('"').append(name).append("\":1,"));
        json.setCharAt(json.length() - 1, '}');
        return json.append(more).append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldBeReadWhateverWasReadBefore() {
        InputDecoder decoder = new InputDecoder(null);
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
        InputDecoder decoder = new InputDecoder(null);
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
