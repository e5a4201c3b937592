package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cli.Events;
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
                        confusion: none
                        """);
    }

    /** Names of labels come from all who may send commands: ESC ] 0 ; sets the title of a terminal. */
    @Test
    void shouldPrintNoControlCharacters() {
        status.put("settings", Map.of("labels", "\u001b]0;owned\u0007,x"));
        assertThat(shown()).contains("  labels: \uFFFD]0;owned\uFFFD,x\n").doesNotContain("\u001b");
    }

    @Test
    void shouldSayWhereThereIsNone() {
        status.put("gammaUpperBound", null);
        status.put("comparator", null);
        status.put("confusion", null);
        assertThat(shown()).contains("gammaUpperBound: none\ncomparator: none\nconfusion: none\n");
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
