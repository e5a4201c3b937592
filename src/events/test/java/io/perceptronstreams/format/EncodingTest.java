package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EncodingTest {
    private static final String TABLE = "label,city\n1,Köln\n0,Málaga\n";

    // "Invalid UTF-8 middle byte 0x72 (at char #105 …)" had neither file nor line
    @Test
    void shouldNameTheLineThatIsNotUtf8() {
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> read(
                        ExampleFormat.CSV,
                        null,
                        ("label,city\n1,Bonn\n" + TABLE.substring(11)).getBytes(StandardCharsets.ISO_8859_1)))
                .withMessage("f.csv:3: text must be UTF-8, got the byte 0xF6 (save it as UTF-8, or name its encoding:"
                        + " --encoding windows-1252)");
    }

    @ParameterizedTest
    @EnumSource(
            value = ExampleFormat.class,
            names = {"JSONL", "VW", "CONLLU"})
    void shouldNotReplaceBytesInOtherFormats(ExampleFormat format) {
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> read(format, null, "1 |x Köln\n".getBytes(StandardCharsets.ISO_8859_1)))
                .withMessageContaining(":1: text must be UTF-8, got the byte 0xF6 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"windows-1252", "ISO-8859-1", "UTF-16LE", "UTF-8"})
    void shouldReadTheEncodingThatIsNamed(String encoding) throws IOException {
        Charset charset = Charset.forName(encoding);

        assertThat(Texts.features(
                        read(ExampleFormat.CSV, charset, TABLE.getBytes(charset))
                                .get(0),
                        "values"))
                .hasToString("{city=Köln=1.0}");
    }

    @Test
    void shouldRefuseBytesThatTheNamedEncodingDoesNotHave() {
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() ->
                        read(ExampleFormat.CSV, StandardCharsets.US_ASCII, TABLE.getBytes(StandardCharsets.UTF_8)))
                .withMessageContaining("text must be in US-ASCII from here on, got other bytes");
    }

    // a binary file was 2.5 KB of signs in one line
    @Test
    void shouldCutTheSignsOfABinaryFile() {
        byte[] binary = new byte[4000];
        new Random(7).nextBytes(binary);

        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> read(ExampleFormat.CSV, null, binary))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> read(ExampleFormat.CSV, null, "x".repeat(4000).getBytes(StandardCharsets.UTF_8)))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300).contains("x".repeat(80) + "…"));
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> read(ExampleFormat.CSV, null, "QK\3\4\0\0".getBytes(StandardCharsets.UTF_8)))
                .withMessageContaining("f.csv:1: text must be UTF-8, got a byte of 0");
    }

    // the advice was windows-1252, with which each second sign would be 0
    @Test
    void shouldNameTheEncodingOfATextThatBeginsInUtf16WithoutAMark() throws IOException {
        for (Charset charset : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
            byte[] text = TABLE.getBytes(charset);
            assertThatExceptionOfType(MalformedExampleException.class)
                    .isThrownBy(() -> read(ExampleFormat.CSV, null, text))
                    .withMessageContaining("--encoding " + charset.name() + ")");
            assertThat(read(ExampleFormat.CSV, charset, text))
                    .isEqualTo(read(ExampleFormat.CSV, null, TABLE.getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** The decoder of the JDK accepts and refuses the same bytes, with buffers of every size. */
    @Test
    void shouldCheckAsTheDecoderOfTheJdkDoes() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] parts = HexFormat.of().parseHex("610a80bf9fa08f90c2c0dfe0edeff0f4f5");
        int valid = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] text = new byte[1 + random.nextInt(5)];
            for (int k = 0; k < text.length; k++) {
                text[k] = parts[random.nextInt(parts.length)];
            }
            boolean isValid = isUtf8(text);
            valid += isValid ? 1 : 0;

            assertThat(passes(text, 1 + random.nextInt(4)))
                    .as("seed %d, %s", seed, i)
                    .isEqualTo(isValid);
        }
        assertThat(valid).isPositive();
    }

    private static boolean passes(byte[] text, int bufferSize) throws IOException {
        try (InputStream in = new Utf8Check(new ByteArrayInputStream(text), "f")) {
            ByteArrayOutputStream passed = new ByteArrayOutputStream();
            byte[] buffer = new byte[bufferSize];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                passed.write(buffer, 0, count);
            }
            return Arrays.equals(passed.toByteArray(), text);
        } catch (MalformedExampleException e) {
            return false;
        }
    }

    private static boolean isUtf8(byte[] text) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private static List<GenericRecord> read(ExampleFormat format, Charset encoding, byte[] text) throws IOException {
        String file = "f." + format.name().toLowerCase(Locale.ROOT);
        return Texts.read(Texts.source(file, format, null, null, encoding), text);
    }
}
