package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.Evidence;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.monitor.MistakeCauses.Cause;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MistakeCausesTest {
    /** A mistake with parts as in {@code "age=-2"}; an index instead of a name as in {@code "#3=1"}. */
    private static Mistake mistake(String label, String predicted, String... parts) {
        Mistake mistake = new Mistake();
        mistake.setLabelText(label);
        mistake.setPredictedText(predicted);
        mistake.setMargin(-1.5);
        mistake.setEvidenceBias(parts.length == 0 ? null : 0.5);
        mistake.setEvidence(Stream.of(parts).map(MistakeCausesTest::part).toList());
        return mistake;
    }

    private static Evidence part(String text) {
        String[] pair = text.split("=", -1);
        boolean isIndex = pair[0].startsWith("#");
        Evidence part = new Evidence();
        part.setName(isIndex ? null : pair[0]);
        part.setIndex(isIndex ? Integer.parseInt(pair[0].substring(1)) : 9);
        part.setTag(pair.length > 2 ? pair[2] : null);
        part.setContribution(Double.parseDouble(pair[1]));
        return part;
    }

    @Test
    void shouldCountTheFeaturesOfTheLastMistakes() {
        MistakeCauses causes = new MistakeCauses(5);
        causes.add(mistake("1", "-1", "old=-9"), 4);
        causes.add(mistake("1", "-1", "age=-2", "city=1", "#3=-1"), 4);
        causes.add(mistake("1", "-1", "age=-4", "city=1"), 4);
        causes.add(mistake("-1", "1", "city=-3", "w=-1=NN", "w=-1=NN"), 4);
        causes.add(mistake("-1", "1"), 4);

        assertThat(causes.size()).isEqualTo(4);
        assertThat(causes.explained()).isEqualTo(3);
        assertThat(causes.top(MistakeCauses.Key.FEATURE))
                .containsExactly(
                        new Cause("age", 2, 2, -3),
                        new Cause("city", 3, 1, -1 / 3.0),
                        new Cause("#3", 1, 1, -1),
                        new Cause("w NN", 1, 1, -1));
    }

    @Test
    void shouldCountPairsOfLabels() {
        MistakeCauses causes = new MistakeCauses(5);
        causes.add(mistake("ham", "spam"), 10);
        causes.add(mistake("spam", "ham"), 10);
        causes.add(mistake("spam", "ham"), 10);

        assertThat(causes.top(MistakeCauses.Key.PAIR))
                .containsExactly(new Cause("spam as ham", 2, 2, -1.5), new Cause("ham as spam", 1, 1, -1.5));
    }

    @Test
    void shouldBoundFeaturesAndNames() {
        MistakeCauses causes = new MistakeCauses(1);
        causes.add(mistake("1", "-1", "old=-9"), 3);
        causes.add(mistake("1", "-1", "x".repeat(300) + "=-9", "b=-1"), 3);
        causes.add(mistake("1", "-1", "x".repeat(400) + "=-9", "b=-1"), 3);
        causes.limit(2);

        assertThat(causes.top(MistakeCauses.Key.FEATURE)).containsExactly(new Cause("x".repeat(200) + "…", 2, 2, -9));
    }
}
