package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.LateState;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.labels.WaitingForm;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.weights.BlockVector;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** What a changelog should hold of models, and where it differs. */
public final class StoredModels {
    private StoredModels() {}

    /**
     * Compares raw bits: the header with all counters, and every block that was ever touched in the present epoch, or
     * by a challenger.
     *
     * @param stored the last value of every key
     * @param staged by name, what is put aside under it
     * @return a line for every missing, surplus or different record
     */
    public static List<String> differences(
            Map<Bytes, byte[]> stored, Map<String, Model> models, Map<String, List<byte[]>> staged) {
        List<String> differences = new ArrayList<>();
        Map<Bytes, byte[]> rest = new HashMap<>(stored);
        ModelRecords records = records(stored);
        rest.remove(ModelKeys.POSITION);
        rest.keySet().removeIf(StoredModels::isWaiting);
        models.forEach((name, model) -> {
            compareHeader(name, model, records, rest, differences);
            compareEpoch(name, model.current(), rest, differences);
            for (Challenger each : model.challengers().all()) {
                compareChallenger(name, each, rest, differences);
                compareEpoch(name, each.model(), rest, differences);
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
        removeUnfinished(stored, rest);
        rest.keySet()
                .forEach(key -> differences.add("key " + key + " is not of any model's present epoch or challenger"));
        return differences;
    }

    /** The models of a changelog by their names. */
    public static Map<String, Model> models(Map<Bytes, byte[]> stored) {
        ModelRecords records = records(stored);
        Map<String, Model> models = new HashMap<>();
        stored.keySet().stream().filter(ModelKeys::isHeader).forEach(key -> {
            byte[] name = ModelKeys.name(key);
            StoredHeader header = records.header(name);
            records.loadBlocks(name, header);
            models.put(new String(name, StandardCharsets.UTF_8), header.model());
        });
        return models;
    }

    private static ModelRecords records(Map<Bytes, byte[]> stored) {
        KeyValueStore<Bytes, byte[]> inner =
                Stores.inMemoryKeyValueStore("models").get();
        stored.forEach(inner::put);
        BatchWriter writer = new BatchWriter(inner, new StoreCounters());
        return new ModelRecords(inner, writer, new Removals(inner, writer));
    }

    /** Removes what is left of ranges whose removal has begun, and the notes of them. */
    private static void removeUnfinished(Map<Bytes, byte[]> stored, Map<Bytes, byte[]> rest) {
        stored.forEach((key, first) -> {
            if (key.compareTo(ModelKeys.FIRST_REMOVAL) > 0 && key.compareTo(ModelKeys.END_OF_REMOVALS) < 0) {
                Bytes last = ModelKeys.lastRemoved(key);
                rest.keySet().removeIf(left -> left.compareTo(Bytes.wrap(first)) >= 0 && left.compareTo(last) <= 0);
                rest.remove(key);
            }
        });
    }

    private static boolean isWaiting(Bytes key) {
        return key.get()[0] != 0 && kind(key) <= -2;
    }

    /** The number behind the name, or 0. */
    private static long kind(Bytes key) {
        int from = ModelKeys.name(key).length + 1;
        return key.get().length < from + Long.BYTES
                ? 0
                : ByteBuffer.wrap(key.get()).getLong(from);
    }

    private static LateState late(Map<Bytes, byte[]> stored, byte[] name) {
        return new HeaderCodec()
                .decode(
                        stored.get(ModelKeys.header(name)),
                        (epoch, part) -> stored.get(ModelKeys.names(name, epoch, part)))
                .model()
                .late()
                .state();
    }

    /** What waits in the models, and their ids, as text; without what is left of deleted models. */
    public static Set<String> waiting(Map<Bytes, byte[]> stored) {
        Set<String> all = new TreeSet<>();
        stored.forEach((key, value) -> {
            if (!isWaiting(key)) {
                return;
            }
            LateState late = late(stored, ModelKeys.name(key));
            if (ModelKeys.generation(key) < late.generation()) {
                return;
            }
            String name = new String(ModelKeys.name(key), StandardCharsets.UTF_8);
            int from = name.length() + 1 + Long.BYTES;
            boolean isSettled = key.get()[from] == -1;
            switch ((int) (kind(key) + 3 * late.generation())) {
                case -4 -> {
                    long[] ids = StoredWaiting.decodeIds(value);
                    long first = ByteBuffer.wrap(key.get()).getLong(from) * 128;
                    for (int k = 0; k < ids.length; k++) {
                        if (first + k >= late.firstId()) {
                            all.add(name + " id " + (first + k) + " " + ids[k]);
                        }
                    }
                }
                case -3 ->
                    all.add(name + (isSettled ? " settled" : "") + " due " + ModelKeys.dueTime(key) + " "
                            + ModelKeys.dueOffset(key) + " " + (value[0] != 0) + " " + id(value, 1));
                case -2 -> {
                    Waiting then = WaitingForm.decode(id(key.get(), isSettled ? from + 1 : from), value);
                    assertThat(then.truth() != null).isEqualTo(isSettled);
                    all.add(name + (isSettled ? " settled " : then.isLabel() ? " label " : " example ") + then.id()
                            + " " + then.offset() + " "
                            + then.time() + " " + then.due() + " " + Arrays.hashCode(then.value())
                            + (then.isLabel()
                                    ? ""
                                    : " " + then.epoch() + " " + then.version() + " " + then.emitted() + " "
                                            + then.challengers())
                            + (isSettled ? " " + then.truth() : ""));
                }
                default -> throw new AssertionError(key);
            }
        });
        return all;
    }

    /** Number of records of a generation of what waits in models. */
    public static long ofGeneration(Map<Bytes, byte[]> stored, long generation) {
        return stored.keySet().stream()
                .filter(key -> isWaiting(key) && ModelKeys.generation(key) == generation)
                .count();
    }

    private static Utf8Slice id(byte[] bytes, int from) {
        Utf8Slice id = new Utf8Slice();
        id.set(bytes, from, bytes.length - from);
        return id;
    }

    /** By name of every model that is not deleted, the stream time at its last record. */
    public static Map<String, Long> lastSeen(Map<Bytes, byte[]> stored) {
        Map<String, Long> lastSeen = new HashMap<>();
        stored.forEach((key, header) -> {
            if (ModelKeys.isHeader(key)) {
                HeaderCodec.Start start = HeaderCodec.start(header);
                if (!start.isDeleted()) {
                    lastSeen.put(new String(ModelKeys.name(key), StandardCharsets.UTF_8), start.lastSeen());
                }
            }
        });
        return lastSeen;
    }

    /** Position and time are not compared: a model does not know them. */
    private static void compareHeader(
            String name, Model model, ModelRecords records, Map<Bytes, byte[]> rest, List<String> differences) {
        byte[] key = name.getBytes(StandardCharsets.UTF_8);
        byte[] header = rest.remove(ModelKeys.header(key));
        if (header == null) {
            differences.add("header of " + name + " is missing");
            return;
        }
        HeaderCodec codec = new HeaderCodec();
        StoredHeader stored = records.header(key);
        records.loadBlocks(key, stored);
        List<StoredHeader.Part> parts = new ArrayList<>(List.of(stored.live()));
        parts.addAll(stored.challengers());
        takeCopies(parts, key, rest);
        // decided by a clock
        model.publications().markPublished();
        if (HeaderCodec.start(header).isStatusPending()) {
            model.publications().markPending(HeaderCodec.start(header).pendingTime());
        }
        byte[] whole = codec.encode(stored.model(), stored.position(), stored.lastSeen());
        if (!Arrays.equals(whole, codec.encode(model, stored.position(), stored.lastSeen()))) {
            differences.add("header of " + name + " is different");
        }
        for (StoredHeader.Part each : stored.challengers()) {
            Challenger restored = stored.model().challengers().all().stream()
                    .filter(challenger -> challenger.model() == each.model())
                    .findFirst()
                    .orElseThrow();
            rest.put(ModelKeys.challenger(key, each.model().epoch()), codec.encode(restored));
        }
    }

    /** Which entries are in copies depends on the times of the checkpoints: encodes them in the header from now on. */
    private static void takeCopies(List<StoredHeader.Part> parts, byte[] name, Map<Bytes, byte[]> rest) {
        // several may have one vector of statistics, and a copy each
        Set<BlockVector> copied = Collections.newSetFromMap(new IdentityHashMap<>());
        for (StoredHeader.Part part : parts) {
            Pipeline pipeline = part.model().pipeline();
            for (int vector = Pipeline.STATISTICS; vector < pipeline.vectors(); vector++) {
                if (pipeline.vector(vector) instanceof BlockVector entries && entries.storedEntries() > 0) {
                    rest.remove(ModelKeys.copy(name, part.model().epoch(), vector));
                    copied.add(entries);
                }
            }
        }
        copied.forEach(BlockVector::forgetStored);
    }

    private static void compareChallenger(
            String name, Challenger challenger, Map<Bytes, byte[]> rest, List<String> differences) {
        Bytes key = ModelKeys.challenger(
                name.getBytes(StandardCharsets.UTF_8), challenger.model().epoch());
        if (!Arrays.equals(rest.remove(key), new HeaderCodec().encode(challenger))) {
            differences.add("header of challenger " + challenger.name() + " of " + name + " is missing or different");
        }
    }

    private static void compareEpoch(String name, EpochModel model, Map<Bytes, byte[]> rest, List<String> differences) {
        compareBlocks(name, model, rest, differences);
        List<String> names = model.pipeline().learner().state().names();
        for (int part = 0; part < StoredNames.parts(names.size()); part++) {
            Bytes key = ModelKeys.names(name.getBytes(StandardCharsets.UTF_8), model.epoch(), part);
            if (!Arrays.equals(rest.remove(key), StoredNames.encode(names, part))) {
                differences.add("part " + part + " of the names of epoch " + model.epoch() + " of " + name
                        + " is missing or different");
            }
        }
        for (int part = 0; part < StoredNames.parts(model.pipeline().names().size()); part++) {
            Bytes key = ModelKeys.featureNames(name.getBytes(StandardCharsets.UTF_8), model.epoch(), part);
            if (!Arrays.equals(
                    rest.remove(key), StoredNames.encode(model.pipeline().names(), part))) {
                differences.add("part " + part + " of the feature names of epoch " + model.epoch() + " of " + name
                        + " is missing or different");
            }
        }
    }

    private static void compareBlocks(
            String name, EpochModel model, Map<Bytes, byte[]> rest, List<String> differences) {
        for (int vector = Pipeline.STATISTICS; vector < model.pipeline().vectors(); vector++) {
            if (StoredHeader.small(model.pipeline().vector(vector)) != null) {
                continue; // it lies in the header
            }
            int number = vector;
            model.pipeline().vector(vector).forEach((block, values) -> {
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
