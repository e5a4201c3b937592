package io.perceptronstreams.example;

/** The names of the features of an example, read from its record on demand. */
public interface NameSource {
    /** Receives names. */
    @FunctionalInterface
    interface Sink {
        /** Accepts a name of {@code length} bytes, valid during the call only. */
        void accept(byte[] utf8, int offset, int length);
    }

    /**
     * Passes the names in the order of the record, also those that occur several times.
     *
     * <p>Must be called while the example is in use, because it reads the bytes of the record.
     */
    void forEach(Sink sink);
}
