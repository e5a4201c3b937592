package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.EventSchemas;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** The text of {@code watch mistakes --explain}. */
final class EvidenceTextTest {
    private static final Schema MISTAKE = EventSchemas.schema("Mistake");

    private final GenericRecord mistake = new GenericData.Record(MISTAKE);
    private final List<GenericRecord> evidence = new ArrayList<>();

    private void add(String name, Integer index, String tag, double value, double weight, double y, double share) {
        GenericRecord part =
                new GenericData.Record(MISTAKE.getField("evidence").schema().getElementType());
        part.put("name", name);
        part.put("index", index);
        part.put("tag", tag);
        part.put("value", value);
        part.put("weight", weight);
        part.put("contribution", y * value * weight);
        part.put("share", share);
        evidence.add(part);
    }

    private String text(Double bias, double rest, double margin, Double after) {
        mistake.put("evidence", evidence);
        mistake.put("evidenceBias", bias);
        mistake.put("evidenceRest", rest);
        mistake.put("margin", margin);
        mistake.put("marginAfter", after);
        return String.join("\n", EvidenceText.lines(mistake));
    }

    @Test
    void shouldListTermsThatAddUpToTheMargin() {
        add("w=free", 81202, null, 1, 3, -1, 0.4286);
        add("w=call", 5310, null, 1, -2, -1, 0.2857);

        // -1 - 3 + 2 - 0.5 = -2.5
        assertThat(text(-1.0, -0.5, -2.5, 3.5)).isEqualTo("""
                                      -1                                   bias
                                      -3   43 %  1 * 3                     w=free
                                       2   29 %  1 * -2                    w=call
                                    -0.5                                   rest
                                    -2.5                                   margin, 3.5 after the update
                        """.stripTrailing());
    }

    @Test
    void shouldShowIndicesTagsAndPairsOfTags() {
        add(null, 17, "NN", 1, -0.25, 1, 0.5);
        add("DT>NN", null, null, 1, -0.125, 1, 0.25);
        add("\u001b[2J" + "a".repeat(60), 3, null, 1, 0, 1, 0);

        assertThat(text(0.0, 0, -0.375, null).lines())
                .contains(
                        "           -0.25   50 %  1 * -0.25                 #17 NN",
                        "          -0.125   25 %  1 * -0.125                DT>NN",
                        "               0    0 %  1 * 0                     \uFFFD[2J" + "a".repeat(35) + "…",
                        "          -0.375                                   margin, no update");
    }

    @Test
    void shouldShowHowToGetEvidence() {
        assertThat(text(null, 0, -1, null)).isEqualTo("    no evidence (perceptron models set MODEL explain=5)");
    }
}
