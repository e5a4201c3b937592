package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.MistakeCount;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The ranking of the models of one stream, on the page that compares them. */
@EnabledIf(
        value = "io.perceptronstreams.monitor.Browser#isThere",
        disabledReason = "needs chromium and chromedriver on the PATH")
@Tag("full")
final class RankingIT extends DashboardPage {
    private static final String ROWS = "[aria-label=Ranking] tbody tr";

    /** Windows of 100 labelled examples, each with a number of errors, and a status after the last one. */
    private void learner(String name, long sameErrorsOfWindow, long... errors) {
        learnerAt(now, name, sameErrorsOfWindow, errors);
    }

    /** Like {@link #learner}, from an event time on. */
    private void learnerAt(long start, String name, long sameErrorsOfWindow, long... errors) {
        long total = 0;
        for (int k = 0; k < errors.length; k++) {
            total += errors[k];
            Map<String, Object> count = new TreeMap<>(Map.of("windowStart", start + k, "windowEnd", start + k + 1));
            count.putAll(Map.of("examples", 100L, "labelled", 100L, "errors", errors[k], "epoch", 0L));
            count.putAll(Map.of("totalExamples", 100L * (k + 1), "totalLabelled", 100L * (k + 1)));
            count.putAll(Map.of("totalErrors", total, "metrics", metrics(100, errors[k], sameErrorsOfWindow)));
            server.state.add(new Event<>(0, k, start + k, name, Fabricated.event(MistakeCount.class, count)));
        }
        long labelled = 100L * errors.length;
        Map<String, Object> status = new TreeMap<>(Map.of("cause", "WINDOW", "algorithm", "perceptron"));
        status.putAll(Map.of("examples", labelled, "labelled", labelled, "errors", total, "updates", total));
        status.put("metrics", metrics(labelled, total, sameErrorsOfWindow * errors.length));
        server.state.add(Fabricated.status(name, start + errors.length, status));
    }

    private static Metrics metrics(long compared, long errors, long sameErrors) {
        Metrics metrics = Fabricated.metrics();
        metrics.setCompared(compared);
        metrics.setComparedErrors(errors);
        metrics.setSameErrors(sameErrors);
        return metrics;
    }

    private static String text(int row) {
        return String.join(" ", browser.texts(ROWS + ":nth-child(" + row + ") > *"));
    }

    @Test
    void shouldRankByTheErrorsOnTheExamplesThatAllHaveSeen() {
        learner("slow", 40, 20, 30);
        // ahead of the others, and good in what these have not seen yet
        learner("ahead", 40, 30, 30, 0, 0);
        learner("good", 40, 10, 10);
        browser.load(url + "#/compare/slow/ahead/good");

        browser.await(
                ".basis",
                "Rank by the errors on the first 200 labelled examples. So far the models have seen 200 to 400.");
        assertThat(text(1)).isEqualTo("1 good 0.1000 yes 0.1000 200 0.2500 -1.0000 0.5000 20 100,000");
        assertThat(text(2)).startsWith("2 slow 0.2500 yes 0.2500 200 ");
        assertThat(text(3)).startsWith("3 ahead 0.3000 yes 0.1500 400 ");
    }

    @Test
    void shouldGiveNoRankToAModelOfOtherExamples() {
        learner("a", 40, 20, 30);
        learner("stranger", 41, 1, 1);
        learner("b", 40, 20, 30);
        browser.load(url + "#/compare/stranger/a/b");

        browser.await(
                ".basis[data-tone=bad]", "▲ stranger: other labels or another order than the rest in the first 200");
        assertThat(List.of(text(1), text(2))).allMatch(row -> row.matches("1 [ab] 0\\.2500 yes .*"));
        assertThat(text(3)).matches("– stranger 0\\.0100 no .*");
    }

    @Test
    void shouldSayThatNoExamplesAreKnownToBeTheSame() {
        learner("one", 40, 20);
        model("other", 57, 3);
        browser.load(url + "#/compare/one/other");

        browser.await(".basis[data-tone=warn]", "Rank by the errors on all labelled examples, which are not the same");
        assertThat(text(1)).startsWith("1 other – not known 0.0526 57 – – – 3 ");
    }

    @Test
    void shouldSayThatTheWindowsOfTwoModelsDoNotOverlap() {
        learnerAt(now, "early", 40, 20, 30);
        learnerAt(now + 2, "late", 40, 10, 10);
        browser.load(url + "#/compare/early/late");

        browser.await(
                ".basis[data-tone=warn]",
                "Rank by the errors on the first 200 labelled examples. The windows of late begin after those of early have ended.");
    }

    @Test
    void shouldSayThatTheNumbersOfExamplesDiffer() {
        learner("one", 40, 20);
        learner("other", 40, 30);
        Map<String, Object> more = new TreeMap<>(Map.of("cause", "IDLE", "algorithm", "perceptron", "examples", 150L));
        more.putAll(Map.of("labelled", 100L, "errors", 30L, "metrics", metrics(100, 30, 40)));
        server.state.add(Fabricated.status("other", now + 5, more));
        browser.load(url + "#/compare/one/other");

        browser.await(
                ".basis", "on the first 100 labelled examples. With those without a label, they have seen 100 to 150.");
    }

    @Test
    void shouldSearchAndSortTheRankingByTheAddress() {
        learner("first-a", 40, 10);
        learner("first-b", 40, 20);
        learner("second", 40, 30);
        browser.load(url + "#/compare/first-a/first-b/second?ranking-q=first&ranking-sort=Updates");
        browser.await(ROWS, "first-b");
        assertThat(browser.texts(ROWS + " a")).containsExactly("first-b", "first-a");

        browser.run("document.querySelector('[aria-label=Ranking] th:nth-child(2) button').click()");
        await().until(() -> browser.run("return location.hash")
                .equals("#/compare/first-a/first-b/second?ranking-q=first&ranking-sort=Model"));
        assertThat((String) browser.run("return document.querySelector('h2 + a.csv').getAttribute('href')"))
                .endsWith("csv=models&sort=errorRate&name=first-a&name=first-b&name=second");
    }

    @Test
    void shouldCompareTheFirstEightOfMore() {
        for (int k = 1; k <= 9; k++) {
            learner("m" + k, 40, 10L * k);
        }
        browser.load(url + "#/?sort=errorRate&order=asc");
        browser.await(".tools a", "Compare the first 8");
        browser.find(".tools a:not(.csv)").click();

        browser.await(ROWS, "m8");
        assertThat(browser.texts(ROWS + " a")).containsExactly("m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8");
    }
}
