package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import java.io.IOException;
import java.util.List;

/** Skips malformed examples of another reader. */
final class SkippingReader implements ExampleReader {
    private final ExampleReader reader;
    private final ReadNotes notes;

    /** @param notes receives what is skipped */
    SkippingReader(ExampleReader reader, ReadNotes notes) {
        this.reader = reader;
        this.notes = notes;
    }

    @Override
    public Example next() throws IOException {
        while (true) {
            try {
                return reader.next();
            } catch (MalformedExampleException e) {
                if (!e.isSkippable()) {
                    throw e;
                }
                notes.skipped(e);
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
