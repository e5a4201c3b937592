package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.serde.EventSchemas;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class StatusReaderTest {
    private final StringWriter text = new StringWriter();
    private final GenericRecord status = Events.filled(EventSchemas.schema("ModelStatus"));

    @Test
    void shouldPrintTheComparatorUnderItsName() {
        assertThat(shown()).contains("gammaUpperBound: 0.00200000\n").endsWith("""
                        comparator:
                          labelled: 9007199254740993
                          updates: 9007199254740993
                          norm: 0.00200000
                          hingeLoss: 0.00200000
                          bound: 0.00200000
                        """);
    }

    /** Names of labels come from whoever may send commands: ESC ] 0 ; sets the title of a terminal. */
    @Test
    void shouldPrintNoControlCharacters() {
        status.put("settings", Map.of("labels", "\u001b]0;owned\u0007,x"));
        assertThat(shown()).contains("  labels: \uFFFD]0;owned\uFFFD,x\n").doesNotContain("\u001b");
    }

    @Test
    void shouldSayWhereThereIsNone() {
        status.put("gammaUpperBound", null);
        status.put("comparator", null);
        assertThat(shown()).endsWith("gammaUpperBound: none\ncomparator: none\n");
    }

    private String shown() {
        StatusReader.print(status, "", new PrintWriter(text, true));
        return text.toString().replace(System.lineSeparator(), "\n");
    }
}
