package io.perceptronstreams.monitor;

/** Totals of one or more models in their current epochs. */
record ModelTotals(
        long examples, long labelled, long errors, long mistakes, long marginMistakes, long updates, long rerouted) {
    static final ModelTotals NONE = new ModelTotals(0, 0, 0, 0, 0, 0, 0);

    ModelTotals plus(ModelTotals other) {
        return new ModelTotals(
                examples + other.examples,
                labelled + other.labelled,
                errors + other.errors,
                mistakes + other.mistakes,
                marginMistakes + other.marginMistakes,
                updates + other.updates,
                rerouted + other.rerouted);
    }
}
