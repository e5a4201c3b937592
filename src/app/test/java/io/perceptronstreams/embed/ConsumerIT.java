package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.embedded.JavaProcess;
import io.perceptronstreams.embedded.SharedCluster;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Maven project with the dependency of docs/embedding.md: what Maven puts on its class path, and the program of the page. */
final class ConsumerIT {
    private static final String JAR = System.getProperty("program.jar");

    @TempDir
    private Path directory;

    @Test
    void shouldBringKafkaStreamsAvroAndJacksonAndNothingElse() throws Exception {
        assumeTrue(JAR != null && Files.exists(Path.of(JAR)), "needs the jar: ./mvnw package");
        String page = Files.readString(Path.of("docs/embedding.md"));
        String pom = Files.readString(Path.of("pom.xml"));
        String version = found("<artifactId>perceptron-streams</artifactId>\\s*<version>(.*?)<", pom);
        Path repository = directory.resolve("io/perceptronstreams/perceptron-streams/" + version);
        Files.createDirectories(repository);
        Files.copy(Path.of(JAR), repository.resolve("perceptron-streams-" + version + ".jar"));
        Files.copy(Path.of("pom.xml"), repository.resolve("perceptron-streams-" + version + ".pom"));
        Path project = Files.writeString(directory.resolve("pom.xml"), """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.example</groupId>
                  <artifactId>consumer</artifactId>
                  <version>1</version>
                  <dependencies>
                    %s
                  </dependencies>
                </project>
                """.formatted(found("```xml\\n(.*?)```", page)));
        Path classPath = directory.resolve("class-path");

        // offline: the build has everything in its repository but the jar, which is in this one
        List<String> maven = new ArrayList<>(List.of(maven(), "-o", "-B", "-q", "-f", project.toString()));
        maven.add("-Dmaven.repo.local.tail=" + directory);
        if (System.getProperty("localRepository") != null) {
            maven.add("-Dmaven.repo.local=" + System.getProperty("localRepository"));
        }
        maven.add("org.apache.maven.plugins:maven-dependency-plugin:"
                + found("<artifactId>maven-dependency-plugin</artifactId>\\s*<version>(.*?)<", pom)
                + ":build-classpath");
        maven.add("-Dmdep.outputFile=" + classPath);
        assertThat(output(maven)).isEmpty();

        assertThat(Stream.of(Files.readString(classPath).strip().split(File.pathSeparator, -1))
                        .map(each -> Path.of(each).getFileName().toString().replaceFirst("-\\d.*", "")))
                .containsExactlyInAnyOrder(
                        "perceptron-streams",
                        "kafka-streams",
                        "kafka-clients",
                        "rocksdbjni",
                        "lz4-java",
                        "snappy-java",
                        "zstd-jni",
                        "avro",
                        "commons-compress",
                        "commons-codec",
                        "commons-io",
                        "commons-lang3",
                        "jackson-annotations",
                        "jackson-core",
                        "jackson-databind",
                        "slf4j-api");
        Path program = Files.writeString(directory.resolve("Demo.java"), found("```java\\n(.*?)```", page));
        assertThat(output(List.of(
                        JavaProcess.tool("java"),
                        "-cp",
                        Files.readString(classPath).strip(),
                        program.toString())))
                .endsWith(found("It prints `(.*?)`", page) + System.lineSeparator());
        requireEngine(Files.readString(classPath).strip());
    }

    /** What is optional in the POM is not needed to run an engine, either. */
    private void requireEngine(String classPath) throws Exception {
        SharedCluster cluster = new SharedCluster("consumer");
        Path program = Files.writeString(directory.resolve("Program.java"), """
                import io.perceptronstreams.embed.Engine;
                import java.time.Duration;
                import java.util.Map;

                class Program {
                    public static void main(String[] args) throws Exception {
                        try (Engine engine = Engine.of(Map.of("bootstrap.servers", "%s", "schema.registry.url", "%s",
                                "topics.prefix", "%s", "topics.create", true, "models.defaults", "", "topics.partitions", 1, "data.dir", "%s"))) {
                            engine.start();
                            engine.awaitRunning(Duration.ofSeconds(60));
                            System.out.println(engine.state());
                        }
                    }
                }
                """.formatted(
                cluster.bootstrapServers(), cluster.registryUrl(), cluster.prefix(), directory.resolve("engine")));

        assertThat(output(List.of(JavaProcess.tool("java"), "-cp", classPath, program.toString())))
                .endsWith("RUNNING" + System.lineSeparator());
    }

    /** Maven that runs this build, or the wrapper. */
    private static String maven() {
        String home = System.getProperty("maven.home");
        return home == null
                ? Path.of("mvnw").toAbsolutePath().toString()
                : Path.of(home, "bin", "mvn").toString();
    }

    private static String found(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }

    /** Standard output and error of a command, which must succeed. */
    private static String output(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
