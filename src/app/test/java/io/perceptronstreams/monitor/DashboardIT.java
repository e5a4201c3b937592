package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.openqa.selenium.Keys;

/** The frame of the page, its table of models and the view of the engine. */
@EnabledIf(
        value = "io.perceptronstreams.monitor.Browser#isThere",
        disabledReason = "needs chromium and chromedriver on the PATH")
final class DashboardIT extends DashboardPage {
    @Test
    void shouldSayWhatToPasteWhereThereIsNoModel() {
        browser.load(url);

        browser.await(".empty", "No model has seen an example yet");
        // with the addresses of this server, which are not the defaults
        browser.await(".command code", "--bootstrap h:1");
        assertThat(browser.texts(".command code"))
                .singleElement()
                .asString()
                .startsWith("./perceptron produce ")
                .endsWith(" --bootstrap h:1");
        assertThat(browser.texts(".empty a[href='/docs/quickstart.md']")).containsExactly("quickstart");
        // and goes away by itself
        server.state.add(Fabricated.status("first", now, Map.of("examples", 1L)));
        browser.await("a[data-row]", "first");
        assertThat(browser.texts(".empty")).isEmpty();
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
    void shouldKeepWhatWasChosenOverAReloadAndTheScrollPlaceOverAModel() {
        for (int k = 0; k < 160; k++) {
            model("model-%03d".formatted(k), 10 + k, k % 10);
        }
        browser.load(url + "#/");
        browser.await(".tools p", "160 models");
        browser.find("th:nth-child(4) button").click();
        browser.find("#search").sendKeys("model-1");
        browser.await(".tools p", "60 models found");
        browser.find(".pager button:last-child").click();
        browser.await(".pager span", "51 to 60 of 60");
        assertThat(browser.run("return location.hash")).isEqualTo("#/?q=model-1&sort=examples&offset=50");

        browser.driver().navigate().refresh();
        browser.await(".pager span", "51 to 60 of 60");
        assertThat((String) browser.run("return document.querySelector('#search').value"))
                .isEqualTo("model-1");
        assertThat(browser.texts("th[aria-sort=descending]")).containsExactly("Examples");
        browser.find(".pager button:first-child").click();
        browser.await(".pager span", "1 to 50 of 60");

        browser.run("scrollTo(0, 900)");
        await().until(() -> ((Number) browser.run("return scrollY")).intValue() == 900);
        browser.run("location.hash = '#/models/model-120'");
        browser.await("h1", "model-120");
        browser.press(Keys.ESCAPE);
        browser.await(".pager span", "1 to 50 of 60");
        assertThat(((Number) browser.run("return scrollY")).intValue()).isEqualTo(900);
        assertThat(browser.run("return location.hash")).isEqualTo("#/?q=model-1&sort=examples");
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
        browser.run("document.querySelectorAll('.plot')[1].focus()");
        browser.press(Keys.ARROW_LEFT);
        // the newest value of each line, read from the legend
        browser.await(".charts figure:nth-child(2) .u-legend .u-value", "120");
        browser.press(Keys.ARROW_LEFT);
        browser.await(".charts figure:nth-child(2) .u-legend .u-value", "100");

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
        // the server's client for the lag has none
        browser.await("body", "The brokers have not answered yet");
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
        server = new TestServer(TestServer.config(), port);
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
}
