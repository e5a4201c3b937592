package io.perceptronstreams.client;

import io.perceptronstreams.event.FeatureName;
import io.perceptronstreams.event.WeightVector;
import io.perceptronstreams.event.WeightsSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * Writes a snapshot in one of the formats of {@code weights export}.
 *
 * @param chunks all chunks, in order
 * @param top maximum number of weights per vector; {@code Integer.MAX_VALUE} for all
 */
public record WeightsExport(String model, List<WeightsSnapshot> chunks, int top) {
    /** File formats of weights. */
    public enum Format {
        /** One object per line; can be imported. */
        JSON,
        /** Avro container; can be imported. */
        AVRO,
        /**
         * Lines as of Vowpal Wabbit's {@code --invert_hash}, the names of one index separated by |; cannot be imported.
         */
        VW
    }

    public void write(Format format, OutputStream out) throws IOException {
        if (format == Format.AVRO) {
            WeightsFile.writeAvro(selectedChunks(), out);
            return;
        }
        write(format, new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8)));
    }

    /** Writes a text format. */
    public void write(Format format, PrintWriter out) throws IOException {
        if (format == Format.JSON) {
            WeightsFile.writeJson(selectedChunks(), out);
        } else {
            writeVw(out);
            out.flush();
        }
        if (out.checkError()) {
            throw new IOException("weights must be written completely, got a write error");
        }
    }

    /** All chunks or, with a limit, one chunk with the largest weights and without state. */
    private List<WeightsSnapshot> selectedChunks() {
        if (top == Integer.MAX_VALUE) {
            return chunks;
        }
        ModelWeights largest = SnapshotReader.assemble(chunks).top(top);
        return List.of(WeightsSnapshot.newBuilder(chunks.get(0))
                .setChunk(0)
                .setChunks(1)
                .setVectors(vectors(largest))
                .setState(null)
                .setFeatureNames(names(largest))
                .build());
    }

    private static List<FeatureName> names(ModelWeights weights) {
        SortedSet<Integer> indices = new TreeSet<>();
        weights.vectors()
                .values()
                .forEach(vector -> indices.addAll(vector.weights().keySet()));
        List<FeatureName> names = new ArrayList<>();
        for (int index : indices) {
            weights.names().all(index).forEach(name -> names.add(new FeatureName(index, name)));
        }
        return names;
    }

    private static List<WeightVector> vectors(ModelWeights weights) {
        List<WeightVector> vectors = new ArrayList<>();
        weights.vectors()
                .forEach((name, vector) -> vectors.add(new WeightVector(
                        name,
                        vector.bias(),
                        vector.averagedBias(),
                        List.copyOf(vector.weights().keySet()),
                        vector.weights().values().stream()
                                .map(ModelWeights.Weight::last)
                                .toList(),
                        vector.weights().values().stream()
                                .map(ModelWeights.Weight::averaged)
                                .toList())));
        return vectors;
    }

    /** Writes the weights that predict, either last or averaged. */
    private void writeVw(PrintWriter out) {
        Map<String, String> settings = chunks.get(0).getSettings();
        boolean isAveraged = "averaged".equals(settings.get("predict"));
        ToDoubleFunction<ModelWeights.Weight> written =
                isAveraged ? ModelWeights.Weight::averaged : ModelWeights.Weight::last;
        ModelWeights weights = SnapshotReader.assemble(chunks).top(top, written);
        Map<String, ModelWeights.Vector> vectors = weights.vectors();
        if (vectors.isEmpty()) {
            throw new CommandFailedException("vw must be used for linear models, got one without a vector of weights ("
                    + chunks.get(0).getAlgorithm() + "; json and avro have its state)");
        }
        out.println("Version perceptron-streams");
        out.println("Id " + model);
        out.println("bits:" + settings.get("hash.bits"));
        out.println(":0");
        vectors.forEach((name, vector) -> {
            String of = name.isEmpty() ? "" : "[" + name + "]";
            double bias = isAveraged ? vector.averagedBias() : vector.bias();
            if (bias != 0) {
                out.println("Constant" + of + "::" + bias);
            }
            vector.weights().forEach((index, weight) -> {
                double value = written.applyAsDouble(weight);
                if (value != 0) {
                    out.println(vwName(weights.names().all(index)) + of + ":" + index + ":" + value);
                }
            });
        });
    }

    /** Names in a line of the format; the last two fields of a line are index and weight. */
    private static String vwName(SortedSet<String> names) {
        return String.join("|", names).replaceAll("\\s|\\p{Cntrl}", "_");
    }
}
