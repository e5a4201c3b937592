package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.cli.Events;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.ModelStatus;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Advice outlived its reason: a model with scale=standard was told to set it, after a promotion. */
final class PresentAdviceTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            BASELINE     | 0 | perceptron models set m scale=standard predict=averaged | true
            BASELINE     | 1 | perceptron models set m scale=standard predict=averaged | false
            RUNS         | 1 |                                                         | false
            NUMBER_TEXTS | 1 |                                                         | true
            RARE_LABEL   | 1 |                                                         | true
            AVERAGED     | 0 | perceptron models set m predict=last                    | false
            RUNS         | 0 | perceptron models challenge m advised-runs algorithm=pa scale=standard c=1.0 | true
            SCALE        | 0 | perceptron models challenge m advised-scale scale=standard | false
            SCALE        | 0 | perceptron models set advised-scale scale=standard      | true
            """)
    void shouldBeForTheModelAsItIs(String kind, long epoch, String command, boolean isShown) {
        Alert alert = Events.filled(Alert.class);
        alert.setAdvice(kind);
        alert.setEpoch(0L);
        alert.setCommand(command);
        ModelStatus status = Events.filled(ModelStatus.class);
        status.setEpoch(epoch);
        status.setSettings(Map.of("scale", "none", "predict", "last", "c", "1.0"));
        ChallengerStatus challenger = Events.filled(ChallengerStatus.class);
        challenger.setName("advised-scale");
        status.setChallengers(List.of(challenger));

        assertThat(PresentAdvice.isOf(status, alert)).isEqualTo(isShown);
        assertThat(PresentAdvice.isOf(null, alert)).isTrue();
    }

    // The page asked for the newest alerts: after a promotion it showed the advice for the first champion.
    @Test
    void shouldBeInTheAnswerForTheModelUntilAnotherTakesItsPlace() {
        DashboardState state = new DashboardState();
        String scale = "perceptron models set m scale=standard predict=averaged";
        state.add(Fabricated.alert(
                "m",
                1,
                Map.of("kind", "ADVICE", "advice", "SCALE", "message", "sizes", "command", scale, "epoch", 0L)));
        state.add(Fabricated.alert(
                "m", 2, Map.of("kind", "ADVICE", "advice", "NUMBER_TEXTS", "message", "texts", "epoch", 0L)));
        state.add(Fabricated.alert("m", 3, Map.of("kind", "DRIFT", "message", "change", "epoch", 0L)));
        state.add(Fabricated.status("m", 4, Map.of("epoch", 0L)));
        assertThat(advice(state)).containsExactlyInAnyOrder("SCALE", "NUMBER_TEXTS");

        // scale=standard alone, by a promotion
        state.add(Fabricated.status(
                "m", 5, Map.of("epoch", 1L, "settings", Map.of("scale", "standard", "predict", "last"))));
        assertThat(advice(state)).containsExactly("NUMBER_TEXTS");
    }

    private static List<String> advice(DashboardState state) {
        JsonNode advice = state.details("m").orElseThrow().get("advice");
        return advice.findValuesAsText("advice");
    }
}
