package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.Main;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.EmbeddedCluster;
import io.perceptronstreams.topology.Engine;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** An engine on an embedded cluster, for all tests of a class, and the commands that they run against it. */
final class EngineOnCluster implements BeforeAllCallback, AfterAllCallback {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path directory;
    private EmbeddedCluster cluster;
    private EngineConfig config;
    private Engine engine;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        directory = Files.createTempDirectory("engine");
        cluster = EmbeddedCluster.start(directory.resolve("cluster"), 0, 0);
        Map<String, String> settings = new HashMap<>(cluster.addresses());
        settings.put("data.dir", directory.resolve("engine").toString());
        settings.put("topics.create", "true");
        settings.put("topics.partitions", "2");
        config = EngineConfig.of(settings, Map.of(), null, Map.of());
        engine = new Engine(config);
        engine.start();
        engine.awaitRunning();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        Utils.closeQuietly(engine, "engine");
        Utils.closeQuietly(cluster, "cluster");
        Utils.delete(directory.toFile());
    }

    EngineConfig config() {
        return config;
    }

    /** Runs a command that connects to the cluster. */
    int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--bootstrap", cluster.bootstrapServers(), "--registry", cluster.registryUrl()));
        return runAlone(all.toArray(String[]::new));
    }

    /** Runs a command that does not connect to the cluster. */
    int runAlone(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(arguments, new PrintWriter(out), new PrintWriter(err));
    }

    /** Output of the last command. */
    String output() {
        return out.toString();
    }

    /** Standard error of the last command. */
    String errors() {
        return err.toString();
    }

    /** Checks that the last command succeeded, and returns its lines. */
    List<String> lines(int exitCode) {
        assertThat(exitCode).as(errors()).isZero();
        return output().lines().toList();
    }
}
