package io.perceptronstreams.format;

import java.io.IOException;

/** A reader of a format whose examples are lines, or begin at one. */
abstract class LineExampleReader implements ExampleReader {
    final LineReader lines;
    final ExampleIds ids;

    LineExampleReader(LineReader lines, ExampleIds ids) {
        this.lines = lines;
        this.ids = ids;
    }

    @Override
    public long line() {
        return lines.number();
    }

    @Override
    public final void close() throws IOException {
        lines.close();
    }
}
