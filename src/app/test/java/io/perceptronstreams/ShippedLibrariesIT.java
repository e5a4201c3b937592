package io.perceptronstreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The libraries that the program loads are those of docs/libraries.txt, byte for byte, so that an update of a library
 * is a visible change. {@code -Ddocs.write=true} writes the file.
 */
final class ShippedLibrariesIT {
    private static final Path LIST = Path.of("docs/libraries.txt");
    private static final Path JAR = Path.of("target/perceptron-streams.jar");

    @Test
    void shouldBeTheListedOnes() throws IOException, NoSuchAlgorithmException {
        String shipped = shipped();
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(LIST, shipped);
        }

        assertThat(Files.readString(LIST))
                .as("%s must list the shipped libraries (-Ddocs.write=true writes it)", LIST)
                .isEqualTo(shipped);
    }

    /** One line per library of the class path in the manifest, as sha256sum writes it, sorted by file. */
    private static String shipped() throws IOException, NoSuchAlgorithmException {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        TreeMap<String, String> digests = new TreeMap<>();
        try (JarFile jar = new JarFile(JAR.toFile())) {
            String classPath = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            for (String library : Arrays.asList(classPath.split(" ", -1))) {
                if (library.startsWith("lib/perceptron-")) {
                    continue; // our own, of this build
                }
                byte[] digest = sha256.digest(Files.readAllBytes(JAR.resolveSibling(library)));
                digests.put(library, HexFormat.of().formatHex(digest));
            }
        }
        return digests.entrySet().stream()
                .map(library -> library.getValue() + "  " + library.getKey() + "\n")
                .collect(Collectors.joining());
    }
}
