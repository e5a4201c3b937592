package io.perceptronstreams.store;

import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.Counts.Counter;
import java.util.List;

/** Stores counts as signed differences that are mostly 0, see {@link HeaderCodec}; the hinge loss is stored elsewhere. */
final class CountsCodec {
    /** Counts of late labels and duplicates, in the order in which they are stored. */
    private static final List<Counter> LATE =
            List.of(Counter.UNLABELLED, Counter.DEFAULTED, Counter.LATE, Counter.DUPLICATES);

    private CountsCodec() {}

    static void write(Counts counts, ByteWriter out) {
        out.writeSigned(counts.examples());
        out.writeSigned(counts.examples() - counts.labelled());
        out.writeSigned(counts.mistakes());
        out.writeSigned(counts.errors() - counts.mistakes());
        out.writeSigned(counts.marginMistakes());
        out.writeSigned(counts.updates() - counts.mistakes() - counts.marginMistakes());
    }

    /** Writes the counts of {@link #LATE}. */
    static void writeLate(Counts counts, ByteWriter out) {
        LATE.forEach(counter -> out.writeSigned(counts.of(counter)));
    }

    static void readLate(ByteReader in, Counts counts) {
        LATE.forEach(counter -> counts.set(counter, in.readSigned()));
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
