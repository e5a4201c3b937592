package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import java.io.IOException;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Refuses examples of another reader by their event times, and skips malformed and refused ones unless it stops at
 * them.
 */
class CheckedReader implements ExampleReader {
    private final ExampleReader reader;
    private final String source;
    private final LongFunction<String> refused;
    private final ReadNotes skipped;

    private CheckedReader(ExampleReader reader, String source, LongFunction<String> refused, ReadNotes skipped) {
        this.reader = reader;
        this.source = source;
        this.refused = refused;
        this.skipped = skipped;
    }

    /**
     * Checks a reader; the result is direct if the reader is.
     *
     * @param source name of the text in messages
     * @param refused returns why an event time in ms is refused, null if it is not
     * @param skipped receives what is skipped; null: it is thrown
     */
    static ExampleReader of(ExampleReader reader, String source, LongFunction<String> refused, ReadNotes skipped) {
        return reader instanceof DirectReader direct
                ? new Direct(direct, source, refused, skipped)
                : new CheckedReader(reader, source, refused, skipped);
    }

    /** Reads an example; null at the end. */
    private interface Read<T> {
        T next() throws IOException;
    }

    private <T> T checked(Read<T> read) throws IOException {
        while (true) {
            try {
                T example = read.next();
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
    public Example next() throws IOException {
        return checked(reader::next);
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

    private static final class Direct extends CheckedReader implements DirectReader {
        private final DirectReader reader;

        Direct(DirectReader reader, String source, LongFunction<String> refused, ReadNotes skipped) {
            super(reader, source, refused, skipped);
            this.reader = reader;
        }

        @Override
        public boolean next(io.perceptronstreams.example.Example example) throws IOException {
            return super.checked(() -> reader.next(example) ? example : null) != null;
        }
    }
}
