package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files of uPlot 1.6.32 have the checksums of the npm package. */
final class PlotLibraryTest {
    @ParameterizedTest
    @CsvSource({
        "uPlot.esm.js, 5dd9b3281aa64b461b42d9945f6adb2649d346502b12281a9ae0d46599a80eba",
        "uPlot.min.css, df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
        "LICENSE.txt, 8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd"
    })
    void shouldBeUnchanged(String file, String sha256) throws IOException, NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(read(file));

        assertThat(HexFormat.of().formatHex(digest)).isEqualTo(sha256);
        assertThat(new String(read("SHA256SUMS.txt"), StandardCharsets.US_ASCII))
                .contains(sha256 + "  " + file + "\n");
    }

    @Test
    void shouldSayItsVersion() throws IOException {
        assertThat(new String(read("uPlot.esm.js"), StandardCharsets.UTF_8)).contains("(v1.6.32)");
    }

    private static byte[] read(String file) throws IOException {
        try (InputStream in = PlotLibraryTest.class.getResourceAsStream("/monitor/uplot/" + file)) {
            return in.readAllBytes();
        }
    }
}
