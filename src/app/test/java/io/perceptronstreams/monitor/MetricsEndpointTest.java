package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.access.ModelPattern;
import io.perceptronstreams.cli.Events;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.TrialVerdict;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Metrics for fabricated events. */
final class MetricsEndpointTest {
    private final TestServer server = TestServer.open();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void shouldServeTotalsOfModelsOnlyWhenTheyAreComplete() throws IOException {
        server.state.add(Fabricated.status("m", 1, Map.of("examples", 7L)));

        // a counter that grows from 0 again after a restart would be taken for a rush
        assertThat(scrape()).doesNotContain("perceptron_examples_total");

        server.state.add(Fabricated.status("m", 2, Map.of("examples", 9L)));
        server.state.caughtUp();
        assertThat(scrape())
                .contains("perceptron_examples_total{model=\"m\"} 9.0")
                .contains("perceptron_examples_total{model=\"other\"} 0.0");
    }

    /** A checker of metrics warned of 39 without a help text. */
    @Test
    void shouldSayWhatEachMetricIs() throws IOException {
        server.state.add(Fabricated.status("m", 1, Map.of("examples", 7L)));
        server.state.caughtUp();
        server.state.add(letter("NULL_KEY"));

        List<String> help = scrape().lines()
                .filter(line -> line.startsWith("# HELP perceptron_"))
                .toList();
        assertThat(help).hasSizeGreaterThan(25).allMatch(line -> line.matches("# HELP \\S+ [A-Z0-9].+\\."));
        assertThat(scrape())
                .containsPattern("perceptron_build_info\\{commit=\"[^\"]+\",java=\"[^\"]+\",version=\"[^\"]+\"} 1");
    }

    @Test
    void shouldServeWhatWaitsForLabels() throws IOException {
        server.state.add(Fabricated.status("off", 1, Map.of("examples", 7L)));
        Map<String, Long> fields = new TreeMap<>(Map.of("pending", 4L, "late", 3L, "unlabelled", 2L, "defaulted", 1L));
        fields.putAll(Map.of("streamTime", 9_000L, "oldestPending", 1_500L));
        server.state.add(Fabricated.status("m", 1, fields));
        server.state.caughtUp();

        assertThat(scrape())
                .contains("perceptron_pending{model=\"m\"} 4.0")
                .contains("perceptron_pending_age_seconds{model=\"m\"} 7.5")
                .contains("perceptron_late_labels_total{model=\"m\"} 3.0")
                .contains("perceptron_unlabelled_total{model=\"m\"} 2.0")
                .contains("perceptron_defaulted_total{model=\"m\"} 1.0")
                .contains("perceptron_pending{model=\"off\"} 0.0")
                .contains("perceptron_pending_age_seconds{model=\"other\"} 0.0");
    }

    @Test
    void shouldServeOwnMetricsFirst() throws IOException {
        List<String> families = scrape().lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.split(" ", -1)[2])
                .toList();

        assertThat(families).doesNotHaveDuplicates().anyMatch(name -> name.startsWith("jvm_"));
        int own = (int)
                families.stream().filter(name -> name.startsWith("perceptron_")).count();
        assertThat(families.subList(0, own)).allMatch(name -> name.startsWith("perceptron_"));
        assertThat(scrape().lines().findFirst().orElseThrow()).startsWith("# HELP perceptron_");
    }

    @Test
    void shouldServeTheEvidenceForAChallenger() throws IOException {
        ChallengerStatus worse = challenger(TrialVerdict.WORSE, 9, 4);
        ChallengerStatus behind = challenger(TrialVerdict.OPEN, 4, 1.5);
        ChallengerStatus ahead = challenger(TrialVerdict.OPEN, 11, 0.5);
        ChallengerStatus better = challenger(TrialVerdict.BETTER, 9, 2.25);
        server.state.add(Fabricated.status("waits", 1, Map.of("challengers", List.of(worse, better))));
        server.state.add(Fabricated.status("open", 1, Map.of("challengers", List.of(worse, behind, ahead))));
        server.state.add(Fabricated.status("none", 1, Map.of()));
        // nobody is asked to promote a member that votes
        ChallengerStatus voter = challenger(TrialVerdict.BETTER, 90, 9);
        voter.setVote(0.5);
        server.state.add(Fabricated.status("votes", 1, Map.of("challengers", List.of(voter))));
        server.state.caughtUp();

        assertThat(scrape())
                .contains("perceptron_challenger_evidence{model=\"votes\"} 0.0")
                .contains("perceptron_challenger_evidence{model=\"waits\"} 1.125")
                .contains("perceptron_challenger_evidence{model=\"open\"} 0.25")
                .contains("perceptron_challenger_evidence{model=\"none\"} 0.0");
    }

    /** It alone was wrong on ten examples; needs an evidence of 2. */
    private static ChallengerStatus challenger(TrialVerdict verdict, long onlyChampionWrong, double evidence) {
        ChallengerStatus challenger = Events.filled(ChallengerStatus.class);
        challenger.setVerdict(verdict);
        challenger.setOnlyChampionWrong(onlyChampionWrong);
        challenger.setOnlyChallengerWrong(10);
        challenger.setEvidence(evidence);
        challenger.setThreshold(2);
        challenger.setVote(null);
        return challenger;
    }

    @Test
    void shouldHaveMetricsOfEachModel() throws Exception {
        server.state.add(Fabricated.status("m", 1, Map.of("metrics", Fabricated.metrics())));
        server.state.add(Fabricated.status("none", 1, Map.of()));
        server.state.caughtUp();

        assertThat(scrape())
                .contains("perceptron_compared_total{model=\"m\"} 100.0")
                .contains("perceptron_compared_errors_total{model=\"m\"} 20.0")
                .contains("perceptron_majority_errors_total{model=\"m\"} 10.0")
                .contains("perceptron_same_errors_total{model=\"m\"} 40.0")
                .contains("perceptron_kappa{model=\"m\"} 0.25")
                .contains("perceptron_balanced_accuracy{model=\"m\"} 0.5")
                .contains("perceptron_auc{model=\"m\"} 0.75")
                .contains("perceptron_kappa{model=\"none\"} NaN")
                .contains("perceptron_auc{model=\"other\"} NaN");
    }

    @Test
    void shouldHaveProbabilitiesAndDecisionsOfEachModel() throws Exception {
        server.state.add(Fabricated.status(
                "m",
                1,
                Map.of(
                        "forecasts",
                        Fabricated.forecasts(96),
                        "decisions",
                        Fabricated.decisions(),
                        "corrections",
                        Fabricated.corrections())));
        server.state.add(Fabricated.status("none", 1, Map.of()));
        server.state.caughtUp();

        assertThat(scrape())
                .contains("perceptron_brier_score{model=\"m\"} 0.1")
                .contains("perceptron_log_loss{model=\"m\"} 0.3")
                .contains("perceptron_calibration_error{model=\"m\"} 0.02")
                .contains("perceptron_coverage{model=\"m\"} 0.96")
                .contains("perceptron_set_size{model=\"m\"} 1.5")
                .contains("perceptron_unsure_ratio{model=\"m\"} 0.4")
                .contains("perceptron_forecasts_covered_total{model=\"m\"} 96.0")
                .contains("perceptron_decisions_withheld_total{model=\"m\"} 7.0")
                .contains("perceptron_decisions_cost{model=\"m\"} 36.0")
                .contains("perceptron_corrections_total{model=\"m\"} 12.0")
                .contains("perceptron_left_early_total{model=\"m\"} 2.0")
                .contains("perceptron_corrections_outstanding{model=\"m\"} 3.0")
                .contains("perceptron_coverage{model=\"none\"} NaN")
                .contains("perceptron_decisions_cost{model=\"none\"} 0.0");
    }

    @Test
    void shouldCountDeadLettersAndAlertsFromTheMomentItHasCaughtUp() throws IOException {
        server.state.add(letter("NULL_KEY"));
        server.state.add(alert("DRIFT"));
        server.state.caughtUp();
        assertThat(scrape())
                .contains("perceptron_dead_letters_total 0.0")
                .doesNotContain("perceptron_rejected_total")
                .contains("perceptron_alerts_total{kind=\"DRIFT\"} 0.0");

        server.state.add(letter("NULL_KEY"));
        server.state.add(letter("NULL_KEY"));
        server.state.add(letter("INVALID_LABEL"));
        server.state.add(alert("QUARANTINED"));
        assertThat(scrape())
                .contains("perceptron_dead_letters_total 3.0")
                .contains("perceptron_rejected_total{reason=\"NULL_KEY\"} 2.0")
                .contains("perceptron_rejected_total{reason=\"INVALID_LABEL\"} 1.0")
                .contains("perceptron_alerts_total{kind=\"DRIFT\"} 0.0")
                .contains("perceptron_alerts_total{kind=\"QUARANTINED\"} 1.0");
        assertThat(server.state.deadLetters(ModelPattern.ALL, 0).total())
                .as("what the page shows goes back further")
                .isEqualTo(4);
    }

    // of no model: the rule PerceptronNeverLearned could not have fired
    @Test
    void shouldCountAlertsOfPartitions() throws IOException {
        server.state.caughtUp();
        assertThat(scrape()).contains("perceptron_alerts_total{kind=\"POSITION\"} 0.0");

        server.state.add(Fabricated.alert("*/0", 1, Map.of("kind", "POSITION", "message", "gap")));
        assertThat(scrape()).contains("perceptron_alerts_total{kind=\"POSITION\"} 1.0");
    }

    @Test
    void shouldCapReasonsForAnybodyMayWriteThem() throws IOException {
        server.state.caughtUp();
        for (int k = 0; k < 3 * DashboardState.MAX_REASONS; k++) {
            server.state.add(letter("R" + k));
        }

        assertThat(scrape().lines().filter(line -> line.startsWith("perceptron_rejected_total{")))
                .hasSize(DashboardState.MAX_REASONS + 1)
                .contains("perceptron_rejected_total{reason=\"other\"} " + 2.0 * DashboardState.MAX_REASONS);
    }

    @Test
    void shouldCountModelsByState() throws IOException {
        server.state.add(Fabricated.status("a", 1, Map.of("state", "LIVE")));
        server.state.add(Fabricated.status("b", 1, Map.of("state", "QUARANTINED")));
        server.state.add(Fabricated.status("c", 1, Map.of("state", "LIVE")));

        assertThat(scrape())
                .contains("perceptron_models{state=\"LIVE\"} 2.0")
                .contains("perceptron_models{state=\"FROZEN\"} 0.0")
                .contains("perceptron_models{state=\"QUARANTINED\"} 1.0")
                .contains("perceptron_models{state=\"DELETED\"} 0.0");
    }

    private static DeadLetterView letter(String reason) {
        return new DeadLetterView("m", 0, 0, 1, reason, "", "perceptron-examples", 0L, 0L, 10);
    }

    private static Event<Alert> alert(String kind) {
        return new Event<>(0, 0, 1, "m", Fabricated.event(Alert.class, Map.of("kind", kind)));
    }

    private String scrape() throws IOException {
        return TestServer.body(server.get("/metrics"));
    }

    /** A decrease would be taken for a restart, and the whole sum counted again. */
    @Test
    void shouldNeverLowerTheSumOfTheOtherModels() throws IOException {
        server.state.caughtUp();
        for (int k = 0; k < MetricsEndpoint.MAX_LABELS; k++) {
            server.state.add(Fabricated.status("m" + k, 1, Map.of("examples", 100L)));
        }
        for (String other : List.of("a", "b", "c")) {
            server.state.add(Fabricated.status(other, 1, Map.of("examples", 10L, "pending", 5L)));
        }
        assertThat(scrape()).contains("perceptron_examples_total{model=\"other\"} 30.0");

        server.state.add(Fabricated.status("a", 2, Map.of("epoch", 1L)));
        server.state.add(Fabricated.status("b", 2, Map.of("examples", 12L, "pending", 1L)));
        server.state.remove("c");
        assertThat(scrape())
                .contains("perceptron_examples_total{model=\"other\"} 32.0")
                .contains("perceptron_pending{model=\"other\"} 1.0");

        server.state.add(Fabricated.status("a", 3, Map.of("epoch", 1L, "examples", 4L)));
        assertThat(scrape()).contains("perceptron_examples_total{model=\"other\"} 36.0");
    }
}
