package io.perceptronstreams.cli;

import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code perceptron monitor}: dashboard, HTTP API and metrics of an engine in another process. */
@Command(
        name = "monitor",
        description =
                "Serve dashboard, HTTP API and metrics of an engine on a cluster; reads its topics and, unless http.write=true, writes nothing.",
        mixinStandardHelpOptions = true)
public final class MonitorCommand implements Callable<Integer> {
    @Mixin
    private ClientOptions client;

    @Mixin
    private HttpOptions http;

    @Override
    public Integer call() throws Exception {
        return serve("monitor", client.engineConfig(http.settings()));
    }

    /** Serves until the process is told to end. */
    static int serve(String name, EngineConfig config) throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        try (ShutdownSignal stop = new ShutdownSignal();
                RunningMonitor monitor = RunningMonitor.open(
                        config, config.get(EngineConfigDef.HTTP_PORT).orElse(HttpOptions.DEFAULT_PORT), null)) {
            stop.onShutdown(end::countDown);
            monitor.start(null);
            System.err.println(name + " " + monitor.url() + ", reading " + config.get(EngineConfigDef.TOPICS_PREFIX)
                    + "-* at " + config.get(EngineConfigDef.BOOTSTRAP_SERVERS));
            end.await();
        }
        return 0;
    }
}
