package io.perceptronstreams.embedded;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.BrokerIdNotRegisteredException;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.controller.Controller;
import org.apache.kafka.controller.ControllerRequestContext;

/**
 * Removes the broker of the previous process from the controller.
 *
 * <p>A killed broker does not deregister. Until its session expires, the controller rejects its successor. Also after
 * that, the successor would send transaction markers to the old port.
 */
final class StaleRegistration {

    private static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(30);
    private static final long RETRY_MS = 10;

    private StaleRegistration() {}

    /**
     * Removes the registration, if there is one. Must be called after the controller has started, before the broker.
     *
     * @throws ExecutionException if the controller does not become active
     */
    static void remove(Controller controller) throws InterruptedException, ExecutionException {
        var request =
                new ControllerRequestContext(new RequestHeaderData(), KafkaPrincipal.ANONYMOUS, OptionalLong.empty());
        long start = System.nanoTime();
        while (true) {
            try {
                controller.unregisterBroker(request, BrokerProperties.NODE_ID).get();
                return;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof BrokerIdNotRegisteredException) {
                    // the directory is new
                    return;
                }
                // the single voter has not elected itself yet
                boolean isElecting = e.getCause() instanceof NotControllerException;
                if (!isElecting || System.nanoTime() - start > ELECTION_TIMEOUT.toNanos()) {
                    throw e;
                }
                Thread.sleep(RETRY_MS);
            }
        }
    }
}
