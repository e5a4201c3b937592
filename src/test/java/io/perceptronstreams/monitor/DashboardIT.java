package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.serde.Topic;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

/** The page in a browser, with fabricated events. */
@EnabledIf(
        value = "io.perceptronstreams.monitor.Browser#isThere",
        disabledReason = "needs chromium and chromedriver on the PATH")
final class DashboardIT {
    private static Browser browser;

    private final long now = System.currentTimeMillis() / 1_000 * 1_000;
    private TestServer server;

    // what Chromium itself complains of
    private String excused = "nothing";
    private String url;

    @BeforeAll
    static void openBrowser() {
        browser = Browser.open(1280, 900);
    }

    @AfterAll
    static void closeBrowser() {
        browser.close();
    }

    @BeforeEach
    void start() {
        server = TestServer.open();
        server.live();
        url = "http://127.0.0.1:" + server.http.port() + "/";
    }

    /** After every test: the page has logged no error and has sent no request to another host. */
    @AfterEach
    void stop() {
        List<String> complaints = browser.complaints();
        List<String> requests = browser.requests();
        server.close();
        assertThat(complaints).allMatch(each -> each.contains(excused));
        assertThat(requests).contains(url).allMatch(each -> each.startsWith(url) || each.startsWith("data:"));
    }

    @Test
    void shouldSayWhatToPasteWhereThereIsNoModel() {
        browser.load(url);

        browser.await(".empty", "No model has seen an example yet");
        assertThat(browser.texts(".command code")).singleElement().asString().startsWith("./perceptron produce ");
        // and goes away by itself
        server.state.add(Topic.MODELS, Fabricated.status("first", now, Map.of("seen", 1L)));
        browser.await("a[data-row]", "first");
        assertThat(browser.texts(".empty")).isEmpty();
    }

    @Test
    void shouldSayThatAModelIsNotThereYetAndShowItWhenItIs() {
        browser.load(url + "#/models/later");

        browser.await(".empty", "There is no model of this name yet");
        assertThat(browser.texts(".command code")).containsExactly("./perceptron produce FILE --model later");
        server.state.add(Topic.MODELS, Fabricated.status("later", now, Map.of("seen", 1L)));
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
    void shouldShowErrorsTheirRateAndDeadLettersOfEachModel() {
        model("spam", 1_000, 100);
        browser.load(url);
        browser.await("tbody tr", "spam");
        assertThat(browser.texts("#dead-letters")).isEmpty();
        assertThat(browser.texts("main > section > p").get(0))
                .contains("An error is a wrong emitted label", "A mistake is a wrong answer of the last weights");

        for (long offset = 0; offset < 3; offset++) {
            server.state.add(letter("spam", offset));
        }
        server.state.add(letter("nobody", 3));

        browser.await("#dead-letters", "4 dead letters");
        browser.await("td[data-label='Dead letters']", "3");
        assertThat(browser.texts("td[data-label=Errors]")).containsExactly("100");
        assertThat(browser.texts("td[data-label='Error, all']")).containsExactly("0.1000");
        assertThat(browser.run("return document.querySelector('td[data-label=Errors]').title")
                        .toString())
                .startsWith("as of ");
    }

    @Test
    void shouldShowCountsOfOneInstantWithItsTime() {
        model("spam", 1_000, 100);
        // read after the status, which it is newer than
        server.mistake(new Event(0, 1, now + 1_000, "spam", Fabricated.mistakeValue("e", 5_000)));
        browser.load(url + "#/models/spam");

        browser.await(".facts dd", "100 of 1,000");
        assertThat(browser.texts(".facts dd")).contains("0.1000").doesNotContain("5,000");
        assertThat(browser.texts("h1 + .quiet")).singleElement().asString().contains("totals as of ");
        browser.await(
                "section.part p", "there are 100 errors in 1,000 labelled examples: 900 were predicted correctly");
        assertThat(browser.texts("section.part p"))
                .anyMatch(text -> text.startsWith("Counts the 1 mistake with a wrong emitted label"));
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
    void shouldListChangedSettingsFirstWithTheirDefaults() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");
        browser.await("[aria-label=Settings] td", "adwin");

        // drift is none by default; h and eta are at theirs
        assertThat(browser.texts("[aria-label=Settings] tbody tr td:nth-child(-n+3)"))
                .containsExactly("drift", "adwin", "none", "eta", "1.0", "default", "h", "0.0", "default");
        assertThat(browser.texts("section.part p")).anyMatch(text -> text.startsWith("1 of 3 settings differ"));
    }

    /** A single point once had an axis of two years. */
    @Test
    void shouldDrawASinglePointInOneWindow() {
        server.state.add(
                Topic.MODELS,
                Fabricated.status(
                        "single", now, Map.of("seen", 5L, "labelled", 5L, "settings", Map.of("window.ms", "10000"))));
        browser.load(url + "#/models/single");
        browser.await(".charts", "mistakes");
        String span =
                "const plot = document.querySelector('.plot').chart.plot; return plot.scales.x.max - plot.scales.x.min";

        await().ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(((Number) browser.run(span)).doubleValue()).isEqualTo(10));
    }

    @Test
    void shouldZoomAllChartsByADragAndShowAllAgain() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");
        browser.await("[aria-label=Events] td", "▲ DRIFT");
        String spans = "return [...document.querySelectorAll('.plot')].map(e => e.chart.plot)"
                + ".map(p => Math.round(p.scales.x.max - p.scales.x.min)).join()";
        await().until(() -> browser.run(spans).equals("25,25,25,25"));
        WebElement over = browser.find(".charts figure:first-child .u-over");
        int quarter = over.getSize().getWidth() / 4;

        new Actions(browser.driver())
                .moveToElement(over)
                .clickAndHold()
                .moveByOffset(quarter, 0)
                .release()
                .perform();

        // a quarter of 25 s
        await().until(() -> browser.run(spans).equals("6,6,6,6"));
        browser.await(".range button", "Show all");
        browser.find(".range button").click();
        await().until(() -> browser.run(spans).equals("25,25,25,25"));
        assertThat(browser.texts(".range button")).isEmpty();
    }

    @Test
    void shouldShowTheLastValuesInTheLegendBeforeThereIsACursor() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");

        browser.await(".charts figure:first-child .u-legend .u-value", "120");
        assertThat(browser.texts(".u-legend .u-value")).doesNotContain("--");
    }

    @Test
    void shouldExplainItsTermsWithALinkToTheTheorems() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");
        browser.await("summary", "What these numbers mean");
        browser.find(".terms summary").click();

        assertThat(browser.texts(".terms dt")).contains("|w|", "R", "gamma");
        assertThat(browser.texts(".terms a")).containsExactly("docs/theory.md");
    }

    @Test
    void shouldShowModelsAndKeepThemUpToDateWithoutReloading() {
        model("spam", 1_000, 100);
        browser.load(url);
        browser.await("tbody tr", "spam");
        browser.run("window.isSame = true");
        assertThat(cells("spam")).contains("perceptron", "● live", "1,000", "100");

        model("spam", 2_500, 140);
        browser.await("tbody tr", "2,500");
        assertThat(cells("spam")).contains("140");
        assertThat(browser.run("return window.isSame")).isEqualTo(true);
        browser.await("#status", "● live");
    }

    @Test
    void shouldFindAndSortAndTurnPagesAmongAThousandModels() {
        for (int k = 0; k < 1_000; k++) {
            model("model-%03d".formatted(k), 10 + k, k % 10);
        }
        browser.load(url);
        browser.await(".tools p", "1,000 models");
        assertThat(browser.texts("a[data-row]")).hasSize(50);

        browser.find("th:nth-child(4) button").click();
        browser.await("tbody tr:first-child a", "model-999");
        browser.find(".pager button:last-child").click();
        browser.await("tbody tr:first-child a", "model-949");
        assertThat(browser.texts(".pager span")).containsExactly("51 to 100 of 1,000");

        browser.find("#search").sendKeys("77");
        browser.await(".tools p", "19 models found");
        browser.find("#search").sendKeys("-nothing");
        browser.await(".empty", "No matching models");
        browser.find(".empty button").click();
        browser.await(".tools p", "1,000 models");
    }

    @Test
    void shouldShowAModelWithEverythingThatIsKnownOfIt() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");

        browser.await("h1", "drifting");
        browser.await(".facts", "|w|");
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

        server.state.add(Topic.ALERTS, drift("drifting", now + 5_000));

        browser.await("[aria-label=Events] td[data-tone=bad]", "▲ DRIFT");
        browser.await("[aria-label=Events] td.text", "the error rate has risen from 0.02 to 0.48");
        browser.await(".alarm", "▲ DRIFT at ");
        // the mistakes that caused it stay when the model is a new one
        server.mistake(mistake("drifting", "cause", 1, -1, now + 4_000));
        server.state.add(
                Topic.MODELS, Fabricated.status("drifting", now + 5_000, Map.of("epoch", 1L, "cause", "DRIFT")));
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
    void shouldBeUsableWithoutAMouse() {
        for (String name : List.of("alpha", "beta", "gamma")) {
            model(name, 100, 5);
        }
        drifted("beta");
        browser.load(url);
        browser.await("tbody tr", "beta");

        browser.press(Keys.TAB);
        assertThat(focused()).isEqualTo("Skip to the content");
        browser.press(Keys.ENTER);
        assertThat(browser.run("return document.activeElement.id")).isEqualTo("content");

        browser.press("/");
        assertThat(browser.run("return document.activeElement.id")).isEqualTo("search");
        browser.press("bet");
        browser.await(".tools p", "1 model found");
        browser.press(Keys.ARROW_DOWN);
        assertThat(focused()).isEqualTo("beta");
        browser.press(Keys.ENTER);
        browser.await("h1", "beta");

        browser.await("[aria-label=Events] td", "▲ DRIFT");
        browser.run("document.querySelector('.plot').focus()");
        browser.press(Keys.ARROW_LEFT);
        // the newest value of each line, read from the legend
        browser.await(".charts figure:first-child .u-legend .u-value", "120");
        browser.press(Keys.ARROW_LEFT);
        browser.await(".charts figure:first-child .u-legend .u-value", "100");

        browser.press(Keys.ESCAPE);
        browser.await("h1", "Models");
        // back to what was looked for
        browser.await(".tools p", "1 model found");
        browser.press("/");
        browser.press(Keys.BACK_SPACE);
        browser.await(".tools p", "3 models");
    }

    @Test
    void shouldShowDeadLettersAndThatTheBrokersAreAway() {
        server.state.add(new DeadLetterView(
                "m", 1, 7, now, "NON_FINITE_VALUE", "values must be finite", "perceptron-examples", 1L, 17L, 40));
        browser.load(url + "#/engine");

        browser.await("[aria-label='Latest dead letters'] td", "perceptron-examples-1@17");
        assertThat(browser.texts("[aria-label=Reasons] td")).containsExactly("NON_FINITE_VALUE", "1");
    }

    @Test
    void shouldKeepWhatItShowedWhileTheMonitorIsAway() {
        model("spam", 1_000, 100);
        browser.load(url);
        browser.await("tbody tr", "spam");
        int port = server.http.port();

        server.close();

        browser.await("#status", "✕ no connection");
        browser.await("#banner", "the page shows the state of that time");
        assertThat(cells("spam")).contains("1,000");
        server = new TestServer(new HttpSettings("127.0.0.1", port, null, false, Map.of(), List.of(), 3, 100, 10));
        // back, but it has read nothing yet
        browser.await("#status", "catching up");
        await().until(() -> browser.requests().stream()
                        .filter(each -> each.contains("/models?"))
                        .count()
                > 2);
        assertThat(browser.texts("#banner, .empty")).isEmpty();
        assertThat(cells("spam")).contains("1,000");
        model("spam", 1_001, 100);
        server.live();
        browser.await("tbody tr", "1,001");
        browser.await("#status", "● live");
        excused = "net::ERR_";
    }

    private static String focused() {
        return (String) browser.run("return document.activeElement.textContent");
    }

    private static List<String> cells(String model) {
        return browser.texts("tbody tr:has(a[href$='/" + model + "']) td");
    }

    private void model(String name, long examples, long mistakes) {
        Map<String, Object> fields = new TreeMap<>(Map.of(
                "cause",
                "WINDOW",
                "algorithm",
                "perceptron",
                "seen",
                examples,
                "labelled",
                examples,
                "errors",
                mistakes));
        fields.putAll(Map.of("mistakes", mistakes, "version", mistakes, "weightNorm", 3.5, "radius", 1.0));
        server.state.add(Topic.MODELS, Fabricated.status(name, now, fields));
    }

    private static Event mistake(String model, String id, Object label, Object predicted, long timestamp) {
        return new Event(
                0,
                System.nanoTime(),
                timestamp,
                model,
                Fabricated.event("Mistake", Map.of("exampleId", id, "label", label, "predicted", predicted)));
    }

    private DeadLetterView letter(String key, long offset) {
        return new DeadLetterView(key, 0, offset, now, "INVALID_LABEL", "why", "perceptron-examples", 0L, 1L, 2);
    }

    private static Event drift(String model, long timestamp) {
        return new Event(
                0,
                timestamp,
                timestamp,
                model,
                Fabricated.event(
                        "Alert",
                        Map.of(
                                "kind",
                                "DRIFT",
                                "message",
                                "the error rate has risen from 0.02 to 0.48; nothing follows")));
    }

    /** A model with windows, mistakes, weights, settings and an alarm. */
    private void drifted(String name) {
        Map<String, Object> fields = new TreeMap<>(Map.of("cause", "CONFIGURE", "algorithm", "perceptron"));
        fields.put("settings", Map.of("drift", "adwin", "h", "0.0", "eta", "1.0"));
        server.state.add(Topic.MODELS, Fabricated.status(name, now - 40_000, fields));
        for (int k = 1; k <= 6; k++) {
            long end = now - 40_000 + 5_000L * k;
            Map<String, Object> count = new TreeMap<>(Map.of("windowStart", end - 5_000, "windowEnd", end));
            count.putAll(Map.of("examples", 500L, "labelled", 500L, "errors", 20L, "mistakes", 20L));
            count.putAll(Map.of("totalExamples", 500L * k, "totalLabelled", 500L * k, "totalErrors", 20L * k));
            count.putAll(Map.of("totalMistakes", 20L * k, "totalUpdates", 20L * k));
            Map<String, Object> status = new TreeMap<>(fields);
            status.putAll(Map.of("cause", "WINDOW", "weightNorm", 3.5, "radius", 1.0, "gammaUpperBound", 0.2));
            server.state.add(Topic.MODELS, Fabricated.status(name, end, status));
            server.state.add(Topic.COUNTS, new Event(0, k, end, name, Fabricated.event("MistakeCount", count)));
        }
        server.state.add(Topic.MISTAKES, new Event(0, 1, now - 10_500, name, Fabricated.mistakeValue("e1", 120)));
        server.state.add(Topic.WEIGHTS, Fabricated.chunk(name, 0, 1, 120, 7, 12, -3));
        server.state.add(Topic.ALERTS, drift(name, now - 12_000));
    }
}
