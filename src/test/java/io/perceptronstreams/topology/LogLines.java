package io.perceptronstreams.topology;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** Collects log lines of level WARN and above until it is closed. */
public final class LogLines extends AbstractAppender implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Logger root = (Logger) LogManager.getRootLogger();

    /** Starts to collect. */
    public LogLines() {
        super("lines", null, null, true, Property.EMPTY_ARRAY);
        start();
        root.addAppender(this);
    }

    /** What was logged so far. */
    public List<String> lines() {
        return lines;
    }

    @Override
    public void append(LogEvent event) {
        if (event.getLevel().isMoreSpecificThan(Level.WARN)) {
            lines.add(event.getLevel() + " " + event.getLoggerName() + ": "
                    + event.getMessage().getFormattedMessage());
        }
    }

    @Override
    public void close() {
        root.removeAppender(this);
        stop();
    }
}
