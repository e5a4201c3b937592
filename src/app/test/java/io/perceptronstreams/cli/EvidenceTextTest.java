package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.Evidence;
import io.perceptronstreams.event.Mistake;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The text of {@code watch mistakes --explain}. */
final class EvidenceTextTest {
    private final Mistake mistake = new Mistake();
    private final List<Evidence> evidence = new ArrayList<>();

    private void add(String name, Integer index, String tag, double value, double weight, double y, double share) {
        evidence.add(new Evidence(name, index, tag, value, weight, y * value * weight, share));
    }

    private String text(Double bias, double rest, double margin, Double after) {
        mistake.setEvidence(evidence);
        mistake.setEvidenceBias(bias);
        mistake.setEvidenceRest(rest);
        mistake.setMargin(margin);
        mistake.setMarginAfter(after);
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
