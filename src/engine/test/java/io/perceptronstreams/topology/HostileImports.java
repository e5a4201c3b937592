package io.perceptronstreams.topology;

import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.WireFormat;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Imports made of snapshots of all learners, each with one to three faults. */
final class HostileImports {
    /** Settings of the models whose snapshots are the raw material, and that the imports are sent to. */
    static final List<String> SETTINGS = List.of(
            "{\"predict\":\"averaged\",\"h\":0.5}",
            "{\"predict\":\"averaged\",\"average.halflife\":3}",
            "{\"scale\":\"standard\",\"eta\":0.3}",
            "{\"algorithm\":\"multiclass\",\"h\":1,\"predict\":\"averaged\"}",
            "{\"algorithm\":\"multiclass-pa\"}",
            "{\"algorithm\":\"softmax\",\"rate\":\"adagrad\"}",
            "{\"algorithm\":\"pa\"}",
            "{\"algorithm\":\"pa-i\"}",
            "{\"algorithm\":\"pa-ii\"}",
            "{\"algorithm\":\"arow\"}",
            "{\"algorithm\":\"alma\"}",
            "{\"algorithm\":\"romma\"}",
            "{\"algorithm\":\"pdm\"}",
            "{\"algorithm\":\"scw\"}",
            "{\"algorithm\":\"sgd\",\"rate\":\"adagrad\",\"normalised\":true}",
            "{\"kernel\":\"rbf(g=0.5)\",\"budget\":20,\"explain\":2}",
            "{\"predict\":\"voted\"}",
            "{\"comparator\":30}",
            "{\"algorithm\":\"structured\"}",
            "{\"algorithm\":\"sequence\",\"predict\":\"averaged\"}",
            "{}");

    /** Those of the last snapshot, which has several chunks. */
    private static final String WIDE = "{\"algorithm\":\"multiclass\"}";

    private static final long[] LONGS = {-1, 0, 1, 7, 1L << 31, Long.MAX_VALUE, Long.MIN_VALUE};
    private static final int[] INTS = {
        -1, 0, 1, 3, 127, 1 << 10, (1 << 17) - 1, 1 << 20, (1 << 24) - 1, Integer.MAX_VALUE, Integer.MIN_VALUE
    };
    private static final double[] DOUBLES = {
        Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e308, -1e308, -0.0, Double.MIN_VALUE, 1
    };
    private static final List<String> NUMBERS = List.of("NaN", "-Infinity", "1e400", "x", "", "-1", "1e308", "0");
    private static final int FAULTS = 14;

    private final Random random;
    private final EngineDriver engine;
    private final int schemaId;
    private final List<List<byte[]>> snapshots = new ArrayList<>();

    /**
     * A number of chunks, and what is wrong with them.
     *
     * @param settings of the model that they are sent to
     * @param isComplete whether its last record is a last chunk, so that it becomes a model or is refused
     */
    record Import(String what, String settings, List<byte[]> chunks, String purpose, boolean isComplete) {}

    /** @param schemaId of WeightsSnapshot in the registry of the engine that gets them */
    HostileImports(Path dir, Random random, int schemaId) {
        this.random = random;
        this.schemaId = schemaId;
        this.engine = new EngineDriver(dir);
        for (int k = 0; k < SETTINGS.size(); k++) {
            String model = "source-" + k;
            engine.send(model, "{\"action\":\"CONFIGURE\",\"settings\":" + SETTINGS.get(k) + "}", 0);
            for (int n = 0; n < 60; n++) {
                engine.send(model, example(SETTINGS.get(k), random), n);
            }
            snapshots.add(Snapshots.snapshot(engine, model));
        }
        engine.send("source", "{\"action\":\"CONFIGURE\",\"settings\":" + WIDE + "}", 0);
        snapshots.add(Snapshots.wideSnapshot(engine));
    }

    /** Chunks of a snapshot decoded, without the place in the log. */
    String state(byte[] value) {
        return Snapshots.states(List.of(withId(value, engine.id("WeightsSnapshot"))), engine)
                .get(0);
    }

    private static byte[] withId(byte[] value, int id) {
        byte[] copy = value.clone();
        WireFormat.writeHeader(copy, id);
        return copy;
    }

    static String example(String settings, Random random) {
        String id = "{\"id\":\"" + random.nextInt() + "\",\"label\":";
        if (settings.contains("sequence")) {
            return id + "[\"" + (char) ('A' + random.nextInt(3)) + "\",\"B\"],\"features\":{\"tokens\":[[\"b\",\"w="
                    + random.nextInt(50) + "\"],[\"b\"]]}}";
        } else if (settings.contains("structured")) {
            return id + "\"" + (char) ('a' + random.nextInt(2)) + "\",\"features\":{\"candidates\":["
                    + "{\"output\":\"a\",\"features\":{\"x" + random.nextInt(50) + "\":" + random.nextGaussian()
                    + "}},{\"output\":\"b\",\"features\":{\"y\":1}}]}}";
        }
        return id + (2 * random.nextInt(2) - 1) + ",\"features\":{\"n" + random.nextInt(300) + "\":"
                + random.nextGaussian() + ",\"m" + random.nextInt(300) + "\":" + random.nextGaussian() + "}}";
    }

    Import next() {
        // one in eight is of several chunks, and large
        int source = random.nextInt(8) == 0 ? SETTINGS.size() : random.nextInt(SETTINGS.size());
        String settings = source < SETTINGS.size() ? SETTINGS.get(source) : WIDE;
        if (random.nextInt(4) == 0) {
            settings = SETTINGS.get(random.nextInt(SETTINGS.size()));
        }
        List<GenericRecord> chunks = new ArrayList<>();
        for (byte[] chunk : snapshots.get(source)) {
            chunks.add(new GenericData.Record((GenericData.Record) engine.decode(chunk), true));
        }
        StringBuilder what = new StringBuilder("snapshot " + source + ":");
        String purpose = null;
        for (int faults = 1 + random.nextInt(3); faults > 0 && !chunks.isEmpty(); faults--) {
            int fault = random.nextInt(FAULTS);
            what.append(' ').append(fault);
            if (fault == FAULTS - 1) {
                purpose = random.nextBoolean() ? "comparator" : "x".repeat(random.nextInt(300));
            } else {
                spoil(chunks, fault);
            }
        }
        List<byte[]> values = new ArrayList<>();
        boolean isComplete = false;
        for (GenericRecord chunk : chunks) {
            byte[] value = withId(engine.encode(chunk), schemaId);
            boolean isFlipped = random.nextInt(6) == 0;
            values.add(isFlipped ? flipped(value, what) : value);
            isComplete = !isFlipped && (Integer) chunk.get("chunk") == (Integer) chunk.get("chunks") - 1;
        }
        return new Import(what.toString(), settings, values, purpose, isComplete);
    }

    private void spoil(List<GenericRecord> chunks, int fault) {
        GenericRecord chunk = chunks.get(random.nextInt(chunks.size()));
        GenericRecord state = Snapshots.state(chunk);
        switch (fault) {
            case 0 ->
                chunk.put(List.of("examples", "labelled", "mistakes", "updates").get(random.nextInt(4)), any(LONGS));
            case 1 -> state.put(random.nextBoolean() ? "errors" : "marginMistakes", any(LONGS));
            case 2 -> state.put("hingeLoss", any(DOUBLES));
            case 3 -> chunk.put(random.nextBoolean() ? "chunks" : "chunk", any(INTS));
            case 4 -> rearrange(chunks);
            case 5, 6 -> spoilBlock(state);
            case 7 -> state.put("numbers", spoiled(state.get("numbers"), NUMBERS.get(random.nextInt(NUMBERS.size()))));
            case 8 -> state.put("names", spoiled(state.get("names"), "n".repeat(random.nextInt(80_000))));
            case 9 -> state.put("names", Collections.nCopies(20_000, random.nextBoolean() ? "" : "a\n"));
            case 10 -> chunk.put("algorithm", algorithm());
            case 11 -> chunks.forEach(each -> each.put("settings", settings(each)));
            case 12 -> chunk.put("featureNames", featureNames());
            default -> throw new IllegalArgumentException("no fault " + fault);
        }
    }

    private void rearrange(List<GenericRecord> chunks) {
        switch (random.nextInt(4)) {
            case 0 -> chunks.add(random.nextInt(chunks.size() + 1), chunks.get(random.nextInt(chunks.size())));
            case 1 -> chunks.remove(random.nextInt(chunks.size()));
            case 2 -> Collections.shuffle(chunks, random);
            // one that does not end
            default -> {
                GenericRecord first = chunks.get(0);
                chunks.clear();
                for (int k = 0; k < 200; k++) {
                    GenericRecord next = new GenericData.Record((GenericData.Record) first, true);
                    next.put("chunk", k);
                    next.put("chunks", 15_000);
                    Snapshots.state(next).put("blocks", List.of());
                    chunks.add(next);
                }
            }
        }
    }

    private void spoilBlock(GenericRecord state) {
        List<GenericRecord> blocks = new ArrayList<>();
        ((List<?>) state.get("blocks")).forEach(block -> blocks.add((GenericRecord) block));
        if (blocks.isEmpty()) {
            blocks.add(new GenericData.Record(
                    state.getSchema().getField("blocks").schema().getElementType()));
            blocks.get(0).put("values", List.of());
            blocks.get(0).put("positions", List.of());
            List.of("vector", "number", "length").forEach(field -> blocks.get(0).put(field, any(INTS)));
        }
        GenericRecord block = blocks.get(random.nextInt(blocks.size()));
        switch (random.nextInt(6)) {
            case 0 -> block.put("length", any(INTS));
            case 1 -> block.put("number", any(INTS));
            case 2 -> block.put("vector", any(INTS));
            case 3 -> block.put("positions", spoiled(block.get("positions"), any(INTS)));
            case 4 -> block.put("values", spoiled(block.get("values"), any(DOUBLES)));
            // some hundred bytes that stand for gigabytes
            default -> {
                block.put("values", List.of());
                block.put("positions", List.of());
                for (int k = 0; k < 500; k++) {
                    GenericRecord next = new GenericData.Record((GenericData.Record) block, true);
                    next.put("number", (Integer) block.get("number") + 1 + k);
                    next.put("length", random.nextBoolean() ? 1 << 20 : 384);
                    blocks.add(next);
                }
            }
        }
        state.put("blocks", blocks);
    }

    /** A copy in which one element is another one, missing, or twice there. */
    private List<Object> spoiled(Object list, Object element) {
        List<Object> copy = new ArrayList<>((List<?>) list);
        int at = random.nextInt(copy.size() + 1);
        if (at == copy.size()) {
            copy.add(element);
        } else {
            switch (random.nextInt(4)) {
                case 0 -> copy.remove(at);
                case 1 -> copy.add(at, copy.get(at));
                default -> copy.set(at, element);
            }
        }
        return copy;
    }

    private String algorithm() {
        List<String> all = List.of(
                "auto",
                "perceptron",
                "multiclass",
                "multiclass-pa",
                "softmax",
                "arow",
                "alma",
                "romma",
                "pdm",
                "sgd",
                "kernel",
                "structured",
                "sequence",
                "",
                "x");
        return all.get(random.nextInt(all.size()));
    }

    private Map<String, String> settings(GenericRecord chunk) {
        Map<String, String> settings = new HashMap<>();
        ((Map<?, ?>) chunk.get("settings")).forEach((key, value) -> settings.put(key.toString(), value.toString()));
        switch (random.nextInt(7)) {
            case 0 -> settings.put("algorithm", algorithm());
            case 1 -> settings.put("hash.bits", Integer.toString(random.nextInt(40)));
            case 2 -> settings.put("blocks.max", "16777216");
            case 3 -> settings.put("kernel", "2*(".repeat(random.nextInt(20_000)) + "linear");
            case 4 -> settings.put("classes", "a,".repeat(random.nextInt(20_000)) + "b");
            case 5 -> settings.put("x".repeat(random.nextInt(10_000)), "1");
            default -> settings.put("comparator", random.nextBoolean() ? "imported" : "5");
        }
        return settings;
    }

    private List<GenericRecord> featureNames() {
        List<GenericRecord> names = new ArrayList<>();
        for (int k = random.nextInt(3_000); k >= 0; k--) {
            GenericRecord name = new GenericData.Record(EventSchemas.schema("WeightsSnapshot")
                    .getField("featureNames")
                    .schema()
                    .getElementType());
            name.put("index", any(INTS));
            name.put("name", "n".repeat(random.nextInt(100)));
            names.add(name);
        }
        return names;
    }

    private byte[] flipped(byte[] value, StringBuilder what) {
        byte[] copy = random.nextInt(4) == 0
                ? Arrays.copyOf(value, WireFormat.HEADER + random.nextInt(value.length))
                : value.clone();
        what.append(" bytes");
        for (int k = random.nextInt(6); k > 0 && copy.length > WireFormat.HEADER; k--) {
            copy[WireFormat.HEADER + random.nextInt(copy.length - WireFormat.HEADER)] ^=
                    (byte) (1 << random.nextInt(8));
        }
        return copy;
    }

    private long any(long[] values) {
        return values[random.nextInt(values.length)];
    }

    private int any(int[] values) {
        return values[random.nextInt(values.length)];
    }

    private double any(double[] values) {
        return values[random.nextInt(values.length)];
    }
}
