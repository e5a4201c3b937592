package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.Fuzz;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.state.UnreadableModelException;
import io.perceptronstreams.weights.BlockVector;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes that are no header, or no longer: either a model or an {@link UnreadableModelException} comes of them, nothing
 * else.
 */
class UnreadableModelTest {
    private static final int HEADERS = 5_000;

    private final HeaderCodec codec = new HeaderCodec();
    private final Map<Bytes, byte[]> records = StoredRecordsTest.load();

    UnreadableModelTest() throws IOException {}

    static LongStream seeds() {
        return Fuzz.seeds("stored headers", 0.1, HEADERS);
    }

    /** Names of the stored models. */
    private List<byte[]> names() {
        return records.keySet().stream()
                .filter(ModelKeys::isHeader)
                .map(ModelKeys::name)
                .toList();
    }

    private StoredHeader decode(byte[] name, byte[] header) {
        return codec.decode(header, (epoch, part) -> records.get(ModelKeys.names(name, epoch, part)));
    }

    @Test
    void shouldRefuseEveryHeaderThatIsCutOff() {
        for (byte[] name : names()) {
            byte[] header = records.get(ModelKeys.header(name));
            for (int length = 0; length < header.length; length++) {
                byte[] cut = Arrays.copyOf(header, length);
                assertThatThrownBy(() -> decode(name, cut))
                        .as("%s, %d of %d bytes", new String(name, StandardCharsets.UTF_8), length, header.length)
                        .isInstanceOf(UnreadableModelException.class);
            }
        }
    }

    @Test
    @Tag("full")
    void shouldReadOrRefuseAHeaderWithOneWrongByte() {
        int read = 0;
        int refused = 0;
        for (byte[] name : names()) {
            byte[] header = records.get(ModelKeys.header(name));
            for (int at = 0; at < header.length; at++) {
                for (int flip : new int[] {0x01, 0x80, 0xff, header[at] & 0xff}) {
                    byte[] wrong = header.clone();
                    wrong[at] ^= (byte) flip;
                    if (isRead(name, wrong)) {
                        read++;
                    } else {
                        refused++;
                    }
                }
            }
        }
        assertThat(read).isPositive();
        assertThat(refused).isPositive();
    }

    private boolean isRead(byte[] name, byte[] header) {
        try {
            assertThat(decode(name, header).model()).isNotNull();
            return true;
        } catch (UnreadableModelException e) {
            assertThat(e).message().startsWith("a stored model");
            return false;
        }
    }

    @Test
    void shouldRefuseAHeaderThatGoesOn() {
        for (byte[] name : names()) {
            byte[] header = records.get(ModelKeys.header(name));
            assertThatThrownBy(() -> decode(name, Arrays.copyOf(header, header.length + 1)))
                    .isInstanceOf(UnreadableModelException.class)
                    .hasMessageContaining("must end after its last field, got 1 more bytes");
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("fuzz")
    void shouldReadOrRefuseAnyBytes(long seed) {
        Random random = new Random(seed);
        for (int k = 0; k < HEADERS; k++) {
            byte[] bytes = new byte[random.nextInt(300)];
            random.nextBytes(bytes);
            for (int at = 0; at < bytes.length; at++) {
                // small numbers lead further into the header than large ones
                bytes[at] &= (byte) (random.nextInt(4) == 0 ? 0xff : 0x07);
            }
            if (bytes.length > 0) {
                bytes[0] = HeaderCodec.FORM;
            }
            var unused = isRead(new byte[] {'m'}, bytes);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("fuzz")
    void shouldReadOrRefuseASmallModelWithWrongBytes(long seed) {
        Random random = new Random(seed);
        Model model = new Model();
        model.configure(Map.of("algorithm", "arow", "scale", "standard", "h", "0"));
        for (int vector = Pipeline.STATISTICS; vector < model.pipeline().vectors(); vector++) {
            BlockVector small = (BlockVector) model.pipeline().vector(vector);
            for (int k = 0; k < 20; k++) {
                small.restoreEntry(random.nextInt(1 << 18), random.doubles(3).toArray(), 0);
            }
        }
        byte[] header = codec.encode(model, 7, 8);
        for (int k = 0; k < HEADERS; k++) {
            byte[] wrong = header.clone();
            for (int faults = 1 + random.nextInt(3); faults > 0; faults--) {
                wrong[1 + random.nextInt(wrong.length - 1)] = (byte) random.nextInt();
            }
            var unused = isRead(new byte[] {'m'}, wrong);
        }
    }
}
