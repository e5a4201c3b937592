package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.cli.Events;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.ModelStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
            RUNS         | 0 | perceptron challengers begin m advised-runs algorithm=pa scale=standard c=1.0 | true
            SCALE        | 0 | perceptron challengers begin m advised-scale scale=standard | false
            SCALE        | 0 | perceptron models set advised-scale scale=standard      | true
            BASELINE     | 0 | perceptron challengers begin m advised-baseline algorithm=sgd predict=last trial.promote=auto | true
            AVERAGED     | 0 | perceptron challengers begin m advised-averaged predict=last from=live trial.promote=auto | false
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

    private static final String RULE = "algorithm=sgd scale=standard";
    private static final String RESET = "perceptron models reset m " + RULE;
    private static final String CHALLENGE =
            "perceptron challengers begin m advised-scale " + RULE + " trial.promote=auto";

    private final DashboardState state = new DashboardState();
    private long offset;

    // The page asked for the newest alerts: after a promotion it showed the advice for the first champion.
    @Test
    void shouldBeOverWhereAnotherLearnerTakesThePlaceOfTheModel() {
        advise("SCALE", RESET);
        advise("NUMBER_TEXTS", null);
        state.add(Fabricated.alert("m", ++offset, Map.of("kind", "DRIFT", "message", "change", "epoch", 0L)));
        status("TIME", Map.of("epoch", 0L));
        assertThat(shown()).containsExactlyInAnyOrder("SCALE OPEN", "NUMBER_TEXTS OPEN");

        status("DRIFT", Map.of("epoch", 1L));
        assertThat(shown()).containsExactlyInAnyOrder("SCALE OVER", "NUMBER_TEXTS OPEN");
    }

    @Test
    void shouldHaveTheErrorsBeforeAndAfterAResetThatFollowedIt() {
        status("TIME", Map.of("labelled", 128L, "errors", 64L, "countsSince", 0L));
        advise("SCALE", RESET);
        status("TIME", Map.of("labelled", 200L, "errors", 90L, "countsSince", 0L));
        status(
                "RESET",
                Map.of("epoch", 1L, "settings", Map.of("algorithm", "sgd", "scale", "standard"), "countsSince", 300L));
        assertThat(only().path("errorRateAfter").isNull()).isTrue();
        status(
                "TIME",
                Map.of(
                        "epoch",
                        1L,
                        "settings",
                        Map.of("algorithm", "sgd", "scale", "standard"),
                        "countsSince",
                        300L,
                        "labelled",
                        1_000L,
                        "errors",
                        120L));

        assertThat(shown()).containsExactly("SCALE FOLLOWED");
        assertThat(only().path("errorRateBefore").asDouble()).isEqualTo(0.45);
        assertThat(only().path("errorRateAfter").asDouble()).isEqualTo(0.12);
        assertThat(only().path("labelledAfter").asLong()).isEqualTo(1_000);
    }

    /** A model that has learned much is not reset: what the page shows is what was measured to do no harm. */
    @Test
    void shouldNameAChallengerOnceTheModelHasLearnedMuch() {
        advise("SCALE", RESET);
        status("TIME", Map.of("labelled", 1_023L));
        assertThat(only().path("command").asText()).isEqualTo(RESET);
        status("TIME", Map.of("labelled", 1_024L));
        assertThat(only().path("command").asText()).isEqualTo(CHALLENGE);
        assertThat(only().path("message").asText()).isEqualTo("sizes (" + CHALLENGE + ")");
    }

    @Test
    void shouldFollowTheChallengerUntilItIsTheModel() {
        advise("SCALE", CHALLENGE);
        status("TIME", Map.of("labelled", 2_000L, "errors", 500L, "countsSince", 0L));
        status("CHALLENGED", Map.of("labelled", 2_000L, "errors", 500L, "countsSince", 0L), "advised-scale");
        assertThat(shown()).containsExactly("SCALE ON_TRIAL");
        status("TIME", Map.of("labelled", 4_000L, "errors", 1_000L, "countsSince", 0L), "advised-scale");
        status(
                "PROMOTED",
                Map.of(
                        "labelled",
                        4_000L,
                        "errors",
                        1_000L,
                        "countsSince",
                        0L,
                        "epoch",
                        1L,
                        "settings",
                        Map.of("algorithm", "sgd", "scale", "standard")));
        status(
                "TIME",
                Map.of(
                        "labelled",
                        5_000L,
                        "errors",
                        1_100L,
                        "countsSince",
                        0L,
                        "epoch",
                        1L,
                        "settings",
                        Map.of("algorithm", "sgd", "scale", "standard")));

        assertThat(shown()).containsExactly("SCALE PROMOTED");
        assertThat(only().path("errorRateBefore").asDouble()).isEqualTo(0.25);
        assertThat(only().path("errorRateAfter").asDouble()).isEqualTo(0.1);
        assertThat(only().path("labelledAfter").asLong()).isEqualTo(1_000);
    }

    @Test
    void shouldSayThatTheChallengerHasEnded() {
        advise("SCALE", CHALLENGE);
        status("CHALLENGED", Map.of("labelled", 2_000L), "advised-scale");
        status("WITHDRAWN", Map.of("labelled", 3_000L));
        assertThat(shown()).containsExactly("SCALE ENDED");
    }

    private void advise(String kind, String command) {
        Map<String, Object> fields = new HashMap<>(Map.of("kind", "ADVICE", "advice", kind, "epoch", 0L));
        fields.put("message", command == null ? "texts" : "sizes (" + command + ")");
        if (command != null) {
            fields.put("command", command);
        }
        fields.put("offset", ++offset);
        state.add(Fabricated.alert("m", offset, fields));
    }

    private void status(String cause, Map<String, Object> fields, String... challengers) {
        Map<String, Object> all = new HashMap<>(fields);
        all.put("cause", cause);
        all.put("offset", ++offset);
        all.put(
                "challengers",
                Stream.of(challengers)
                        .map(name -> {
                            ChallengerStatus challenger = Events.filled(ChallengerStatus.class);
                            challenger.setName(name);
                            return challenger;
                        })
                        .toList());
        state.add(Fabricated.status("m", offset, all));
    }

    private List<String> shown() {
        List<String> shown = new ArrayList<>();
        state.details("m")
                .orElseThrow()
                .get("advice")
                .forEach(each -> shown.add(
                        each.path("advice").asText() + " " + each.path("state").asText()));
        return shown;
    }

    private JsonNode only() {
        return state.details("m").orElseThrow().get("advice").get(0);
    }
}
