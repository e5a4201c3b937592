package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What other programs may rely on is in one list, so that a change of it is seen; {@code -Dgolden.write=true} writes it. */
final class PublicTypesTest {
    private static final Path LIST = Path.of("src/test/resources/embed/public-types.txt");

    @Test
    void shouldBeTheListedOnes() throws IOException {
        List<String> found = new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .withImportOption(location -> !location.contains("-tests.jar"))
                        .importPackages(OnlineModel.class.getPackageName())
                        .stream()
                        .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
                        .sorted(Comparator.comparing(JavaClass::getName))
                        .map(JavaClass::reflect)
                        .flatMap(PublicTypesTest::described)
                        .toList();
        if (Boolean.getBoolean("golden.write")) {
            Files.write(LIST, found);
        }

        assertThat(found).isEqualTo(Files.readAllLines(LIST));
    }

    /** The type and its own public members, a line each. */
    private static Stream<String> described(Class<?> type) {
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
