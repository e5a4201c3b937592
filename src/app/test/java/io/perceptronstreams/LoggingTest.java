package io.perceptronstreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.ConsoleAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.util.SortedArrayStringMap;
import org.apache.logging.log4j.util.StringMap;
import org.junit.jupiter.api.Test;

/** The configuration of the log, {@code perceptron-log4j2.properties}. */
class LoggingTest {
    private final Configuration configuration = LoggerContext.getContext(false).getConfiguration();

    @Test
    void shouldLeaveOutLinesOfAThreadThatWasStopped() {
        assertThat(filtered("fault", "true")).isEqualTo(Filter.Result.DENY);
        assertThat(filtered("fault", "false")).isEqualTo(Filter.Result.NEUTRAL);
    }

    @Test
    void shouldLeaveOutWhatIsNormal() {
        assertThat(filtered("[store] state directory is already locked", "false"))
                .isEqualTo(Filter.Result.DENY);
    }

    /**
     * A filter of all loggers took 13 % of the engine's processor time: Kafka's clients ask for TRACE with each record.
     */
    @Test
    void shouldFilterOnlyWhatIsLogged() {
        assertThat(configuration.getFilter()).isNull();
    }

    /** A full disk was told by 40 lines of a stack trace before the one that says what to do. */
    @Test
    void shouldShowNoStackTraceOfTheEmbeddedBroker() {
        ConsoleAppender appender = configuration.getAppender("broker");
        Log4jLogEvent event = Log4jLogEvent.newBuilder()
                .setLoggerName("org.apache.kafka.storage.internals.log.LogDirFailureChannel")
                .setLevel(Level.ERROR)
                .setMessage(new SimpleMessage("Error while appending records"))
                .setThrown(new IOException("No space left on device"))
                .build();

        assertThat(appender.getLayout().toSerializable(event).toString().lines())
                .singleElement()
                .asString()
                .endsWith("LogDirFailureChannel: Error while appending records: No space left on device");
        assertThat(configuration.getLoggerConfig(event.getLoggerName()).getAppenders())
                .containsOnlyKeys("broker");
    }

    private Filter.Result filtered(String message, String isStopping) {
        StringMap context = new SortedArrayStringMap();
        context.putValue("stopping", isStopping);
        ConsoleAppender appender = configuration.getAppender("stderr");
        return appender.getFilter()
                .filter(Log4jLogEvent.newBuilder()
                        .setLevel(Level.ERROR)
                        .setMessage(new SimpleMessage(message))
                        .setContextData(context)
                        .build());
    }
}
