package io.perceptronstreams.store;

import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.state.StoredText;
import java.util.Arrays;

/** Everything that survives of a model as text, with the raw bits of every double. */
final class ModelText {
    private final StringBuilder text = new StringBuilder();

    private ModelText() {}

    static String of(Model model) {
        ModelText of = new ModelText();
        of.add(model);
        return of.text.toString();
    }

    private void add(Model model) {
        line("state " + model.state() + " epoch " + model.current().epoch() + " rerouted "
                + model.publications().rerouted() + " chunks "
                + model.publications().chunks());
        line("status at " + model.publications().statusTime() + ", last example at "
                + model.publications().lastExample());
        line("versions " + model.publications().versions());
        model.pipeline().settings().toMap().forEach((name, value) -> line("setting " + name + "=" + value));
        line("counts "
                + StoredText.of(fields ->
                        model.counts().exchange(fields, model.pipeline().settings(), 0, true)));
        line("emitted "
                + StoredText.of(fields ->
                        model.counts().exchangeEmitted(fields, model.pipeline().settings(), true)));
        line("sure "
                + StoredText.of(fields -> {
                    model.current().exchangeCalibration(fields);
                    model.counts().exchangeEmittedReliability(fields);
                    model.decisions().exchange(fields);
                    model.challengers().exchangeSureness(fields);
                    model.corrections().exchange(fields);
                }));
        line("before " + StoredText.of(model.current()::exchangeLabelBefore));
        line("algorithm " + model.pipeline().algorithm());
        model.pipeline().learner().state().numbers().forEach(number -> line("number " + bits(number)));
        model.pipeline().learner().state().names().forEach(name -> line("name " + name));
        model.pipeline().learner().forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                line("vector '" + name + "' " + bits(bias) + " " + bits(averagedBias));
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                line(index + " " + bits(weight) + " " + bits(averaged));
            }
        });
        model.pipeline()
                .vector(Pipeline.STATISTICS)
                .forEach((number, block) -> line("statistics " + number + " "
                        + Arrays.stream(block).mapToObj(ModelText::bits).toList()));
        line("drift "
                + StoredText.of(
                        fields -> model.drift().exchange(fields, model.current().epoch())));
        for (Challenger each : model.challengers().all()) {
            line("challenger " + each.name() + " " + each.options() + " " + StoredText.of(each::exchangeTrial));
            line("bunches " + StoredText.of(fields -> each.trial().exchangeBunches(fields)));
            line("sides " + each.trial().sides());
            line("compared " + each.since() + " " + each.compared() + " " + each.onlyChampionWrong() + " "
                    + each.onlyChallengerWrong() + " " + each.bothWrong() + " from " + each.trialStart());
            add(new Model(each.model()));
        }
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private static String bits(double value) {
        return Long.toHexString(Double.doubleToRawLongBits(value));
    }
}
