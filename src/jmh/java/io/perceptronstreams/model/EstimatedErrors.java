package io.perceptronstreams.model;

import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.probability.ErrorEstimates;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.function.LongFunction;
import java.util.function.ToDoubleFunction;

/**
 * Estimates of the errors of predictions whose labels are out, beside what they became: generated streams, each label
 * some examples after its own.
 *
 * <p>Arguments: number of examples, delay of the labels in examples, seed. Prints for each stream and model the mean of
 * the last windows whose labels are all there, at most 20: of the estimate less the error that it became, of their
 * distance, and of the distance that chance alone makes if each probability is right.
 */
public final class EstimatedErrors {
    private static final List<String> SETTINGS =
            List.of("algorithm=adaptive", "algorithm=perceptron scale=standard", "algorithm=scw c=0.1 scale=standard");

    private static final byte[] VALUE = {0};

    private record Late(Example example, Label label, Waiting then) {}

    private EstimatedErrors() {}

    public static void main(String[] args) {
        int size = Integer.parseInt(args[0]);
        int delay = Integer.parseInt(args[1]);
        long seed = Long.parseLong(args[2]);
        Map<String, LongFunction<StreamGenerators.Stream>> generated = new LinkedHashMap<>(StreamKinds.all());
        generated.putAll(StreamGenerators.all());
        generated.forEach((name, generator) -> {
            StringBuilder line = new StringBuilder(name);
            for (String settings : SETTINGS) {
                List<ErrorEstimates.Window> last =
                        model(settings, generator.apply(seed), size, delay).estimates().windows().stream()
                                .filter(each -> each.out() == 0)
                                .toList();
                line.append(String.format(
                        Locale.ROOT,
                        " | %+.4f, %.4f, %.4f",
                        mean(last, each -> each.estimate() - each.error()),
                        mean(last, each -> Math.abs(each.estimate() - each.error())),
                        mean(last, EstimatedErrors::chance)));
            }
            System.out.println(line);
        });
    }

    private static double mean(List<ErrorEstimates.Window> windows, ToDoubleFunction<ErrorEstimates.Window> number) {
        return windows.stream().mapToDouble(number).average().orElse(Double.NaN);
    }

    /** Mean distance of the share of wrong predictions from their probability, in a window of as many. */
    private static double chance(ErrorEstimates.Window window) {
        return Math.sqrt(2 / Math.PI * window.estimate() * (1 - window.estimate()) / window.predictions());
    }

    private static Model model(String settings, StreamGenerators.Stream stream, int size, int delay) {
        Model model = new Model();
        model.configure(StreamErrors.changes(settings + " labels=-1,1 calibrate=platt await.labels.ms=1000000000"));
        Queue<Late> waiting = new ArrayDeque<>();
        for (int n = 0; n < size; n++) {
            if (waiting.size() == delay) {
                learn(model, waiting.remove(), n);
            }
            Example example = new Example();
            stream.next(example);
            Label label = example.label();
            Example raw = new Example();
            raw.vector().set(example.vector());
            raw.setFeatures(raw.vector());
            example.setLabel(null);
            example.id().set(Integer.toString(n));
            long version = model.current().version();
            model.at(n);
            model.use(example, n, null, null);
            Waiting then = model.waiting(example, VALUE, new InputRecord(VALUE, n, n, 0, false, 0), version);
            model.adapt();
            if (then.hasProbability()) {
                model.estimates()
                        .predicted(
                                n,
                                n,
                                then.forecast().millionths(),
                                model.counts().totals().labelled(),
                                0);
            }
            waiting.add(new Late(raw, label, then));
        }
        return model;
    }

    private static void learn(Model model, Late late, int now) {
        late.example.setLabel(late.label);
        Outcome outcome = model.use(late.example, now, late.then, Counts.Counter.LATE);
        if (late.then.hasProbability()) {
            model.estimates().labelled(late.then.offset(), late.then.forecast().millionths(), outcome.isError());
        }
        var unused = model.adapt();
    }
}
