package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.serde.Topic;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

/** The charts of one model, and of two. */
@EnabledIf(
        value = "io.perceptronstreams.monitor.Browser#isThere",
        disabledReason = "needs chromium and chromedriver on the PATH")
final class ChartsIT extends DashboardPage {
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

    /** After a reset, the same examples come again, with the times that they had before. */
    @Test
    void shouldDrawTheNewEpochWhereTimeGoesBack() {
        for (int window = 1; window <= 5; window++) {
            server.state.add(Topic.COUNTS, Fabricated.count("again", window, 10, 10L * window));
        }
        for (int window = 1; window <= 3; window++) {
            server.state.add(Topic.COUNTS, Fabricated.count("again", window, 7, 7L * window));
        }
        server.state.add(
                Topic.MODELS,
                Fabricated.status(
                        "again",
                        30_000,
                        Map.of("seen", 21L, "labelled", 21L, "settings", Map.of("window.ms", "10000"))));
        browser.load(url + "#/models/again");
        browser.await(".charts", "mistakes");

        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(browser.run(
                                "return document.querySelector('.plot').chart.plot.data[0].map(Math.round).join()"))
                        .isEqualTo("10,20,30"));
    }

    @Test
    void shouldZoomAllChartsByADragAndShowAllAgain() {
        drifted("drifting");
        browser.load(url + "#/models/drifting");
        browser.await("[aria-label=Events] td", "▲ DRIFT");
        browser.find(".theory summary").click();
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
        server.state.add(
                Topic.MODELS,
                Fabricated.status(
                        "other", now, Map.of("cause", "CONFIGURE", "settings", Map.of("drift", "ddm"), "seen", 7L)));
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
    }

    @Test
    void shouldSayThatOneOfTwoModelsIsNotThere() {
        drifted("drifting");
        browser.load(url + "#/compare/drifting/nobody");
        browser.await(".empty", "One of these models is not there");
        excused = "status of 404";
    }
}
