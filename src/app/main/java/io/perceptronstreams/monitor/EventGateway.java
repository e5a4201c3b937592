package io.perceptronstreams.monitor;

import io.perceptronstreams.serde.JsonBatchReader;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends events to the log and waits for the answers of the engine, without blocking the caller. */
@FunctionalInterface
public interface EventGateway {
    /**
     * Sends events of one model in their order.
     *
     * @param model a valid name; * for a command about models to be created, which is sent to each partition
     * @param isWaiting true to wait for the prediction, status or dead letter of each event, false for its
     *     acknowledgement
     * @param budget memory of the answers; one for which too few bytes are left has an error instead of its event
     * @return answers in the order of the events, or of the partitions, within the time-out of the gateway; it never
     *     fails
     */
    CompletableFuture<List<EventAnswer>> send(
            String model, List<JsonBatchReader.Event> events, boolean isWaiting, AnswerBudget budget);
}
