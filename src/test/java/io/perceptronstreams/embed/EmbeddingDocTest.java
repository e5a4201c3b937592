package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program at the beginning of docs/embedding.md compiles, and prints what the page says. */
final class EmbeddingDocTest {
    private static final Pattern PROGRAM =
            Pattern.compile("\\A# .*\\n\\n```java\\n(.*?)```\\n\\nIt prints `(.*?)`", Pattern.DOTALL);

    @TempDir
    private Path directory;

    @Test
    void shouldBeginWithAProgramThatRuns() throws Exception {
        Matcher page = PROGRAM.matcher(Files.readString(Path.of("docs/embedding.md")));
        assertThat(page.find()).isTrue();
        Path source = Files.writeString(directory.resolve("Demo.java"), page.group(1));

        URI program = OnlineModel.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI();

        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(null, messages, messages, "-cp", Path.of(program).toString(), source.toString());

        assertThat(failed).as(messages.toString(StandardCharsets.UTF_8)).isZero();
        assertThat(printed()).isEqualTo(page.group(2));
    }

    private String printed() throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        URL[] compiled = {directory.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(compiled, getClass().getClassLoader())) {
            Method main = loader.loadClass("Demo").getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            var unused = main.invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(out);
        }
        return printed.toString(StandardCharsets.UTF_8).strip();
    }
}
