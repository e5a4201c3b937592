package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.client.Terminal;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.serde.EventSchemas;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of mistakes and counts on terminals of various sizes. */
final class LiveTableTest {
    private static final String HOSTILE = "\u001b[2J\u001b]0;owned\u0007\r\n日本語\u202e";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Terminal.Size size = new Terminal.Size(80, 24);

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "40 ~ model example label predicted",
                "80 ~ time (UTC) model example label predicted score mistakes",
                "200 ~ date time (UTC) model example kind label predicted score margin mistakes examples updates |w|"
            })
    void shouldLeaveOutTheLeastOfMistakesFirst(int width, String header) {
        size = new Terminal.Size(width, 24);
        showMistakes(mistake("m", "e1", -1, 1));

        assertThat(squeezed(lines().get(0))).isEqualTo(header);
    }

    @Test
    void shouldShowAMistake() {
        showMistakes(mistake("wdbc", "e1", -1, 1));

        assertThat(squeezed(lines().get(1))).isEqualTo("12:26:40.123 wdbc e1 -1 1 0.0020000 9.01e+15");
        assertThat(lines()).hasSize(2);
    }

    // a terminal of 150 columns had 8 signs of "hundred.csv:1234", 7 of "class-073", and 12 for each of seven numbers
    @Test
    void shouldShowIdAndLabelsBeforeTheLastNumbers() {
        size = new Terminal.Size(150, 24);
        showMistakes(mistake("hundred", "hundred.csv:1234", "class-000073", "class-000074"));

        assertThat(lines().get(1)).contains(" hundred ", " hundred.csv:1234 ", " class-000073 ", " class-000074 ");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20, 39, 40, 41, 79, 80, 81, 120, 200, 500})
    void shouldFitEveryWidthWhateverNamesAreMadeOf(int width) {
        size = new Terminal.Size(width, 24);
        showMistakes(
                mistake(HOSTILE.repeat(20), "日本語".repeat(50), List.of(HOSTILE, "b"), null),
                mistake("m", HOSTILE, "a".repeat(1_000), HOSTILE));
        Map<String, GenericRecord> counts = new HashMap<>(Map.of(HOSTILE.repeat(20), count(Long.MAX_VALUE)));
        counts.put("日本語".repeat(50), count(1));

        assertThat(lines()).allSatisfy(line -> checkLine(line, width));
        assertThat(CountTable.lines(counts, size)).allSatisfy(line -> checkLine(line, width));
        assertThat(CountTable.lines(Map.of(), size)).allSatisfy(line -> checkLine(line, width));
    }

    private static void checkLine(String line, int width) {
        assertThat(TerminalText.columns(line)).isLessThanOrEqualTo(width);
        assertThat(line.codePoints())
                .noneMatch(each -> each < ' ' || (each >= 0x7f && each < 0xa0) || each == 0x2028 || each == 0x202e);
    }

    @Test
    void shouldRepeatTheHeaderBeforeItLeavesTheWindowAndWhenThatChanges() {
        size = new Terminal.Size(80, 5);
        MistakeTable table = new MistakeTable(() -> size, new PrintWriter(out), new PrintWriter(err));
        table.show();
        for (int k = 0; k < 7; k++) {
            mistake("m", "e" + k, 1, -1).addTo(table);
        }
        size = new Terminal.Size(40, 5);
        mistake("m", "e7", 1, -1).addTo(table);
        table.close();

        // header, three rows and the line of the cursor
        assertThat(lines().stream().map(line -> line.contains("predicted") ? "header" : "row"))
                .containsExactly(
                        "header", "row", "row", "row", "header", "row", "row", "row", "header", "row", "header", "row");
    }

    @Test
    void shouldCutAndCountTheLinesOfEvidence() {
        size = new Terminal.Size(40, 6);
        MistakeTable table = new MistakeTable(() -> size, new PrintWriter(out), new PrintWriter(err));
        mistake("m", "e0", 1, -1).addTo(table);
        table.addDetail(List.of("a".repeat(50), "b", "c"));
        mistake("m", "e1", 1, -1).addTo(table);
        table.close();

        assertThat(lines()).hasSize(7).contains("a".repeat(39));
        assertThat(lines().get(5)).as("the header again").isEqualTo(lines().get(0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "40 | model from (UTC) mistakes error",
                "80 | model from (UTC) examples mistakes error all examples error so far",
                "200 | model date from (UTC) seconds examples errors mistakes error majority same all examples all mistakes error so far"
            })
    void shouldLeaveOutTheLeastOfCountsFirst(int width, String header) {
        assertThat(squeezed(
                        CountTable.lines(Map.of(), new Terminal.Size(width, 24)).get(0)))
                .isEqualTo(header);
    }

    @Test
    void shouldShowTheLargestModelsThatThereIsRoomFor() {
        Map<String, GenericRecord> counts = new HashMap<>();
        for (int k = 0; k < 10; k++) {
            counts.put("m" + k, count(k % 5));
        }

        assertThat(names(CountTable.lines(counts, new Terminal.Size(40, 6))))
                .containsExactly("model", "m4", "m9", "m3", "m8", "…");
        assertThat(CountTable.lines(counts, new Terminal.Size(40, 6))).endsWith("… 6 more");
        assertThat(CountTable.lines(counts, new Terminal.Size(40, 11))).hasSize(11);
        assertThat(CountTable.lines(counts, new Terminal.Size(40, 10)))
                .hasSize(10)
                .endsWith("… 2 more");
    }

    @Test
    void shouldShowAModelsNewestWindowInPlaceAndLeaveTheTerminalAsItWas() {
        CountTable table = new CountTable(() -> size, new PrintWriter(out), new PrintWriter(err));
        table.show();
        table.add(record("m"), count(100));
        table.add(record("m"), count(200));
        table.show();
        String live = out.toString();
        table.show();
        assertThat(out.toString()).as("nothing new, nothing drawn").isEqualTo(live);
        table.warn("perceptron: unreadable");
        assertThat(err.toString()).as("would spoil the table").isEmpty();
        table.close();

        assertThat(live).startsWith("\033[?1049h").contains("(no window has closed yet)");
        assertThat(live.split("\033\\[H", -1)).hasSize(3);
        // line breaks that fit: one more would scroll
        assertThat(live.substring(live.lastIndexOf("\033[H")).lines()).hasSize(2);
        String after = out.toString().substring(live.length());
        assertThat(after).startsWith("\033[?25h\033[?1049l");
        assertThat(after.lines().skip(1).map(LiveTableTest::squeezed))
                .containsExactly("m 12:26:40 40 3 0.1250 200 0.2500");
        assertThat(err.toString().strip()).isEqualTo("perceptron: unreadable");
    }

    @Test
    void shouldDrawAnewWhenTheWindowHasChanged() {
        CountTable table = new CountTable(() -> size, new PrintWriter(out), new PrintWriter(err));
        table.add(record("m"), count(100));
        table.show();
        size = new Terminal.Size(200, 24);
        table.show();

        assertThat(out.toString()).contains("all mistakes");
    }

    private record Row(ConsumerRecord<byte[], byte[]> record, GenericRecord event) {
        void addTo(LiveTable table) {
            table.add(record, event);
        }
    }

    private void showMistakes(Row... rows) {
        try (MistakeTable table = new MistakeTable(() -> size, new PrintWriter(out), new PrintWriter(err))) {
            for (Row row : rows) {
                row.addTo(table);
            }
        }
    }

    private static Row mistake(String model, String id, Object label, Object predicted) {
        GenericRecord event = Events.filled(EventSchemas.schema("Mistake"));
        event.put("exampleId", id);
        event.put("label", label);
        event.put("predicted", predicted);
        return new Row(record(model), event);
    }

    private static ConsumerRecord<byte[], byte[]> record(String model) {
        return Events.record("t", 5, model, null);
    }

    private static GenericRecord count(long total) {
        GenericRecord count = Events.filled(EventSchemas.schema("MistakeCount"));
        Map.of(
                        "windowStart", 1_600_000_000_000L,
                        "windowEnd", 1_600_000_010_000L,
                        "examples", 40L,
                        "labelled", 40L,
                        "errors", 5L,
                        "mistakes", 3L,
                        "totalExamples", total,
                        "totalLabelled", 40L,
                        "totalErrors", 10L,
                        "totalMistakes", 3L)
                .forEach(count::put);
        return count;
    }

    private List<String> lines() {
        return out.toString().lines().toList();
    }

    private static List<String> names(List<String> lines) {
        return lines.stream().map(line -> line.split(" ", -1)[0]).toList();
    }

    private static String squeezed(String line) {
        return line.strip().replaceAll(" +", " ");
    }
}
