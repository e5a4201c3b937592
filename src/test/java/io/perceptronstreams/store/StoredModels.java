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
     * Compares raw bits: the header with all counters, and every block that was ever touched in the present epoch.
     *
     * @param stored the last value of every key
     * @param models by name; none of their blocks was handed over yet, and they are of no use afterwards
     * @return a line for every missing, surplus or different record
     */
    public static List<String> differences(Map<Bytes, byte[]> stored, Map<String, Model> models) {
        List<String> differences = new ArrayList<>();
        Map<Bytes, byte[]> rest = new HashMap<>(stored);
        models.forEach((name, model) -> {
            byte[] key = name.getBytes(StandardCharsets.UTF_8);
            if (!Arrays.equals(rest.remove(ModelKeys.header(key)), HeaderCodec.encode(model))) {
                differences.add("header of " + name + " is missing or different");
            }
            for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
                int number = vector;
                model.vector(vector).drainChanged((block, values) -> {
                    byte[] bytes = rest.remove(ModelKeys.block(key, model.epoch(), number, block));
                    String where = "block " + block + " of vector " + number + " of " + name;
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
        });
        rest.keySet().forEach(key -> differences.add("key " + key + " is not of any model's present epoch"));
        return differences;
    }

    private static long[] bits(double[] values) {
        return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
    }
}
