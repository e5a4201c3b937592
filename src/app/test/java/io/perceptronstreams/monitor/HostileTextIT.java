package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.Mistake;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Names, ids, labels and messages from producers must remain text in the browser. */
@EnabledIf(
        value = "io.perceptronstreams.monitor.Browser#isThere",
        disabledReason = "needs chromium and chromedriver on the PATH")
@Tag("full")
final class HostileTextIT extends DashboardPage {
    /** Elements of the views. */
    private static final Set<String> OURS = Set.of(
            ("A BUTTON CANVAS CAPTION CODE DATALIST DD DETAILS DIV DL DT FIGCAPTION FIGURE FORM H1 H2 INPUT LABEL LI NAV OL"
                            + " OPTION P PROGRESS SECTION SELECT SPAN SUMMARY TABLE TBODY TD TFOOT TH THEAD TR path svg")
                    .split(" ", -1));

    private final List<String> texts;

    HostileTextIT() throws IOException {
        // a view's stream is held until the next comment cannot be sent
        super("http.streams.max=100", "http.connections.max=200");
        // a script that the policy stopped would be a complaint, too
        excused = "status of 400";
        try (InputStream in = HostileTextIT.class.getResourceAsStream("/hostile-texts.txt")) {
            texts = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    @Test
    void shouldListThemAsNamesOfModels() {
        texts.forEach(text -> server.state.add(Fabricated.status(text, 1, Map.of("algorithm", text))));
        load("");
        browser.await(".tools p", texts.size() + " models");
        Set<String> names = new HashSet<>(browser.texts("a[data-row]"));
        browser.await(".tools p", texts.size() + " models");
        checkElements();
        browser.find(".pager button:last-child").click();
        browser.await(".pager span", "51 to " + texts.size());
        names.addAll(browser.texts("a[data-row]"));

        assertThat(names).containsExactlyInAnyOrderElementsOf(texts);
        checkElements();
    }

    @Test
    void shouldShowEveryOneOfThemAsAModel() {
        for (String text : texts) {
            // with that in all other texts of a status
            Map<String, Object> fields = new TreeMap<>(Map.of("cause", text, "algorithm", text));
            fields.put("settings", Map.of(text, text, "h", text));
            server.state.add(Fabricated.status(text, 1, fields));
        }
        load("");
        for (String text : texts) {
            browser.run("location.hash = arguments[0]", "#/models/" + encoded(text));
            // no path leads to a name with a slash, which the engine refuses anyway
            boolean hasPath = !text.contains("/");
            browser.await(hasPath ? "[aria-label=Settings] td" : ".empty", hasPath ? text : "There is no model");

            assertThat(browser.texts("h1")).singleElement().asString().startsWith(text + " ");
            assertThat(browser.texts("[aria-label=Events] td").contains(text)).isEqualTo(hasPath);
            assertThat(browser.run("return document.title")).isEqualTo(shown(text) + " – perceptron-streams");
            checkElements();
        }
    }

    @Test
    void shouldShowThemInMistakesMarksAndWeights() {
        int half = texts.size() / 2;
        for (int k = 0; k < texts.size(); k++) {
            String text = texts.get(k);
            // a view shows the latest 50 mistakes
            String model = k < half ? "one" : "other";
            server.mistake(new Event<>(
                    0,
                    k,
                    1 + k,
                    model,
                    Fabricated.event(
                            Mistake.class, Map.of("exampleId", text, "label", text, "predicted", text + " "))));
            server.state.add(new Event<>(
                    0, k, 1 + k, model, Fabricated.event(Alert.class, Map.of("kind", "DRIFT", "message", text))));
        }
        for (String model : List.of("one", "other")) {
            List<String> expected = model.equals("one") ? texts.subList(0, half) : texts.subList(half, texts.size());
            List<String> labels = first(expected);
            long[] counts = new long[labels.size() * labels.size()];
            Map<String, Object> fields =
                    Map.of("cause", "WINDOW", "confusion", Fabricated.confusion(labels, 0, counts));
            server.state.add(Fabricated.status(model, 1, fields));
            load("#/models/" + model);
            browser.await("[aria-label='Latest mistakes'] td", expected.get(0));

            assertThat(browser.texts("[aria-label='Latest mistakes'] td:nth-child(2)"))
                    .containsExactlyInAnyOrderElementsOf(expected);
            assertThat(browser.texts("[aria-label='Latest mistakes'] td:nth-child(4)"))
                    .containsExactlyInAnyOrderElementsOf(expected);
            assertThat(browser.texts("[aria-label=Events] td.text")).containsExactlyInAnyOrderElementsOf(expected);
            // labels of any length would make the matrix as large
            assertThat(browser.texts(".matrix tbody th"))
                    .containsExactlyElementsOf(
                            first(expected).stream().map(HostileTextIT::cut).toList());
            checkElements();
        }
    }

    @Test
    void shouldShowThemInDeadLetters() {
        for (int k = 0; k < texts.size(); k++) {
            String text = texts.get(k);
            server.state.add(new DeadLetterView(text, 0, k, 1, text, text, text, 0L, 1L, 2));
            if (k == texts.size() / 2 || k == texts.size() - 1) {
                load("#/engine");
                browser.await("[aria-label='Latest dead letters'] td", text);
                assertThat(browser.texts("[aria-label='Latest dead letters'] td:nth-child(4)"))
                        .containsAll(texts.subList(Math.max(0, k - 40), k + 1));
                assertThat(browser.texts("[aria-label=Reasons] td")).contains(text);
                checkElements();
            }
        }
    }

    private void load(String hash) {
        browser.load(url + hash);
    }

    /** Nothing was made of a text: no element of another kind, no attribute that runs something, no link elsewhere. */
    @SuppressWarnings("unchecked")
    private static void checkElements() {
        assertThat((List<String>) browser.run(
                        "return [...new Set([...document.querySelectorAll('main *')].map(e => e.tagName))]"))
                .isSubsetOf(OURS);
        assertThat(
                        (List<String>)
                                browser.run(
                                        "return [...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
                                                + ".filter(name => name.startsWith('on') || name === 'srcdoc' || name === 'autofocus')"))
                .isEmpty();
        assertThat((List<String>)
                        browser.run("return [...document.querySelectorAll('a')].map(a => a.getAttribute('href'))"))
                .allMatch(link -> link.startsWith("#") || link.startsWith("/"));
        assertThat(browser.run("return document.querySelectorAll('script').length"))
                .isEqualTo(1L);
        assertThat(browser.run("return typeof boom")).isEqualTo("undefined");
    }

    /** As many as a matrix has. */
    private static List<String> first(List<String> labels) {
        return labels.subList(0, Math.min(32, labels.size()));
    }

    private static String cut(String label) {
        return label.length() > 64 ? label.substring(0, 40) + "…" + label.substring(label.length() - 23) : label;
    }

    /** As document.title gives it back. */
    private static String shown(String text) {
        return text.strip();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
