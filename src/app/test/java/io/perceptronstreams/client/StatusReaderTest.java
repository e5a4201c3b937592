package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.cli.Events;
import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.ClassCount;
import io.perceptronstreams.event.ConfusionMatrix;
import io.perceptronstreams.event.Corrections;
import io.perceptronstreams.event.Decisions;
import io.perceptronstreams.event.Forecasts;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.ReliabilityRange;
import io.perceptronstreams.event.SourceAgreement;
import io.perceptronstreams.event.TrialVerdict;
import io.perceptronstreams.model.ModelState;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatusReaderTest {
    private final StringWriter text = new StringWriter();
    private final ModelStatus status = Events.filled(ModelStatus.class);

    @Test
    void shouldPrintTheComparatorUnderItsName() {
        status.setConfusion(null);
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

    @Test
    void shouldPrintWhichLabelsWereCorrected() {
        status.setCorrections(
                new Corrections(1200L, 3L, 40L, 2L, List.of(new SourceAgreement("user", "review", 5000L, 7L))));
        assertThat(shown()).contains("""
                        corrections:
                          1,200 labels were corrected, 3 of which the weights lack
                          40 examples can still be corrected; 2 could not for the whole time (raise await.labels.max)
                          truth   other  agreed  disagreed
                          user   review    5000          7
                        """);
        status.setCorrections(new Corrections(0L, 0L, 1L, 0L, List.of()));
        assertThat(shown()).contains("""
                        corrections:
                          0 labels were corrected
                          1 examples can still be corrected
                        """);
    }

    /** Names of labels come from all who may send commands: ESC ] 0 ; sets the title of a terminal. */
    @Test
    void shouldPrintNoControlCharacters() {
        status.setSettings(Map.of("labels", "\u001b]0;owned\u0007,x"));
        assertThat(shown()).contains("  labels: \uFFFD]0;owned\uFFFD,x\n").doesNotContain("\u001b");
    }

    @Test
    void shouldLeaveOutWhatThereIsNot() {
        status.setGammaUpperBound(null);
        status.setStreamTime(null);
        status.setConfusion(null);
        status.setLabelDelays(List.of());
        assertThat(shown()).doesNotContain("gammaUpperBound", "streamTime", "confusion", "labelDelays", "none", "[]");
    }

    @Test
    void shouldPrintTheClassesAsATable() {
        status.getMetrics()
                .setClasses(List.of(new ClassCount("spam", 1000L, 2L, 1L), new ClassCount("\u001b", 7L, 2L, 1L)));
        assertThat(shown()).contains("""
                          classes:
                            label  examples  predicted  correct
                            spam       1000          2        1
                            \uFFFD             7          2        1
                        """);
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
                new StatusReader.Refused(Map.of(), model -> false),
                false,
                new PrintWriter(text, true));

        List<String> lines = text.toString().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(1)).startsWith("b".repeat(60) + " live ");
        assertThat(lines.get(2)).startsWith("d" + " ".repeat(60) + "live ");
        assertThat(lines.get(0).indexOf("state")).isEqualTo(61);
        assertThat(lines.get(3)).isEqualTo("2 of 4 models");
    }

    @Test
    void shouldPrintChallengersWithTheirVerdicts() {
        StatusReader.Latest latest = latest("m", "LIVE", 300);
        latest.status().setLabelled(5000L);
        latest.status().setVote(null);
        ChallengerStatus open = Events.filled(ChallengerStatus.class);
        open.setName("next");
        open.setAlgorithm("pa-i");
        open.setLabelled(3000L);
        open.setErrors(120L);
        open.setChampionErrors(140L);
        open.setOnlyChampionWrong(60L);
        open.setOnlyChallengerWrong(40L);
        open.setEvidence(0.5);
        open.setThreshold(2.0);
        open.setVerdict(TrialVerdict.OPEN);
        open.setRemaining(7000L);
        open.setVote(null);
        ChallengerStatus hopeless = ChallengerStatus.newBuilder(open)
                .setName("a-long-name\u001b")
                .setRemaining(null)
                .build();
        ChallengerStatus warming =
                ChallengerStatus.newBuilder(open).setName("cold").setLabelled(0).build();
        ChallengerStatus better = ChallengerStatus.newBuilder(open)
                .setName("b")
                .setVerdict(TrialVerdict.BETTER)
                .build();
        // twenty rounds to each side, which have changed it twice
        ChallengerStatus inRuns = ChallengerStatus.newBuilder(open)
                .setName("runs")
                .setRoundsAhead(20L)
                .setRoundsBehind(20L)
                .setSideChanges(2L)
                .build();
        // 3.3 deviations: 610 - 310 is more than 3.3 times the root of 920, 100
        ChallengerStatus clear = ChallengerStatus.newBuilder(open)
                .setName("clear")
                .setOnlyChampionWrong(610L)
                .setOnlyChallengerWrong(310L)
                .build();
        latest.status().setChallengers(List.of(open, hopeless, warming, better, inRuns, clear));

        StatusReader.trial("m", latest, false, new PrintWriter(text, true));

        assertThat(text.toString()).contains("5,000 labelled, 300 errors\n").endsWith("""
                challenger   algorithm       compared    errors model-errors       won      lost evidence needed  verdict
                next         pa-i               3,000       120          140        60        40     0.50   2.00  open: about 7,000 more examples at this rate
                a-long-name\uFFFD pa-i               3,000       120          140        60        40     0.50   2.00  open: none in sight
                cold         pa-i                   0       120          140        60        40     0.50   2.00  open: warm-up
                b            pa-i               3,000       120          140        60        40     0.50   2.00  better
                runs         pa-i               3,000       120          140        60        40     0.50   2.00  open: about 7,000 more examples at this rate
                clear        pa-i               3,000       120          140       610       310     0.50   2.00  open: about 7,000 more examples at this rate
                clear: open; example by example it won 610 and lost 310: clearly better, if errors did not come in runs. The verdict compares rounds of growing length and bunches of disagreements, so that it holds where errors come in runs and where the concept changes; it needs more examples for that
                runs: disagreements come in longer runs than its rounds forgive, so that a verdict may be wrong more often than trial.alpha says: the better side of a round has changed 2 times, independent rounds would about 20 times (trial.growth=square has longer rounds)
                """);
    }

    @Test
    void shouldPrintWhoCarriesAVote() {
        StatusReader.Latest latest = latest("m", "LIVE", 300);
        latest.status().setLabelled(5000L);
        latest.status().setVote(0.125);
        ChallengerStatus member = Events.filled(ChallengerStatus.class);
        member.setName("pa-ii");
        member.setAlgorithm("pa-ii");
        member.setLabelled(3000L);
        member.setErrors(120L);
        member.setChampionErrors(140L);
        member.setOnlyChampionWrong(610L);
        member.setOnlyChallengerWrong(310L);
        member.setEvidence(0.5);
        member.setThreshold(2.0);
        member.setVerdict(TrialVerdict.BETTER);
        member.setVote(0.875);
        latest.status().setChallengers(List.of(member));

        StatusReader.trial("m", latest, false, new PrintWriter(text, true));

        assertThat(text.toString())
                .contains("5,000 labelled, 300 errors; predicts by a vote, of which it has 12.5 %\n")
                .endsWith("""
                challenger algorithm       compared    errors model-errors       won      lost evidence needed    vote  verdict
                pa-ii      pa-ii              3,000       120          140       610       310     0.50   2.00  87.5 %  none: votes
                """);
    }

    @Test
    void shouldPrintHowToBeginAChallenger() {
        StatusReader.Latest latest = latest("m", "LIVE", 1);
        latest.status().setChallengers(List.of());

        StatusReader.trial("m", latest, false, new PrintWriter(text, true));

        assertThat(text.toString())
                .endsWith("no challenger (perceptron challengers begin m NAME KEY=VALUE… begins one)\n");
    }

    private static StatusReader.Latest latest(String model, String state, long errors) {
        ModelStatus status = Events.filled(ModelStatus.class);
        status.setState(io.perceptronstreams.event.ModelState.valueOf(state));
        status.setErrors(errors);
        return new StatusReader.Latest(Events.record("models", 0, model, null), status);
    }

    /** The number was in the text only. */
    @Test
    void shouldHaveTheNumberOfRefusedExamplesInJson() throws IOException {
        StatusReader.Latest latest = latest("m", "LIVE", 300);
        ObjectMapper json = new ObjectMapper();

        JsonNode counted = json.readTree(
                StatusReader.json("m", latest, new StatusReader.Refused(Map.of("m", 7L, "n", 8L), "m"::equals)));
        assertThat(counted.get("errors").asLong()).isEqualTo(300);
        assertThat(counted.get("refused").asLong()).isEqualTo(7);
        assertThat(counted.get("refusedIsPart").asBoolean()).isTrue();
        JsonNode none =
                json.readTree(StatusReader.json("m", latest, new StatusReader.Refused(Map.of(), model -> false)));
        assertThat(none.get("refused").asLong()).isZero();
        assertThat(none.get("refusedIsPart").asBoolean()).isFalse();
        JsonNode unreadable = json.readTree(StatusReader.json("m", latest, null));
        assertThat(unreadable.get("refused").isNull()).isTrue();
    }

    @Test
    void shouldPrintTheConfusionMatrixAsATable() {
        status.setConfusion(new ConfusionMatrix(List.of("ham", "spam"), List.of(110L, 40L, 25L, 1300L), 0L));
        assertThat(shown()).contains("""
                        confusion (rows: true label, columns: emitted label):
                          label  ham spam
                          ham    110   40
                          spam    25 1300
                        """);
    }

    @Test
    void shouldPrintTheLabelsWithoutARowAsOther() {
        status.setConfusion(new ConfusionMatrix(List.of("a"), List.of(5L, 1L, 2L, 7L), 3L));
        assertThat(shown()).contains("""
                          label         a (other)
                          a             5       1
                          (other)       2       7
                          errors between other labels: 3
                        """);
    }

    @Test
    void shouldPrintProbabilitiesAndDecisionsInWords() {
        status.setForecasts(Forecasts.newBuilder()
                .setLabelled(1_000)
                .setBrierScore(0.0829)
                .setLogLoss(0.25)
                .setCalibrationError(0.0057)
                .setRanges(List.of(new ReliabilityRange(1_000L, 0.125, 0.25)))
                .setSets(1_000)
                .setCovered(950)
                .setSetLabels(1_190)
                .setUnsure(195)
                .build());
        status.setDecisions(Decisions.newBuilder()
                .setLabelled(1_000)
                .setFalseAlarms(2_884)
                .setMisses(3)
                .setWithheld(7)
                .setCost(2_908)
                .setCostOfAlways(17_725)
                .setCostOfNever(18_200.5)
                .setBestThreshold(0.1)
                .setCostOfBest(9_448)
                .build());
        assertThat(shown()).contains("""
                        forecasts:
                          probabilities of 1,000 labelled examples: Brier score 0.0829, log loss 0.2500, calibration error 0.0057
                          1,000 sets of labels: 95.00 % have the true one, mean size 1.19, unsure 19.5 %
                          examples  probability      rate
                          1000         0.125000  0.250000
                        decisions:
                          1,000 decisions with a label: 2,884 false alarms, 3 misses; withheld: 7
                          cost 2,908; always: 17,725, never: 18200.5, best fixed threshold (0.1): 9,448
                        """);
    }

    @Test
    void shouldLeaveOutSetsAndCostsThatAreNotThere() {
        status.setForecasts(Forecasts.newBuilder()
                .setLabelled(1)
                .setBrierScore(0)
                .setLogLoss(0)
                .setCalibrationError(null)
                .setRanges(List.of())
                .setSets(0)
                .setCovered(0)
                .setSetLabels(0)
                .setUnsure(0)
                .build());
        status.setDecisions(Decisions.newBuilder()
                .setLabelled(1)
                .setFalseAlarms(0)
                .setMisses(1)
                .setWithheld(1)
                .setCost(0)
                .setCostOfAlways(0)
                .setCostOfNever(0)
                .setBestThreshold(0)
                .setCostOfBest(0)
                .build());
        assertThat(shown()).contains("""
                        forecasts:
                          probabilities of 1 labelled examples: Brier score 0.0000, log loss 0.0000
                        decisions:
                          1 decisions with a label: 0 false alarms, 1 misses; withheld: 1
                        """).doesNotContain("sets of labels", "cost");
    }

    private String shown() {
        StatusReader.print(status, "", new PrintWriter(text, true));
        return text.toString().replace(System.lineSeparator(), "\n");
    }
}
