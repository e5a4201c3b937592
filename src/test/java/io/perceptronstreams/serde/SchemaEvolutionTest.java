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
        Schema present = asAgreed(parse(PRESENT.resolve(name)));
        Schema agreed = parse(contract);
        // equals compares names, types, defaults and order, but not docs
        assertThat(present).isEqualTo(agreed);
        assertThat(present.getFields().stream().map(Schema.Field::defaultVal))
                .containsExactlyElementsOf(agreed.getFields().stream()
                        .map(Schema.Field::defaultVal)
                        .toList());
    }

    /** Leaves out what was added to the contract. */
    private static Schema asAgreed(Schema present) {
        if (!present.getName().equals("Example")) {
            return present;
        }
        String all = present.toString();
        int from = all.indexOf(",{\"type\":\"record\",\"name\":\"FeatureMap\"");
        int to = all.indexOf("]},{\"name\":\"weight\"");
        assertThat(from).isBetween(0, to);
        return new Schema.Parser().parse(all.substring(0, from) + all.substring(to));
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
