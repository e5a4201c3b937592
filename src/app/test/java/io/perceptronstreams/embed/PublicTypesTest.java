package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The public types of each jar that other programs may depend on are in a list, so that a change of them is seen;
 * {@code -Dgolden.write=true} writes it. What is promised, the package {@code embed}, is there with its members.
 */
final class PublicTypesTest {
    private static final String PROMISED = OnlineModel.class.getPackageName();

    @ParameterizedTest
    @CsvSource({
        "core, io.perceptronstreams.learner.Learner",
        "events, io.perceptronstreams.embed.OnlineModel",
        "engine, io.perceptronstreams.embed.Engine"
    })
    void shouldBeTheListedOnes(String module, Class<?> anyOfIt) throws IOException {
        Path list = Path.of("src/test/resources/exports", module + ".txt");
        List<String> found = imported(anyOfIt).stream()
                .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(PublicTypesTest::isReachable)
                .sorted(Comparator.comparing(JavaClass::getName))
                .flatMap(PublicTypesTest::described)
                .toList();
        if (Boolean.getBoolean("golden.write")) {
            Files.createDirectories(list.getParent());
            Files.write(list, found);
        }

        assertThat(found).isEqualTo(Files.readAllLines(list));
    }

    /** The classes of the jar, or of the directory where it is not made yet. */
    private static JavaClasses imported(Class<?> anyOfIt) throws IOException {
        URL place = anyOfIt.getProtectionDomain().getCodeSource().getLocation();
        if (!place.getPath().endsWith(".jar")) {
            return new ClassFileImporter().importUrl(place);
        }
        try (JarFile jar = new JarFile(place.getPath())) {
            return new ClassFileImporter().importJar(jar);
        }
    }

    /** A public type in one that is not public is none. */
    private static boolean isReachable(JavaClass type) {
        return type.getEnclosingClass()
                .map(outer -> outer.getModifiers().contains(JavaModifier.PUBLIC) && isReachable(outer))
                .orElse(true);
    }

    /** The type and, where it is promised, its own public members, a line each. */
    private static Stream<String> described(JavaClass found) {
        if (!found.getPackageName().equals(PROMISED)) {
            return Stream.of(found.getName());
        }
        Class<?> type = found.reflect();
        Stream<Executable> members = Stream.concat(
                Stream.of(type.getDeclaredConstructors()),
                Stream.of(type.getDeclaredMethods()).filter(each -> !each.isSynthetic()));
        return Stream.concat(
                Stream.of(type.toGenericString()),
                members.filter(each -> Modifier.isPublic(each.getModifiers()))
                        .map(each -> "  " + each.toGenericString())
                        .sorted());
    }
}
