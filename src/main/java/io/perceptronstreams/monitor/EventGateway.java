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
     * @param model a valid name
     * @param isWaiting true to wait for the prediction or dead letter of each event, false for its acknowledgement
     * @return answers in the order of the events, within the time-out of the gateway; it never fails
     */
    CompletableFuture<List<EventAnswer>> send(String model, List<JsonBatchReader.Event> events, boolean isWaiting);
}
