package io.perceptronstreams.store;

import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.model.ConfusionMatrix;
import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.DriftState;
import io.perceptronstreams.model.Model;
import java.util.List;

/** Everything that survives of a model as text, with the raw bits of every double. */
final class ModelText {
    private static final List<Counts.Counter> LATE = List.of(
            Counts.Counter.UNLABELLED, Counts.Counter.DEFAULTED, Counts.Counter.LATE, Counts.Counter.DUPLICATES);

    private final StringBuilder text = new StringBuilder();

    private ModelText() {}

    static String of(Model model) {
        ModelText of = new ModelText();
        of.add(model);
        return of.text.toString();
    }

    private void add(Model model) {
        line("state " + model.state() + " epoch " + model.epoch() + " rerouted " + model.rerouted() + " chunks "
                + model.publications().chunks());
        line("status at " + model.publications().statusTime());
        model.settings().toMap().forEach((name, value) -> line("setting " + name + "=" + value));
        counts("totals", model.totals());
        if (!model.confusion().isEmpty()) {
            confusion(model.confusion());
        }
        line("window " + model.window().isOpen() + " " + model.window().start() + " "
                + model.window().end());
        counts("window", model.window().counts());
        line("algorithm " + model.algorithm());
        model.learner().state().numbers().forEach(number -> line("number " + bits(number)));
        model.learner().state().names().forEach(name -> line("name " + name));
        model.learner().forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                line("vector '" + name + "' " + bits(bias) + " " + bits(averagedBias));
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                line(index + " " + bits(weight) + " " + bits(averaged));
            }
        });
        DriftState drift = model.drift().state();
        line("last epoch " + drift.lastEpoch());
        drift.detector().forEach(number -> line("detector " + bits(number)));
        drift.trial().forEach(number -> line("trial " + bits(number)));
        if (model.drift().shadow() != null) {
            line("shadow");
            add(model.drift().shadow());
        }
    }

    private void counts(String name, Counts counts) {
        StringBuilder line = new StringBuilder(name);
        StringBuilder late = new StringBuilder();
        for (Counts.Counter counter : Counts.Counter.values()) {
            // counters that came later are not in the texts of old models
            boolean isLate = LATE.contains(counter);
            if (!isLate || counts.of(counter) != 0) {
                (isLate ? late.append(' ').append(counter) : line).append(' ').append(counts.of(counter));
            }
        }
        line(line + " " + bits(counts.hingeLoss()) + late);
    }

    private void confusion(ConfusionMatrix matrix) {
        line("labels " + matrix.names() + " other errors " + matrix.otherErrors());
        for (int row = 0; row <= matrix.size(); row++) {
            StringBuilder counts = new StringBuilder("row " + row);
            for (int column = 0; column <= matrix.size(); column++) {
                counts.append(' ').append(matrix.count(row, column));
            }
            line(counts.toString());
        }
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private static String bits(double value) {
        return Long.toHexString(Double.doubleToRawLongBits(value));
    }
}
