package io.perceptronstreams;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/** Keeps the first error of writing, of which a {@link java.io.PrintWriter} has only a flag. */
final class StandardOutput extends FilterOutputStream {
    private IOException fault;

    StandardOutput(OutputStream out) {
        super(out);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            fault = fault == null ? e : fault;
            throw e;
        }
    }

    /** Message of the first error; null without one, or if the reader has closed the pipe, as head does. */
    String fault() {
        return fault == null || closedPipe().equals(fault.getMessage()) ? null : fault.getMessage();
    }

    /** The system's message for a pipe without reader, which depends on the language of the user. */
    private static String closedPipe() {
        try {
            Pipe pipe = Pipe.open();
            try (Pipe.SinkChannel sink = pipe.sink()) {
                pipe.source().close();
                sink.write(ByteBuffer.allocate(1));
            }
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
        return "Broken pipe";
    }
}
