package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.embedded.JavaProcess;
import io.perceptronstreams.embedded.SharedCluster;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Maven project with each of the dependencies of docs/embedding.md: what Maven puts on its class path, and the
 * programs of the page.
 */
final class ConsumerIT {
    private static final String JAR = System.getProperty("program.jar");

    private static final List<String> CORE = List.of("perceptron-core");

    private static final List<String> EVENTS = List.of(
            "perceptron-events",
            "avro",
            "commons-compress",
            "commons-codec",
            "commons-io",
            "commons-lang3",
            "fastdoubleparser",
            "jackson-annotations",
            "jackson-core",
            "jackson-databind",
            "jspecify",
            "slf4j-api");

    private static final List<String> ENGINE = List.of(
            "perceptron-engine", "kafka-streams", "kafka-clients", "rocksdbjni", "lz4-java", "snappy-java", "zstd-jni");

    /** What a program with models in it may have to load, in bytes. */
    private static final long MAX_EVENTS = 8_000_000;

    @TempDir
    private Path directory;

    private final String page;
    private final String pom;
    private final String version;

    ConsumerIT() throws IOException {
        page = Files.readString(Path.of("docs/embedding.md"));
        pom = Files.readString(Path.of("pom.xml"));
        version = found("<artifactId>perceptron-streams</artifactId>\\s*<version>(.*?)<", pom);
    }

    @BeforeEach
    void setUp() throws IOException {
        assumeTrue(JAR != null && Files.exists(Path.of(JAR)), "needs the jars: ./mvnw package");
        Files.copy(Path.of("pom.xml"), artifact("perceptron-streams", "pom"));
        for (String module : List.of("core", "events", "engine")) {
            String name = "perceptron-" + module;
            Path sources = Path.of("src", module);
            Files.copy(sources.resolve("pom.xml"), artifact(name, "pom"));
            Files.copy(sources.resolve("target").resolve(name + "-" + version + ".jar"), artifact(name, "jar"));
        }
    }

    /** Where Maven looks for it in a repository. */
    private Path artifact(String name, String type) throws IOException {
        return Files.createDirectories(
                        directory.resolve("io/perceptronstreams").resolve(name).resolve(version))
                .resolve(name + "-" + version + "." + type);
    }

    @Test
    void shouldBringNothingForLearnersAlone() throws Exception {
        assertThat(names(classPath(dependency("core")))).containsExactlyInAnyOrderElementsOf(CORE);
    }

    @Test
    void shouldBringAvroAndJacksonForAModel() throws Exception {
        List<Path> classPath = classPath(dependency("events"));

        assertThat(names(classPath)).containsExactlyInAnyOrderElementsOf(concat(CORE, EVENTS));
        long bytes = 0;
        for (Path jar : classPath) {
            bytes += Files.size(jar);
        }
        assertThat(bytes).isLessThanOrEqualTo(MAX_EVENTS);
        String demo = found("```java\\n(.*?)```", page)
                .replaceFirst(
                        "(?=    }\\n}\\n$)",
                        "System.out.print(java.util.Base64.getEncoder().encodeToString(model.toBytes()));\n");
        Path program = Files.writeString(directory.resolve("Demo.java"), demo);
        // as on the page
        OnlineModel model = OnlineModel.create(Map.of("algorithm", "perceptron", "labels", "ok,fraud"));
        model.learn(LearnExample.of("a1").label("fraud").feature("amount", 3.5).feature("night", 1));
        model.learn(LearnExample.of("a2").label("ok").feature("amount", 0.5));
        assertThat(output(List.of(JavaProcess.tool("java"), "-cp", joined(classPath), program.toString())))
                .endsWith(found("It prints `(.*?)`", page)
                        + System.lineSeparator()
                        + Base64.getEncoder().encodeToString(model.toBytes()));
    }

    @Test
    void shouldBringKafkaStreamsForAnEngineAndNothingElse() throws Exception {
        List<Path> classPath = classPath(dependency("engine"));

        assertThat(names(classPath)).containsExactlyInAnyOrderElementsOf(concat(concat(CORE, EVENTS), ENGINE));
        requireEngine(joined(classPath));
    }

    /** As the page shows it where it does. */
    private String dependency(String module) {
        String block = "<dependency>\n  <groupId>io.perceptronstreams</groupId>\n  <artifactId>perceptron-" + module
                + "</artifactId>\n  <version>" + version + "</version>\n</dependency>";
        assertThat(page.contains(block) || module.equals("core")).as(module).isTrue();
        return block;
    }

    private static List<String> names(List<Path> classPath) {
        return classPath.stream()
                .map(each -> each.getFileName().toString().replaceFirst("-\\d.*", ""))
                .toList();
    }

    private static List<String> concat(List<String> one, List<String> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }

    private static String joined(List<Path> classPath) {
        return classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private List<Path> classPath(String dependency) throws Exception {
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
                """.formatted(dependency));
        Path classPath = directory.resolve("class-path");

        // offline: the build has everything in its repository but our jars, which are in this one
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
        return Stream.of(Files.readString(classPath).strip().split(File.pathSeparator, -1))
                .map(Path::of)
                .toList();
    }

    /** What only the program has is not needed to run an engine, either. */
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
