package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.file.DataFileConstants;
import org.junit.jupiter.api.Test;

/** Files that would occupy all memory; how ordinary ones are read, the tests of the commands show. */
final class WeightsFileTest {
    private static final int MIB = 1 << 20;

    /** Endless text without a line's end, of which only a limited part may be read. */
    private static final class Endless extends InputStream {
        private long read;

        @Override
        public int read() {
            read++;
            return read == 1 ? '{' : ' ';
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            for (int i = 0; i < length; i++) {
                bytes[offset + i] = (byte) read();
            }
            return length;
        }
    }

    @Test
    void shouldRefuseALongLineBeforeItsEnd() throws IOException {
        Endless text = new Endless();
        try (WeightsFile file = WeightsFile.open(text, "w.json")) {
            assertThatExceptionOfType(CommandFailedException.class)
                    .isThrownBy(file::next)
                    .withMessage("w.json must have lines of at most 8388608 bytes, got a longer one"
                            + " (perceptron weights export writes shorter ones)");
        }
        assertThat(text.read).isLessThan(9 * MIB);
    }

    @Test
    void shouldSkipAByteOrderMark() throws IOException {
        List<String> messages = new ArrayList<>();
        for (String text : List.of("{\"model\":1}", "\uFEFF{\"model\":1}")) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            try (WeightsFile file = WeightsFile.open(new ByteArrayInputStream(bytes), "w.json")) {
                file.next();
            } catch (CommandFailedException e) {
                messages.add(e.getMessage());
            }
        }
        // of a field that is missing
        assertThat(messages).hasSize(2);
        assertThat(messages.get(1)).isEqualTo(messages.get(0));
    }

    @Test
    void shouldReadALineOfTheMaximumLength() throws IOException {
        byte[] longest = new byte[8 * MIB];
        Arrays.fill(longest, (byte) ' ');
        longest[0] = '{';
        try (WeightsFile file = WeightsFile.open(new ByteArrayInputStream(longest), "w.json")) {
            // it is read, and it is no object
            assertThatExceptionOfType(CommandFailedException.class)
                    .isThrownBy(file::next)
                    .withMessageContaining("WeightsSnapshot");
        }
    }

    @Test
    void shouldRefuseABlockThatClaimsToBeLarge() throws IOException {
        for (long size : new long[] {(64L << 20) + 1, Integer.MAX_VALUE, Long.MAX_VALUE, -1}) {
            ByteArrayOutputStream bytes = container();
            writeNumber(bytes, 1);
            writeNumber(bytes, size);
            assertRefused(bytes, "w.avro must have blocks of at most 67108864 bytes, got " + size + " (");
        }
    }

    @Test
    void shouldRefuseAHeaderThatClaimsToBeLarge() throws IOException {
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        value.writeBytes(DataFileConstants.MAGIC);
        writeNumber(value, 1);
        writeNumber(value, 3);
        value.writeBytes("big".getBytes(StandardCharsets.US_ASCII));
        writeNumber(value, Integer.MAX_VALUE);
        assertRefused(value, "w.avro must have a header of at most 1048576 bytes, got 2147483");

        // many entries of no length: a number each for name and value
        ByteArrayOutputStream entries = new ByteArrayOutputStream();
        entries.writeBytes(DataFileConstants.MAGIC);
        writeNumber(entries, Long.MAX_VALUE / 4);
        entries.writeBytes(new byte[2 * MIB]);
        assertRefused(entries, "w.avro must have a header of at most 1048576 bytes, got 1048577 (");
    }

    @Test
    void shouldPassAnyReadsOfAContainerOn() throws IOException {
        byte[] container = containerWithBlocks();
        assertThat(new ContainerLimit(new ByteArrayInputStream(container), "w.avro").readAllBytes())
                .isEqualTo(container);

        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = new ContainerLimit(new ByteArrayInputStream(container), "w.avro")) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                bytes.write(next);
            }
        }
        assertThat(bytes.toByteArray()).isEqualTo(container);
    }

    @Test
    void shouldPassATruncatedContainerOn() throws IOException {
        byte[] container = containerWithBlocks();
        for (int length = 0; length < container.length; length++) {
            byte[] beginning = Arrays.copyOf(container, length);
            assertThat(new ContainerLimit(new ByteArrayInputStream(beginning), "w.avro").readAllBytes())
                    .as("of %s bytes", length)
                    .isEqualTo(beginning);
        }
    }

    // A file returns 0 for a read of no bytes at its end, and such a read was made there for ever.
    @Test
    void shouldEndAContainerWhereItsFileEnds() throws IOException {
        InputStream file = new FilterInputStream(new ByteArrayInputStream(containerWithBlocks())) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return length == 0 ? 0 : super.read(bytes, offset, length);
            }
        };
        ContainerLimit container = new ContainerLimit(file, "w.avro");
        container.readAllBytes();

        assertThat(container.read(new byte[8], 0, 8)).isEqualTo(-1);
        assertThat(container.read()).isEqualTo(-1);
    }

    /** A container without a block. */
    private static ByteArrayOutputStream container() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        WeightsFile.writeAvro(List.of(), bytes);
        return bytes;
    }

    private static byte[] containerWithBlocks() throws IOException {
        ByteArrayOutputStream bytes = container();
        for (int size = 0; size < 200; size += 99) {
            writeNumber(bytes, 1);
            writeNumber(bytes, size);
            // as if each were a size itself, and then 16 bytes that separate blocks
            bytes.writeBytes("\u00ff".repeat(size + 16).getBytes(StandardCharsets.ISO_8859_1));
        }
        return bytes.toByteArray();
    }

    private static void writeNumber(ByteArrayOutputStream out, long number) {
        long bits = (number << 1) ^ (number >> 63);
        for (; (bits & ~0x7FL) != 0; bits >>>= 7) {
            out.write((int) (bits & 0x7F) | 0x80);
        }
        out.write((int) bits);
    }

    private static void assertRefused(ByteArrayOutputStream bytes, String message) {
        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> {
                    try (WeightsFile file = WeightsFile.open(new ByteArrayInputStream(bytes.toByteArray()), "w.avro")) {
                        file.next();
                    }
                })
                .withMessageStartingWith(message);
    }
}
