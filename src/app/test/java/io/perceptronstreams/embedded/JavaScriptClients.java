package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the scripts of src/test/js, with the npm packages of its lock file, in a copy below target. */
final class JavaScriptClients {
    private static final Path SOURCE = Path.of("src/test/js");
    private static final Path COPY = Path.of("target/js");
    private static final Path INSTALLED = COPY.resolve("installed.json");
    private static final int OLDEST_NODE = 18;
    private static final int MINUTES = 20;

    private JavaScriptClients() {}

    /** Returns true if node (18 or newer) and npm are on the path. */
    static boolean areThere() {
        try {
            String version = run(Path.of("."), List.of("node", "--version")).strip();
            run(Path.of("."), List.of("npm", "--version"));
            return Integer.parseInt(version.replaceAll("v(\\d+).*", "$1")) >= OLDEST_NODE;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /** Installs the packages, unless they are installed from the same lock file. */
    static void install() throws IOException {
        Files.createDirectories(COPY);
        try (var files = Files.newDirectoryStream(SOURCE, "*.{mjs,json}")) {
            for (Path file : files) {
                Files.copy(file, COPY.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Path lock = COPY.resolve("package-lock.json");
        if (!Files.exists(INSTALLED) || Files.mismatch(lock, INSTALLED) != -1) {
            run(COPY, List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"));
            Files.copy(lock, INSTALLED, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Runs a script to its end; fails if the script fails. */
    static List<String> script(String name, String... arguments) {
        var command = new ArrayList<>(List.of("node", name));
        command.addAll(List.of(arguments));
        return run(COPY, command).lines().toList();
    }

    private static String run(Path directory, List<String> command) {
        try {
            Path errors = Files.createTempFile("javascript", ".err");
            Path output = Files.createTempFile("javascript", ".out");
            var process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(output.toFile())
                    .redirectError(errors.toFile())
                    .start();
            try {
                boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
                String why = String.join(" ", command) + "\n" + Files.readString(errors, StandardCharsets.UTF_8);
                assertThat(ended).as(why).isTrue();
                assertThat(process.exitValue()).as(why).isZero();
                return Files.readString(output, StandardCharsets.UTF_8);
            } finally {
                process.destroyForcibly();
                Files.delete(errors);
                Files.delete(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
