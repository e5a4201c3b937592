package io.perceptronstreams.client;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Writes a snapshot in one of the formats of {@code weights export}.
 *
 * @param chunks all chunks, in order
 * @param top maximum number of weights per vector; {@code Integer.MAX_VALUE} for all
 */
public record WeightsExport(String model, List<GenericRecord> chunks, int top) {
    /** File formats of weights. */
    public enum Format {
        /** One object per line; can be imported. */
        JSON,
        /** Avro container; can be imported. */
        AVRO,
        /** Lines as of Vowpal Wabbit's {@code --invert_hash}, the names of one index separated by |; cannot be imported. */
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
    private List<GenericRecord> selectedChunks() {
        if (top == Integer.MAX_VALUE) {
            return chunks;
        }
        GenericRecord chunk = new GenericData.Record((GenericData.Record) chunks.get(0), false);
        List<GenericRecord> vectors = new ArrayList<>();
        ModelWeights largest = SnapshotReader.assemble(chunks).top(top);
        largest.vectors().forEach((name, vector) -> vectors.add(vector(name, vector)));
        chunk.put("chunk", 0);
        chunk.put("chunks", 1);
        chunk.put("vectors", vectors);
        chunk.put("state", null);
        chunk.put("featureNames", names(largest));
        return List.of(chunk);
    }

    private static List<GenericRecord> names(ModelWeights weights) {
        Schema schema = WeightsFile.SCHEMA.getField("featureNames").schema().getElementType();
        SortedSet<Integer> indices = new TreeSet<>();
        weights.vectors()
                .values()
                .forEach(vector -> indices.addAll(vector.weights().keySet()));
        List<GenericRecord> names = new ArrayList<>();
        for (int index : indices) {
            for (String name : weights.names().all(index)) {
                GenericRecord record = new GenericData.Record(schema);
                record.put("index", index);
                record.put("name", name);
                names.add(record);
            }
        }
        return names;
    }

    private static GenericRecord vector(String name, ModelWeights.Vector vector) {
        Schema schema = WeightsFile.SCHEMA.getField("vectors").schema().getElementType();
        GenericRecord record = new GenericData.Record(schema);
        record.put("name", name);
        record.put("bias", vector.bias());
        record.put("averagedBias", vector.averagedBias());
        record.put("indices", List.copyOf(vector.weights().keySet()));
        record.put(
                "weights",
                vector.weights().values().stream()
                        .map(ModelWeights.Weight::last)
                        .toList());
        record.put(
                "averaged",
                vector.weights().values().stream()
                        .map(ModelWeights.Weight::averaged)
                        .toList());
        return record;
    }

    /** Writes the weights that predict, either last or averaged. */
    private void writeVw(PrintWriter out) {
        Map<String, String> settings = strings((Map<?, ?>) chunks.get(0).get("settings"));
        boolean isAveraged = "averaged".equals(settings.get("predict"));
        ToDoubleFunction<ModelWeights.Weight> written =
                isAveraged ? ModelWeights.Weight::averaged : ModelWeights.Weight::last;
        ModelWeights weights = SnapshotReader.assemble(chunks).top(top, written);
        Map<String, ModelWeights.Vector> vectors = weights.vectors();
        if (vectors.isEmpty()) {
            throw new CommandFailedException("vw must be used for linear models, got one without a vector of weights ("
                    + chunks.get(0).get("algorithm") + "; json and avro have its state)");
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

    /** Converts Avro's strings to Java's. */
    private static Map<String, String> strings(Map<?, ?> map) {
        Map<String, String> strings = new TreeMap<>();
        map.forEach((key, value) -> strings.put(key.toString(), value.toString()));
        return strings;
    }
}
