package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One table in the forms that other programs write: the model is that of a separate perceptron in Python, which
 * computes from the numbers that are meant.
 */
final class TableFormsTest {
    private static final Path TABLES = Path.of("src/test/resources/csv");

    @RegisterExtension
    final FitRun run = new FitRun();

    private static String pump() {
        try {
            return Files.readString(TABLES.resolve("pump.csv"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String rows(UnaryOperator<List<String>> change) {
        List<String> changed = new ArrayList<>();
        for (String line : pump().lines().toList()) {
            changed.add(String.join(",", change.apply(new ArrayList<>(List.of(line.split(","))))));
        }
        return String.join("\n", changed) + "\n";
    }

    private static String withFlow(int row, String flow) {
        List<String> lines = new ArrayList<>(pump().lines().toList());
        lines.set(row, flow + lines.get(row).substring(lines.get(row).indexOf(',')));
        return String.join("\n", lines) + "\n";
    }

    static Stream<Arguments> formsOfTheWholeTable() {
        return Stream.of(
                Arguments.of("as it is", "f.csv", pump()),
                Arguments.of(
                        "semicolons and decimal commas",
                        "f.csv",
                        pump().replace(',', ';').replace('.', ',')),
                Arguments.of("tabs", "f.tsv", pump().replace(',', '\t')),
                Arguments.of("vertical bars", "f.csv", pump().replace(',', '|')),
                Arguments.of("decimal commas in quotes", "f.csv", rows(cells -> {
                    cells.replaceAll(cell -> cell.indexOf('.') < 0 ? cell : '"' + cell.replace('.', ',') + '"');
                    return cells;
                })),
                Arguments.of("a byte order mark and CRLF", "f.csv", '\ufeff' + pump().replace("\n", "\r\n")),
                Arguments.of("an empty last column", "f.csv", pump().replace("\n", ",\n")),
                Arguments.of(
                        "a separator behind the rows only",
                        "f.csv",
                        pump().replace("\n", ",\n").replace("leak,", "leak")),
                Arguments.of("an empty last column of the header only", "f.csv", pump().replace("leak", "leak,")),
                Arguments.of("the index of pandas", "f.csv", rows(cells -> {
                    cells.add(0, cells.get(0).equals("flow") ? "" : "7");
                    return cells;
                })),
                Arguments.of("the index of pandas, read and written once more", "f.csv", rows(cells -> {
                    cells.add(0, cells.get(0).equals("flow") ? "Unnamed: 0" : "7");
                    return cells;
                })));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("formsOfTheWholeTable")
    void shouldLearnTheSameFromEveryForm(String form, String name, String text) throws IOException {
        Path file = run.file(name, text);

        learns(file + " --label-column leak", 26, 25, "bias -4, bar -36.9, flow 5.6");
    }

    @Test
    void shouldLearnTheSameFromGzippedUtf16() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(('\ufeff' + pump()).getBytes(StandardCharsets.UTF_16LE));
        }
        Path file = Files.write(run.path("f.csv.gz"), bytes.toByteArray());

        learns(file + " --label-column leak", 26, 25, "bias -4, bar -36.9, flow 5.6");
    }

    // "null" in the first row made a word of each of the 59 numbers
    @ParameterizedTest
    @CsvSource({"null", "NULL", "N/A", "n/a", "nan", "None", "#N/A", "<NA>", "-NaN", "1.#QNAN", "?", "\\N", "''"})
    void shouldReadTheMissingWordsOfPandas(String word) throws IOException {
        Path file = run.file("f.csv", withFlow(1, word));

        learns(file + " --label-column leak", 30, 29, "bias -6, bar -48.5, flow -6.1");
    }

    // it stopped at this row
    @Test
    void shouldReadAMissingWordBehindNumbers() throws IOException {
        Path file = run.file("f.csv", withFlow(18, "None"));

        learns(file + " --label-column leak", 30, 29, "bias -6, bar -48.8, flow -3.4");
    }

    @Test
    void shouldTakeMoreMissingWords() throws IOException {
        Path file = run.file("f.csv", withFlow(18, "-"));

        learns(file + " --label-column leak --missing n.a.,-", 30, 29, "bias -6, bar -48.8, flow -3.4");

        run.fit(file + " --label-column leak --epochs 1");
        assertThat(run.errors())
                .contains("f.csv: column flow: words, as 59 of 60 cells are numbers, but '-' is not;"
                        + " --missing - takes it as missing");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // "7,286" was a word
                "pay.csv --label-column paid | 27 | 26 | bias -9, age -494, pay 1482",
                // D-01067 stopped it
                "parcels.csv --label-column late | 4 | 2 | zip=01067 1, zip=01069 -1, zip=01099 1, zip=D-01067 -1",
                // True made the feature open=True, which true of JSON does not
                "doors.csv --label-column alarm | 5 | 4 | bias -1, open 2, wind -0.1",
                "doors.csv --label-column alarm --words open | 2 | 1 | open=True 1, open=False -1, wind -0.7"
            })
    void shouldLearnWhatIsMeant(String arguments, int updates, int errors, String weights) throws IOException {
        learns(TABLES + "/" + arguments, updates, errors, weights);
    }

    private void learns(String arguments, long updates, long errors, String weights) throws IOException {
        run.fit(arguments + " --epochs 1");

        run.assertLearned(updates, errors, weights);
    }
}
