package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.WeightsCounts;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

/** The charts of one model, and of two. */
@EnabledIf(
        value = "io.perceptronstreams.monitor.Browser#isThere",
        disabledReason = "needs chromium and chromedriver on the PATH")
@Tag("full")
final class ChartsIT extends DashboardPage {
    /** A single point once had an axis of two years. */
    @Test
    void shouldDrawASinglePointInOneWindow() {
        server.state.add(Fabricated.status(
                "single", now, Map.of("examples", 5L, "labelled", 5L, "settings", Map.of("window.ms", "10000"))));
        browser.load(url + "#/models/single?axis=time");
        browser.await(".charts", "mistakes");
        String span =
                "const plot = document.querySelector('.plot').chart.plot; return plot.scales.x.max - plot.scales.x.min";

        await().ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(((Number) browser.run(span)).doubleValue()).isEqualTo(10));
    }

    /** After a reset, the same examples come again, with the times that they had before. */
    @Test
    void shouldDrawTheNewEpochWhereTimeGoesBack() {
        for (int window = 1; window <= 5; window++) {
            server.state.add(Fabricated.count("again", window, 10, 10L * window));
        }
        for (int window = 1; window <= 3; window++) {
            server.state.add(Fabricated.count("again", window, 7, 7L * window));
        }
        server.state.add(Fabricated.status(
                "again", 30_000, Map.of("examples", 21L, "labelled", 21L, "settings", Map.of("window.ms", "10000"))));
        browser.load(url + "#/models/again?axis=time");
        browser.await(".charts", "mistakes");

        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(browser.run(
                                "return document.querySelector('.plot').chart.plot.data[0].map(Math.round).join()"))
                        .isEqualTo("10,20,30"));
    }

    /** 600 rows in 200 ms: 12 windows of 50, which time cannot show. */
    @Test
    void shouldDrawAFileThatCameAtOnceOverItsExamples() {
        burst("file", 12);
        browser.load(url + "#/models/file");
        browser.await(".charts figure .u-legend .u-label", "labelled examples");

        String places = "return document.querySelector('.plot').chart.plot.data[0].join()";
        await().until(() -> browser.run(places).equals("50,100,150,200,250,300,350,400,450,500,550,600,607"));
        assertThat(browser.run("return document.querySelector('#axis').value")).isEqualTo("examples");
        // an open window of 7 examples has no error of its own, but the totals
        assertThat(
                        browser.run(
                                "const data = document.querySelector('.plot').chart.plot.data;"
                                        + " return data[1].length + ' ' + data[1][12] + ' ' + data[1][0] + ' ' + data[2][12].toFixed(4)"))
                .isEqualTo("13 null 0.2 0.2010");
        // the alert says at which example
        assertThat(browser.run("return document.querySelector('.plot').chart.marks.map(mark => mark.at).join()"))
                .isEqualTo("1,410");
        assertThat(browser.texts("[aria-label=Events] td.number")).containsExactly("410", "1");

        browser.run("const axis = document.querySelector('#axis'); axis.value = 'time';"
                + " axis.dispatchEvent(new Event('change'))");
        browser.await(".charts figure .u-legend .u-label", "time");
        assertThat(browser.run("return location.hash")).isEqualTo("#/models/file?axis=time");
        browser.driver().navigate().refresh();
        browser.await(".charts figure .u-legend .u-label", "time");
    }

    /**
     * The line of mistakes fell at each reset and promotion, and the legend had the last value of weights that were
     * long gone.
     */
    @Test
    void shouldDrawAllMistakesAndThoseOfThePresentWeights() {
        for (int window = 1; window <= 6; window++) {
            // other weights after two windows, and again after four
            long epoch = (window - 1L) / 2;
            long since = window - 2 * epoch;
            Map<String, Object> count = new TreeMap<>(Map.of("examples", 100L, "labelled", 100L, "epoch", epoch));
            count.putAll(Map.of(
                    "windowStart",
                    now + 10_000L * (window - 1),
                    "windowEnd",
                    now + 10_000L * window,
                    "countsSince",
                    0L));
            count.putAll(Map.of(
                    "totalExamples", 100L * window, "totalLabelled", 100L * window, "totalMistakes", 10L * window));
            count.putAll(Map.of("totalUpdates", 12L * since, "ofWeights", ofWeights(100 * since, 10 * since)));
            server.state.add(new Event<>(0, window, now, "reset", Fabricated.event(MistakeCount.class, count)));
        }
        Map<String, Object> status =
                new TreeMap<>(Map.of("epoch", 2L, "examples", 600L, "labelled", 600L, "mistakes", 60L));
        status.putAll(Map.of("updates", 24L, "ofWeights", ofWeights(200, 20), "countsSince", 0L));
        server.state.add(Fabricated.status("reset", now + 60_000, status));
        browser.load(url + "#/models/reset?axis=examples");
        browser.await(".charts figure:nth-child(2) .u-legend", "of the present weights");

        String lines = "return document.querySelectorAll('.plot')[1].chart.plot.data.slice(1, 4)"
                + ".map(line => line.map(each => each ?? '-').join()).join(' ')";
        await().ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(browser.run(lines)).isEqualTo("10,20,30,40,50,60 -,-,-,-,10,20 -,-,-,-,12,24"));
        assertThat(browser.texts(".charts figure:nth-child(2) .u-legend tr").toString())
                .contains("mistakes60", "of the present weights20", "updates24");
    }

    private static WeightsCounts ofWeights(long examples, long mistakes) {
        return new WeightsCounts(examples, examples, mistakes, mistakes, 0L, 0.0);
    }

    /** As with window.examples=auto: many small windows, then a large one. */
    @Test
    void shouldJoinWindowsThatAreTooNarrowToBeSeen() {
        long total = 0;
        for (int k = 1; k <= 21; k++) {
            long examples = k <= 20 ? 10 : 5_800;
            total += examples;
            Map<String, Object> count = new TreeMap<>(Map.of("windowStart", now, "windowEnd", now + 1, "epoch", 0L));
            count.putAll(Map.of("examples", examples, "labelled", examples, "errors", k % 2 == 0 ? 4L : 1L));
            count.putAll(Map.of("totalExamples", total, "totalLabelled", total));
            server.state.add(new Event<>(0, k, now, "long", Fabricated.event(MistakeCount.class, count)));
        }
        server.state.add(Fabricated.status("long", now, Map.of("examples", total, "labelled", total)));
        browser.load(url + "#/models/long");
        String data = "return document.querySelector('.plot').chart.plot.data.slice(0, 2)"
                + ".map(column => column.slice(0, -1).map(each => each.toFixed(2)).join()).join(' ')";

        // a sixtieth of 6,000 in each; 5 times 1 and 5 times 4 errors of 100
        await().ignoreExceptions().until(() -> browser.run(data).equals("100.00,200.00 0.25,0.25"));

        browser.load(url + "#/models/long?axis=examples&from=0&to=40");
        await().ignoreExceptions().until(() -> ((String) browser.run(data)).startsWith("10.00,20.00,30.00,40.00"));
        assertThat((String) browser.run(data)).contains(" 0.10,0.40,0.10,0.40,");
    }

    /**
     * After `models set` of today and a file of February, the axis went from February to today, and the file was one
     * pixel.
     */
    @Test
    void shouldHaveAnAxisOfTheExamplesAlone() {
        server.state.add(Fabricated.status("past", now, Map.of("cause", "CONFIGURE", "offset", 0L)));
        server.state.add(Fabricated.status(
                "past",
                10_000,
                Map.of("cause", "FIRST_EXAMPLE", "examples", 1L, "lastExample", 10_000L, "offset", 1L)));
        for (int window = 1; window <= 40; window++) {
            server.state.add(Fabricated.count("past", window, 10, 10L * window));
        }
        server.state.add(Fabricated.status(
                "past",
                now,
                Map.of(
                        "cause",
                        "SNAPSHOT",
                        "examples",
                        412L,
                        "labelled",
                        412L,
                        "lastExample",
                        402_000L,
                        "offset",
                        500L)));
        browser.load(url + "#/models/past");

        // from the end of the first window of 10 s to the newest example, in seconds
        await().ignoreExceptions()
                .until(() -> browser.run("return document.querySelector('.plot').chart.span().map(Math.round).join()")
                        .equals("10,402"));
        assertThat(browser.run("return document.querySelector('#axis').value")).isEqualTo("time");
        // the tile and the legend have one number for the last window
        assertThat(browser.texts(".facts > div")).contains("error, last window0.1000");
        assertThat(browser.texts(".charts figure:first-child .u-legend tr:nth-child(2)"))
                .containsExactly("last window0.1000");
    }

    @Test
    void shouldSayThatAModelOfTwoHasNoWindow() {
        burst("file", 12);
        model("configured", 0, 0);
        browser.load(url + "#/compare/file/configured");
        browser.await(".note", "configured has no counting window yet");
        browser.await(".charts figure .u-legend .u-label", "labelled examples");
    }

    /** A model with windows of 50 examples within 200 ms, the last of them open, and an alert. */
    private void burst(String name, int windows) {
        server.state.add(
                Fabricated.status(name, now, Map.of("cause", "FIRST_EXAMPLE", "examples", 1L, "labelled", 1L)));
        for (long k = 1; k <= windows; k++) {
            Map<String, Object> count =
                    new TreeMap<>(Map.of("windowStart", now + 15 * k - 15, "windowEnd", now + 15 * k));
            count.putAll(Map.of("examples", 50L, "labelled", 50L, "errors", 10L, "mistakes", 10L, "epoch", 0L));
            count.putAll(Map.of("totalExamples", 50 * k, "totalLabelled", 50 * k, "totalErrors", 10 * k));
            server.state.add(new Event<>(0, k, now + 15 * k, name, Fabricated.event(MistakeCount.class, count)));
        }
        Map<String, Object> alert = new TreeMap<>(Map.of("kind", "DRIFT", "message", "risen", "epoch", 0L));
        alert.putAll(Map.of("examples", 410L, "labelled", 410L));
        server.state.add(new Event<>(0, 1, now + 130, name, Fabricated.event(Alert.class, alert)));
        Map<String, Object> last = new TreeMap<>(Map.of("cause", "IDLE", "algorithm", "perceptron"));
        last.putAll(Map.of("examples", 50L * windows + 7, "labelled", 50L * windows + 7, "errors", 10L * windows + 2));
        server.state.add(Fabricated.status(name, now + 200, last));
    }

    /**
     * The window that a reset closes has the end of its interval, before which the first windows of the new epoch end.
     * All epochs but the last one were gone.
     */
    @Test
    void shouldDrawAllEpochsOfAModelThatIsReset() {
        long start = 100_000;
        for (long[] window : new long[][] {{0, 1_000, 0, 100}, {1_000, 2_000, 0, 150}, {1_000, 1_601, 1, 10}}) {
            Map<String, Object> fields =
                    new TreeMap<>(Map.of("windowStart", start + window[0], "windowEnd", start + window[1]));
            fields.putAll(Map.of("epoch", window[2], "examples", 10L, "labelled", 10L, "errors", 1L));
            fields.putAll(Map.of("totalExamples", window[3], "totalLabelled", window[3], "totalErrors", 1L));
            server.state.add(new Event<>(
                    0, window[3], start + window[1], "reset", Fabricated.event(MistakeCount.class, fields)));
        }
        server.state.add(
                Fabricated.status("reset", start + 1_601, Map.of("epoch", 1L, "examples", 10L, "labelled", 10L)));
        browser.load(url + "#/models/reset?axis=time");
        browser.await(".charts", "mistakes");

        // in ms behind the start: both windows of the first epoch, a gap, and the new one
        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(browser.run("return document.querySelector('.plot').chart.plot.data[0]"
                                + ".map(at => Math.round(1000 * at - 100000)).join()"))
                        .isEqualTo("1000,1601,1601,1601"));
    }

    @Test
    void shouldZoomAllChartsByADragAndShowAllAgain() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");
        browser.await("[aria-label=Events] td", "▲ DRIFT");
        browser.find(".theory summary").click();
        String spans = "return [...document.querySelectorAll('.plot')].map(e => e.chart.plot)"
                + ".map(p => Math.round(p.scales.x.max - p.scales.x.min)).join()";
        // from the end of the first window to that of the last; the command 5 s before it is left out
        await().until(() -> browser.run(spans).equals("25,25,25,25"));
        WebElement over = browser.find(".charts figure:first-child .u-over");
        int third = over.getSize().getWidth() / 3;

        new Actions(browser.driver())
                .moveToElement(over)
                .clickAndHold()
                .moveByOffset(third, 0)
                .release()
                .perform();

        await().until(() -> browser.run(spans).equals("8,8,8,8"));
        assertThat((String) browser.run("return location.hash")).contains("axis=time", "from=", "to=");
        browser.driver().navigate().refresh();
        browser.await("[aria-label=Events] td", "▲ DRIFT");
        browser.find(".theory summary").click();
        await().until(() -> browser.run(spans).equals("8,8,8,8"));
        browser.await(".range:not(.picker) button", "Show all");
        browser.find(".range:not(.picker) button").click();
        await().until(() -> browser.run(spans).equals("25,25,25,25"));
        assertThat(browser.texts(".range:not(.picker) button")).isEmpty();
    }

    @Test
    void shouldShowTheLastValuesInTheLegendBeforeThereIsACursor() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");

        browser.await(".charts figure:nth-child(2) .u-legend .u-value", "120");
        assertThat(browser.texts(".u-legend .u-value")).doesNotContain("--");
    }

    @Test
    void shouldDrawTwoModelsInTheSameCharts() {
        drifted("drifting");
        drifted("other");
        server.state.add(Fabricated.status(
                "other", now, Map.of("cause", "CONFIGURE", "settings", Map.of("drift", "ddm"), "examples", 7L)));
        browser.load(url + "#/models/drifting");
        browser.await("label[for=other-model]", "Compare with");
        browser.find("#other-model").sendKeys("nobody", Keys.ENTER);
        browser.await("form .quiet", "There is no model of this name.");

        browser.find("#other-model").clear();
        browser.find("#other-model").sendKeys("other", Keys.ENTER);

        browser.await("h1", "drifting and other");
        assertThat(browser.run("return location.hash")).isEqualTo("#/compare/drifting/other");
        browser.await("[aria-label=Totals] tr:nth-child(4) td", "7");
        assertThat(browser.texts("[aria-label=Totals] thead th")).containsExactly("", "drifting", "other");
        assertThat(browser.texts("figcaption")).contains("Error of each window", "Mistakes, cumulative");
        browser.await(".charts figure:first-child .u-legend", "drifting");
        assertThat(browser.texts(".charts figure:first-child .u-legend .u-label"))
                .containsExactly("time", "drifting", "other");
        assertThat(browser.texts("[aria-label='Settings that differ'] tbody tr:first-child > *"))
                .containsExactly("drift", "adwin", "ddm");
        assertThat(browser.run("return [...document.querySelectorAll('a.csv')].at(-1).getAttribute('href')")
                        .toString())
                .endsWith("/models/other?csv=settings");
    }

    @Test
    void shouldShowATableOfSeveralModelsOverOneChart() {
        for (String name : List.of("a", "b", "c")) {
            drifted("model-" + name);
        }
        model("other", 10, 1);
        browser.load(url + "#/?q=model-");
        browser.await("tbody a", "model-c");
        browser.find(".tools a:not(.csv)").click();

        browser.await("h1", "model-");
        assertThat(browser.texts("[aria-label=Totals] thead th")).hasSize(4).contains("model-a", "model-b", "model-c");
        browser.await(".charts figure:first-child .u-legend", "model-c");
        browser.find("#other-model").sendKeys("other", Keys.ENTER);
        browser.await("h1", "other");
        assertThat((String) browser.run("return location.hash")).endsWith("/other");
        browser.await(".tools a", "without model-b");
        assertThat(browser.run("return document.querySelector('h2 + a.csv').getAttribute('href')")
                        .toString())
                .contains("csv=models&sort=errorRate&name=model-")
                .endsWith("name=other");
    }

    @Test
    void shouldSayThatOneOfTwoModelsIsNotThere() {
        drifted("drifting");
        browser.load(url + "#/compare/drifting/nobody");
        browser.await(".empty", "One of these models is not there");
        excused = "status of 404";
    }
}
