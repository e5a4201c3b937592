package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SchemaEvolutionTest {
    private static final Path PRESENT = Path.of("schemas");
    private static final Path FIRST = Path.of("src/test/resources/schemas/v1");

    static Stream<String> first() throws IOException {
        return names(FIRST);
    }

    private static Stream<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".avsc"))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("first")
    void shouldReadWhatTheFirstVersionWrote(String name) throws IOException {
        var result = SchemaCompatibility.checkReaderWriterCompatibility(
                parse(PRESENT.resolve(name)), parse(FIRST.resolve(name)));
        assertThat(result.getType()).as(result.getDescription()).isEqualTo(SchemaCompatibilityType.COMPATIBLE);
    }

    @Test
    void shouldHaveAFirstVersionOfEveryEvent() throws IOException {
        assertThat(names(PRESENT)).containsExactlyElementsOf(names(FIRST).toList());
    }

    @ParameterizedTest
    @MethodSource("contracts")
    void shouldBeTheContract(String name) throws IOException {
        Path contract = Path.of(System.getProperty("shared.dir", "../shared"))
                .resolve("schemas")
                .resolve(name);
        assumeTrue(Files.exists(contract), () -> "skipped: there is no " + contract + " (set -Dshared.dir=FOLDER)");
        requireEvolved(parse(contract), parse(PRESENT.resolve(name)), name);
    }

    /**
     * Checks that {@code present} is the contract, but for renamed fields with aliases, and additions at the ends:
     * optional fields, branches, symbols.
     */
    private static void requireEvolved(Schema agreed, Schema present, String where) {
        assertThat(present.getType()).as(where).isEqualTo(agreed.getType());
        switch (agreed.getType()) {
            case RECORD -> {
                assertThat(present.getFullName()).as(where).isEqualTo(agreed.getFullName());
                List<Schema.Field> old = agreed.getFields();
                List<Schema.Field> fields = present.getFields();
                assertThat(fields).as(where).hasSizeGreaterThanOrEqualTo(old.size());
                for (int k = 0; k < fields.size(); k++) {
                    Schema.Field field = fields.get(k);
                    String place = where + "." + field.name();
                    if (k < old.size()) {
                        String agreedName = old.get(k).name();
                        assertThat(field.name().equals(agreedName)
                                        || field.aliases().contains(agreedName))
                                .as(place)
                                .isTrue();
                        assertThat(field.defaultVal())
                                .as(place)
                                .isEqualTo(old.get(k).defaultVal());
                        requireEvolved(old.get(k).schema(), field.schema(), place);
                    } else {
                        assertThat(field.hasDefaultValue()).as(place).isTrue();
                    }
                }
            }
            case UNION -> {
                assertThat(present.getTypes())
                        .as(where)
                        .hasSizeGreaterThanOrEqualTo(agreed.getTypes().size());
                for (int k = 0; k < agreed.getTypes().size(); k++) {
                    requireEvolved(agreed.getTypes().get(k), present.getTypes().get(k), where + "[" + k + "]");
                }
            }
            case ENUM ->
                assertThat(present.getEnumSymbols())
                        .as(where)
                        .startsWith(agreed.getEnumSymbols().toArray(String[]::new));
            case ARRAY -> requireEvolved(agreed.getElementType(), present.getElementType(), where + "[]");
            case MAP -> requireEvolved(agreed.getValueType(), present.getValueType(), where + "{}");
            default -> assertThat(present).as(where).isEqualTo(agreed);
        }
    }

    static List<String> contracts() {
        return List.of(
                "Example.avsc",
                "Label.avsc",
                "ModelCommand.avsc",
                "Prediction.avsc",
                "Mistake.avsc",
                "MistakeCount.avsc");
    }

    private static Schema parse(Path file) throws IOException {
        return new Schema.Parser().parse(Files.readString(file));
    }
}
