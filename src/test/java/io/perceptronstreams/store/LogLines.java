package io.perceptronstreams.store;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What a class logs until this is closed. */
final class LogLines extends AbstractAppender implements AutoCloseable {
    private final Logger logger;
    private final List<String> lines = new ArrayList<>();

    LogLines(Class<?> logging) {
        super("lines", null, null, true, Property.EMPTY_ARRAY);
        logger = (Logger) LogManager.getLogger(logging);
        start();
        logger.addAppender(this);
    }

    @Override
    public void append(LogEvent event) {
        lines.add(event.getLevel() + " " + event.getMessage().getFormattedMessage());
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public void close() {
        logger.removeAppender(this);
        stop();
    }
}
