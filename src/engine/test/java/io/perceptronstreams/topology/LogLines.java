package io.perceptronstreams.topology;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** Collects log lines until it is closed. */
public final class LogLines extends AbstractAppender implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final Level level;

    /** Starts to collect the lines of level WARN and above. */
    public LogLines() {
        this((Logger) LogManager.getRootLogger(), Level.WARN);
    }

    /** Starts to collect all lines of a class. */
    public LogLines(Class<?> logging) {
        this((Logger) LogManager.getLogger(logging), Level.ALL);
    }

    /** Starts to collect all lines of a logger. */
    public LogLines(String logger) {
        this((Logger) LogManager.getLogger(logger), Level.ALL);
    }

    private LogLines(Logger logger, Level level) {
        super("lines", null, null, true, Property.EMPTY_ARRAY);
        this.logger = logger;
        this.level = level;
        start();
        logger.addAppender(this);
    }

    /** What was logged so far. */
    public List<String> lines() {
        return lines;
    }

    @Override
    public void append(LogEvent event) {
        if (event.getLevel().isMoreSpecificThan(level)) {
            lines.add(event.getLevel() + " " + event.getLoggerName() + ": "
                    + event.getMessage().getFormattedMessage());
        }
    }

    @Override
    public void close() {
        logger.removeAppender(this);
        stop();
    }
}
