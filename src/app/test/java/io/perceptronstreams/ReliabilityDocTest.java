package io.perceptronstreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/** The table of {@code docs/reliability.md} has every row, and every test that it names exists. */
final class ReliabilityDocTest {
    /** Number of rows of each group. */
    private static final Map<Character, Integer> GROUPS = groups();

    private static final Pattern ROW =
            Pattern.compile("^\\| ([A-G]\\d+) (\\S.*?) \\| (.+?) \\| (.+?) \\| (.+?) \\|$", Pattern.MULTILINE);
    private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");

    private final List<Row> rows = rows();

    private record Row(String name, String tests, String result) {}

    private static Map<Character, Integer> groups() {
        Map<Character, Integer> groups = new LinkedHashMap<>();
        String sizes = "A10 B13 C11 D11 E12 F10 G8";
        for (Matcher group = Pattern.compile("([A-G])(\\d+)").matcher(sizes); group.find(); ) {
            groups.put(group.group(1).charAt(0), Integer.valueOf(group.group(2)));
        }
        return groups;
    }

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        try {
            String page = Files.readString(Path.of("docs/reliability.md"));
            for (Matcher row = ROW.matcher(page); row.find(); ) {
                rows.add(new Row(row.group(1), row.group(4), row.group(5)));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return rows;
    }

    @Test
    void shouldHaveEveryRow() {
        List<String> expected = new ArrayList<>();
        GROUPS.forEach((group, size) -> {
            for (int number = 1; number <= size; number++) {
                expected.add(group.toString() + number);
            }
        });

        assertThat(expected).hasSize(75);
        assertThat(rows).extracting(Row::name).isEqualTo(expected);
    }

    @Test
    void shouldNameTestsThatExist() throws IOException {
        Map<String, Class<?>> classes = new LinkedHashMap<>();
        for (Row row : rows) {
            List<String> unknown = new ArrayList<>();
            String rest = row.tests();
            for (Matcher test = TEST.matcher(row.tests()); test.find(); ) {
                rest = rest.replace(test.group(), "");
                Class<?> type = classes.computeIfAbsent(test.group(1), ReliabilityDocTest::find);
                if (type == null || !hasTest(type, test.group(2))) {
                    unknown.add(test.group());
                }
            }

            assertThat(unknown).as("unknown tests of row %s", row.name()).isEmpty();
            assertThat(rest).as("tests of row %s", row.name()).matches("-|(, )*");
        }
    }

    @Test
    void shouldHaveATestOrAReason() {
        assertThat(rows).allSatisfy(row -> {
            if (row.tests().equals("-")) {
                assertThat(row.result()).as(row.name()).matches("(not run|not for us): .{10,}");
            } else {
                assertThat(row.result()).as(row.name()).matches("(pass|failed (once|twice): .{10,}|not run: .{10,}).*");
            }
        });
    }

    private static boolean hasTest(Class<?> type, String method) {
        return Arrays.stream(type.getDeclaredMethods())
                .anyMatch(each -> each.getName().equals(method) && AnnotationSupport.isAnnotated(each, Testable.class));
    }

    /** The test class of a simple name, or null if there is none. */
    private static Class<?> find(String name) {
        try {
            List<Path> found = SourceFiles.of("test").stream()
                    .filter(file -> file.endsWith(name + ".java"))
                    .toList();
            if (found.size() != 1) {
                return null;
            }
            String path = found.get(0).toString();
            String type = path.substring(path.indexOf("io/"), path.length() - ".java".length())
                    .replace('/', '.');
            return Class.forName(type, false, ReliabilityDocTest.class.getClassLoader());
        } catch (IOException | ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
