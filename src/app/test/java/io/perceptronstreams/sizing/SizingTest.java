package io.perceptronstreams.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.sizing.Constants.Cost;
import io.perceptronstreams.topology.EngineDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SizingTest {
    private static final double CACHE = 128 << 20;

    @TempDir
    private Path directory;

    private static Load load(double models, double rate, double zipf) {
        return new Load(Learner.PERCEPTRON, models, rate, 40, 400, zipf, 0, 0, 0.2, 1, 3, 4, 5, 0.1);
    }

    private static Sizing size(Load load) {
        return Sizing.of(Constants.shipped(), load, CACHE);
    }

    private static int half(int models) {
        return models / 2;
    }

    @ParameterizedTest
    @CsvSource({"1,1.1", "10,0", "4096,1", "5000,1.1", "200000,1.1", "200000,1", "200000,0.4", "200000,0", "100000,3"})
    void shouldSumTheSharesOfAllModels(int models, double zipf) {
        double total = 0;
        double half = 0;
        for (int rank = 1; rank <= models; rank++) {
            total += Math.pow(rank, -zipf);
            half += rank <= half(models) ? Math.pow(rank, -zipf) : 0;
        }
        Shares shares = new Shares(models, zipf);
        assertThat(shares.of(1)).isCloseTo(1 / total, withinPercentage(1e-4));
        assertThat(shares.upTo(half(models))).isCloseTo(half / total, within(1e-6));
        assertThat(shares.upTo(models)).isEqualTo(1);
        assertThat(shares.sum(share -> share)).isCloseTo(1, within(1e-4));
        // each model with at least one example of a thousand
        double seen = 0;
        for (int rank = 1; rank <= models; rank++) {
            seen += 1 - Math.exp(-1000 * Math.pow(rank, -zipf) / total);
        }
        assertThat(shares.sum(share -> 1 - Math.exp(-1000 * share))).isCloseTo(seen, withinPercentage(0.1));
    }

    @Test
    void shouldTakeTheMeasuredTimesForTheMeasuredLoads() {
        Constants measured = Constants.shipped();
        assertThat(size(load(1, 1e5, 0)).value("examples/s of a thread"))
                .isCloseTo(1e6 / measured.get(Cost.ONE_MICROS), withinPercentage(0.1));
        assertThat(size(load(1e5, 1e5, 1.1)).value("examples/s of a thread"))
                .isCloseTo(1e6 / measured.get(Cost.ZIPF_MICROS), withinPercentage(0.1));
        assertThat(size(load(1e5, 1e5, 0)).value("examples/s of a thread"))
                .isCloseTo(1e6 / measured.get(Cost.UNIFORM_MICROS), withinPercentage(0.1));
    }

    /** The table of docs/sizing.md: bytes, models and the median of its seconds. */
    @ParameterizedTest
    @CsvSource({"525e6,500,1.76", "357e6,1000000,3.38", "236e6,90573,1.53"})
    void shouldRestoreInTheMeasuredTimes(double bytes, double models, double seconds) {
        near(
                Sizing.restoreSeconds(Constants.shipped(), bytes, models),
                seconds,
                bytes + " bytes of " + models + " models");
    }

    @Test
    void shouldSayThatOneModelIsTooMuchForItsThread() {
        Sizing sizing = size(load(10, 2e6, 1.1));
        assertThat(sizing.value("load of its thread by it alone")).isGreaterThan(100);
        assertThat(sizing.figures()).anyMatch(each -> each.how().contains("TOO MUCH"));
        assertThat(size(load(10, 1e3, 1.1)).figures())
                .noneMatch(each -> each.how().contains("TOO MUCH"));
    }

    /** More of anything never needs less, and each number of the load changes one of the results. */
    @Test
    void shouldNeedMoreForMore() {
        Load load = new Load(Learner.PERCEPTRON, 1e5, 1e5, 40, 400, 1.1, 0.1, 100, 0.2, 4, 2, 4, 5, 0.1);
        List<Load> larger = List.of(
                new Load(Learner.PERCEPTRON, 2e5, 1e5, 40, 400, 1.1, 0.1, 100, 0.2, 4, 2, 4, 5, 0.1),
                new Load(Learner.PERCEPTRON, 1e5, 2e5, 40, 400, 1.1, 0.1, 100, 0.2, 4, 2, 4, 5, 0.1),
                new Load(Learner.PERCEPTRON, 1e5, 1e5, 80, 400, 1.1, 0.1, 100, 0.2, 4, 2, 4, 5, 0.1),
                new Load(Learner.PERCEPTRON, 1e5, 1e5, 40, 800, 1.1, 0.1, 100, 0.2, 4, 2, 4, 5, 0.1),
                new Load(Learner.PERCEPTRON, 1e5, 1e5, 40, 400, 1.1, 0.2, 100, 0.2, 4, 2, 4, 5, 0.1),
                new Load(Learner.PERCEPTRON, 1e5, 1e5, 40, 400, 1.1, 0.1, 200, 0.2, 4, 2, 4, 5, 0.1),
                new Load(Learner.PERCEPTRON, 1e5, 1e5, 40, 400, 1.1, 0.1, 100, 0.4, 4, 2, 4, 5, 0.1),
                new Load(Learner.PERCEPTRON, 1e5, 1e5, 40, 400, 1.1, 0.1, 100, 0.2, 1, 2, 4, 5, 0.1),
                new Load(Learner.PERCEPTRON, 1e5, 1e5, 40, 400, 1.1, 0.1, 100, 0.2, 4, 3, 4, 5, 0.1),
                new Load(Learner.PERCEPTRON, 1e5, 1e5, 40, 400, 1.1, 0.1, 100, 0.2, 4, 2, 4, 1, 0.1),
                new Load(Learner.PERCEPTRON, 1e5, 1e5, 40, 400, 1.1, 0.1, 100, 0.2, 4, 2, 4, 5, 0.01),
                new Load(Learner.ADAPTIVE, 1e5, 1e5, 40, 400, 1.1, 0.1, 100, 0.2, 4, 2, 4, 5, 0.1),
                new Load(Learner.PORTFOLIO, 1e5, 1e5, 40, 400, 1.1, 0.1, 100, 0.2, 4, 2, 4, 5, 0.1));
        Set<String> less = Set.of("examples/s of a thread", "share of the most used model");
        List<Figure> before = size(load).figures();
        for (Load each : larger) {
            List<Figure> after = size(each).figures();
            boolean isMore = false;
            for (int k = 0; k < before.size(); k++) {
                if (!less.contains(before.get(k).name())
                        && !before.get(k).name().startsWith("load of its thread")) {
                    assertThat(after.get(k).value())
                            .as("%s for %s", before.get(k).name(), each)
                            .isGreaterThanOrEqualTo(before.get(k).value() * (1 - 1e-9));
                }
                isMore |= after.get(k).value() > before.get(k).value();
            }
            assertThat(isMore).as("%s", each).isTrue();
        }
        Load moreCores = new Load(Learner.PERCEPTRON, 1e5, 1e6, 40, 400, 1.1, 0.1, 100, 0.2, 4, 2, 16, 5, 0.1);
        Load fewCores = new Load(Learner.PERCEPTRON, 1e5, 1e6, 40, 400, 1.1, 0.1, 100, 0.2, 4, 2, 2, 5, 0.1);
        assertThat(size(moreCores).value("instances")).isLessThan(size(fewCores).value("instances"));
    }

    /** Bytes of outputs, changelog and memory within a factor of 1.5 of what an engine writes and holds. */
    @ParameterizedTest
    @CsvSource({
        "PERCEPTRON,300,12000,40,1000,0",
        "PERCEPTRON,300,12000,40,1000,1.1",
        "PERCEPTRON,2000,20000,10,100,0",
        "ADAPTIVE,300,6000,40,1000,1.1",
        "ADAPTIVE,1000,10000,10,100,0",
        "PORTFOLIO,200,4000,40,1000,0",
        "PORTFOLIO,1000,10000,10,100,1.1",
    })
    void shouldAgreeWithAnEngine(Learner learner, int models, int examples, int features, int ofFeatures, double zipf) {
        agree(learner, models, examples, features, ofFeatures, zipf);
    }

    /** {@code -Dsizing.models=100000} needs {@code -Xmx5g}. */
    @Tag("full")
    @ParameterizedTest
    @ValueSource(doubles = {0, 1.1})
    void shouldAgreeWithAnEngineOfManyModels(double zipf) {
        int models = Integer.getInteger("sizing.models", 5_000);
        agree(Learner.PERCEPTRON, models, 5 * models, 10, 100, zipf);
    }

    private void agree(Learner learner, int models, int examples, int features, int ofFeatures, double zipf) {
        long seed = 20261129;
        int checkpoints = 4;
        Random random = new Random(seed);
        Shares shares = new Shares(models, zipf);
        double[] upTo = new double[models];
        for (int rank = 1; rank <= models; rank++) {
            upTo[rank - 1] = shares.upTo(rank);
        }
        long changelog = 0;
        long before = 0;
        long mistakes;
        long outputs;
        double heap = 0;
        Set<Long> weights = new HashSet<>();
        String settings = learner == Learner.PORTFOLIO
                ? "\"portfolio\":\"true\""
                : "\"algorithm\":\"" + learner.name().toLowerCase(Locale.ROOT) + '"';
        try (EngineDriver engine = new EngineDriver(directory)) {
            for (int model = 0; model < models; model++) {
                engine.send("model-" + model, "{\"action\":\"CONFIGURE\",\"settings\":{" + settings + "}}", 0);
            }
            // first all models get most of the weights that they will have
            int first = 2 * models * ofFeatures / features;
            for (int k = -first; k < examples; k++) {
                int model = k < 0 ? -k % models : Arrays.binarySearch(upTo, random.nextDouble());
                model = model < 0 ? -model - 1 : model;
                engine.send(
                        "model-" + model, example(random, k, model, features, ofFeatures, weights), (long) first + k);
                if (k == -1) {
                    engine.changelog();
                    engine.records(Topic.PREDICTIONS);
                    engine.records(Topic.MISTAKES);
                    before = mistakes(engine, models);
                } else if (k > 0 && (k + 1) % (examples / checkpoints) == 0) {
                    changelog += bytes(engine.changelog());
                }
            }
            for (int model = 0; model < models; model++) {
                heap += engine.model("model-" + model).heapBytes();
            }
            mistakes = mistakes(engine, models) - before;
            outputs = bytes(engine.records(Topic.PREDICTIONS)) + bytes(engine.records(Topic.MISTAKES));
        }
        // each checkpoint of the engine is one second of the load
        Load load = new Load(
                learner,
                models,
                (double) examples / checkpoints,
                features,
                (double) weights.size() / models,
                zipf,
                0,
                0,
                (double) mistakes / examples,
                1,
                1,
                1,
                1,
                0.1);
        Sizing sizing = size(load);
        String as = "seed " + seed;
        near(sizing.value("predictions and mistakes written") * 1e6 * checkpoints, (double) outputs, as + ", outputs");
        near(sizing.value("memory of a model") * models, heap, as + ", heap");
        near(sizing.value("changelog written") * 1e6 * checkpoints, (double) changelog, as + ", changelog");
    }

    /**
     * Bytes of a label, and the heap of an example that waits and is written, by what an engine reads and holds: the
     * mean between two sizes of its tables.
     */
    @Test
    void shouldAgreeWithExamplesThatWaitForLabels() {
        long seed = 20261130;
        int half = 32_000;
        int samples = 8;
        Random random = new Random(seed);
        double bytes = 0;
        try (EngineDriver engine = new EngineDriver(directory)) {
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":3600000}}", 0);
            engine.send("m", example(random, 0, 0, 40, 1000, new HashSet<>()), 0);
            engine.checkpoint();
            long before = engine.model("m").heapBytes();
            for (int k = 1; k <= 2 * half; k++) {
                String labelled = example(random, k, 0, 40, 1000, new HashSet<>());
                engine.send("m", labelled.substring(0, labelled.lastIndexOf(",\"label\"")) + "}", k);
                if (k > half && k % (half / samples) == 0) {
                    engine.checkpoint();
                    bytes += (engine.model("m").heapBytes() - before) / (double) k / samples;
                }
            }
        }
        near(Constants.shipped().get(Cost.WAITING_HEAP_BYTES), bytes, "seed " + seed);
        Schema schema = EventSchemas.schema("Label");
        GenericRecord label = new GenericData.Record(schema);
        label.put("exampleId", "1234567");
        label.put("label", 1);
        label.put("weight", 1.0);
        byte[] value = new EventWriter(schema, 1).write(label);
        near(Constants.shipped().get(Cost.LABEL_BYTES), 10.0 + "bench".length() + value.length, "a label");
    }

    private static long mistakes(EngineDriver engine, int models) {
        return IntStream.range(0, models)
                .mapToLong(model ->
                        engine.model("model-" + model).counts().totals().errors())
                .sum();
    }

    private static void near(double computed, double real, String as) {
        assertThat(computed / real)
                .as(as + ": computed " + computed + ", real " + real)
                .isBetween(1 / 1.5, 1.5);
    }

    /** Some features of the model, of values with all their digits, and a label that is wrong in one of five. */
    private static String example(Random random, int id, int model, int features, int ofFeatures, Set<Long> weights) {
        TreeSet<Integer> indices = new TreeSet<>();
        int positive = 0;
        while (indices.size() < features) {
            int index = random.nextInt(ofFeatures);
            if (indices.add(index)) {
                positive += index % 2;
                weights.add((long) ofFeatures * model + index);
            }
        }
        int label = positive > features / 2 ^ random.nextInt(5) == 0 ? 1 : -1;
        return "{\"id\":\"" + id + "\",\"features\":{\"indices\":" + indices + ",\"values\":"
                + indices.stream().map(each -> 1 + random.nextDouble()).toList() + "},\"label\":" + label + "}";
    }

    private static long bytes(List<TestRecord<byte[], byte[]>> records) {
        // a record in a batch has some ten bytes of its own
        return records.stream()
                .mapToLong(each -> 10L + each.key().length + (each.value() == null ? 0 : each.value().length))
                .sum();
    }

    @Test
    void shouldReadAFileOverTheShippedCosts() throws IOException {
        Path file = directory.resolve("constants");
        Files.writeString(file, "one.micros=1\ndate=2026-01-31\n");
        Constants constants = Constants.read(file);
        assertThat(constants.get(Cost.ONE_MICROS)).isEqualTo(1);
        assertThat(constants.get(Cost.ZIPF_MICROS))
                .isEqualTo(Constants.shipped().get(Cost.ZIPF_MICROS));
        assertThat(constants.origin()).contains("2026-01-31");
        assertThat(constants.missing()).contains("zipf.micros").doesNotContain("one.micros");
        assertThat(Constants.shipped().missing()).isEmpty();
        assertThat(Constants.shipped().estimated()).contains("verify.micros").isSubsetOf(constants.missing());

        Files.writeString(file, "verify.micros=2\n");
        assertThat(Constants.read(file).estimated()).doesNotContain("verify.micros");
    }

    @ParameterizedTest
    @ValueSource(strings = {"one.micros=0", "one.micros=-1", "one.micros=fast", "one.micros=NaN", "one.micro=1"})
    void shouldRefuseWhatIsNoCost(String line) throws IOException {
        Path file = directory.resolve("constants");
        Files.writeString(file, line + "\n");
        assertThatThrownBy(() -> Constants.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(line.substring(0, line.indexOf('=')))
                .hasMessageContaining(file.toString());
    }
}
