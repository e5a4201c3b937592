package io.perceptronstreams.store;

import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.Counts.Counter;

/** Stores counts as signed differences that are mostly 0, see {@link HeaderCodec}; the hinge loss is stored elsewhere. */
final class CountsCodec {
    private CountsCodec() {}

    static void write(Counts counts, ByteWriter out) {
        out.writeSigned(counts.examples());
        out.writeSigned(counts.examples() - counts.labelled());
        out.writeSigned(counts.mistakes());
        out.writeSigned(counts.errors() - counts.mistakes());
        out.writeSigned(counts.marginMistakes());
        out.writeSigned(counts.updates() - counts.mistakes() - counts.marginMistakes());
    }

    static void read(ByteReader in, Counts counts) {
        counts.set(Counter.EXAMPLES, in.readSigned());
        counts.set(Counter.LABELLED, counts.examples() - in.readSigned());
        counts.set(Counter.MISTAKES, in.readSigned());
        counts.set(Counter.ERRORS, counts.mistakes() + in.readSigned());
        counts.set(Counter.MARGIN_MISTAKES, in.readSigned());
        counts.set(Counter.UPDATES, counts.mistakes() + counts.marginMistakes() + in.readSigned());
    }
}
