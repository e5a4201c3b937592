package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Random tables, written in random dialects: what is read is what was meant. */
final class WrittenTablesTest {
    private static final String SEPARATORS = ",;\t|";
    private static final List<String> WORDS = List.of("a", "b;c", "d,e", "f|g", "say \"h\"", "i\nj", "Köln", "k l");
    private static final List<String> MISSING = List.of("", "NA", "null", "NaN", "None", "n/a");

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @Test
    void shouldReadWhatWasMeantInEveryDialect() throws IOException {
        for (int i = 0; i < 300; i++) {
            char separator = SEPARATORS.charAt(random.nextInt(SEPARATORS.length()));
            char decimal = random.nextBoolean() ? '.' : ',';
            boolean hasIndex = random.nextBoolean();
            List<Map<String, Double>> meant = new ArrayList<>();
            String text = table(separator, decimal, hasIndex, meant);
            ExampleSource source = Texts.source("f.csv", ExampleFormat.CSV, LabelType.AUTO);

            List<GenericRecord> examples = Texts.read(source, text.getBytes(StandardCharsets.UTF_8));

            assertThat(examples.stream()
                            .map(example -> Texts.features(example, "values"))
                            .toList())
                    .as("seed %d, table %d:\n%s", seed, i, text)
                    .isEqualTo(meant);
            assertThat(examples).extracting(example -> example.get("label")).containsOnly(1);
        }
    }

    private String table(char separator, char decimal, boolean hasIndex, List<Map<String, Double>> meant) {
        int columns = 1 + random.nextInt(4);
        List<String> lines = new ArrayList<>();
        List<String> header = new ArrayList<>(hasIndex ? List.of("") : List.of());
        header.add("label");
        boolean[] isNumber = new boolean[columns];
        DecimalFormat[] formats = new DecimalFormat[columns];
        for (int k = 0; k < columns; k++) {
            isNumber[k] = random.nextInt(3) > 0;
            formats[k] = format(decimal);
            header.add("c" + k);
        }
        lines.add(line(header, separator));
        int rows = 5 + random.nextInt(30);
        for (int row = 0; row < rows; row++) {
            List<String> cells = new ArrayList<>(hasIndex ? List.of("" + row) : List.of());
            cells.add("1");
            Map<String, Double> features = new HashMap<>();
            for (int k = 0; k < columns; k++) {
                if (row > 1 && random.nextInt(8) == 0) {
                    cells.add(MISSING.get(random.nextInt(MISSING.size())));
                } else if (isNumber[k]) {
                    // two decimals, of which the last is not 0: their mark cannot stand between thousands
                    double value = (Math.round((random.nextDouble() - 0.3) * 1e6) * 10 + 1 + random.nextInt(9)) / 100.0;
                    cells.add(formats[k].format(value));
                    features.put("c" + k, value);
                } else {
                    String word = WORDS.get(random.nextInt(WORDS.size()));
                    cells.add(word);
                    features.put("c" + k + "=" + word, 1.0);
                }
            }
            meant.add(features);
            lines.add(line(cells, separator));
        }
        return String.join(random.nextBoolean() ? "\n" : "\r\n", lines) + "\n";
    }

    private DecimalFormat format(char decimal) {
        DecimalFormatSymbols symbols = new DecimalFormatSymbols(Locale.ROOT);
        symbols.setDecimalSeparator(decimal);
        String groups = (decimal == '.' ? "," : ".") + " '\u00a0";
        symbols.setGroupingSeparator(groups.charAt(random.nextInt(groups.length())));
        return new DecimalFormat(random.nextBoolean() ? "#,##0.00" : "0.00", symbols);
    }

    private String line(List<String> cells, char separator) {
        boolean isQuoted = random.nextInt(4) == 0;
        return cells.stream()
                .map(cell -> isQuoted || cell.indexOf(separator) >= 0 || cell.contains("\"") || cell.contains("\n")
                        ? '"' + cell.replace("\"", "\"\"") + '"'
                        : cell)
                .collect(Collectors.joining(String.valueOf(separator)));
    }
}
