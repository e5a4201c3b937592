package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.Evidence;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelVersion;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.event.TrialVerdict;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The view of one model, without its charts. */
@EnabledIf(
        value = "io.perceptronstreams.monitor.Browser#isThere",
        disabledReason = "needs chromium and chromedriver on the PATH")
@Tag("full")
final class ModelPageIT extends DashboardPage {
    @Test
    void shouldSayThatAModelIsNotThereYetAndShowItWhenItIs() {
        browser.load(url + "#/models/later");

        browser.await(".empty", "There is no model of this name yet");
        assertThat(browser.texts(".command code")).containsExactly("./perceptron produce FILE --model later");
        server.state.add(Fabricated.status("later", now, Map.of("examples", 1L)));
        browser.await("h1", "live");
        assertThat(browser.texts(".empty-title")).containsExactly("No weights have been published.");
    }

    /** An unknown model was once asked for by three routes every 2 s, each an error in the console. */
    @Test
    void shouldNotAskForWhatIsNotThere() {
        browser.load(url + "#/models/later");
        browser.await(".empty", "There is no model of this name yet");

        await().until(() -> browser.requests().stream()
                        .filter(each -> each.contains("name=later"))
                        .count()
                > 1);

        assertThat(browser.requests()).noneMatch(each -> each.contains("/models/later"));
        assertThat(browser.texts("h1 .chip")).as("no empty circle").isEmpty();
    }

    @Test
    void shouldShowCountsOfOneInstantWithItsTime() {
        model("spam", 1_000, 100);
        // read after the status, which it is newer than
        server.mistake(new Event<>(0, 1, now + 1_000, "spam", Fabricated.mistakeValue("e", 5_000)));
        browser.load(url + "#/models/spam");

        browser.await(".facts dd", "100 of 1,000");
        assertThat(browser.texts(".facts dd")).contains("0.1000").doesNotContain("5,000");
        assertThat(browser.texts("h1 + .quiet")).singleElement().asString().contains("totals as of ");
    }

    @Test
    void shouldSayWhetherAModelIsOfUse() {
        Map<String, Object> fields = new TreeMap<>(Map.of("examples", 100L, "labelled", 100L, "errors", 20L));
        Metrics metrics = Fabricated.metrics();
        fields.put("metrics", metrics);
        server.state.add(Fabricated.status("spam", now, fields));
        browser.load(url + "#/models/spam");

        // of the 100 examples 20 are wrong, 10 are of other labels than the most frequent one, and 40 differ from the
        // last
        browser.await(
                ".verdict[data-tone=bad]",
                "20.0 % wrong; always 'ham': 10.0 %; same as last: 40.0 %."
                        + " Of no use yet: no better than a prediction without features.");
        browser.await(".advice a[href='/docs/bad-model.md']", "My model is bad: what now");
        assertThat(browser.texts(".advice code")).containsExactly("./perceptron what-if spam --portfolio");

        metrics.setComparedErrors(5);
        server.state.add(Fabricated.status("spam", now + 1_000, fields));
        // of 10 errors a half is left
        browser.await(".verdict[data-tone=good]", "The model makes 50.0 % fewer errors than the better of the two.");

        // a half of the file may be among these, and the model was called perfect
        server.state.add(
                new DeadLetterView("spam", 0, 0, now, "INVALID_LABEL", "label", "perceptron-examples", 0L, 7L, 10));
        server.state.add(Fabricated.status("spam", now + 2_000, fields));
        browser.await(".verdict[data-tone=warn]", "Besides, 1 record was refused (dead letters).");
    }

    @Test
    void shouldShowAdviceUntilItIsFollowed() {
        model("spam", 1_000, 100);
        String reset = "perceptron models reset spam h=1 eta=2";
        String message =
                "sizes differ (" + reset + "; whether it would have helped: perceptron what-if spam --set h=1)";
        server.state.add(Fabricated.alert(
                "spam", now, Map.of("kind", "ADVICE", "advice", "SCALE", "message", message, "command", reset)));
        browser.load(url + "#/models/spam");

        browser.await(
                ".advice p",
                "Advice: sizes differ (whether it would have helped: perceptron what-if spam --set h=1). Not followed yet.");
        assertThat(browser.texts(".advice code")).containsExactly("./perceptron models reset spam h=1 eta=2");
        server.state.add(Fabricated.status(
                "spam", now + 1_000, Map.of("examples", 1L, "settings", Map.of("h", "1", "eta", "2"))));
        browser.await(
                ".advice p",
                "Advice: sizes differ (whether it would have helped: perceptron what-if spam --set h=1). Followed.");
        assertThat(browser.texts(".advice code")).isEmpty();
    }

    @Test
    void shouldShowChallengersWithTheirEvidence() {
        Map<String, Object> trial =
                new TreeMap<>(Map.of("name", "next", "settings", Map.of("h", "1"), "promote", "manual"));
        trial.putAll(Map.of("labelled", 4_000L, "errors", 200L, "championErrors", 240L));
        trial.putAll(Map.of("evidence", 1.25, "threshold", 2.0, "verdict", "OPEN", "remaining", 1_500L));
        ChallengerStatus challenger = Fabricated.event(ChallengerStatus.class, trial);
        Map<String, Object> fields = new TreeMap<>(Map.of("examples", 5_000L, "labelled", 5_000L, "errors", 300L));
        fields.put("challengers", List.of(challenger));
        server.state.add(Fabricated.status("spam", now, fields));
        browser.load(url + "#/models/spam");

        browser.await("[aria-label=Challengers] td", "next");
        assertThat(browser.texts("[aria-label=Challengers] tbody td"))
                .containsExactly(
                        "next",
                        "h=1./perceptron challengers promote spam nextcopy",
                        "4,000",
                        "0.0500",
                        "0.0600",
                        "1.25 of 2.00",
                        "open: about 1,500 more examples");
        challenger.setVerdict(TrialVerdict.BETTER);
        // a promotion of another challenger changes with what this one is compared; the text was that of the first
        // status
        challenger.setSettings(Map.of("h", "1", "eta", "0.5"));
        server.state.add(Fabricated.status("spam", now + 1_000, fields));
        browser.await("[aria-label=Challengers] td[data-tone=good]", "better");
        assertThat(browser.texts("[aria-label=Challengers] td:nth-child(2) > span"))
                .singleElement()
                .asString()
                .contains("eta=0.5");
        server.state.add(Fabricated.status("spam", now + 2_000, Map.of("examples", 5_001L)));
        await().until(() -> browser.texts("[aria-label=Challengers] tbody td").isEmpty());
    }

    @Test
    void shouldDrawTheErrorsOfTheModelAndItsChallengersOverItsExamples() {
        for (long k = 1; k <= 3; k++) {
            // of 100 examples each the model gets 20 wrong; the other, which is compared from 100 on, gets 5 wrong
            ChallengerStatus challenger = challenger("next", 100 * (k - 1), 5 * (k - 1), 20 * (k - 1));
            Map<String, Object> fields =
                    new TreeMap<>(Map.of("examples", 110 * k, "labelled", 100 * k, "errors", 20 * k));
            fields.putAll(Map.of("challengers", List.of(challenger), "cause", k == 1 ? "CHALLENGED" : "WINDOW"));
            server.state.add(Fabricated.status("spam", now + k, fields));
        }
        browser.load(url + "#/models/spam");

        String data = "return [...document.querySelectorAll('section:has(> [aria-label=Challengers]) .plot')]"
                + ".map(plot => plot.chart.data.map(column => column.join()).join(' ')).join(' | ')";
        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(browser.run(data))
                        .isEqualTo("100,200,300 ,0.2,0.2 ,0.05,0.05 | 100,200,300 ,15,30"));
        browser.await("section:has(> [aria-label=Challengers]) .u-label", "next");
        assertThat(browser.texts("section:has(> [aria-label=Challengers]) figure:first-child .u-label"))
                .containsExactly("labelled examples", "spam", "next");
        browser.run("document.querySelector('#trial-range').value = '100';"
                + "document.querySelector('#trial-range').dispatchEvent(new Event('change'))");
        assertThat(browser.run("return location.hash")).isEqualTo("#/models/spam?trial-range=100");
    }

    private static ChallengerStatus challenger(String name, long compared, long errors, long championErrors) {
        Map<String, Object> trial = new TreeMap<>(Map.of("name", name, "promote", "manual", "threshold", 2.0));
        trial.putAll(Map.of("labelled", compared, "errors", errors, "championErrors", championErrors));
        return Fabricated.event(ChallengerStatus.class, trial);
    }

    @Test
    void shouldShowWhatHasHappenedAtItsExampleAndTheWayBack() {
        ModelVersion first = new ModelVersion("v1", 0L, 7L, 10L);
        ModelVersion before = new ModelVersion("before-rollback-20", 0L, 9L, 21L);
        record Step(String cause, long epoch, long examples, long updates, List<ModelVersion> versions) {}
        List<Step> steps = List.of(
                new Step("FIRST_EXAMPLE", 0, 1, 1, List.of()),
                new Step("SNAPSHOT", 0, 500, 7, List.of(first)),
                new Step("CONFIGURE", 0, 600, 7, List.of(first)),
                new Step("SNAPSHOT", 0, 1_200, 9, List.of(first, before)),
                new Step("IMPORT", 1, 500, 7, List.of(first, before)),
                new Step("PROMOTED", 2, 800, 9, List.of(first, before)));
        for (int k = 0; k < steps.size(); k++) {
            Step step = steps.get(k);
            Map<String, Object> fields = new TreeMap<>(Map.of("cause", step.cause(), "versions", step.versions()));
            fields.putAll(Map.of("epoch", step.epoch(), "examples", step.examples(), "updates", step.updates()));
            fields.put("offset", (long) k);
            server.state.add(Fabricated.status("spam", now + k, fields));
        }
        browser.load(url + "#/models/spam");

        browser.await(".marks", "promoted");
        assertThat(browser.texts(".marks li"))
                .containsExactly(
                        "epoch 0",
                        "1 first example at 1",
                        "2 tag v1 at 500",
                        "4 tag before-rollback-20 at 1,200",
                        "epoch 1",
                        "5 rollback to v1 at 500",
                        "epoch 2",
                        "6 promoted at 800");
        assertThat(browser.texts("[aria-label='Named snapshots'] code"))
                .containsExactly(
                        "./perceptron versions rollback spam before-rollback-20",
                        "./perceptron versions rollback spam v1");
    }

    // The page had the latest 50 of them, in the charts, too, and did not say so.
    @Test
    void shouldSayThatEarlierEventsAreNotShown() {
        for (int k = 0; k < 50; k++) {
            server.state.add(Fabricated.status(
                    "busy", now + k, Map.of("cause", "SNAPSHOT", "offset", (long) k, "examples", 100L + k)));
        }
        browser.load(url + "#/models/busy");
        browser.await("[aria-label='Events'] tbody tr:last-child", "SNAPSHOT");
        assertThat(browser.texts(".dropped-marks")).isEmpty();

        for (int k = 50; k < 53; k++) {
            server.state.add(Fabricated.status(
                    "busy", now + k, Map.of("cause", "SNAPSHOT", "offset", (long) k, "examples", 100L + k)));
        }
        browser.await(".dropped-marks", "3 earlier events are not shown, neither here nor in the charts.");
    }

    @Test
    void shouldTellAMistakeThatWasNoError() {
        model("spam", 1_000, 100);
        server.mistake(mistake("spam", "averaged-was-right", 1, 1, now));
        server.mistake(mistake("spam", "wrong", 1, -1, now));
        browser.load(url + "#/models/spam");

        browser.await("[aria-label='Latest mistakes'] tr:has(+ tr) td", "wrong");
        assertThat(browser.texts("[aria-label='Latest mistakes'] td:nth-child(3)"))
                .containsExactly("mistake", "mistake, no error");
    }

    @Test
    void shouldSearchAndSortMistakesByTheAddress() {
        model("spam", 1_000, 100);
        for (int k = 0; k < 4; k++) {
            server.mistake(mistake("spam", (k % 2 == 0 ? "even-" : "odd-") + k, 1, -1, now + k));
        }
        browser.load(url + "#/models/spam?mistakes-q=even&mistakes-sort=Id&mistakes-order=asc");
        String ids = "[aria-label='Latest mistakes'] tbody button";
        browser.await(ids, "even-2");
        assertThat(browser.texts(ids)).containsExactly("even-0", "even-2");
        assertThat(browser.texts("[aria-label='Latest mistakes'] th[aria-sort=ascending]"))
                .containsExactly("Id");

        browser.find("#mistakes-q").clear();
        browser.find("#mistakes-q").sendKeys("odd");
        browser.run("document.querySelector(\"[aria-label='Latest mistakes'] th button\").click()");
        await().until(() -> browser.texts(ids).equals(List.of("odd-3", "odd-1")));
        assertThat((String) browser.run("return location.hash")).endsWith("?mistakes-q=odd&mistakes-sort=Time");
        browser.find("#mistakes-q").sendKeys("ity");
        browser.await("p.quiet", "No row matches.");
    }

    @Test
    void shouldShowThePredictionBesideItsMistake() throws IOException {
        model("spam", 1_000, 100);
        server.mistake(mistake("spam", "a17", 1, -1, now));
        server.predicted("spam", "a16", "a17", "a18");
        browser.load(url + "#/models/spam");
        browser.await("[aria-label='Latest mistakes'] tbody button", "a17");
        browser.run("document.querySelector(\"[aria-label='Latest mistakes'] tbody button\").click()");
        browser.await(".detail button", "Look up its prediction");
        browser.run("[...document.querySelectorAll('.detail button')].findLast(e => e.checkVisibility()).click()");

        browser.await("[aria-label=Predictions] td", "predictions-0@1");
        assertThat(browser.texts("[aria-label=Predictions] tbody tr")).hasSize(1);
        assertThat((String) browser.run("return location.hash")).endsWith("?prediction=a17");
    }

    @Test
    void shouldShowHowSureAPredictionIsWhereItSaysSo() throws IOException {
        model("spam", 1_000, 100);
        Map<String, Object> fields = new TreeMap<>(Map.of("exampleId", "a1", "label", "no", "probability", 0.897939));
        fields.putAll(Map.of("labelSet", List.of("no", "yes"), "decision", "yes", "withheld", true));
        Prediction unsure = Fabricated.event(Prediction.class, fields);
        fields.putAll(Map.of("exampleId", "a2", "labelSet", List.of("no"), "decision", "no", "withheld", false));
        Prediction sure = Fabricated.event(Prediction.class, fields);
        fields.putAll(Map.of("exampleId", "a3", "labelSet", List.of()));
        server.predicted("spam", List.of(unsure, sure, Fabricated.event(Prediction.class, fields)));
        browser.load(url + "#/models/spam");
        browser.await("h1", "spam");
        String heads = "[aria-label=Predictions] thead th:not([hidden])";
        lookUp();

        browser.await("[aria-label=Predictions] td", "a3");
        assertThat(browser.texts(heads)).contains("Probability", "Possible labels", "Decision");
        assertThat(browser.texts("[aria-label=Predictions] td:nth-child(n+5):nth-child(-n+7)"))
                .containsExactly(
                        "0.8979",
                        "unsure: none",
                        "no",
                        "0.8979",
                        "no",
                        "no",
                        "0.8979",
                        "unsure: no, yes",
                        "yes, withheld");

        server.predicted("spam", "old");
        lookUp();
        browser.await("[aria-label=Predictions] td", "old");
        assertThat(browser.texts(heads))
                .containsExactly("Time", "Id", "Predicted", "Score", "Label", "Updates", "Example", "Position");
        assertThat(browser.texts("[aria-label=Predictions] tbody td:not([hidden])"))
                .hasSize(8);
    }

    private void lookUp() {
        browser.run("[...document.querySelectorAll('button')].find(e => e.textContent === 'Look up').click()");
    }

    @Test
    void shouldShowProbabilitiesSetsAndDecisionsWhereTheyAre() {
        for (long window = 1; window <= 12; window++) {
            Event<MistakeCount> count = Fabricated.count("m", window, 100, 100 * window);
            count.value().setForecasts(Fabricated.forecasts(90 + window % 2 * 6));
            server.state.add(count);
        }
        Map<String, Object> fields = new TreeMap<>(Map.of("examples", 1_200L, "labelled", 1_200L, "errors", 12L));
        fields.putAll(Map.of("lastExample", 119_999L, "settings", Map.of("coverage", "0.95")));
        server.state.add(Fabricated.status("m", 120_000, fields));
        browser.load(url + "#/models/m?axis=examples");
        browser.await("h1", "m");
        assertThat(browser.texts("h2")).doesNotContain("Probabilities, decisions and corrections");

        fields.putAll(Map.of("forecasts", Fabricated.forecasts(96), "decisions", Fabricated.decisions()));
        fields.put("corrections", Fabricated.corrections());
        server.state.add(Fabricated.status("m", 120_001, fields));
        browser.await("h2", "Probabilities, decisions and corrections");
        assertThat(browser.texts(".part p.quiet"))
                .contains(
                        "Of 100 labelled examples with a probability: Brier score 0.1000, log loss 0.3000, expected"
                                + " calibration error 0.0200.",
                        "96.0 % of 100 sets of labels have the true one (target 95.0 %, in the long run). Mean size 1.50;"
                                + " unsure, because they have no label or more than one: 40.0 %.",
                        "100 decisions with a label: 12 false alarms, 3 misses. Alerts withheld by alerts.max: 7.",
                        "12 labels were corrected, 3 of which the weights lack; 40 examples can still be corrected, 2 could not"
                                + " for the whole time.");
        assertThat(browser.texts("[aria-label=Sources] td"))
                .containsExactly("no source", "review", "5", "7", "user", "review", "8", "5");
        assertThat(browser.texts("[aria-label=Reliability] td"))
                .containsExactly("0.1250", "0.2000", "75", "0.7500", "0.5000", "25");
        assertThat(browser.texts("[aria-label=Costs] tbody tr"))
                .containsExactly("as made36", "always80", "never1,160", "best fixed threshold, in hindsight: 0.133.5");
        // a square of 200 whose left end is at 40 and upper one at 20: below the diagonal it was too sure
        assertThat(browser.run("return [...document.querySelectorAll('.reliability-plot circle')].map(dot =>"
                        + " ['cx', 'cy'].map(name => dot.getAttribute(name)).join()).join(' ')"))
                .isEqualTo("65,180 190,120");
        // each window has more labels than a sixtieth of all
        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(
                                browser.run("return document.querySelectorAll('.charts .plot')[4].chart.data.slice(1)"
                                        + ".map(line => line.slice(0, 2).join()).join(' ')"))
                        .isEqualTo("0.96,0.9 0.95,0.95"));
        assertThat(browser.run("return document.querySelectorAll('.charts .plot')[5].chart.data.slice(1)"
                        + ".map(line => line[0]).join()"))
                .isEqualTo("1.5,0.4");
    }

    /** In a rectangle of 300 by 200 whose upper left corner is at 40, 20: up to 0.4, the largest of them. */
    @Test
    void shouldDrawEstimatesAndWhatTheyBecame() {
        Map<String, Object> fields = new TreeMap<>(Map.of("examples", 360L, "labelled", 200L, "errors", 28L));
        fields.put("estimates", Fabricated.estimates());
        server.state.add(Fabricated.status("m", 360, fields));
        browser.load(url + "#/models/m");
        browser.await(
                ".part p.quiet",
                "160 labels are out: 44.5 of these predictions are expected to be wrong. 2 earlier estimates were off by"
                        + " 0.0500 on average, 0.1000 at worst, once their labels came.");
        assertThat(browser.run("return document.querySelector('polyline.estimate').getAttribute('points')"))
                .isEqualTo("90,170 190,120 290,20");
        assertThat(browser.run("return [...document.querySelectorAll('.reliability-plot circle')].map(dot =>"
                        + " ['cx', 'cy', 'class'].map(name => dot.getAttribute(name)).join()).join(' ')"))
                .isEqualTo("90,120, 190,170,open");
        assertThat(browser.texts("[aria-label=Estimates] td:nth-child(n+2)"))
                .containsExactly(
                        "100", "0.1000", "0.2000", "100", "0", "150", "0.2000", "0.1000", "100", "50", "100", "0.4000",
                        "", "0", "100", "10", "0.9000", "", "0", "10");
    }

    @Test
    void shouldListChangedSettingsFirstWithTheirDefaults() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");
        browser.await("[aria-label=Settings] td", "adwin");

        // h and eta, which most models do not need, have their defaults
        assertThat(browser.texts("[aria-label=Settings] tbody tr td:nth-child(-n+3)"))
                .containsExactly("drift", "adwin", "none");
        assertThat(browser.texts("button")).contains("Show 2 advanced settings");

        browser.run(
                "[...document.querySelectorAll('button')].find(e => e.textContent === 'Show 2 advanced settings').click()");

        // drift is none by default; h and eta are at theirs
        assertThat(browser.texts("button")).contains("Hide advanced settings");
        assertThat(browser.texts("[aria-label=Settings] tbody tr td:nth-child(-n+3)"))
                .containsExactly("drift", "adwin", "none", "eta", "1.0", "default", "h", "0.0", "default");
        assertThat(browser.texts("section.part p")).anyMatch(text -> text.startsWith("1 of 3 settings differ"));
    }

    @Test
    void shouldLeaveOutSettingsThatTheAlgorithmDoesNotUse() {
        Map<String, Object> fields = new TreeMap<>(Map.of("algorithm", "perceptron", "examples", 1L));
        // rate is a setting of sgd, and classes one of multiclass learners
        fields.put("settings", Map.of("h", "1", "rate", "constant", "classes", ""));
        server.state.add(Fabricated.status("spam", now, fields));
        browser.load(url + "#/models/spam");

        browser.await("[aria-label=Settings] td", "h");
        assertThat(browser.texts("[aria-label=Settings] tbody tr td:first-child"))
                .containsExactly("h");
        assertThat(browser.texts("section.part p"))
                .anyMatch(text -> text.contains("The 2 that perceptron does not use are left out."));
    }

    @Test
    void shouldExplainItsTermsWithALinkToTheTheorems() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");
        browser.await("summary", "What these numbers mean");
        browser.find(".terms summary").click();
        browser.find(".theory summary").click();

        assertThat(browser.texts(".terms dt")).contains("|w|", "R", "gamma");
        assertThat(browser.texts(".terms a")).containsExactly("docs/theory.md");
        assertThat(browser.texts(".facts a[href='/docs/theory.md']")).contains("|w|", "R", "gamma ≤");
    }

    /** The conclusion was drawn for every perceptron, but holds for equal steps and hinges only. */
    @ParameterizedTest
    @CsvSource({
        "h.positive, auto, 0.5, true",
        "h.positive, auto, 0.25, false",
        "h.positive, 2.0, 0.5, false",
        "class.weights, 1:3.0, 0.5, false"
    })
    void shouldOfferABoundOnlyWhereItHolds(String setting, String value, double gammaUpperBound, boolean holds) {
        bounded(gammaUpperBound, Map.of(setting, value));
        browser.load(url + "#/models/m");
        browser.await(".facts", "updates");
        browser.find(".theory summary").click();
        browser.await(".theory > .note", "models set m comparator=10");
        assertThat(browser.texts(".theory > .note").stream().anyMatch(each -> each.contains("(R/gamma)²")))
                .isEqualTo(holds);
    }

    /** A model with |w| = 5 after 10 updates and R = 1. */
    private void bounded(double gammaUpperBound, Map<String, String> changed) {
        Map<String, String> settings = new TreeMap<>(
                Map.of("h", "0.0", "eta", "1.0", "h.positive", "auto", "h.negative", "auto", "class.weights", ""));
        settings.putAll(changed);
        Map<String, Object> fields = new TreeMap<>(Map.of("cause", "WINDOW", "algorithm", "perceptron"));
        fields.putAll(Map.of("settings", settings, "examples", 20L, "labelled", 20L, "updates", 10L));
        fields.putAll(Map.of("weightNorm", 5.0, "radius", 1.0, "gammaUpperBound", gammaUpperBound));
        server.state.add(Fabricated.status("m", now, fields));
    }

    @Test
    void shouldShowAModelWithEverythingThatIsKnownOfIt() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");

        browser.await("h1", "drifting");
        browser.await(".facts", "updates");
        browser.find(".theory summary").click();
        browser.await(".theory .facts", "|w|");
        await().until(() -> browser.texts("canvas").size() == 4);
        assertThat(browser.texts("figcaption")).hasSize(4);
        assertThat(browser.texts("canvas")).hasSize(4);
        assertThat(browser.texts("h2"))
                .contains("Events", "Latest mistakes", "Largest weights", "Confusion matrix", "Settings");
        // the weights that were published
        assertThat(browser.texts("[aria-label='Largest weights'] td")).contains("bias", "0.5", "12", "-3");
        assertThat(browser.texts(".matrix tbody th")).containsExactly("-1", "1");
        assertThat(browser.texts("[aria-label=Settings] td")).contains("drift", "adwin");
    }

    @Test
    void shouldMarkADriftWhenItHappens() {
        model("drifting", 1_000, 20);
        browser.load(url + "#/models/drifting");
        browser.await("h2", "Events");
        assertThat(browser.texts("[aria-label=Events] td[data-tone=bad]")).isEmpty();

        server.state.add(drift("drifting", now + 5_000));

        browser.await("[aria-label=Events] td[data-tone=bad]", "▲ DRIFT");
        browser.await("[aria-label=Events] td.text", "the error rate has risen from 0.02 to 0.48");
        browser.await(".alarm", "▲ DRIFT at ");
        // the mistakes that caused it stay when the model is a new one
        server.mistake(mistake("drifting", "cause", 1, -1, now + 4_000));
        server.state.add(Fabricated.status("drifting", now + 5_000, Map.of("epoch", 1L, "cause", "DRIFT")));
        server.mistake(mistake("drifting", "later", 1, -1, now + 6_000));
        browser.await("[aria-label='Mistakes before the alarm'] td", "cause");
        assertThat(browser.texts("[aria-label='Mistakes before the alarm'] tbody tr"))
                .hasSize(1);
        browser.run("location.hash = '#/'");
        browser.await("[aria-label='Latest alarms'] tr", "the error rate has risen");
    }

    @Test
    void shouldShowAMistakeAsItHappens() {
        model("spam", 10, 1);
        browser.load(url + "#/models/spam");
        browser.await("p.quiet", "No mistakes were read.");
        // the stream is open once its first request is answered
        await().until(() -> browser.requests().stream().anyMatch(each -> each.contains("stream/mistakes")));

        await().untilAsserted(() -> {
            server.mistake(mistake("spam", "mail-17", "spam", "ham", now));
            assertThat(browser.texts("[aria-label='Latest mistakes'] td")).contains("mail-17", "spam", "ham");
        });
    }

    @Test
    void shouldShowAConfusionMatrixThatAddsUp() {
        matrix("spam", "perceptron", 1_000, Fabricated.confusion(List.of("-1", "1"), 0, 500, 40, 60, 400));
        browser.load(url + "#/models/spam");

        browser.await(".matrix tbody th", "-1");
        assertThat(browser.texts(".matrix tr > *"))
                .containsExactly(
                        "label ╲ predicted",
                        "-1",
                        "1",
                        "sum",
                        "-1",
                        "500",
                        "40",
                        "540",
                        "1",
                        "60",
                        "400",
                        "460",
                        "sum",
                        "560",
                        "440",
                        "1,000");
        browser.await("section.part p", "1,000 labelled examples: 900 on the diagonal were right, 100 were errors.");
        assertThat(browser.texts(".matrix .right")).containsExactly("500", "400");

        // as many as before, and 7 that were learned before the engine counted
        matrix("spam", "multiclass", 1_010, Fabricated.confusion(List.of("a"), 3, 500, 40, 60, 400));
        browser.await("section.part p", "Not counted: 7, ");
        browser.await("section.part p", "3 errors between two other labels are in no cell.");
        assertThat(browser.texts(".matrix tbody th")).containsExactly("a", "(other)");

        matrix("spam", "sequence", 1_010, null);
        browser.await("section.part p", "Not counted for sequences");
        assertThat(browser.texts(".matrix")).isEmpty();
    }

    @Test
    void shouldShowWhatWaitsForLabelsAndTheirDelays() {
        server.state.add(Fabricated.status("late", now, Map.of("examples", 5L)));
        browser.load(url + "#/models/late");
        browser.await(".facts dd", "5");
        assertThat(browser.texts(".labels")).isEmpty();

        Map<String, Object> fields = new HashMap<>(
                Map.of("pending", 1_200L, "late", 3L, "unlabelled", 1L, "streamTime", 5_000L, "oldestPending", 2_000L));
        fields.putAll(Map.of("nextDue", 3_605_000L, "labelDelays", List.of(0L, 1L, 0L, 0L, 2L)));
        server.state.add(Fabricated.status("late", now + 1, fields));

        browser.await(".labels", "1,200 examples wait, 3 labels came in time, 1 examples had none in time");
        browser.await(".labels", "Share of the examples that wait no more whose label came in time: 0.7500.");
        fields.put("pendingLabels", 12L);
        server.state.add(Fabricated.status("late", now + 2, fields));
        browser.await(".labels", "1,200 examples wait, 12 labels wait for their examples, 3 labels came in time");
        browser.await(".labels-waiting", "The oldest example waits for 3 s. The next record is due in 1 h.");
        browser.find(".delays-part summary").click();
        assertThat(browser.texts(".delays tbody tr > *"))
                .containsExactly(
                        "at most 3 ms", "1", "at most 10 ms", "0", "at most 30 ms", "0", "at most 100 ms", "2");
    }

    private void matrix(String name, String algorithm, long labelled, Object confusion) {
        Map<String, Object> fields = new TreeMap<>(Map.of(
                "cause", "WINDOW", "algorithm", algorithm, "examples", labelled, "labelled", labelled, "errors", 100L));
        fields.put("confusion", confusion);
        server.state.add(Fabricated.status(name, now, fields));
    }

    @Test
    void shouldShowWhyAnExampleWasAMistake() {
        model("spam", 1_000, 100);
        Evidence free = new Evidence("w=<b>free</b>", 7, null, 2.0, 3.0, -6.0, 0.5);
        Map<String, Object> fields = new TreeMap<>(Map.of("exampleId", "mail-17", "label", 1, "predicted", -1));
        fields.putAll(Map.of("margin", -4.5, "evidence", List.of(free), "evidenceBias", -1.5, "evidenceRest", 3.0));
        fields.put("marginAfter", 0.5);
        server.mistake(new Event<>(2, 4711, now, "spam", Fabricated.event(Mistake.class, fields)));
        browser.load(url + "#/models/spam");
        browser.await("[aria-label='Latest mistakes'] td", "mail-17");

        browser.find("[aria-label='Latest mistakes'] td button").click();

        browser.await("[aria-label=Evidence] th", "w=<b>free</b>");
        assertThat(browser.texts("[aria-label=Evidence] tbody tr"))
                .containsExactly(
                        "w=<b>free</b>23-6" + "█".repeat(24),
                        "(bias)-1.5" + "█".repeat(6),
                        "(all others)3" + "█".repeat(12));
        assertThat(browser.texts(".evidence p").get(0)).contains("-4.5").endsWith("after the update: 0.5.");
        browser.await("[aria-label='Features of the last mistakes'] td", "w=<b>free</b>");
        assertThat(browser.texts("[aria-label='Features of the last mistakes'] tbody tr"))
                .containsExactly("w=<b>free</b>11-6");
    }

    @Test
    void shouldShowMetricsByClass() {
        model("spam", 1_000, 100);
        server.state.add(
                Fabricated.status("spam", now + 1, Map.of("examples", 1_000L, "metrics", Fabricated.metrics())));
        browser.load(url + "#/models/spam");

        browser.await("[aria-label='Metrics by class'] th", "ham");
        assertThat(browser.texts("[aria-label='Metrics by class'] tbody tr").get(1))
                .startsWith("(other)10205");
        assertThat(browser.texts(".metrics-summary").get(0))
                .contains("kappa 0.250", "area under the ROC curve of the last scores 0.750")
                .endsWith("So far the model is no better than one of these, which need no features.");
    }

    @Test
    void shouldShowAllFieldsOfAMistake() {
        model("spam", 1_000, 100);
        Map<String, Object> fields = new TreeMap<>(Map.of("exampleId", "mail-17", "label", "spam", "predicted", "ham"));
        fields.putAll(Map.of("score", -0.123456789, "mistakes", 35L, "examples", 1_000L));
        server.mistake(new Event<>(2, 4711, now, "spam", Fabricated.event(Mistake.class, fields)));
        browser.load(url + "#/models/spam");
        browser.await("[aria-label='Latest mistakes'] td", "mail-17");
        assertThat(browser.texts(".detail dd")).isEmpty();

        browser.find("[aria-label='Latest mistakes'] td button").click();

        browser.await(".detail dd", "mail-17");
        assertThat(browser.texts(".detail dd"))
                .contains("spam", "ham", "-0.123456789", "35", "1,000", "mistakes-2@4711");
        assertThat(browser.run("return document.querySelector('td button.link').getAttribute('aria-expanded')"))
                .isEqualTo("true");
        browser.find(".detail:not([hidden]) > button").click();
        assertThat(browser.texts(".detail dd")).isEmpty();
        assertThat(focused()).isEqualTo("mail-17");
    }
}
