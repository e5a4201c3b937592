package io.perceptronstreams.topology;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Imports of {@link ReferenceEngine}. Of the faults that weights can have, it detects only a wrong order of the chunks
 * and chunks of different snapshots.
 */
final class ReferenceImports {
    private final Map<String, List<byte[]>> gathered = new TreeMap<>();
    private final FeatureHasher any = new FeatureHasher(1);
    private final Example example = new Example();
    private final InputDecoder decoder;
    private int number;

    ReferenceImports(InputDecoder decoder) {
        this.decoder = decoder;
    }

    /** By model, the values of the chunks of an import that has not come to its end. */
    Map<String, List<byte[]>> gathered() {
        return gathered;
    }

    /** Number of imports that were counted. */
    int number() {
        return number;
    }

    void count() {
        number++;
    }

    /** Ends an import before its last chunk. */
    void forget(String name) {
        gathered.remove(name);
    }

    /** Adds a chunk; returns the model at the last one, otherwise null. */
    Model gather(String name, byte[] value, WeightsChunk chunk) {
        List<byte[]> before = chunk.number() == 0 ? new ArrayList<>() : gathered.get(name);
        gathered.remove(name);
        boolean isNext = before != null && before.size() == chunk.number();
        if (isNext && !before.isEmpty()) {
            isNext = decoded(before.get(0)).header().equals(chunk.header());
        }
        if (!isNext) {
            throw new RejectedException(RejectReason.INVALID_WEIGHTS, null);
        }
        before.add(value);
        if (!chunk.isLast()) {
            gathered.put(name, before);
            return null;
        }
        return model(chunk.header(), before);
    }

    private WeightsChunk decoded(byte[] value) {
        decoder.decode(value, any, example);
        return decoder.weights();
    }

    private Model model(WeightsChunk.Header header, List<byte[]> values) {
        List<Double> numbers = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<WeightsChunk.FeatureName> featureNames = new ArrayList<>();
        Map<List<Integer>, double[]> blocks = new LinkedHashMap<>();
        for (byte[] value : values) {
            WeightsChunk chunk = decoded(value);
            Arrays.stream(chunk.numbers()).forEach(numbers::add);
            names.addAll(chunk.names());
            featureNames.addAll(chunk.featureNames());
            for (WeightsChunk.Block piece : chunk.blocks()) {
                double[] block = blocks.computeIfAbsent(
                        List.of(piece.vector(), piece.number()), key -> new double[piece.length()]);
                for (int k = 0; k < piece.positions().length; k++) {
                    block[piece.positions()[k]] = piece.values()[k];
                }
            }
        }
        Algorithm algorithm =
                Algorithm.valueOf(header.algorithm().toUpperCase(Locale.ROOT).replace('-', '_'));
        Settings settings = Settings.DEFAULTS.with(header.settings());
        Model model = new Model();
        model.restore(
                EpochModel.restored(
                        0,
                        settings,
                        NegativeLabel.ofDecision(header.settings().get("negative.label")),
                        algorithm,
                        new LearnerState(numbers, names)),
                ModelState.LIVE);
        model.counts()
                .totals()
                .set(Counter.EXAMPLES, header.examples())
                .set(Counter.LABELLED, header.labelled())
                .set(Counter.ERRORS, header.errors())
                .set(Counter.MISTAKES, header.mistakes())
                .set(Counter.MARGIN_MISTAKES, header.marginMistakes())
                .set(Counter.UPDATES, header.updates())
                .setHingeLoss(header.hingeLoss());
        blocks.forEach((key, block) -> model.pipeline().vector(key.get(0)).restore(key.get(1), block));
        featureNames.forEach(each ->
                model.pipeline().names().append(each.name(), model.pipeline().hasher()));
        return model;
    }

    /** Makes the weights of an imported model the comparator of another. */
    static void compare(Model model, Model imported) {
        String kernel = imported.pipeline().settings().toMap().get("kernel");
        boolean isOfFeatures = kernel.isEmpty() || kernel.equals("linear");
        if (!isOfFeatures
                || List.of("multiclass", "structured", "sequence")
                        .contains("" + imported.pipeline().algorithm())) {
            throw new IllegalArgumentException("no weights of features for two classes");
        }
        if (!imported.pipeline()
                .settings()
                .get(Settings.HASH_BITS)
                .equals(model.pipeline().settings().get(Settings.HASH_BITS))) {
            throw new IllegalArgumentException("names with other indices");
        }
        BlockVector u = new BlockVector(1);
        double[] bias = new double[1];
        imported.pipeline().learner().forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String any, double itsBias, double averagedBias) {
                bias[0] = itsBias;
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                if (weight != 0) {
                    u.write(index, 0, weight);
                }
            }
        });
        model.pipeline().compareWith(u, bias[0]);
    }
}
