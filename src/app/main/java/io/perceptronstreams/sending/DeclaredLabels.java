package io.perceptronstreams.sending;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.CommandSender;
import io.perceptronstreams.client.Confirmation;
import io.perceptronstreams.client.ErrorMessage;
import io.perceptronstreams.client.StatusReader;
import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.ModelState;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.format.ShellWord;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.settings.Settings;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

/**
 * Names the two labels that a file declares in the models that have not learned yet, as {@code fit} does, by a command
 * before the first example; of the others a note says why not.
 */
final class DeclaredLabels {
    private final EngineConfig config;
    private final String file;
    private final Duration timeout;
    private final Consumer<String> notes;

    /**
     * @param timeout maximum time to wait for the engine's answer to a command
     * @param notes receives a line for each model
     */
    DeclaredLabels(EngineConfig config, String file, Duration timeout, Consumer<String> notes) {
        this.config = config;
        this.file = file;
        this.timeout = timeout;
        this.notes = notes;
    }

    /**
     * Sets the labels of the models.
     *
     * @param labels the negative one first; empty to do nothing
     * @throws CommandFailedException if the engine refuses them
     */
    void set(List<String> models, List<String> labels) {
        if (labels.isEmpty()) {
            return;
        }
        String names = String.join(",", labels);
        try {
            Map<String, StatusReader.Latest> statuses = new StatusReader(config).read();
            boolean isRunning = !timeout.isZero() && isRunning();
            for (String model : models) {
                StatusReader.Latest latest = statuses.get(model);
                set(model, latest == null ? null : latest.status(), labels, isRunning);
            }
        } catch (KafkaException | StartupException | RegistryException | ExecutionException e) {
            // as of a user with the right to send examples only
            notes.accept(declared() + "labels=" + names + " is not set, because "
                    + ErrorMessage.of(e).lines().get(0)
                    + " (perceptron models set MODEL labels=" + ShellWord.of(names)
                    + " before the first example makes a model of two classes)");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("command must not be interrupted", e);
        }
    }

    private String declared() {
        return file + ": two classes are declared, ";
    }

    /** @param status null if there is none */
    private void set(String model, ModelStatus status, List<String> labels, boolean isRunning) {
        String names = String.join(",", labels);
        boolean isNew = status == null || status.getState() == ModelState.DELETED;
        if (!isNew) {
            Settings settings = Settings.DEFAULTS.with(status.getSettings());
            List<String> own = settings.get(Settings.LABELS);
            if (own.equals(labels) || !Algorithm.parse(status.getAlgorithm()).uses(Settings.LABELS)) {
                return;
            }
            if (!own.isEmpty() || status.getLabelled() > 0) {
                notes.accept(declared() + "labels=" + names + " is not set, because " + model + " has "
                        + (own.isEmpty()
                                ? "learned from " + status.getLabelled() + " labels already"
                                : "labels=" + String.join(",", own))
                        + " (perceptron models reset " + model + " labels=" + ShellWord.of(names)
                        + " begins again with them, and forgets its weights)");
                return;
            }
        }
        try {
            new CommandSender(config)
                    .send(
                            model,
                            "CONFIGURE",
                            Map.of(Settings.LABELS.name(), names),
                            new Confirmation(timeout.toMillis() / 1e3, isRunning, false),
                            new PrintWriter(Writer.nullWriter()));
        } catch (CommandFailedException e) {
            if (e.isRefused()) {
                throw new CommandFailedException(
                        declared() + "labels=" + names + " of " + model + " must be accepted, got: " + e.getMessage()
                                + "; no example was sent (perceptron models set " + model
                                + " algorithm=multiclass takes them as names of several classes)",
                        e);
            }
            // an engine that is late executes it later, and before the examples
        }
        notes.accept(declared() + "labels=" + names + " of " + model + " is set");
    }

    private boolean isRunning() throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(config.admin())) {
            return !EngineGroup.members(admin, config).isEmpty();
        }
    }
}
