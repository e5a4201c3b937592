package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.Fuzz;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.weights.BlockVector;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that are no header, or no longer: either a model or an {@link UnreadableModelException} comes of them, nothing else. */
class UnreadableModelTest {
    private static final int HEADERS = 5_000;

    private final HeaderCodec codec = new HeaderCodec();
    private final Map<Bytes, byte[]> records = new HashMap<>();

    static LongStream seeds() {
        return Fuzz.seeds("stored headers", 0.1, HEADERS);
    }

    /** The names of all models whose headers were stored in a version. */
    private List<byte[]> load(String version) throws IOException {
        HexFormat hex = HexFormat.of();
        List<byte[]> names = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("src/test/resources/models", version, "records.hex"))) {
            String[] record = line.split(" ", -1);
            byte[] key = hex.parseHex(record[0]);
            records.put(Bytes.wrap(key), hex.parseHex(record[1]));
            if (Bytes.wrap(key).get()[key.length - 1] == 0 && indexOfZero(key) == key.length - 1) {
                names.add(Arrays.copyOf(key, key.length - 1));
            }
        }
        return names;
    }

    private static int indexOfZero(byte[] key) {
        int at = 0;
        while (key[at] != 0) {
            at++;
        }
        return at;
    }

    private StoredHeader decode(byte[] name, byte[] header) {
        return codec.decode(header, (epoch, part) -> records.get(ModelKeys.names(name, epoch, part)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v2", "v3"})
    void shouldRefuseEveryHeaderThatIsCutOff(String version) throws IOException {
        for (byte[] name : load(version)) {
            byte[] header = records.get(ModelKeys.header(name));
            for (int length = 0; length < header.length; length++) {
                byte[] cut = Arrays.copyOf(header, length);
                assertThatThrownBy(() -> decode(name, cut))
                        .as("%s, %d of %d bytes", new String(name, StandardCharsets.UTF_8), length, header.length)
                        .isInstanceOf(UnreadableModelException.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v2", "v3"})
    void shouldReadOrRefuseAHeaderWithOneWrongByte(String version) throws IOException {
        int read = 0;
        int refused = 0;
        for (byte[] name : load(version)) {
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

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v2"})
    void shouldMissNothingOfAFormThatDoesNotHoldHowMuchThereIs(String version) throws IOException {
        for (byte[] name : load(version)) {
            StoredHeader header = decode(name, records.get(ModelKeys.header(name)));
            assertThat(header.missing()).isNull();
            assertThat(header.position()).isEqualTo(StoredHeader.UNKNOWN);
            assertThat(header.lastSeen()).isEqualTo(StoredHeader.UNKNOWN);
            assertThat(header.blocks(Model.STATISTICS)).isEqualTo(StoredHeader.UNKNOWN);
        }
    }

    @Test
    void shouldRefuseAHeaderThatGoesOn() throws IOException {
        for (byte[] name : load("v3")) {
            byte[] header = records.get(ModelKeys.header(name));
            assertThatThrownBy(() -> decode(name, Arrays.copyOf(header, header.length + 1)))
                    .isInstanceOf(UnreadableModelException.class)
                    .hasMessageContaining("must end behind what belongs to it, got 1 more bytes");
        }
    }

    // Otherwise a chain of them would exhaust the stack.
    @Test
    void shouldRefuseTheShadowOfAShadow() throws IOException {
        byte[] form3 = codec.encode(new Model(), -1, 0);
        form3[3] |= HeaderCodec.SHADOW;
        ByteWriter chain = new ByteWriter();
        chain.writeBytes(form3);
        chain.writeBytes(Arrays.copyOfRange(form3, 3, form3.length));
        chain.writeBytes(Arrays.copyOfRange(codec.encode(new Model(), -1, 0), 3, form3.length));
        assertThatThrownBy(() -> codec.decode(chain.copyFrom(0), (epoch, part) -> null))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageContaining("no shadow of a shadow");

        load("v2");
        byte[] whole = records.get(ModelKeys.header(StoreDriver.utf8("shadow")));
        byte[] shadow = records.get(ModelKeys.header(StoreDriver.utf8("reset")));
        // the number of the trial's numbers, which comes last, becomes 1: another 0.0, and a shadow
        byte[] between = Arrays.copyOf(shadow, shadow.length + Double.BYTES);
        between[shadow.length - 1] = 1;
        chain.clear();
        chain.writeBytes(Arrays.copyOf(whole, indexOfShadow(whole)));
        chain.writeBytes(between);
        chain.writeBytes(shadow);
        assertThatThrownBy(() -> codec.decode(chain.copyFrom(0), (epoch, part) -> null))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageContaining("a shadow must have no shadow");
    }

    /** Where the second header of form 2 begins: 2, and LIVE as a string with its length. */
    private static int indexOfShadow(byte[] whole) {
        byte[] start = {2, 0, 4, 'L', 'I', 'V', 'E'};
        int at = 1;
        while (!Arrays.equals(whole, at, at + start.length, start, 0, start.length)) {
            at++;
        }
        return at;
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
                bytes[0] = (byte) (1 + random.nextInt(4));
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
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            BlockVector small = (BlockVector) model.vector(vector);
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
