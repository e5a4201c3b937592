package io.perceptronstreams.monitor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelName;
import io.perceptronstreams.model.ModelReplica;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.JsonBatchReader;
import io.perceptronstreams.serde.JsonBatchReader.Examples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Predicts examples with the models of a {@link ModelReplica}.
 *
 * <p>An answer is what the engine would predict for an example at the offset of the answer. Nothing is written: the
 * examples do not count as seen, and no label can follow. The replica learns between two parts of a large request.
 * Thread-safe; at most {@link #MAX_THREADS} threads predict at the same time, because a thread that waits for a model
 * answers no other request.
 */
final class ReplicaPredictions {
    private static final int MAX_ATTEMPTS = 10;

    /** A third of the server's threads; the rest stay free for health checks. */
    static final int MAX_THREADS = 4;

    /** Time after which a request lets others have the models of the partition. */
    private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ModelReplica replica;
    private final long maxAgeMs;
    private final WriteLimits limits;

    private final Queue<Reader> readers = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final Semaphore threads = new Semaphore(MAX_THREADS);

    /** Reads the requests of one thread at a time; keeps the hasher of its last model, which seldom changes. */
    private static final class Reader {
        private final JsonBatchReader json = new JsonBatchReader();
        private String model;
        private FeatureHasher hasher;
    }

    /** @param maxAgeMs maximum age of a model that answers, in ms; 0 for any */
    ReplicaPredictions(ModelReplica replica, long maxAgeMs, WriteLimits limits) {
        this.replica = replica;
        this.maxAgeMs = maxAgeMs;
        this.limits = limits;
    }

    /**
     * Answers a request, on this thread or, where too many of them predict, on one of those; never fails.
     *
     * @param by name of the challenger that predicts; null for the model
     */
    void answer(String model, String by, byte[] body, AnswerBudget budget, Consumer<Answer> use) {
        waiting.add(() -> use.accept(answer(model, by, body, budget)));
        // again, because a request may have come before the thread was given back
        while (!waiting.isEmpty() && threads.tryAcquire()) {
            try {
                Runnable next = waiting.poll();
                while (next != null) {
                    next.run();
                    next = waiting.poll();
                }
            } finally {
                threads.release();
            }
        }
    }

    private Answer answer(String model, String by, byte[] body, AnswerBudget budget) {
        if (!ModelName.isValid(model.getBytes(StandardCharsets.UTF_8))) {
            return Answer.error(400, "model name must be " + ModelName.RULE + ", got another");
        }
        Reader pooled = readers.poll();
        Reader reader = pooled == null ? new Reader() : pooled;
        try {
            return answer(model, by, body, budget, reader);
        } catch (ModelReplica.NotReadyException e) {
            return Answer.error(
                    503,
                    "models must be read by the replica and free, got none for a second (send the request again in a second)");
        } catch (IOException | RuntimeException e) {
            // what was written is dropped
            budget.clear();
            return Answer.error(e);
        } finally {
            readers.add(reader);
        }
    }

    private Answer answer(String name, String by, byte[] body, AnswerBudget budget, Reader reader) throws IOException {
        boolean isCounted = false;
        for (int k = 0; k < MAX_ATTEMPTS; k++) {
            if (k > 0 || !name.equals(reader.model)) {
                reader.hasher = replica.read(
                        name,
                        held -> held == null ? null : held.model().pipeline().hasher());
                reader.model = name;
            }
            FeatureHasher hasher = reader.hasher;
            if (hasher == null) {
                reader.model = null;
                return Answer.error(
                        404, "model must be known, got '" + name + "' (its first example creates it: …/examples)");
            }
            // the features are decoded outside of the lock
            Examples examples = examples(reader, body, hasher);
            String limit =
                    isCounted ? null : limits.takePredicted(examples.examples().size());
            if (limit != null) {
                return Answer.error(429, limit);
            }
            isCounted = true;
            Predictions answer = new Predictions(name, by, examples, hasher, budget);
            while (!answer.isChanged && !answer.isComplete()) {
                replica.read(name, answer::predict);
            }
            if (!answer.isChanged) {
                return answer.answer();
            }
            // the model has changed since, or was dropped from memory
            budget.clear();
        }
        return Answer.error(503, "model must stay as it is for a moment, got '" + name + "', which has not");
    }

    private static Examples examples(Reader reader, byte[] body, FeatureHasher hasher) {
        try {
            return reader.json.examples(body, hasher);
        } catch (IllegalArgumentException e) {
            throw RefusedException.of(e);
        }
    }

    /** Predictions for the examples of a request, of which each turn adds some. */
    private final class Predictions {
        private final String name;
        private final String by;
        private final Examples examples;
        private final FeatureHasher hasher;
        private final AnswerBuffer out;
        private final JsonGenerator json;
        private int next;
        private int status = 200;
        private boolean isChanged;
        private Answer refusal;

        Predictions(String name, String by, Examples examples, FeatureHasher hasher, AnswerBudget budget)
                throws IOException {
            this.name = name;
            this.by = by;
            this.examples = examples;
            this.hasher = hasher;
            out = new AnswerBuffer(budget);
            json = EventJson.WRITER.createGenerator(out);
            if (examples.isArray()) {
                json.writeStartArray();
            }
        }

        boolean isComplete() {
            return refusal != null || next == examples.examples().size();
        }

        /** Predicts as many examples as fit into a turn, at least one. */
        Void predict(ModelReplica.Held held) {
            isChanged = held == null || held.model().pipeline().hasher() != hasher;
            EpochModel predicting = isChanged ? null : predicting(held.model());
            refusal = isChanged ? null : refusal(name, predicting, held);
            if (isChanged || refusal != null) {
                return null;
            }
            long start = System.nanoTime();
            try {
                do {
                    json.writeStartObject();
                    json.writeStringField("model", name);
                    status = Math.max(
                            status,
                            ReplicaPredictions.predict(
                                    json,
                                    by == null ? held.model()::evaluate : predicting::evaluate,
                                    examples.examples().get(next++)));
                    write(json, predicting, held);
                    json.writeEndObject();
                } while (!isComplete() && System.nanoTime() - start < TURN_NS);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return null;
        }

        /** The model, or the challenger that is asked; null if there is none of its name. */
        private EpochModel predicting(Model model) {
            if (by == null) {
                return model.current();
            }
            Challenger challenger = model.challengers().find(by);
            return challenger == null ? null : challenger.model();
        }

        /** Reason for which a model cannot answer; null if it can. */
        private Answer refusal(String name, EpochModel predicting, ModelReplica.Held held) {
            if (predicting == null) {
                String all = held.model().challengers().all().stream()
                        .map(Challenger::name)
                        .collect(Collectors.joining(", "));
                return Answer.error(
                        404,
                        "by must be the name of a challenger, got '" + Truncation.text(by, 40) + "' (model '" + name
                                + "' has " + (all.isEmpty() ? "none" : all) + ")");
            }
            if (by == null && held.model().state() == ModelState.QUARANTINED) {
                return Answer.error(
                        409,
                        "model must not be quarantined, got '" + name
                                + "' (promote a challenger, roll back, import weights, or perceptron models reset "
                                + name + ")");
            }
            if (maxAgeMs > 0 && held.ageMs() > maxAgeMs) {
                return Answer.error(
                        503,
                        "the replica must be at most http.replica.age.max.ms = " + maxAgeMs + " old, got "
                                + held.ageMs());
            }
            return null;
        }

        Answer answer() throws IOException {
            if (refusal != null) {
                return refusal;
            }
            if (examples.isArray()) {
                json.writeEndArray();
            }
            json.close();
            return Answer.json(status, out.flipped());
        }
    }

    /** Writes the fields of a prediction, or of an error; returns the status of HTTP. */
    private static int predict(JsonGenerator json, Function<Example, Outcome> model, Example example)
            throws IOException {
        Outcome outcome;
        try {
            outcome = model.apply(example);
        } catch (RejectedException e) {
            json.writeStringField("error", e.getMessage());
            json.writeStringField("reason", e.reason().name());
            return 422;
        }
        if (example.id().length() > 0) {
            json.writeStringField("exampleId", example.id().toString());
        } else {
            json.writeNullField("exampleId");
        }
        Label label = outcome.predicted();
        json.writeFieldName("label");
        if (label == null) {
            json.writeNull();
        } else if (label instanceof Label.Int number) {
            json.writeNumber(number.value());
        } else if (label instanceof Label.Tags tags) {
            json.writeStartArray();
            for (String tag : tags.tags()) {
                json.writeString(tag);
            }
            json.writeEndArray();
        } else {
            json.writeString(label.toString());
        }
        json.writeNumberField("score", outcome.predictedScore());
        json.writeFieldName("scores");
        if (outcome.scoreCount() == 0) {
            json.writeNull();
        } else {
            json.writeStartObject();
            for (int k = 0; k < outcome.scoreCount(); k++) {
                json.writeNumberField(outcome.scoredLabel(k).toString(), outcome.score(k));
            }
            json.writeEndObject();
        }
        writeForecast(json, outcome);
        return 200;
    }

    /** Writes how sure a prediction is, as the event has it. */
    private static void writeForecast(JsonGenerator json, Outcome outcome) throws IOException {
        if (!outcome.hasProbability()) {
            return;
        }
        json.writeNumberField("probability", outcome.probability());
        if (outcome.hasProbabilities()) {
            json.writeObjectFieldStart("probabilities");
            for (int k = 0; k < outcome.scoreCount(); k++) {
                json.writeNumberField(outcome.scoredLabel(k).toString(), outcome.probability(k));
            }
            json.writeEndObject();
        }
        if (outcome.labelSet() != null) {
            json.writeArrayFieldStart("labelSet");
            for (Label each : outcome.labelSet()) {
                json.writeString(each.toString());
            }
            json.writeEndArray();
        }
    }

    private static void write(JsonGenerator json, EpochModel model, ModelReplica.Held held) throws IOException {
        json.writeNumberField("updates", model.version());
        json.writeNumberField("epoch", model.epoch());
        json.writeObjectFieldStart("position");
        json.writeNumberField("partition", held.partition());
        json.writeNumberField("offset", held.next());
        json.writeEndObject();
        json.writeNumberField("ageMs", held.ageMs());
        json.writeStringField("via", "replica");
    }
}
