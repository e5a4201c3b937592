package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares the metrics in alert rules, dashboard and documentation with those of a running engine. */
final class MetricsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Pattern SERIES = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern DOCUMENTED = Pattern.compile("`(perceptron_[a-z_]+)`");

    /** Labels that Prometheus adds to all metrics. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    /** The metric that Prometheus itself creates. */
    private static final String UP = "up";

    private static final SharedCluster CLUSTER = new SharedCluster("metrics");
    private static EngineRunner runner;
    private static RunningMonitor monitor;

    /** Labels of each series, by metric. */
    private static Map<String, List<Map<String, String>>> served;

    @BeforeAll
    static void start() throws Exception {
        EngineConfig config =
                CLUSTER.config(Map.of("http.replica", "true", "alerts.webhook.url", "http://127.0.0.1:9/"));
        runner = new EngineRunner(config);
        monitor = RunningMonitor.open(config, 0, runner);
        runner.start();
        monitor.start(runner.streams());
        runner.awaitRunning();

        // events before that are not counted
        await().atMost(PATIENCE).until(() -> scrape().containsKey("perceptron_examples_total"));
        CLUSTER.send(
                "m",
                IntStream.range(0, 20)
                        .mapToObj(
                                k -> "{\"id\":\"" + k + "\",\"label\":" + (k % 2 == 0 ? 1 : -1) + ",\"features\":[1]}")
                        .toArray(String[]::new));
        CLUSTER.send("m", "{\"id\":\"bad\",\"label\":1,\"features\":[1e999]}");
        // any answer counts, also one before the replica is ready
        new MonitorHttp(monitor.url()).post("m/predict", "{\"features\":[1]}").join();
        await().atMost(PATIENCE).untilAsserted(() -> {
            // metrics of pauses exist only after the first pause
            System.gc();
            served = scrape();
            assertThat(served)
                    .containsKeys(
                            "perceptron_rejected_total",
                            "perceptron_writes_seconds_bucket",
                            "jvm_gc_pause_seconds_sum");
            assertThat(served.get("perceptron_examples_total")).contains(Map.of("model", "m"));
        });
    }

    @AfterAll
    static void stop() {
        monitor.close();
        runner.close();
    }

    @Test
    void shouldServeEveryMetricAndLabelThatRulesAndDashboardAskFor() {
        Set<String> missing = new TreeSet<>();
        List<DeployFiles.Query> queries = DeployFiles.queries();
        for (DeployFiles.Query query : queries) {
            PromQl parsed = PromQl.parse(query.expression());
            assertThat(parsed.selectors()).as(query.where()).isNotEmpty();
            Set<String> labels = new HashSet<>(OF_PROMETHEUS);
            for (PromQl.Selector selector : parsed.selectors()) {
                List<Map<String, String>> series = selector.metric().equals(UP)
                        ? List.of(Map.of("job", "perceptron", "instance", ""))
                        : served.getOrDefault(selector.metric(), List.of());
                if (series.isEmpty()) {
                    missing.add(query.where() + ": " + selector.metric());
                }
                series.forEach(each -> labels.addAll(each.keySet()));
                selector.matchers().forEach((label, matcher) -> {
                    if (!OF_PROMETHEUS.contains(label)
                            && series.stream().noneMatch(each -> matches(each.get(label), matcher))) {
                        missing.add(query.where() + ": " + selector);
                    }
                });
            }
            Set<String> named = new TreeSet<>(parsed.listedLabels());
            named.removeAll(labels);
            named.forEach(label -> missing.add(query.where() + ": label " + label));
            boolean isAggregated = query.expression().matches("(?s).*\\b(sum|min|max|avg)\\b.*");
            Set<String> left = isAggregated ? parsed.listedLabels() : labels;
            shownLabels(query.text()).stream()
                    .filter(label -> !left.contains(label))
                    .forEach(label -> missing.add(query.where() + ": label " + label + " in its text"));
        }

        assertThat(queries).hasSizeGreaterThan(40);
        assertThat(missing).as("asked for, but not served").isEmpty();
    }

    @Test
    void shouldExplainEveryMetric() throws IOException, InterruptedException {
        Pattern line = Pattern.compile("# (HELP|TYPE) (\\S+) ?(.*)");
        Map<String, Set<String>> names = Map.of("HELP", new TreeSet<>(), "TYPE", new TreeSet<>());
        new MonitorHttp(monitor.url()).text("metrics").lines().forEach(each -> {
            Matcher match = line.matcher(each);
            if (match.matches() && !match.group(3).isBlank()) {
                names.get(match.group(1)).add(match.group(2));
            }
        });

        assertThat(names.get("TYPE")).hasSizeGreaterThan(100);
        assertThat(names.get("HELP")).containsAll(names.get("TYPE"));
    }

    @Test
    void shouldOfferTheModelsThatThereAre() {
        String query = DeployFiles.json(DeployFiles.DASHBOARD)
                .at("/templating/list/0/query/query")
                .asText();
        Matcher asked = Pattern.compile("label_values\\((\\w+), (\\w+)\\)").matcher(query);
        assertThat(asked.matches()).as(query).isTrue();
        assertThat(served.get(asked.group(1))).allMatch(labels -> labels.containsKey(asked.group(2)));
    }

    @Test
    void shouldDocumentEveryMetricOfThisProjectAndNoOther() throws IOException {
        Set<String> ours = new TreeSet<>(served.keySet());
        ours.removeIf(metric -> !metric.startsWith("perceptron_"));
        // a histogram has a name for each of its parts
        ours.removeIf(metric -> metric.startsWith("perceptron_writes_seconds_"));
        ours.add("perceptron_writes_seconds");
        Set<String> documented = new TreeSet<>();
        Matcher names = DOCUMENTED.matcher(Files.readString(Path.of("docs/http.md")));
        while (names.find()) {
            documented.add(names.group(1));
        }

        assertThat(documented).isEqualTo(ours);
    }

    /** Labels in the text of an alert or a legend, {@code {{ $labels.x }}} or {@code {{x}}}. */
    private static Set<String> shownLabels(String text) {
        Set<String> labels = new TreeSet<>();
        Matcher shown =
                Pattern.compile("\\{\\{ *(?:\\$labels\\.)?(\\$?\\w+) *}}").matcher(text);
        while (shown.find()) {
            if (!shown.group(1).equals("$value")) {
                labels.add(shown.group(1));
            }
        }
        return labels;
    }

    private static boolean matches(String value, String matcher) {
        if (value == null) {
            return false;
        }
        // a variable of the dashboard can have any value
        return matcher.startsWith("=~\"$") || matcher.equals("=\"" + value + "\"");
    }

    private static Map<String, List<Map<String, String>>> scrape() throws IOException, InterruptedException {
        String text = new MonitorHttp(monitor.url()).text("metrics");
        Map<String, List<Map<String, String>>> series = new TreeMap<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Matcher found = SERIES.matcher(line);
            assertThat(found.matches()).as(line).isTrue();
            Map<String, String> labels = new TreeMap<>();
            if (found.group(2) != null) {
                Matcher label = LABEL.matcher(found.group(2));
                while (label.find()) {
                    labels.put(label.group(1), label.group(2));
                }
            }
            series.computeIfAbsent(found.group(1), name -> new ArrayList<>()).add(labels);
        });
        return series;
    }
}
