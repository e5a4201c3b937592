package io.perceptronstreams.store;

import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.model.Baselines;
import io.perceptronstreams.model.ClassCounts;
import io.perceptronstreams.model.ConfusionMatrix;
import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.EpochCounts;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.state.StoredText;
import java.util.EnumSet;
import java.util.Set;

/** Everything that survives of a model as text, with the raw bits of every double. */
final class ModelText {
    // counters that came later are not in the texts of old models
    private static final Set<Counts.Counter> FIRST = EnumSet.range(Counts.Counter.EXAMPLES, Counts.Counter.UPDATES);
    private static final Set<Counts.Counter> COMPARED =
            EnumSet.range(Counts.Counter.COMPARED, Counts.Counter.SAME_ERRORS);

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
        metrics(model.counts());
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
        line("drift "
                + StoredText.of(fields -> model.drift()
                        .exchange(fields, model.epoch(), model.drift().shadow())));
        if (model.drift().shadow() != null) {
            line("shadow");
            add(model.drift().shadow());
        }
    }

    private void counts(String name, Counts counts) {
        StringBuilder line = new StringBuilder(name);
        StringBuilder late = new StringBuilder();
        StringBuilder compared = new StringBuilder(name).append(" compared");
        for (Counts.Counter counter : Counts.Counter.values()) {
            if (FIRST.contains(counter)) {
                line.append(' ').append(counts.of(counter));
            } else if (COMPARED.contains(counter)) {
                compared.append(' ').append(counts.of(counter));
            } else if (counts.of(counter) != 0) {
                late.append(' ').append(counter).append(' ').append(counts.of(counter));
            }
        }
        line(line + " " + bits(counts.hingeLoss()) + late);
        line(compared.toString());
    }

    private void metrics(EpochCounts counts) {
        Baselines.State baselines = counts.baselines();
        if (baselines.last() < 0) {
            return;
        }
        line("last label " + baselines.last() + " " + baselines.lastHash() + " unanswered " + baselines.unanswered());
        ClassCounts classes = counts.windowClasses();
        for (int place = 0; place < classes.places(); place++) {
            line("window of place " + place + " " + classes.seen(place) + " " + classes.predicted(place) + " "
                    + classes.correct(place));
        }
        for (int k = 0; k < counts.scores().size(); k++) {
            line("score " + bits(counts.scores().score(k)) + " "
                    + counts.scores().isPositive(k));
        }
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
