package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.monitor.Browser;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The dashboard in a browser, with a real engine. */
@EnabledIf(
        value = "io.perceptronstreams.monitor.Browser#isThere",
        disabledReason = "needs chromium and chromedriver on the PATH")
@Tag("full")
final class LiveDashboardIT {
    private static final int EXAMPLES = 400;

    // the commands on the page have no prefix
    private static final SharedCluster CLUSTER = new SharedCluster("perceptron");
    private static EngineConfig config;
    private static EngineRunner runner;
    private static RunningMonitor monitor;
    private static Browser browser;

    // event time; recent, or retention would delete the output
    private long now = System.currentTimeMillis() - 2_000_000;

    @BeforeAll
    static void start() throws Exception {
        // with a name as in `run`; otherwise the engine would wait for the end of the previous session
        config = CLUSTER.config(Map.of("topics.partitions", "2", "group.instance.id", "dashboard"));
        startEngine(0);
        browser = Browser.open(1280, 900);
    }

    private static void startEngine(int port) throws InterruptedException {
        runner = new EngineRunner(config);
        monitor = RunningMonitor.open(config, port, runner);
        runner.start();
        monitor.start(runner.streams());
        runner.awaitRunning();
    }

    private static void stopEngine() {
        monitor.close();
        runner.close();
        // close() has a time-out, after which the engine may still hold its directory
        await().until(() -> runner.streams().state().hasCompletedShutdown());
    }

    @AfterAll
    static void stop() {
        browser.close();
        stopEngine();
    }

    @Test
    void shouldShowWhatTheEngineLearnsNoticeADriftAndOutliveARestart() throws Exception {
        browser.load(monitor.url());
        browser.run("window.isSame = true");
        browser.await("#status", "● live");
        browser.await(".empty", "No model has seen an example yet");
        // the page has the addresses of this engine; file and names are the user's
        paste(browser.texts(".command code")
                .get(0)
                .replace("FILE.csv", "src/app/main/resources/demo/wdbc.csv")
                .replace("NAME", "wdbc")
                .replace("COLUMN", "diagnosis"));
        browser.await("tbody tr", "wdbc");

        send("drifting", true);
        browser.await("tbody tr", "drifting");
        browser.run("location.hash = '#/models/drifting'");
        browser.await(".facts dd", String.valueOf(EXAMPLES));
        assertThat(browser.texts("[aria-label=Events] td[data-tone=bad]")).isEmpty();
        send("drifting", false);
        browser.await("[aria-label=Events] td[data-tone=bad]", "▲ DRIFT");
        browser.await("[aria-label=Events] td.text", "the error rate has risen from");

        int port = URI.create(monitor.url()).getPort();
        stopEngine();
        browser.await("#status", "✕ no connection");
        browser.await("#banner", "the page shows the state of that time");
        assertThat(browser.texts("[aria-label=Events] td[data-tone=bad]")).isNotEmpty();
        startEngine(port);
        browser.await("#status", "● live");
        assertThat(browser.texts("#banner")).isEmpty();
        browser.run("location.hash = '#/engine'");
        browser.await(".facts dd", "running");
        assertThat(browser.texts("[aria-label=Restoration] td")).contains("✓ yes");
        send("restarted", true);
        browser.run("location.hash = '#/'");
        browser.await("tbody tr", "restarted");
        browser.await("tbody tr", String.valueOf(EXAMPLES));

        // never reloaded, no errors except during the outage, and no requests to other hosts
        assertThat(browser.run("return window.isSame")).isEqualTo(true);
        assertThat(browser.complaints()).allMatch(each -> each.contains("Failed to load resource"));
        assertThat(browser.requests()).allMatch(each -> each.startsWith(monitor.url()) || each.startsWith("data:"));
    }

    /** Runs a command shown on the page in this process, because a process would need a jar. */
    private static void paste(String command) {
        List<String> words = new ArrayList<>(Arrays.asList(command.split(" ")));
        assertThat(words.remove(0)).isEqualTo("./perceptron");
        assertThat(CLUSTER.runAlone(words.toArray(String[]::new)))
                .as(CLUSTER.errors())
                .isZero();
    }

    /**
     * Examples of one feature, whose sign is the label or independent of it, one second of event time apart: the
     * minimum interval of statuses.
     */
    private void send(String model, boolean isSign) {
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(config)) {
            byte[] key = model.getBytes(StandardCharsets.UTF_8);
            List<String> values = new ArrayList<>();
            if (model.equals("drifting")) {
                values.add("{\"action\":\"CONFIGURE\",\"settings\":{\"drift\":\"adwin\",\"drift.action\":\"reset\"}}");
            }
            for (int k = 0; k < EXAMPLES; k++) {
                int x = k % 2 == 0 ? 1 : -1;
                int label = isSign || k % 4 < 2 ? x : -x;
                values.add("{\"id\":\"" + k + "\",\"label\":" + label + ",\"features\":[" + x + "]}");
            }
            values.forEach(value -> {
                now += 1_000;
                var unused = producer.send(new ProducerRecord<>(
                        CLUSTER.topic(Topic.EXAMPLES), null, now, key, value.getBytes(StandardCharsets.UTF_8)));
            });
        }
    }
}
