package io.perceptronstreams.client;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.ModelState;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.model.Versions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/**
 * Makes a named snapshot of a model the model again; the weights before it get a name, too, so that this can be undone.
 */
public final class Rollback {
    private final EngineConfig config;

    public Rollback(EngineConfig config) {
        this.config = config;
    }

    /**
     * Names the weights of the model as they are, unless it is deleted or quarantined, imports the named snapshot, and
     * prints the status after each.
     *
     * @throws CommandFailedException if there is no such snapshot, or the engine rejects a part or does not answer in
     *     time
     */
    public void to(String version, String model, Confirmation confirmation, PrintWriter out) throws IOException {
        String name = Versions.key(model, version);
        List<WeightsSnapshot> chunks = SnapshotReader.latestChunks(config, name);
        ModelStatus status = new StatusReader(config).require(model).status();
        if (status.getState() != ModelState.DELETED && status.getState() != ModelState.QUARANTINED) {
            // awaited in any case: without its answer the weights might be lost
            new CommandSender(config)
                    .send(
                            model,
                            "SNAPSHOT",
                            Map.of("name", Versions.BEFORE_ROLLBACK + status.getOffset()),
                            new Confirmation(confirmation.timeoutSeconds(), true, confirmation.isJson()),
                            out);
        }
        try (WeightsFile weights = WeightsFile.of(chunks, name)) {
            WeightsImport.ofModel(config, model).send(weights, name, confirmation, out);
        }
    }
}
