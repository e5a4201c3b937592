package io.perceptronstreams.monitor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.access.Role;
import io.perceptronstreams.event.ModelState;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelName;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.JsonBatchReader;
import io.perceptronstreams.serde.JsonBatchReader.Batch;
import io.perceptronstreams.serde.JsonBatchReader.Event;
import io.perceptronstreams.serde.JsonBatchReader.Purpose;
import io.perceptronstreams.thread.DaemonThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Answers requests that send examples, labels and commands: checks them, passes them to the {@link EventGateway}, and
 * writes the answers in JSON.
 *
 * <p>One thread reads all bodies, so that they take the memory and the time of one.
 */
final class EventRequests implements AutoCloseable {
    /** Purpose of a request, by the last part of its path. */
    enum Route {
        PREDICT(Role.SEND, Purpose.PREDICT, "prediction"),
        EXAMPLES(Role.SEND, Purpose.LEARN, "prediction"),
        LABELS(Role.SEND, Purpose.LABEL, null),
        COMMANDS(Role.COMMAND, Purpose.COMMAND, "status");

        private final Role role;
        private final Purpose purpose;
        private final String awaited;

        /** @param awaited value of the parameter {@code wait}; null without it */
        Route(Role role, Purpose purpose, String awaited) {
            this.role = role;
            this.purpose = purpose;
            this.awaited = awaited;
        }

        /** Last part of the path. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Role that a client must have. */
        Role role() {
            return role;
        }
    }

    private final DashboardState state;
    private final EventGateway gateway;
    private final ReplicaPredictions replica;
    private final WriteLimits limits;
    private final MetricsEndpoint metrics;
    private final JsonBatchReader bodies = new JsonBatchReader();
    private final ExecutorService reader =
            Executors.newSingleThreadExecutor(task -> new DaemonThread("monitor-writes", task));

    /**
     * @param gateway null if nothing can be sent to the log
     * @param replica null if there is none
     */
    EventRequests(
            DashboardState state,
            EventGateway gateway,
            ReplicaPredictions replica,
            WriteLimits limits,
            MetricsEndpoint metrics) {
        this.state = state;
        this.gateway = gateway;
        this.replica = replica;
        this.limits = limits;
        this.metrics = metrics;
        metrics.bind(limits);
    }

    WriteLimits limits() {
        return limits;
    }

    MetricsEndpoint metrics() {
        return metrics;
    }

    /**
     * Returns true if the replica answers, not the log.
     *
     * @param prefersLog true if the client does
     */
    boolean isForReplica(Route route, boolean prefersLog) {
        return replica != null && route == Route.PREDICT && !prefersLog;
    }

    /**
     * Predicts with the replica, if {@link #isForReplica}, on any thread; never fails because of the request.
     *
     * @param by name of the challenger that predicts; null for the model
     */
    void predict(String model, String by, byte[] body, AnswerBudget budget, Consumer<Answer> use) {
        replica.answer(model, by, body, budget, use);
    }

    /**
     * Sends a request to the log and answers it, later and on any thread; the answer never fails.
     *
     * @param wait value of the parameter {@code wait}; null if it is missing
     * @param commanded gets the command, if there is one, before the answer
     */
    CompletableFuture<Answer> answer(
            String model,
            Route route,
            String wait,
            byte[] body,
            AnswerBudget budget,
            Consumer<ModelCommand> commanded) {
        if (gateway == null) {
            return CompletableFuture.completedFuture(Answer.error(404, RequestFilter.NOT_WRITING));
        }
        return CompletableFuture.supplyAsync(() -> read(model, route, wait, body, commanded), reader)
                .thenCompose(
                        batch -> gateway.send(model, batch.events(), route == Route.PREDICT || wait != null, budget)
                                .thenApply(answers -> answer(model, batch, answers)))
                .exceptionally(
                        failure -> Answer.error(failure instanceof CompletionException ? failure.getCause() : failure));
    }

    private Batch read(String model, Route route, String wait, byte[] body, Consumer<ModelCommand> commanded) {
        boolean isForAll = route == Route.COMMANDS && model.equals(ModelDefaults.KEY);
        if (!isForAll && !ModelName.isValid(model.getBytes(StandardCharsets.UTF_8))) {
            throw new RefusedException(400, "model name must be " + ModelName.RULE + ", got another");
        }
        if (wait != null && !wait.equals(route.awaited)) {
            throw new RefusedException(
                    400,
                    "wait must be "
                            + (route.awaited == null ? "left out for " + route.text() : route.awaited)
                            + ", got '" + Truncation.text(wait, 40) + "'");
        }
        if (route == Route.COMMANDS) {
            return command(body, isForAll, commanded);
        }
        Optional<ModelState> modelState = state.status(model).map(ModelStatus::getState);
        checkExistence(model, route, modelState.orElse(null));
        Batch batch = batch(body, route.purpose);
        if (modelState.isPresent()) {
            checkState(model, modelState.get(), batch.events());
        }
        take(batch);
        return batch;
    }

    private Batch batch(byte[] body, Purpose purpose) {
        try {
            return bodies.read(body, purpose);
        } catch (IllegalArgumentException e) {
            throw RefusedException.of(e);
        }
    }

    private void take(Batch batch) {
        String limit = limits.take(batch.events().size());
        if (limit != null) {
            throw new RefusedException(429, limit);
        }
    }

    /** Reads a command; whether the model exists, and can execute it, is the engine's answer. */
    private Batch command(byte[] body, boolean isForAll, Consumer<ModelCommand> commanded) {
        Batch batch = batch(body, Purpose.COMMAND);
        ModelCommand command = batch.events().get(0).command();
        commanded.accept(command);
        if (isForAll != (command.action() == ModelCommand.Action.DEFAULTS)) {
            throw new RefusedException(
                    400,
                    isForAll
                            ? "a command to * must be DEFAULTS, got " + command.action()
                            : "DEFAULTS must be sent to …/models/*/commands, got the name of a model");
        }
        take(batch);
        return batch;
    }

    /** A model comes into being with its first example, but not because of a misspelt name in a question. */
    private void checkExistence(String model, Route route, ModelState modelState) {
        boolean isKnown = modelState != null && modelState != ModelState.DELETED;
        if (isKnown || route == Route.EXAMPLES) {
            return;
        }
        if (!state.hasCaughtUp()) {
            throw new RefusedException(
                    503, "models must be read, which is not finished (send the request again in a second)");
        }
        if (modelState != null || state.droppedModels() == 0) {
            throw new RefusedException(
                    404, "model must be known, got '" + model + "' (its first example creates it: …/examples)");
        }
    }

    private static void checkState(String model, ModelState modelState, List<Event> events) {
        if (modelState == ModelState.QUARANTINED) {
            throw new RefusedException(
                    409,
                    "model must not be quarantined, got '" + model
                            + "' (promote a challenger, roll back, import weights, or perceptron models reset " + model
                            + ")");
        }
        if (modelState == ModelState.FROZEN && events.stream().anyMatch(Event::hasLabel)) {
            throw new RefusedException(
                    409,
                    "model must learn, got '" + model + "', which is frozen (perceptron models thaw " + model
                            + ", or leave out the labels)");
        }
    }

    private static Answer answer(String model, Batch batch, List<EventAnswer> answers) {
        EventAnswer.Outcome worst =
                answers.stream().map(EventAnswer::outcome).max(Enum::compareTo).orElseThrow();
        // the gateway has counted the bytes
        AnswerBuffer out = new AnswerBuffer(AnswerBudget.UNLIMITED);
        try (JsonGenerator json = EventJson.WRITER.createGenerator(out)) {
            // of a command to *, an answer for each partition
            boolean isArray = batch.isArray() || model.equals(ModelDefaults.KEY);
            if (isArray) {
                json.writeStartArray();
            }
            for (EventAnswer answer : answers) {
                answer.write(json, model);
            }
            if (isArray) {
                json.writeEndArray();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Answer.json(worst.status(), out.flipped());
    }

    @Override
    public void close() {
        reader.shutdownNow();
    }
}
