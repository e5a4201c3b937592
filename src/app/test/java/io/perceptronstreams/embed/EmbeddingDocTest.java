package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.embedded.JavaProcess;
import io.perceptronstreams.example.Example;
import java.io.File;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.avro.Schema;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The program of docs/embedding.md, and the libraries that a dependency brings for it. */
final class EmbeddingDocTest {
    private static final Pattern PROGRAM =
            Pattern.compile("\\A# .*\\n\\n```java\\n(.*?)```\\n\\nIt prints `(.*?)`", Pattern.DOTALL);

    private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    /** One class of each jar that a model in a program needs. */
    private static final List<Class<?>> EVENTS = List.of(
            OnlineModel.class,
            Example.class,
            Schema.class,
            ObjectMapper.class,
            JsonParser.class,
            JsonCreator.class,
            Logger.class);

    /** Those that an engine needs besides. */
    private static final List<Class<?>> ENGINE = List.of(Learn.class, KafkaStreams.class, Headers.class, RocksDB.class);

    @TempDir
    private Path directory;

    @Test
    void shouldBeginWithAProgramThatRunsWithAvroAndJackson() throws Exception {
        Matcher page = PROGRAM.matcher(Files.readString(Path.of("docs/embedding.md")));
        assertThat(page.find()).isTrue();

        assertThat(printed(page.group(1), List.of())).isEqualTo(page.group(2));
    }

    @Test
    void shouldShowTopologiesThatCompile() throws Exception {
        List<String> snippets = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(Files.readString(Path.of("docs/embedding.md")));
        while (blocks.find()) {
            if (!blocks.group(1).startsWith("import")) {
                snippets.add(blocks.group(1));
            }
        }
        assertThat(snippets).hasSize(4);
        for (String snippet : snippets) {
            Path source = Files.writeString(directory.resolve("Shown.java"), """
                    import io.perceptronstreams.embed.*;
                    import java.util.Map;
                    import java.util.Properties;
                    import org.apache.kafka.common.utils.Bytes;
                    import org.apache.kafka.streams.*;
                    import org.apache.kafka.streams.kstream.KStream;
                    import org.apache.kafka.streams.state.*;

                    class Shown {
                        record Payment(String id, String verdict, double amount) {}

                        record Verdict(String paymentId, boolean isFraud) {}

                        void show(
                                StreamsBuilder builder,
                                Properties yours,
                                KafkaStreams streams,
                                KStream<String, Payment> payments,
                                KStream<String, Verdict> verdicts) throws Exception {
                            %s
                        }
                    }
                    """.formatted(snippet));
            StringWriter errors = new StringWriter();
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            boolean isCompiled = compiler.getTask(
                            errors,
                            null,
                            null,
                            List.of("-proc:none", "-d", directory.toString(), "-cp", classPath(ENGINE)),
                            null,
                            compiler.getStandardFileManager(null, null, null).getJavaFileObjects(source))
                    .call();
            assertThat(isCompiled).as(errors.toString()).isTrue();
        }
    }

    // Engine needs the libraries of Kafka Streams, but none of the program's
    @Test
    @Tag("full")
    void shouldStartAnEngineWithTheLibrariesOfADependency() throws Exception {
        String program = """
                import io.perceptronstreams.embed.*;
                import java.util.Map;

                class Demo {
                    public static void main(String[] args) {
                        Engine engine = Engine.of(Map.of("bootstrap.servers", "localhost:1", "data.dir", "%s",
                                "admin.default.api.timeout.ms", 1000, "admin.request.timeout.ms", 500));
                        PerceptronTopics.of(Map.of()).predictions(new org.apache.kafka.streams.StreamsBuilder());
                        try {
                            engine.start();
                        } catch (RuntimeException e) {
                            System.out.println(engine.state() + " " + e.getMessage());
                        }
                    }
                }
                """.formatted(directory.resolve("data"));

        assertThat(printed(program, ENGINE)).startsWith("FAILED ").contains("localhost:1");
    }

    @Test
    void shouldLeaveTheLogToTheProgram() throws Exception {
        String program = """
                class Demo {
                    public static void main(String[] args) {
                        System.out.println(org.apache.logging.log4j.core.LoggerContext.getContext(false)
                                .getConfiguration().getClass().getSimpleName());
                    }
                }
                """;

        assertThat(printed(program, List.of(LogManager.class, LoggerContext.class)))
                .isEqualTo(DefaultConfiguration.class.getSimpleName());
    }

    /** Runs a program with the jars of a model and more; returns what it prints. */
    private String printed(String program, List<Class<?>> more) throws Exception {
        Path source = Files.writeString(directory.resolve("Demo.java"), program);
        Path errors = directory.resolve("errors");
        Process process = new ProcessBuilder(JavaProcess.tool("java"), "-cp", classPath(more), source.toString())
                .redirectError(errors.toFile())
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(Files.readString(errors)).isZero();
        return printed.strip();
    }

    /** The jars of a model and more. */
    private static String classPath(List<Class<?>> more) throws URISyntaxException {
        List<String> classPath = new ArrayList<>();
        for (Class<?> each : EVENTS) {
            classPath.add(place(each));
        }
        for (Class<?> each : more) {
            classPath.add(place(each));
        }
        return String.join(File.pathSeparator, classPath);
    }

    private static String place(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    // ConsumerIT asks Maven for what these bring
    @Test
    void shouldBringNoOtherLibrary() throws Exception {
        assertThat(required("core")).isEmpty();
        assertThat(required("events"))
                .containsExactlyInAnyOrder(
                        "perceptron-core", "avro", "jackson-databind", "fastdoubleparser", "jspecify", "slf4j-api");
        assertThat(required("engine")).containsExactlyInAnyOrder("perceptron-events", "kafka-streams", "kafka-clients");
    }

    @Test
    void shouldHaveTheVersionsOfTheSample() throws Exception {
        String sample = Files.readString(Path.of("clients/spring-boot/pom.xml"));
        String page = Files.readString(Path.of("docs/embedding.md"));
        String kafka = children(children(pom("pom.xml"), "properties").get(0), "kafka.version")
                .get(0)
                .getTextContent();

        assertThat(sample).contains("<kafka.version>" + kafka + "</kafka.version>");
        assertThat(page).containsIgnoringWhitespaces("that of this library (" + kafka + ")");
        assertThat(sample).contains("<artifactId>perceptron-engine</artifactId>\n      <version>" + version() + "<");
        assertThat(page)
                .contains("<artifactId>perceptron-events</artifactId>\n  <version>" + version() + "<")
                .contains("<artifactId>perceptron-engine</artifactId>\n  <version>" + version() + "<");
    }

    private static String version() throws Exception {
        return children(pom("pom.xml"), "version").get(0).getTextContent();
    }

    /** Artifacts of the dependencies of a module that are not of tests. */
    private static List<String> required(String module) throws Exception {
        List<String> required = new ArrayList<>();
        for (Element dependencies : children(pom("src/" + module + "/pom.xml"), "dependencies")) {
            for (Element each : children(dependencies, "dependency")) {
                if (children(each, "scope").stream()
                        .noneMatch(scope -> scope.getTextContent().equals("test"))) {
                    required.add(children(each, "artifactId").get(0).getTextContent());
                }
            }
        }
        return required;
    }

    private static Element pom(String file) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new File(file))
                .getDocumentElement();
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> children = new ArrayList<>();
        NodeList nodes = parent.getChildNodes();
        for (int k = 0; k < nodes.getLength(); k++) {
            if (nodes.item(k) instanceof Element element && element.getTagName().equals(name)) {
                children.add(element);
            }
        }
        return children;
    }
}
