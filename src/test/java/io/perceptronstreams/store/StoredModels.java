package io.perceptronstreams.store;

import io.perceptronstreams.learner.Model;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;

/** What a changelog should hold of models, and where it differs. */
public final class StoredModels {
    private StoredModels() {}

    /**
     * Compares raw bits: the header with all counters, and every block that was ever touched in the present epoch, or by the
     * shadow.
     *
     * @param stored the last value of every key
     * @param staged by name, what is put aside under it
     * @return a line for every missing, surplus or different record
     */
    public static List<String> differences(
            Map<Bytes, byte[]> stored, Map<String, Model> models, Map<String, List<byte[]>> staged) {
        List<String> differences = new ArrayList<>();
        Map<Bytes, byte[]> rest = new HashMap<>(stored);
        rest.remove(ModelKeys.POSITION);
        models.forEach((name, model) -> {
            byte[] key = name.getBytes(StandardCharsets.UTF_8);
            byte[] header = rest.remove(ModelKeys.header(key));
            if (header == null
                    || !Arrays.equals(
                            header,
                            HeaderCodec.encode(model, HeaderCodec.decode(header).position()))) {
                differences.add("header of " + name + " is missing or different");
            }
            compareBlocks(name, model, rest, differences);
            if (model.shadow() != null) {
                compareBlocks(name, model.shadow(), rest, differences);
            }
        });
        staged.forEach((name, pieces) -> {
            for (int piece = 0; piece < pieces.size(); piece++) {
                Bytes key = ModelKeys.staged(name.getBytes(StandardCharsets.UTF_8), piece);
                if (!Arrays.equals(rest.remove(key), pieces.get(piece))) {
                    differences.add("piece " + piece + " put aside for " + name + " is missing or different");
                }
            }
        });
        rest.keySet().forEach(key -> differences.add("key " + key + " is not of any model's present epoch or shadow"));
        return differences;
    }

    private static void compareBlocks(String name, Model model, Map<Bytes, byte[]> rest, List<String> differences) {
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            int number = vector;
            model.vector(vector).forEach((block, values) -> {
                byte[] bytes = rest.remove(
                        ModelKeys.block(name.getBytes(StandardCharsets.UTF_8), model.epoch(), number, block));
                String where = "block " + block + " of vector " + number + " of epoch " + model.epoch() + " of " + name;
                if (values == null) {
                    if (bytes != null) {
                        differences.add(where + " is still there");
                    }
                } else if (bytes == null) {
                    differences.add(where + " is missing");
                } else if (!Arrays.equals(bits(BlockCodec.decode(bytes)), bits(values))) {
                    differences.add(where + " is different");
                }
            });
        }
    }

    private static long[] bits(double[] values) {
        return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
    }
}
