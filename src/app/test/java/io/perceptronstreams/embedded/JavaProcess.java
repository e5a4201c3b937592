package io.perceptronstreams.embedded;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Command lines of Java processes. In {@code ./mvnw verify} they run the built jar, as users do, and take its classes
 * from an archive in which they are loaded and verified: loading is a third of the work until an engine runs. Elsewhere
 * they have the class path of the running test.
 */
public final class JavaProcess {
    /** Set by Failsafe. */
    private static final String JAR = System.getProperty("program.jar");

    /** Only the first compiler, as the processes end before the second one would pay. */
    private static final List<String> FLAGS = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    /** Those of the app, and of the modules below it. */
    private static final String TEST_CLASSES = Stream.of(
                    "target", "src/engine/target", "src/events/target", "src/core/target")
            .map(each -> File.pathSeparator + each + "/test-classes")
            .collect(Collectors.joining());

    private JavaProcess() {}

    /** Path of a program of this JVM's JDK, such as {@code java} or {@code keytool}. */
    public static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /**
     * The words of a command line before the main class, which may be one of the tests; more options of the JVM may
     * follow.
     */
    public static List<String> command() throws IOException {
        List<String> words = jvm();
        if (JAR == null) {
            words.addAll(List.of("-cp", absolute(System.getProperty("java.class.path"))));
        } else {
            words.addAll(List.of("-XX:SharedArchiveFile=" + archive(), "-Xlog:cds=off", "-Xlog:cds+dynamic=off"));
            // the JVM takes the archive where the class path begins with that of the archive
            words.addAll(List.of("-cp", absolute(JAR + TEST_CLASSES)));
        }
        return words;
    }

    private static List<String> jvm() {
        List<String> words = new ArrayList<>(List.of(tool("java")));
        words.addAll(FLAGS);
        return words;
    }

    /** Makes the archive unless it is there. */
    private static synchronized Path archive() throws IOException {
        Path jar = Path.of(JAR).toAbsolutePath();
        Path archive = jar.resolveSibling("test-processes.jsa");
        if (!Files.exists(archive)
                || Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(jar)) < 0) {
            // another JVM with tests may make its own
            String name = "test-processes-" + ProcessHandle.current().pid();
            Path made = jar.resolveSibling(name + ".jsa");
            Path output = jar.resolveSibling(name + ".txt");
            List<String> training = jvm();
            training.addAll(List.of("-XX:ArchiveClassesAtExit=" + made, "-Xlog:disable", "-cp", jar.toString()));
            training.addAll(
                    List.of("io.perceptronstreams.Main", "demo", "--examples=200", "--rate=0", "--http-port=0"));
            Process process = new ProcessBuilder(training)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (process.onExit().join().exitValue() != 0 || !Files.exists(made)) {
                throw new IOException("the archive of classes must be made; see " + output);
            }
            Files.move(made, archive, StandardCopyOption.REPLACE_EXISTING);
        }
        return archive;
    }

    /** For processes that start in another directory. */
    private static String absolute(String classPath) {
        return String.join(
                File.pathSeparator,
                Stream.of(classPath.split(File.pathSeparator, -1))
                        .map(each -> Path.of(each).toAbsolutePath().toString())
                        .toList());
    }
}
