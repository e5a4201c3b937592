package io.perceptronstreams.store;

import io.perceptronstreams.learner.Counts;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Model;

/** Everything that survives of a model as text, with the raw bits of every double. */
final class ModelText {
    private final StringBuilder text = new StringBuilder();

    private ModelText() {}

    static String of(Model model) {
        ModelText of = new ModelText();
        of.line("state " + model.state() + " epoch " + model.epoch() + " rerouted " + model.rerouted() + " chunks "
                + model.publications().chunks());
        of.line("status at " + model.publications().statusTime());
        model.settings().toMap().forEach((name, value) -> of.line("setting " + name + "=" + value));
        of.counts("totals", model.totals());
        of.line("window " + model.window().isOpen() + " " + model.window().start() + " "
                + model.window().end());
        of.counts("window", model.window().counts());
        model.learner().state().numbers().forEach(number -> of.line("number " + bits(number)));
        model.learner().state().names().forEach(name -> of.line("name " + name));
        model.learner().forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                of.line("vector '" + name + "' " + bits(bias) + " " + bits(averagedBias));
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                of.line(index + " " + bits(weight) + " " + bits(averaged));
            }
        });
        return of.text.toString();
    }

    private void counts(String name, Counts counts) {
        line(name + " " + counts.examples() + " " + counts.labelled() + " " + counts.errors() + " " + counts.mistakes()
                + " " + counts.marginMistakes() + " " + counts.updates() + " " + bits(counts.hingeLoss()));
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private static String bits(double value) {
        return Long.toHexString(Double.doubleToRawLongBits(value));
    }
}
