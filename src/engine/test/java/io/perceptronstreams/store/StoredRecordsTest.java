package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stored models, byte by byte: a change of these bytes must be meant, and get a form of its own once there is a
 * release.
 *
 * <p>{@code -Dgolden.write=true} writes the file; once there is a release, its file must stay as it is.
 */
class StoredRecordsTest {
    private static final Path FILE = Path.of("src/test/resources/models/records.hex");
    private static final Path FILE_WITHOUT_MULTIPLES = Path.of("src/test/resources/models/records-16.hex");
    private static final Path FILE_WITHOUT_BITS = Path.of("src/test/resources/models/records-13.hex");
    private static final Path FILE_WITHOUT_PROBABILITIES = Path.of("src/test/resources/models/records-12.hex");
    private static final Path FILE_WITHOUT_SIDES = Path.of("src/test/resources/models/records-10.hex");
    private static final Path FILE_WITHOUT_VERSIONS = Path.of("src/test/resources/models/records-9.hex");
    private static final Path FILE_WITH_SHADOWS = Path.of("src/test/resources/models/records-8.hex");
    private static final HexFormat HEX = HexFormat.of();

    @TempDir
    Path dir;

    @Test
    void shouldWriteTheSameRecords() throws IOException {
        try (StoreDriver driver = new StoreDriver(dir, Long.MAX_VALUE)) {
            List<String> records = records(driver);
            if (Boolean.getBoolean("golden.write")) {
                Files.writeString(FILE, String.join("\n", records) + "\n");
            }
            assertThat(records).containsExactlyElementsOf(Files.readAllLines(FILE));
        }
    }

    @Test
    void shouldContinueFromTheRecordsWithTheSameBits() throws IOException {
        requireSameAsCreated(load(FILE), text -> text, Map.of());
    }

    /** Models of which no number is stored as a multiple of the one before it. */
    @Test
    void shouldContinueFromNumbersThatStandForThemselves() throws IOException {
        requireSameAsCreated(load(FILE_WITHOUT_MULTIPLES), text -> text, Map.of());
    }

    /**
     * Models of the form whose probabilities are not packed, and whose state is rounded in another way; all others go
     * on with the same bits.
     */
    @Test
    void shouldContinueFromProbabilitiesThatWereNotPacked() throws IOException {
        Map<Bytes, byte[]> records = load(FILE_WITHOUT_BITS);
        requireSameAsCreated(records, text -> text);
        Model stored = store(records).find(StoreDriver.utf8("sure")).model();
        ModelStore fresh = store(Map.of());
        SampleModels.create(fresh, "sure");
        Model created = fresh.find(StoreDriver.utf8("sure")).model();

        // forty labels, of which each sum of errors is rounded to a 64th
        List<Double> numbers = stored.current().calibrationNumbers();
        List<Double> expected = created.current().calibrationNumbers();
        assertThat(numbers).hasSameSizeAs(expected);
        for (int k = 0; k < numbers.size(); k++) {
            assertThat(numbers.get(k)).as("number %d", k).isCloseTo(expected.get(k), within(0.1));
        }
        assertThat(numbers.get(0)).isEqualTo(40);
        Counts before = stored.counts().totals();
        Counts after = created.counts().totals();
        assertThat(before.of(Counter.SETS)).isEqualTo(after.of(Counter.SETS)).isPositive();
        assertThat(before.of(Counter.COVERED)).isEqualTo(after.of(Counter.COVERED));
        assertThat((double) before.of(Counter.SQUARED_MILLIONTHS))
                .isCloseTo((double) after.of(Counter.SQUARED_MILLIONTHS), withinPercentage(1));
        assertThat(stored.counts().reliability())
                .hasSameSizeAs(created.counts().reliability())
                .zipSatisfy(created.counts().reliability(), (one, other) -> {
                    assertThat(one.examples()).isEqualTo(other.examples());
                    assertThat(one.rate()).isEqualTo(other.rate());
                    assertThat(one.probability()).isCloseTo(other.probability(), within(0.005));
                });
        assertThat(stored.decisions().labelled()).isEqualTo(created.decisions().labelled());
        assertThat(new HeaderCodec().encode(stored, 0, 0)[0]).isEqualTo((byte) HeaderCodec.FORM_OF_BITS);
    }

    /** Models of the form without probabilities; they go on without them, and begin with them as others do. */
    @Test
    void shouldContinueWithoutProbabilities() throws IOException {
        requireSameAsCreated(load(FILE_WITHOUT_PROBABILITIES), text -> text);
        requireSameAsCreated(
                load(FILE_WITHOUT_PROBABILITIES), text -> text, Map.of("calibrate", "platt", "coverage", "0.9"));
    }

    /** Models of the form without the sides of the rounds of trials. */
    @Test
    void shouldContinueWithoutTheSidesOfRounds() throws IOException {
        requireSameAsCreated(load(FILE_WITHOUT_SIDES), StoredRecordsTest::withoutSides);
    }

    /**
     * Forms before the present one lack the last example and the start of a trial, and keep the former default of a
     * setting.
     */
    private static String withoutSides(String text) {
        return text.replaceAll("(?m)^(sides|bunches) .*\n", "")
                .replaceAll(", last example at -?\\d+", "")
                .replaceAll("(?m)^setting window.ms=.*\n", "")
                .replaceAll("(?m)^(compared .*) from -?\\d+$", "$1");
    }

    /** Models of the form without named snapshots, and with all entries of small vectors in the header. */
    @Test
    void shouldContinueWithoutNamedSnapshots() throws IOException {
        requireSameAsCreated(load(FILE_WITHOUT_VERSIONS), StoredRecordsTest::withoutSides);
    }

    /** Models of the form with one shadow, as they were stored before there were challengers. */
    @Test
    void shouldContinueWithAShadowAsTheChallengerOfTheDrift() throws IOException {
        // how often both were wrong was not stored
        requireSameAsCreated(load(FILE_WITH_SHADOWS), text -> withoutSides(text).replaceAll("(?m)^compared .*\n", ""));
    }

    /** Records of earlier forms, which have no model with probabilities or a second stage. */
    private static void requireSameAsCreated(Map<Bytes, byte[]> records, UnaryOperator<String> compared) {
        requireSameAsCreated(records, compared, Map.of("calibrate", "none"));
    }

    private static void requireSameAsCreated(
            Map<Bytes, byte[]> records, UnaryOperator<String> compared, Map<String, String> changes) {
        ModelStore stored = store(records);
        ModelStore fresh = store(Map.of());
        for (String name : SampleModels.names()) {
            if (!changes.isEmpty() && (name.equals("sure") || name.equals("stacked"))) {
                continue;
            }
            SampleModels.create(fresh, name);
            String text = text(stored, name, changes);
            assertThat(compared.apply(text)).as(name).isEqualTo(compared.apply(text(fresh, name, changes)));
            assertThat(text.contains("challenger drift")).isEqualTo(name.endsWith("shadow"));
        }
    }

    private static ModelStore store(Map<Bytes, byte[]> records) {
        KeyValueStore<Bytes, byte[]> inner =
                Stores.inMemoryKeyValueStore("models").get();
        records.forEach(inner::put);
        return new ModelStore(inner, new StoreCounters(), Long.MAX_VALUE);
    }

    private static String text(ModelStore store, String name, Map<String, String> changes) {
        Model model = store.find(StoreDriver.utf8(name)).model();
        if (model.state() != ModelState.DELETED && model.pipeline().algorithm().hasClasses()) {
            model.configure(changes);
        }
        return ModelText.of(model) + SampleModels.goOn(model, name) + ModelText.of(model);
    }

    /** Reads the records of all models. */
    static Map<Bytes, byte[]> load() throws IOException {
        return load(FILE);
    }

    private static Map<Bytes, byte[]> load(Path file) throws IOException {
        Map<Bytes, byte[]> records = new LinkedHashMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] record = line.split(" ", -1);
            records.put(Bytes.wrap(HEX.parseHex(record[0])), HEX.parseHex(record[1]));
        }
        return records;
    }

    /** Creates all models, and returns the last record of every key. */
    private static List<String> records(StoreDriver driver) {
        driver.checkpoint(store -> SampleModels.names().forEach(name -> SampleModels.create(store, name)));
        List<String> lines = new ArrayList<>();
        for (TestRecord<byte[], byte[]> record : driver.changelog()) {
            String key = HEX.formatHex(record.key());
            lines.removeIf(line -> line.startsWith(key + " "));
            if (record.value() != null) {
                lines.add(key + " " + HEX.formatHex(record.value()));
            }
        }
        return lines;
    }
}
