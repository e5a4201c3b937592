package io.perceptronstreams.example;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Raises the default timeout of all awaits, for busy machines, and asks soon at first; registered as a service. */
public final class PatientAwaits implements BeforeAllCallback {
    private static final Duration LONGEST = Duration.ofMillis(100);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
        // most conditions hold within milliseconds, and a suite has thousands of them
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(
                last -> last.compareTo(LONGEST) < 0 ? last.multipliedBy(2) : LONGEST, Duration.ofMillis(5)));
    }
}
