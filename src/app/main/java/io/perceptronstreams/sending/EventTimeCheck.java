package io.perceptronstreams.sending;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.format.ReadNotes;
import io.perceptronstreams.serde.Topic;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Check of event times before they are sent: brokers delete old examples at once, or refuse them, by settings of their
 * topic.
 */
final class EventTimeCheck {
    private final TopicValidator topic;
    private final String unknown;
    private final ReadNotes notes;
    private final boolean allowsExpired;
    private boolean hasTimes;

    /**
     * @param topic null if its settings are not known
     * @param unknown reason for that
     */
    EventTimeCheck(TopicValidator topic, String unknown, ReadNotes notes, boolean allowsExpired) {
        this.topic = topic;
        this.unknown = unknown;
        this.notes = notes;
        this.allowsExpired = allowsExpired;
    }

    /**
     * Reads the settings of the topic.
     *
     * @param notes receives a line where the check is not possible, or times are replaced
     * @param allowsExpired true to accept times that brokers delete at once
     */
    static EventTimeCheck of(EngineConfig config, ReadNotes notes, boolean allowsExpired) throws InterruptedException {
        try (Admin admin = Admin.create(config.admin())) {
            return new EventTimeCheck(TopicValidator.ofExamples(admin, config), null, notes, allowsExpired);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof AuthorizationException)) {
                throw new CommandFailedException(TopicValidator.explain(e, config), e);
            }
            return new EventTimeCheck(
                    null,
                    "whether brokers delete examples by these event times is not known: the right DescribeConfigs to "
                            + config.topic(Topic.EXAMPLES) + " is missing",
                    notes,
                    allowsExpired);
        }
    }

    /** Returns why brokers would not accept an event time, and what to do; null if they would. */
    String refused(long eventTime) {
        if (!hasTimes) {
            hasTimes = true;
            String note = topic == null ? unknown : topic.replaced();
            if (note != null) {
                notes.write(note);
            }
        }
        String why = topic == null ? null : topic.refused(eventTime);
        return why == null
                ? null
                : "event time must be accepted by the brokers, got " + Instant.ofEpochMilli(eventTime) + ": " + why
                        + ")";
    }

    /** Returns why brokers would not keep an accepted event time, and what to do; null if they would, or need not. */
    String deleted(long eventTime, String place) {
        String why = topic == null || allowsExpired ? null : topic.deleted(eventTime);
        return why == null
                ? null
                : "event times must be kept by the brokers, got " + Instant.ofEpochMilli(eventTime) + " as " + place
                        + ": " + why + ", --allow-expired sends them anyway)";
    }
}
