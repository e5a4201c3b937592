package io.perceptronstreams.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.sending.LabelDelay;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The examples of a benchmark.
 *
 * @param stream streams to measure
 * @param mistakes target fraction of mistakes on the hard stream
 * @param live number of live features of sparse examples
 * @param dense number of features of dense examples; null for sparse ones
 * @param models number of models of the variant with many models; null to omit it
 * @param modelsDistribution distribution of examples over these models
 * @param labelsAfter delay of the labels in the variant with late labels; null to omit it
 * @param modelSettings settings of the models in the variant with other settings; empty to omit it
 * @param isChallenged true for the variants with one and with four challengers
 * @param batch number of examples in a record of the variants with batches; 1 to omit them
 * @param variants variants to measure; empty for all of the streams
 */
record BenchExamples(
        Streams stream,
        double mistakes,
        int live,
        Integer dense,
        Integer models,
        BenchModels.Distribution modelsDistribution,
        LabelDelay labelsAfter,
        Map<String, String> modelSettings,
        @JsonProperty("challengers") boolean isChallenged,
        int batch,
        Set<Variant> variants,
        long seed) {

    /** Values of {@code --stream}. */
    enum Streams {
        HARD,
        EASY,
        BOTH;

        boolean isHard() {
            return this != EASY;
        }

        boolean isEasy() {
            return this != HARD;
        }
    }

    static final int MAX_MODELS = 1_000_000;

    private static final double MAX_MISTAKES = 0.4;

    /** @throws CommandFailedException if a value is out of range */
    BenchExamples {
        BenchSettings.require(
                mistakes >= 0 && mistakes <= MAX_MISTAKES,
                "--mistakes must be from 0 to " + MAX_MISTAKES + ", got " + mistakes);
        BenchSettings.require(
                live >= SyntheticStream.MIN_LIVE && live <= SyntheticStream.MAX_LIVE,
                "--live must be from " + SyntheticStream.MIN_LIVE + " to " + SyntheticStream.MAX_LIVE + ", got "
                        + live);
        BenchSettings.require(
                dense == null || (dense >= 1 && dense <= SyntheticStream.MAX_DENSE),
                "--dense must be from 1 to " + SyntheticStream.MAX_DENSE + ", got " + dense);
        BenchSettings.require(
                dense == null || !variants.contains(Variant.WIDE),
                "--dense must not be combined with the variant wide: dense features have their own indices");
        BenchSettings.require(
                models == null || (models >= 2 && models <= MAX_MODELS),
                "--models must be from 2 to " + MAX_MODELS + ", got " + models);
        BenchSettings.require(
                models == null || stream.isHard(),
                "--models must not be combined with --stream easy: many models are measured on the hard stream");
        BenchSettings.require(
                labelsAfter == null || stream.isHard(),
                "--labels-after must not be combined with --stream easy: late labels are measured on the hard stream");
        BenchSettings.require(
                modelSettings.isEmpty() || stream.isHard(),
                "--set must not be combined with --stream easy: settings are measured on the hard stream");
        BenchSettings.require(
                !isChallenged || stream.isHard(),
                "--challengers must not be combined with --stream easy: challengers are measured on the hard stream");
        BenchSettings.require(batch >= 1 && batch <= 1000, "--batch must be from 1 to 1000, got " + batch);
        BenchSettings.require(
                batch == 1 || stream.isHard(),
                "--batch must not be combined with --stream easy: batches are measured on the hard stream");
        try {
            requireUsable(modelSettings);
        } catch (IllegalArgumentException | RejectedException e) {
            throw CommandFailedException.wrongUsage("--set: " + e.getMessage());
        }
    }

    /** Returns true if a variant of the streams is measured. */
    boolean isMeasured(Variant variant) {
        return variants.isEmpty() ? dense == null || variant != Variant.WIDE : variants.contains(variant);
    }

    /** Number of features of an example. */
    int nonZeros() {
        return dense == null ? SyntheticStream.NON_ZEROS : dense;
    }

    /** The same as text, with the number of all. */
    String features() {
        return dense == null
                ? String.format(Locale.ROOT, "%d of %,d", SyntheticStream.NON_ZEROS, live)
                : String.format(Locale.ROOT, "%,d dense", dense);
    }

    /** Creates the stream of the examples. */
    SyntheticStream newStream() {
        return dense == null ? SyntheticStream.ofSparse(seed, live) : SyntheticStream.ofDense(seed, dense);
    }

    /** Returns true if the engine is killed and started again. */
    boolean isRestarted() {
        return stream.isHard() && isMeasured(Variant.RESTARTED);
    }

    /** Tries an example: the engine would only write dead letters, quickly. */
    private static void requireUsable(Map<String, String> modelSettings) {
        Model model = new Model();
        model.configure(modelSettings);
        Example example = new Example();
        example.vector().resetSparse().append(0, 1);
        example.setLabel(Label.PLUS_ONE);
        model.process(example, 0);
    }
}
