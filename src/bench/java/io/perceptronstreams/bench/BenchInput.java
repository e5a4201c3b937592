package io.perceptronstreams.bench;

/** Input topics of a benchmark; all start with the same examples in the same order. */
enum BenchInput {
    /** The hard stream. */
    HARD("bench-hard"),
    /** The hard stream with its features spread over 2^24 indices. */
    WIDE("bench-wide"),
    /** The hard stream, spread over many models. */
    MANY_MODELS("bench-models"),
    /** The hard stream, with each label in a record of its own, some time after its example. */
    LATE_LABELS("bench-late"),
    /** The hard stream, after settings of the models. */
    SETTINGS("bench-settings"),
    /** The hard stream, after the command that begins a challenger of each model. */
    CHALLENGER("bench-challenger"),
    /** The hard stream, after the commands that begin as many challengers of each model as it may have. */
    CHALLENGERS("bench-challengers"),
    /** The hard stream, with many examples in each record. */
    BATCHES("bench-batches"),
    /** The easy stream. */
    EASY("bench-easy");

    private static final int WIDE_BITS = 24;

    private final String prefix;

    BenchInput(String prefix) {
        this.prefix = prefix;
    }

    /** Prefix of topic names. */
    String prefix() {
        return prefix;
    }

    /** Feature indices are less than 2 to this power. */
    int bits(SyntheticStream stream) {
        return this == WIDE ? WIDE_BITS : stream.bits();
    }

    boolean isHard() {
        return this != EASY;
    }
}
