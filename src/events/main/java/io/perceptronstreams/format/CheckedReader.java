package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import java.io.IOException;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Refuses examples of another reader by their event times, and skips malformed and refused ones unless it stops at
 * them.
 */
final class CheckedReader implements ExampleReader {
    private final ExampleReader reader;
    private final String source;
    private final LongFunction<String> refused;
    private final ReadNotes skipped;

    /**
     * @param source name of the text in messages
     * @param refused returns why an event time in ms is refused, null if it is not
     * @param skipped receives what is skipped; null: it is thrown
     */
    CheckedReader(ExampleReader reader, String source, LongFunction<String> refused, ReadNotes skipped) {
        this.reader = reader;
        this.source = source;
        this.refused = refused;
        this.skipped = skipped;
    }

    @Override
    public Example next() throws IOException {
        while (true) {
            try {
                Example example = reader.next();
                Long time = example == null ? null : reader.timestamp();
                String why = time == null ? null : refused.apply(time);
                if (why != null) {
                    throw new MalformedExampleException(source, reader.line(), why, true);
                }
                return example;
            } catch (MalformedExampleException e) {
                if (skipped == null || !e.isSkippable()) {
                    throw e;
                }
                skipped.skipped(e);
            }
        }
    }

    @Override
    public long line() {
        return reader.line();
    }

    @Override
    public Long timestamp() {
        return reader.timestamp();
    }

    @Override
    public void describe() {
        reader.describe();
    }

    @Override
    public List<String> description() {
        return reader.description();
    }

    @Override
    public List<String> twoLabels() {
        return reader.twoLabels();
    }

    @Override
    public String labelHint() {
        return reader.labelHint();
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
