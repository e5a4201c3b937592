package io.perceptronstreams;

import static org.assertj.core.api.Assertions.assertThat;

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

    /** A filter of all loggers took 13 % of the engine's processor time: Kafka's clients ask for TRACE with each record. */
    @Test
    void shouldFilterOnlyWhatIsLogged() {
        assertThat(configuration.getFilter()).isNull();
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
