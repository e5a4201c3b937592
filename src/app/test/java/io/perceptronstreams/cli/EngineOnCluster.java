package io.perceptronstreams.cli;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.topology.EngineRunner;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** An engine for all tests of a class. */
final class EngineOnCluster extends SharedCluster implements BeforeAllCallback, AfterAllCallback {
    private EngineConfig config;
    private EngineRunner engine;

    EngineOnCluster(String name) {
        super(name);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws InterruptedException {
        config = config(Map.of("topics.partitions", "2"));
        engine = startEngine(config);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        engine.close();
    }

    EngineConfig config() {
        return config;
    }
}
