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
 * Makes the controller forget the broker of the process that ran before this one.
 *
 * <p>A killed broker does not deregister. Until its session expires, the controller rejects its successor; and the successor, already
 * leader of all partitions, would send the markers of finished transactions to the old port, also after the session has expired.
 */
final class StaleRegistration {

    private static final Duration ELECTION = Duration.ofSeconds(30);
    private static final long PAUSE_MS = 10;

    private StaleRegistration() {}

    /**
     * Call it when the controller is started and the broker is not yet; fails if it does not become the active one.
     *
     */
    static void forget(Controller controller) throws InterruptedException, ExecutionException {
        var request =
                new ControllerRequestContext(new RequestHeaderData(), KafkaPrincipal.ANONYMOUS, OptionalLong.empty());
        long start = System.nanoTime();
        while (true) {
            try {
                controller.unregisterBroker(request, BrokerProperties.NODE_ID).get();
                return;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof BrokerIdNotRegisteredException) {
                    // a new directory
                    return;
                }
                // a quorum of one elects itself, but not at once
                boolean isElecting = e.getCause() instanceof NotControllerException;
                if (!isElecting || System.nanoTime() - start > ELECTION.toNanos()) {
                    throw e;
                }
                Thread.sleep(PAUSE_MS);
            }
        }
    }
}
