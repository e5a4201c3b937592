package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import io.perceptronstreams.example.SeededTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows of separated values; of valid text they are those of another parser, Jackson's. */
final class CsvRowsTest {
    private static final String SIGNS = "ab1\"\"\"; ,,\t\n\n\r";

    /** In {@code text}, ' is a quotation mark, / ends a line, and ^ is a line feed within a cell. */
    private static String text(String text) {
        return text.replace('\'', '"').replace('/', '\n');
    }

    @SeededTest
    void shouldReadTheRowsOfAnotherParser(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        int compared = 0;
        for (int trial = 0; trial < 20_000; trial++) {
            char separator = ",;\t| ".charAt(random.nextInt(5));
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(24); length > 0; length--) {
                char c = SIGNS.charAt(random.nextInt(SIGNS.length()));
                text.append(c == ',' ? separator : c);
            }
            List<List<String>> expected = ofJackson(text.toString(), separator);
            if (expected != null) {
                assertThat(rows(text.toString(), separator, '"'))
                        .as(text.toString())
                        .isEqualTo(expected);
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(5_000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "x,y/'5' pipe',1/'7\"',2/ ~ 2 ~ '\"5\" pipe\",1' (--quote none takes quotation marks as text)",
                "x,y/'a,b' c,1/ ~ 2 ~ '\"a,b\" c,1' (double each quotation mark within a cell)",
                "x,y/1,'open/2,b/ ~ 2 ~ ",
                "x,y,z/'ok','a 'b'',3/ ~ 2 ~ '\"a \"b\"\",3' (double each quotation mark within a cell)"
            })
    void shouldSayWhichMarkIsMisplaced(String text, long line, String end) {
        List<String> faults = new ArrayList<>();
        List<List<String>> rows = rows(text(text), ',', null, faults);

        assertThat(rows).isNotEmpty();
        assertThat(faults)
                .first()
                .asString()
                .startsWith("f.csv:" + line + ": quotation mark")
                .endsWith(end == null ? "" : end);
    }

    // the rows behind a mark that is never closed were lost
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "x,y/1,'a/2,b/3,c/ ~ 2 b, 3 c",
                "x,y/1,'a 'b'/2,c/ ~ 2 c",
                "x,y/1,'a/2,'b'/3,c/ ~ 2 b, 3 c",
                "x,y/'a'b,1/'c',2/ ~ c 2"
            })
    void shouldGoOnBehindAMalformedRow(String text, String rows) {
        List<String> faults = new ArrayList<>();

        assertThat(rows(text(text), ',', '"', faults).stream().skip(1).map(row -> String.join(" ", row)))
                .containsExactly(rows.split(", ", -1));
        assertThat(faults).singleElement().asString().startsWith("f.csv:2: quotation mark");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "x,y/'a,b/ ~ , ~ none ~ \"a|b",
                "x,y/'a'','b/ ~ , ~ none ~ \"a\"\"|\"b",
                "x,y/‘a,b‘,1/ ~ , ~ ‘ ~ a,b|1",
                "x y/  1 \t 2  / ~ blanks ~ none ~ 1|2",
                "x y/'a b'  2/ ~ blanks ~ ' ~ a b|2",
                "x y/'a ''b''' 2/ ~ blanks ~ ' ~ a \"b\"|2"
            })
    void shouldSplitAsTheOptionsDemand(String text, String separator, String quote, String cells) throws IOException {
        char mark = quote.equals("none")
                ? CsvOptions.NO_QUOTE
                : quote.replace('\'', '"').charAt(0);
        char between = separator.equals("blanks") ? CsvOptions.BLANKS : ',';

        assertThat(rows(text(text), between, mark).get(1)).containsExactly(cells.split("\\|", -1));
    }

    private static List<List<String>> rows(String text, Character separator, Character quote) throws IOException {
        List<String> faults = new ArrayList<>();
        List<List<String>> rows = rows(text, separator, quote, faults);
        assertThat(faults).as(text).isEmpty();
        return rows;
    }

    /** The header and the rows. */
    private static List<List<String>> rows(String text, Character separator, Character quote, List<String> faults) {
        CsvOptions options = new CsvOptions(
                separator,
                quote,
                null,
                null,
                List.of(),
                null,
                null,
                null,
                null,
                null,
                ColumnNamespaces.NONE,
                Map.of(),
                List.of(),
                CsvOptions.DEFAULT_SAMPLE_ROWS);
        List<List<String>> rows = new ArrayList<>();
        try (CsvRows reader = new CsvRows(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "f.csv", options, null, note -> {})) {
            if (reader.header() != null) {
                rows.add(stripped(reader.header()));
            }
            while (true) {
                try {
                    List<String> row = reader.next();
                    if (row == null) {
                        return rows;
                    }
                    rows.add(stripped(row));
                } catch (MalformedExampleException e) {
                    faults.add(e.getMessage());
                    if (!e.isSkippable()) {
                        return rows;
                    }
                }
            }
        } catch (IOException e) {
            faults.add(e.getMessage());
            return rows;
        }
    }

    private static List<String> stripped(List<String> row) {
        return row.stream().map(String::strip).toList();
    }

    /** Null if the text is malformed. */
    private static List<List<String>> ofJackson(String text, char separator) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        try (CsvParser parser = CsvFactory.builder()
                .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
                .build()
                .createParser(text)) {
            parser.setSchema(CsvSchema.emptySchema().withColumnSeparator(separator));
            while (parser.nextToken() != null) {
                List<String> row = new ArrayList<>();
                for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
                    row.add(parser.getText().strip());
                }
                rows.add(row);
            }
            return rows;
        } catch (JsonProcessingException e) {
            return null;
        }
    }
}
