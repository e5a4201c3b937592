package io.perceptronstreams.topology;

import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.topology.MixedModel.Shape;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Utils;

/**
 * An endless random stream of all kinds of records of the examples topic; the same seed gives the same stream.
 *
 * <p>Mostly examples of models with all kinds of settings and features; also commands, invalid records, records on
 * wrong partitions, records of models that are never created, examples whose snapshot needs several chunks, a model
 * several times larger than a message, records of several examples, and chunks of snapshots to import, mostly in order.
 */
final class MixedStream {
    private static final long FIRST_TIMESTAMP = 1_700_000_000_000L;
    private static final int EVERY_WIDE = 4_000;
    private static final int EVERY_LARGE = 2_500;
    private static final int EVERY_IMPORT = 5_000;

    /** Number of records after which the labels of a watched model change their sign. */
    private static final int CONCEPT = 2_000;

    private static final List<String> CHANGES = List.of(
            "{\"h\":1}",
            "{\"eta\":0.5,\"predict\":\"last\",\"comparator\":\"\"}",
            "{\"window.ms\":700}",
            "{\"snapshot.every\":25}");
    private static final String QUICK =
            ",\"trial.promote\":\"auto\",\"trial.alpha\":0.6,\"trial.round\":1,\"trial.warmup\":";
    private static final List<String> CHALLENGES = List.of(
            "",
            ",\"from\":\"live\"" + QUICK + "0",
            QUICK + "5",
            ",\"scale\":\"standard\"" + QUICK + "20",
            ",\"from\":\"live\",\"eta\":0.1,\"trial.limit\":100",
            ",\"h\":0.2,\"predict\":\"averaged\",\"trial.limit\":50",
            ",\"algorithm\":\"arow\",\"h\":0" + QUICK + "10",
            ",\"algorithm\":\"pa-i\",\"explain\":1",
            ",\"classes.max\":3,\"bias\":false",
            ",\"from\":\"live\",\"calibrate\":\"none\",\"coverage\":0" + QUICK + "0",
            ",\"calibrate\":\"platt\",\"coverage\":0.6" + QUICK + "10");
    private static final List<String> IMPORTED =
            List.of("", " trial.promote=auto trial.alpha=0.6 trial.round=1", " h=1", " x");
    private static final List<String> DEFAULTS = List.of(
            "{\"action\":\"DEFAULTS\",\"settings\":{\"h\":\"1\"}}",
            "{\"action\":\"DEFAULTS\",\"settings\":{\"h\":\"0\",\"window.ms\":\"900\"}}",
            "{\"action\":\"DEFAULTS\",\"settings\":{\"hash.bits\":\"12\"}}",
            "{\"action\":\"DEFAULTS\",\"settings\":{\"hash.bits\":\"20\",\"window.ms\":\"1100\"}}",
            "{\"action\":\"DEFAULTS\",\"settings\":{\"eta\":\"-1\"}}",
            "{\"action\":\"RESET\",\"settings\":{}}",
            "{\"id\":\"1\",\"label\":1,\"features\":[1]}",
            "[{\"id\":\"1\",\"label\":1,\"features\":[1]}]");
    private static final List<String> BAD_VALUES = List.of(
            "",
            "x",
            "{",
            "{\"id\":\"1\",\"label\":1,\"features\":[1],\"weight\":0}",
            "{\"exampleId\":\"1\",\"label\":1}",
            "{\"id\":\"1\",\"label\":3,\"features\":[1]}",
            "{\"action\":\"CONFIGURE\",\"settings\":{\"speed\":\"1\"}}",
            "{\"action\":\"DANCE\"}",
            "{\"id\":\"1\",\"features\":{\"tokens\":[[\"a\"]]}}",
            "{\"id\":\"1\",\"features\":{\"indices\":[2,1],\"values\":[1,1]}}",
            "{\"id\":\"1\",\"features\":[1e308,1e308]}",
            "{\"id\":\"1\",\"features\":[1e999]}");

    /** The last ones of {@link #BAD_ELEMENTS}, with which an array cannot be taken apart. */
    private static final int BREAKING_ELEMENTS = 3;

    /** Examples that are refused among others. */
    private static final List<String> BAD_ELEMENTS = List.of(
            "7",
            "{\"id\":\"1\",\"features\":[1],\"weight\":0}",
            "{\"exampleId\":\"1\",\"label\":1}",
            "{\"action\":\"RESET\"}",
            "{\"features\":[1e999]}",
            "{\"features\":{\"tokens\":[[\"a\"]]}}",
            "{\"label\":{]}",
            "\"",
            "");

    private static final Schema EXAMPLE = EventSchemas.schema("Example");
    private static final Schema BATCH = EventSchemas.schema("ExampleBatch");

    private final Random random;
    private final String topic;
    private final int partitions;
    private final LargeModels large;
    private final MixedLabels labels;
    private final EventWriter writer;
    private final EventWriter batchWriter;
    private final int snapshotId;
    private final List<byte[]> chunks = new ArrayList<>();
    // model whose examples and labels may come apart
    private String present;
    // label of the last example
    private Object truth;
    private int part = InputRecord.WHOLE;
    private long sent;

    /** True if all examples that can be used have ids; ids that are left out become those of a partition. */
    boolean hasIds;

    MixedStream(long seed, String topic, int partitions, SchemaRegistry registry) {
        this.random = new Random(seed);
        this.large = new LargeModels(random);
        this.labels = new MixedLabels(random, topic, registry);
        this.topic = topic;
        this.partitions = partitions;
        this.writer = new EventWriter(EXAMPLE, registry.register(topic + "-value", EXAMPLE));
        this.batchWriter = new EventWriter(BATCH, registry.register(topic + "-ExampleBatch", BATCH));
        this.snapshotId = registry.register(topic + "-WeightsSnapshot", EventSchemas.schema("WeightsSnapshot"));
    }

    /** The next record, with partition and timestamp. */
    ProducerRecord<byte[], byte[]> next() {
        long number = sent++;
        if (number < MixedModel.ALL.size()) {
            MixedModel model = MixedModel.ALL.get((int) number);
            return record(model.name(), command("CONFIGURE", model.settings()));
        }
        if (number % EVERY_WIDE == EVERY_WIDE / 2) {
            return record(
                    "wide",
                    number < EVERY_WIDE
                            ? command("CONFIGURE", "{\"snapshot.every\":3}")
                            : writer.write(event(label(MixedModel.INTS, random.nextBoolean()), large.wideFeatures())));
        }
        if (number % EVERY_LARGE == EVERY_LARGE / 2) {
            return record("large", large());
        }
        if (number % EVERY_IMPORT == EVERY_IMPORT / 2) {
            chunks.addAll(large.snapshot(snapshotId));
        }
        if (random.nextInt(100) == 0) {
            ProducerRecord<byte[], byte[]> moved = record("moved", moved());
            if (random.nextInt(3) == 0) {
                String purpose = random.nextBoolean()
                        ? "comparator"
                        : "challenger challenger=i" + random.nextInt(3) + IMPORTED.get(random.nextInt(IMPORTED.size()));
                moved.headers().add("perceptron-import-as", utf8(purpose));
            }
            return moved;
        }
        MixedLabels.Later later = labels.next();
        if (later != null) {
            return record(later.model(), later.value());
        }
        MixedModel model = MixedModel.ALL.get(random.nextInt(MixedModel.ALL.size()));
        int chance = random.nextInt(1000);
        if (chance < 20) {
            return record(model.name(), command(model));
        } else if (chance < 40) {
            return bad(model);
        } else if (chance < 50) {
            return record("ghost-" + random.nextInt(20), ghost());
        } else if (chance < 54) {
            return record("burst", burst());
        } else if (chance < 60) {
            return defaults();
        }
        present = model.awaits() ? model.name() : null;
        byte[] value = chance < 75 ? several(model) : example(model, random.nextInt(8) == 0);
        present = null;
        return record(model.name(), value);
    }

    private ProducerRecord<byte[], byte[]> record(String model, byte[] value) {
        return record(model.getBytes(StandardCharsets.UTF_8), value);
    }

    private ProducerRecord<byte[], byte[]> record(byte[] key, byte[] value) {
        // a librdkafka client with its default partitioner is right by chance only
        boolean isMisrouted = random.nextInt(50) == 0;
        int right = key == null ? 0 : Utils.toPositive(Utils.murmur2(key)) % partitions;
        int partition = isMisrouted ? (right + 1 + random.nextInt(partitions - 1)) % partitions : right;
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, partition, time(), key, value);
        if (random.nextInt(20) == 0) {
            record.headers().add("trace", new byte[] {(byte) sent});
        }
        if (isMisrouted && random.nextInt(10) == 0) {
            record.headers().add("perceptron-rerouted", utf8("by somebody else"));
        }
        return record;
    }

    private long time() {
        return FIRST_TIMESTAMP + 7 * sent + random.nextInt(4000);
    }

    /** A command for one partition, at any place of its log. */
    private ProducerRecord<byte[], byte[]> defaults() {
        byte[] command = utf8(DEFAULTS.get(random.nextInt(DEFAULTS.size())));
        long timestamp = FIRST_TIMESTAMP + 7 * sent;
        return new ProducerRecord<>(topic, random.nextInt(partitions), timestamp, utf8("*"), command);
    }

    private byte[] command(MixedModel model) {
        if (random.nextInt(3) == 0) {
            return challenge();
        }
        if (random.nextInt(4) == 0) {
            return version();
        }
        int chance = random.nextInt(100);
        if (chance < 30) {
            return command("CONFIGURE", model.settings());
        } else if (chance < 60) {
            return command(
                    "CONFIGURE",
                    random.nextBoolean() || !model.awaits()
                            ? CHANGES.get(random.nextInt(CHANGES.size()))
                            : MixedLabels.CHANGES.get(random.nextInt(MixedLabels.CHANGES.size())));
        } else if (chance < 70) {
            return command("SNAPSHOT", "{}");
        } else if (chance < 74) {
            return command("TICK", "{}");
        } else if (chance < 79) {
            return command("FREEZE", "{}");
        } else if (chance < 92) {
            return command("THAW", "{}");
        }
        return command(chance < 96 ? "RESET" : "DELETE", "{}");
    }

    /** A named snapshot, or the removal of one; the name may be used, or missing. */
    private byte[] version() {
        String name = "\"name\":\"v" + random.nextInt(5) + "\"";
        return command("SNAPSHOT", "{" + name + (random.nextInt(3) == 0 ? ",\"drop\":true}" : "}"));
    }

    /** A command about challengers, of which there are more names than places. */
    private byte[] challenge() {
        String name = "\"challenger\":\"c" + random.nextInt(6) + "\"";
        return switch (random.nextInt(12)) {
            case 0 -> command("WITHDRAW", "{" + name + "}");
            case 1 -> command("PROMOTE", "{" + name + "}");
            case 2 -> command("PROMOTE", "{\"challenger\":\"previous\"}");
            default -> command("CHALLENGE", "{" + name + CHALLENGES.get(random.nextInt(CHALLENGES.size())) + "}");
        };
    }

    /** Mostly for a model that must not come to be by it. */
    private byte[] ghost() {
        return switch (random.nextInt(10)) {
            case 8 -> utf8("[7,{\"label\":7,\"features\":[1]},{\"label\":1,\"features\":[1,2]},{}]");
            case 9 -> utf8("[7,{\"label\":7,\"features\":[1]}]");
            case 0, 1, 2 -> utf8("{\"id\":\"" + sent + "\",\"label\":7,\"features\":[1,2]}");
            case 3 -> command("CONFIGURE", "{\"eta\":-1}");
            case 4 -> command("FREEZE", "{}");
            case 5 -> command("SNAPSHOT", "{}");
            case 6 -> command("DELETE", "{}");
            default ->
                utf8("{\"id\":\"" + sent + "\",\"label\":1,\"features\":{\"indices\":[" + random.nextInt(1 << 30)
                        + "],\"values\":[1]}}");
        };
    }

    /** For a model whose weights overflow sooner or later. */
    private byte[] burst() {
        int chance = random.nextInt(10);
        if (chance == 0) {
            return command("RESET", "{}");
        }
        return chance < 3
                ? utf8("[" + burst("1") + "," + burst(random.nextBoolean() ? "1" : "1e300") + "," + burst("1") + "]")
                : utf8(burst(chance < 5 ? "1e300" : "1"));
    }

    private String burst(String weight) {
        return "{\"id\":\"" + sent + "\",\"label\":" + MixedModel.INTS.get(random.nextInt(2)) + ",\"weight\":" + weight
                + ",\"features\":[-1e20,1]}";
    }

    private ProducerRecord<byte[], byte[]> bad(MixedModel model) {
        byte[] good = example(model, false);
        byte[] key = utf8(model.name());
        return switch (random.nextInt(9)) {
            case 0 -> record((byte[]) null, good);
            case 1 -> record(utf8(random.nextBoolean() ? "../x" : "m".repeat(200)), good);
            case 2 -> record(key, null);
            case 3 -> record(key, Arrays.copyOf(good, random.nextInt(good.length)));
            case 4 -> record(key, Arrays.copyOf(good, good.length + 1));
            case 5 -> record(key, new byte[] {0, 0x7f, 0, 0, 1, 2});
            default -> record(key, utf8(BAD_VALUES.get(random.nextInt(BAD_VALUES.size()))));
        };
    }

    /** For a model that is replaced by weights from elsewhere again and again, and learns between their chunks, too. */
    private byte[] moved() {
        int chance = random.nextInt(20);
        if (chance == 0) {
            return command("SNAPSHOT", "{}");
        } else if (chance == 1 && !chunks.isEmpty()) {
            // again, or out of order
            return chunks.get(random.nextInt(chunks.size()));
        } else if (chance < 10 && !chunks.isEmpty()) {
            return chunks.remove(0);
        }
        return utf8(chance < 12 ? "[" + ofMoved() + "," + ofMoved() + "]" : ofMoved());
    }

    private String ofMoved() {
        return "{\"id\":\"" + sent + "\",\"label\":" + MixedModel.INTS.get(random.nextInt(2)) + ",\"features\":["
                + random.nextGaussian() + "," + random.nextGaussian() + "]}";
    }

    private byte[] large() {
        String command = large.nextCommand();
        return command == null
                ? writer.write(event(MixedModel.INTS.get(random.nextInt(2)), large.rangeFeatures()))
                : utf8(command);
    }

    /** @param isTimed the timestamp is in the example if that is JSON */
    private byte[] example(MixedModel model, boolean isTimed) {
        if (model.shape() == Shape.DENSE && random.nextInt(4) == 0) {
            present = null;
            return utf8(json(event(model), isTimed));
        }
        GenericRecord example = event(model);
        byte[] value = writer.write(example);
        return present == null
                ? value
                : labels.hold(present, Long.toString(sent), example.get("label") == null ? truth : null, value);
    }

    private String badElement(int places) {
        String element = BAD_ELEMENTS.get(random.nextInt(places));
        // a sequence model can use it
        return hasIds && element.contains("tokens") ? "7" : element;
    }

    /** Several examples as JSON array or ExampleBatch, mostly few; some are refused, some have no id. */
    private byte[] several(MixedModel model) {
        int size = 2 + random.nextInt(random.nextInt(6) == 0 ? 300 : 15);
        // rarely all of them
        int badOf = random.nextInt(3) > 0 ? 0 : random.nextInt(12) == 0 ? 1 : 2 + random.nextInt(8);
        boolean isJson = random.nextBoolean();
        boolean isTimed = random.nextInt(3) == 0;
        List<GenericRecord> examples = new ArrayList<>();
        List<String> elements = new ArrayList<>();
        for (part = 0; part < size; part++) {
            GenericRecord example = event(model);
            boolean isBad = badOf > 0 && random.nextInt(badOf) == 0;
            if (isBad && random.nextBoolean()) {
                example.put("label", 3);
            } else if (isBad) {
                example.put("weight", -1.0);
            }
            if (random.nextInt(10) == 0 && !hasIds) {
                example.put("id", "");
            }
            examples.add(example);
            if (isJson) {
                // whose times the engine may still find, and the reference does not
                boolean isBroken = isBad && !isTimed && random.nextInt(100) == 0;
                int places = isBroken ? BAD_ELEMENTS.size() : BAD_ELEMENTS.size() - BREAKING_ELEMENTS;
                elements.add(
                        isBad && random.nextBoolean()
                                ? badElement(places)
                                : json(example, isTimed && random.nextInt(3) > 0));
            }
        }
        part = InputRecord.WHOLE;
        GenericRecord batch = new GenericData.Record(BATCH);
        batch.put("examples", examples);
        byte[] value = isJson ? utf8("[" + String.join(" , ", elements) + "]") : batchWriter.write(batch);
        return present == null ? value : labels.hold(present, "", null, value);
    }

    private String json(GenericRecord example, boolean isTimed) {
        GenericRecord features = (GenericRecord) example.get("features");
        boolean isMap = features.hasField("values") && !features.hasField("indices");
        GenericData data = GenericData.get();
        String label = example.get("label") == null ? "" : ",\"label\":" + data.toString(example.get("label"));
        // a time in the year 287396 is invalid
        long time = random.nextInt(50) == 0 ? 9_007_199_254_740_991L : time();
        String timestamp = isTimed ? ",\"timestamp\":" + time : "";
        return "{\"id\":\"" + example.get("id") + "\"" + label + timestamp + ",\"weight\":" + example.get("weight")
                + ",\"features\":" + data.toString(isMap ? features.get("values") : features) + "}";
    }

    private GenericRecord event(MixedModel model) {
        return switch (model.shape()) {
            case DENSE -> dense(model);
            case SPARSE -> sparse(model);
            case NAMED -> named(model);
            case SEQUENCE -> sequence(model);
            case CANDIDATES -> candidates(model);
        };
    }

    private GenericRecord dense(MixedModel model) {
        List<Double> values = new ArrayList<>();
        double score = 0.2;
        for (int k = 0; k < 6; k++) {
            double value = random.nextGaussian();
            values.add(value);
            score += value * (k - 2);
        }
        return event(label(model, score), Shape.DENSE.features(values));
    }

    private GenericRecord sparse(MixedModel model) {
        TreeMap<Integer, Double> values = new TreeMap<>();
        while (values.size() < 8) {
            // some indices come often, and all of them lie in many blocks
            int index = random.nextInt(random.nextBoolean() ? 2_000 : 100_000);
            values.put(index, random.nextGaussian());
        }
        double score = 0;
        for (Map.Entry<Integer, Double> value : values.entrySet()) {
            score += value.getValue() * (value.getKey() % 5 - 2);
        }
        return event(
                label(model, score),
                Shape.SPARSE.features(new ArrayList<>(values.keySet()), new ArrayList<>(values.values())));
    }

    private GenericRecord named(MixedModel model) {
        Map<String, Double> values = new TreeMap<>();
        double score = 0;
        for (int k = 0; k < 5; k++) {
            int word = random.nextInt(300);
            double count = 1 + random.nextInt(3);
            values.put("w=" + word, count);
            score += count * (word % 7 - 3);
        }
        return event(label(model, score), Shape.NAMED.features(values));
    }

    private GenericRecord sequence(MixedModel model) {
        List<List<String>> tokens = new ArrayList<>();
        List<Object> tags = new ArrayList<>();
        int word = random.nextInt(40);
        for (int length = random.nextInt(8); length >= 0; length--) {
            int before = word;
            word = random.nextInt(40);
            tokens.add(List.of("b", "w=" + word, "-1=" + before));
            int tag = random.nextInt(10) == 0 ? random.nextInt(3) : (word + before / 20) % 3;
            tags.add(model.labels().get(tag));
        }
        return event(random.nextInt(20) == 0 ? null : tags, Shape.SEQUENCE.features(tokens));
    }

    private GenericRecord candidates(MixedModel model) {
        List<GenericRecord> candidates = new ArrayList<>();
        Schema schema =
                Shape.CANDIDATES.schema().getField("candidates").schema().getElementType();
        int best = 0;
        double highest = Double.NEGATIVE_INFINITY;
        for (int k = 0; k < model.labels().size(); k++) {
            Map<String, Double> values = new TreeMap<>();
            double score = 0;
            for (int feature = 0; feature < 4; feature++) {
                double value = random.nextGaussian();
                values.put("f" + feature, value);
                score += value * (feature - 1);
            }
            if (score > highest) {
                highest = score;
                best = k;
            }
            GenericRecord candidate = new GenericData.Record(schema);
            candidate.put("output", model.labels().get(k));
            candidate.put("features", values);
            candidates.add(candidate);
        }
        int chance = random.nextInt(20);
        Object label = chance == 0
                ? null
                : model.labels().get(chance < 3 ? random.nextInt(model.labels().size()) : best);
        return event(label, Shape.CANDIDATES.features(candidates));
    }

    private Object label(MixedModel model, double score) {
        if (model.labels().size() == 2) {
            return label(model.labels(), isPositive(model, score));
        }
        int chance = random.nextInt(20);
        int number = chance < 3 ? random.nextInt(1000) : (int) Math.abs(4 * score);
        return chance == 0 ? null : model.labels().get(number % model.labels().size());
    }

    private boolean isPositive(MixedModel model, double score) {
        boolean isTurned = model.isWatched() && sent / CONCEPT % 2 == 1;
        return score > 0 ^ isTurned;
    }

    /** Right nine times of ten; sometimes there is none. */
    private Object label(List<Object> labels, boolean isPositive) {
        int chance = random.nextInt(20);
        return chance == 0 ? null : labels.get(isPositive ^ chance < 3 ? 1 : 0);
    }

    /** The example of the current record, or of its current part; a label that comes apart is the {@link #truth}. */
    private GenericRecord event(Object label, GenericRecord features) {
        String id = sent + (part == InputRecord.WHOLE ? "" : "-" + part);
        truth = label;
        GenericRecord example = new GenericData.Record(EXAMPLE);
        example.put("id", id);
        example.put("label", present == null ? label : labels.split(present, id, label));
        example.put("features", features);
        example.put("weight", random.nextInt(10) == 0 ? 0.25 + random.nextDouble() : 1.0);
        return example;
    }

    private static byte[] command(String action, String settings) {
        return utf8("{\"action\":\"" + action + "\",\"settings\":" + settings + "}");
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
