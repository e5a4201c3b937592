package io.perceptronstreams.serde;

import io.perceptronstreams.example.NameSource;

/** The names of the features of the example that an {@link ExampleDecoder} has decoded. Not thread-safe. */
final class AvroNames implements NameSource {
    private final AvroReader in = new AvroReader();
    private byte[] bytes;
    private int start;

    /** Sets the bytes of an example and the position of its features, which must be valid. */
    void reset(byte[] ofExample, int position) {
        bytes = ofExample;
        start = position;
    }

    @Override
    public void forEach(Sink sink) {
        in.reset(bytes, start);
        switch (in.readInt()) {
            case 2, 5 -> named(sink);
            case 3 -> sequence(sink);
            case 4 -> candidates(sink);
            default -> {
                // indices
            }
        }
    }

    private void named(Sink sink) {
        for (int left = in.readBlockCount(1); left > 0; left = in.next(left, 1)) {
            name(sink);
            in.skip(Double.BYTES);
        }
    }

    private void sequence(Sink sink) {
        for (int left = in.readBlockCount(1); left > 0; left = in.next(left, 1)) {
            token(sink);
        }
    }

    private void token(Sink sink) {
        for (int left = in.readBlockCount(1); left > 0; left = in.next(left, 1)) {
            name(sink);
        }
    }

    private void candidates(Sink sink) {
        for (int left = in.readBlockCount(1); left > 0; left = in.next(left, 1)) {
            in.skipString();
            named(sink);
        }
    }

    private void name(Sink sink) {
        int offset = in.skipString();
        sink.accept(bytes, offset, in.position() - offset);
    }
}
