package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.serde.EventSchemas;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class StatusReaderTest {
    private final StringWriter text = new StringWriter();
    private final GenericRecord status = Events.filled(EventSchemas.schema("ModelStatus"));

    @Test
    void shouldPrintTheComparatorUnderItsName() {
        status.put("confusion", null);
        assertThat(shown()).contains("gammaUpperBound: 0.00200000\n").contains("""
                        comparator:
                          labelled: 9007199254740993
                          updates: 9007199254740993
                          norm: 0.00200000
                          hingeLoss: 0.00200000
                          bound: 0.00200000
                        pending: 9007199254740993
                        """);
    }

    /** Names of labels come from all who may send commands: ESC ] 0 ; sets the title of a terminal. */
    @Test
    void shouldPrintNoControlCharacters() {
        status.put("settings", Map.of("labels", "\u001b]0;owned\u0007,x"));
        assertThat(shown()).contains("  labels: \uFFFD]0;owned\uFFFD,x\n").doesNotContain("\u001b");
    }

    @Test
    void shouldLeaveOutWhatThereIsNot() {
        status.put("gammaUpperBound", null);
        status.put("streamTime", null);
        status.put("confusion", null);
        status.put("labelDelays", List.of());
        assertThat(shown()).doesNotContain("gammaUpperBound", "streamTime", "confusion", "labelDelays", "none", "[]");
    }

    @Test
    void shouldPrintTheClassesAsATable() {
        GenericRecord metrics = (GenericRecord) status.get("metrics");
        metrics.put("classes", List.of(classCount("spam", 1000), classCount("\u001b", 7)));
        assertThat(shown()).contains("""
                          classes:
                            label  examples  predicted  correct
                            spam       1000          2        1
                            \uFFFD             7          2        1
                        """);
    }

    private GenericRecord classCount(String label, long seen) {
        Schema classes = ((GenericRecord) status.get("metrics"))
                .getSchema()
                .getField("classes")
                .schema()
                .getElementType();
        GenericRecord count = new GenericData.Record(classes);
        count.put("label", label);
        count.put("examples", seen);
        count.put("predicted", 2L);
        count.put("correct", 1L);
        return count;
    }

    // a name of 128 characters moved the columns of its row, and 500 models had neither filter nor order
    @Test
    void shouldListSelectedModelsInColumnsOfTheLongestName() {
        Map<String, StatusReader.Latest> all = Map.of(
                "a",
                latest("a", "LIVE", 1),
                "b".repeat(60),
                latest("b", "LIVE", 3),
                "c",
                latest("c", "FROZEN", 2),
                "d",
                latest("d", "LIVE", 3));

        StatusReader.list(
                new StatusReader.Selection(ModelState.LIVE, StatusReader.Order.ERRORS, 2),
                all,
                Map.of(),
                false,
                new PrintWriter(text, true));

        List<String> lines = text.toString().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(1)).startsWith("b".repeat(60) + " live ");
        assertThat(lines.get(2)).startsWith("d" + " ".repeat(60) + "live ");
        assertThat(lines.get(0).indexOf("state")).isEqualTo(61);
        assertThat(lines.get(3)).isEqualTo("2 of 4 models");
    }

    private static StatusReader.Latest latest(String model, String state, long errors) {
        GenericRecord status = Events.filled(EventSchemas.schema("ModelStatus"));
        Schema states = status.getSchema().getField("state").schema();
        status.put("state", new GenericData.EnumSymbol(states, state));
        status.put("errors", errors);
        return new StatusReader.Latest(Events.record("models", 0, model, null), status);
    }

    @Test
    void shouldPrintTheConfusionMatrixAsATable() {
        confusion(List.of("ham", "spam"), List.of(110L, 40L, 25L, 1300L), 0);
        assertThat(shown()).contains("""
                        confusion (rows: true label, columns: emitted label):
                          label  ham spam
                          ham    110   40
                          spam    25 1300
                        """);
    }

    @Test
    void shouldPrintTheLabelsWithoutARowAsOther() {
        confusion(List.of("a"), List.of(5L, 1L, 2L, 7L), 3);
        assertThat(shown()).contains("""
                          label         a (other)
                          a             5       1
                          (other)       2       7
                          errors between other labels: 3
                        """);
    }

    private void confusion(List<String> labels, List<Long> counts, long otherErrors) {
        Schema union = EventSchemas.schema("ModelStatus").getField("confusion").schema();
        GenericRecord confusion = new GenericData.Record(union.getTypes().get(1));
        confusion.put("labels", labels);
        confusion.put("counts", counts);
        confusion.put("otherErrors", otherErrors);
        status.put("confusion", confusion);
    }

    private String shown() {
        StatusReader.print(status, "", new PrintWriter(text, true));
        return text.toString().replace(System.lineSeparator(), "\n");
    }
}
