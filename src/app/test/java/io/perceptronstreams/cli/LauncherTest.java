package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code perceptron} in a source tree, with a stub for Maven. */
class LauncherTest {
    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

    @TempDir
    Path home;

    @Test
    void shouldBuildAgainWhatWasCompiledAfterTheJar() throws Exception {
        Path classes = Files.createDirectories(home.resolve("target/classes"));
        Path jar = Files.createFile(home.resolve("target/perceptron-streams.jar"));
        Files.setLastModifiedTime(jar, FileTime.from(LONG_AGO));
        Path compiled = Files.createFile(classes.resolve("A.class"));
        Files.setLastModifiedTime(compiled, FileTime.from(LONG_AGO.plusSeconds(60)));
        for (String module : List.of("core", "events", "engine", "app")) {
            Files.createDirectories(home.resolve("src").resolve(module).resolve("main"));
            Files.createFile(home.resolve("src").resolve(module).resolve("pom.xml"));
        }
        Files.createDirectories(home.resolve("schemas"));
        Files.createFile(home.resolve("pom.xml"));
        // like Maven's archiver, the stub keeps a jar that is newer than its content
        script("mvnw", """
                #!/bin/sh
                if [ target/classes/A.class -nt target/perceptron-streams.jar ]; then touch target/archived; fi
                """);
        Files.copy(Path.of("perceptron"), home.resolve("perceptron"), StandardCopyOption.COPY_ATTRIBUTES);

        Process launcher = new ProcessBuilder(home.resolve("perceptron").toString(), "run")
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("output").toFile())
                .start();

        // Java itself fails in the end, because the jar is empty; run makes no archive of classes in the background
        assertThat(launcher.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(home.resolve("target/archived"))
                .as(Files.readString(home.resolve("output")))
                .exists();
    }

    /** Otherwise threads would die one by one, and the process would neither learn nor end. */
    @Test
    void shouldEndTheJvmWhenItsMemoryRunsOut() throws Exception {
        Path jdk = Files.createDirectories(home.resolve("jdk"));
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.15\"\n");
        script("jdk/bin/java", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        script("jdk/bin/javac", "#!/bin/sh\n");
        // outside of a source tree the jar lies beside the script
        Files.createFile(home.resolve("perceptron-streams.jar"));
        Files.copy(Path.of("perceptron"), home.resolve("perceptron"), StandardCopyOption.COPY_ATTRIBUTES);
        ProcessBuilder command = new ProcessBuilder(home.resolve("perceptron").toString(), "run")
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("output").toFile());
        command.environment().put("JAVA_HOME", jdk.toString());
        command.environment().remove("PERCEPTRON_OPTS");

        assertThat(command.start().waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(Files.readAllLines(home.resolve("output"))).contains("-XX:+ExitOnOutOfMemoryError", "run");
    }

    private void script(String name, String text) throws Exception {
        Path file = Files.writeString(home.resolve(name), text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
