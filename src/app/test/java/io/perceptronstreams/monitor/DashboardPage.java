package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledIf;

/** A browser, a monitor with fabricated events, and the models of its tests. */
@EnabledIf(
        value = "io.perceptronstreams.monitor.Browser#isThere",
        disabledReason = "needs chromium and chromedriver on the PATH")
abstract class DashboardPage {
    static Browser browser;

    final long now = System.currentTimeMillis() / 1_000 * 1_000;
    TestServer server;
    private final String[] settings;

    // what Chromium itself complains of
    String excused = "nothing";
    String url;

    DashboardPage(String... settings) {
        this.settings = settings;
    }

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
        server = TestServer.open(settings);
        server.live();
        url = "http://127.0.0.1:" + server.http.port() + "/";
    }

    /** After every test: no error, and no request to another server. */
    @AfterEach
    void stop() {
        List<String> complaints = browser.complaints();
        List<String> requests = browser.requests();
        server.close();
        assertThat(complaints).allMatch(each -> each.contains(excused));
        assertThat(requests).contains(url).allMatch(each -> each.startsWith(url) || each.startsWith("data:"));
    }

    static String focused() {
        return (String) browser.run("return document.activeElement.textContent");
    }

    static List<String> cells(String model) {
        return browser.texts("tbody tr:has(a[href$='/" + model + "']) td");
    }

    void model(String name, long examples, long mistakes) {
        Map<String, Object> fields = new TreeMap<>(Map.of("cause", "WINDOW", "algorithm", "perceptron"));
        fields.putAll(Map.of("examples", examples, "labelled", examples, "errors", mistakes, "mistakes", mistakes));
        fields.putAll(Map.of("updates", mistakes, "weightNorm", 3.5, "radius", 1.0));
        server.state.add(Fabricated.status(name, now, fields));
    }

    static Event<Mistake> mistake(String model, String id, Object label, Object predicted, long timestamp) {
        return new Event<>(
                0,
                System.nanoTime(),
                timestamp,
                model,
                Fabricated.event(Mistake.class, Map.of("exampleId", id, "label", label, "predicted", predicted)));
    }

    DeadLetterView letter(String key, long offset) {
        return new DeadLetterView(key, 0, offset, now, "INVALID_LABEL", "why", "perceptron-examples", 0L, 1L, 2);
    }

    static Event<Alert> drift(String model, long timestamp) {
        String message = "the error rate has risen from 0.02 to 0.48; nothing follows";
        return Fabricated.alert(model, timestamp, Map.of("kind", "DRIFT", "message", message));
    }

    /** A model with windows, mistakes, weights, settings and an alarm. */
    void drifted(String name) {
        Map<String, Object> fields = new TreeMap<>(Map.of("cause", "CONFIGURE", "algorithm", "perceptron"));
        fields.put("settings", Map.of("drift", "adwin", "h", "0.0", "eta", "1.0"));
        server.state.add(Fabricated.status(name, now - 40_000, fields));
        for (int k = 1; k <= 6; k++) {
            long end = now - 40_000 + 5_000L * k;
            Map<String, Object> count = new TreeMap<>(Map.of("windowStart", end - 5_000, "windowEnd", end));
            count.putAll(Map.of("examples", 500L, "labelled", 500L, "errors", 20L, "mistakes", 20L));
            count.putAll(Map.of("totalExamples", 500L * k, "totalLabelled", 500L * k, "totalErrors", 20L * k));
            count.putAll(Map.of("totalMistakes", 20L * k, "totalUpdates", 20L * k, "epoch", 0L));
            count.putAll(Map.of("weightNorm", 3.5, "radius", 1.0, "gammaUpperBound", 0.2));
            Map<String, Object> status = new TreeMap<>(fields);
            status.putAll(Map.of("cause", "WINDOW", "weightNorm", 3.5, "radius", 1.0, "gammaUpperBound", 0.2));
            status.put("confusion", Fabricated.confusion(List.of("-1", "1"), 0, 240L * k, 10, 10, 240L * k));
            server.state.add(Fabricated.status(name, end, status));
            server.state.add(new Event<>(0, k, end, name, Fabricated.event(MistakeCount.class, count)));
        }
        server.state.add(new Event<>(0, 1, now - 10_500, name, Fabricated.mistakeValue("e1", 120)));
        server.state.add(Fabricated.chunk(name, 0, 1, 120, 7, 12, -3));
        server.state.add(drift(name, now - 12_000));
    }
}
