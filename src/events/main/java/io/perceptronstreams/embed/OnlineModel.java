package io.perceptronstreams.embed;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelBuilder;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.SnapshotDecoder;
import io.perceptronstreams.serde.SnapshotEncoder;
import io.perceptronstreams.settings.Settings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.file.DataFileConstants;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.jspecify.annotations.NullMarked;

/**
 * One model without Kafka: predicts, learns, and is stored as bytes.
 *
 * <pre>{@code
 * OnlineModel model = OnlineModel.create(Map.of("algorithm", "pa-i", "labels", "ok,fraud"));
 * for (Payment payment : payments) {
 *     LearnExample example = LearnExample.of(payment.id()).feature("amount", payment.amount());
 *     LearnResult before = model.learn(example.label(payment.verdict()));
 *     System.out.println(before.predicted() + (before.isError() ? " was wrong" : " was right"));
 * }
 * Files.write(file, model.toBytes());
 * OnlineModel again = OnlineModel.fromBytes(Files.readAllBytes(file));
 * System.out.println(again.predict(LearnExample.of("new").feature("amount", 7)).predicted());
 * }</pre>
 *
 * <p>The same settings and examples in the same order give the weights of the engine, to the last bit. The bytes are an
 * Avro container of WeightsSnapshot events, which {@code perceptron weights import} reads and {@code perceptron weights
 * export --format avro} writes: a model can move between the engine and a program of its own. Bytes of earlier versions
 * stay readable.
 *
 * <p>Settings of windows, snapshots and evidence have no effect, because there are no events. Settings that need a
 * stream (late labels, drift, a portfolio), which {@code Learn} has, are refused.
 *
 * <p>Not thread-safe.
 *
 * @since 0.2.0
 */
@NullMarked
public final class OnlineModel {
    private static final EventEncoder.Origin NO_LOG = new EventEncoder.Origin(-1, -1);

    // Of equal models the bytes are equal, so the marker between blocks is not random.
    private static final byte[] SYNC = new byte[DataFileConstants.SYNC_SIZE];

    // Without descriptions, which the bytes of each model would repeat.
    private static final Schema STORED =
            new Schema.Parser().parse(SchemaNormalization.toParsingForm(EventSchemas.schema("WeightsSnapshot")));

    // Chunks are cut as those of an engine are, but have no schema in a registry.
    private static final int NO_SCHEMA = 0;

    private final ExampleFiller filler = new ExampleFiller();
    private final Example example = new Example();
    private final Model model;

    private OnlineModel(Model model) {
        this.model = model;
        requireEmbeddable(model.pipeline().given());
    }

    /**
     * Creates a model that has learned nothing.
     *
     * @param settings settings of a model by name, such as {@code algorithm} or {@code scale}; others have their
     *     defaults
     * @throws IllegalArgumentException if a setting is unknown, wrong, or needs a stream
     */
    public static OnlineModel create(Map<String, String> settings) {
        Model model = new Model();
        model.configure(settings);
        return new OnlineModel(model);
    }

    private static void requireEmbeddable(Settings given) {
        Algorithm algorithm = Algorithm.of(given);
        require(!algorithm.isAdaptive(), given, "algorithm", "auto or the name of a learner");
        require(given.get(Settings.DRIFT) == DriftSettings.NONE.detector(), given, "drift", "none");
        require(!given.get(Settings.PORTFOLIO), given, "portfolio", "false");
        require(
                !given.get(Settings.CLASS_WEIGHTS).isBalanced(),
                given,
                "class.weights",
                "none or a weight for each class");
        require(given.get(Settings.AWAIT_LABELS_MS) == 0, given, "await.labels.ms", "0");
        require(given.get(Settings.DEDUPE_LAST) == 0, given, "dedupe.last", "0");
    }

    private static void require(boolean isRule, Settings given, String name, String rule) {
        if (!isRule) {
            throw new IllegalArgumentException(name + " must be " + rule + " in an embedded model, got "
                    + given.toMap().get(name) + " (a model of the engine can have it)");
        }
    }

    /**
     * Predicts and, if there is a label, compares; changes nothing.
     *
     * <p>Cost: O(features); with a kernel O(features · support examples).
     *
     * @throws RejectedException if the example cannot be used
     */
    public LearnResult predict(LearnExample input) {
        filler.fill(input, model.pipeline().hasher(), example);
        return LearnResult.of(
                input.id(), input.labelText(), null, model.current().evaluate(example));
    }

    /**
     * Predicts and then learns from the label, as the engine does with a record of its log.
     *
     * <p>An example without a label is predicted and counted, and changes the statistics of {@code scale=standard}.
     * Cost: that of {@link #predict} plus O(features) for an update.
     *
     * @return the prediction that was made before the update
     * @throws RejectedException if the example cannot be used; then nothing has changed
     */
    public LearnResult learn(LearnExample input) {
        filler.fill(input, model.pipeline().hasher(), example);
        return LearnResult.of(input.id(), input.labelText(), null, model.process(example, 0));
    }

    /** Number of examples that were learned, with and without a label. */
    public long examples() {
        return model.counts().totals().examples();
    }

    /** Number of labelled examples that were predicted wrong. */
    public long errors() {
        return model.counts().totals().errors();
    }

    /** Number of changes of the weights. */
    public long updates() {
        return model.current().version();
    }

    /**
     * Returns settings, weights and totals, from which {@link #fromBytes} continues with the same bits. Equal models
     * have equal bytes. Cost: O(weights).
     *
     * @throws IllegalStateException if the weights are corrupt
     */
    public byte[] toBytes() {
        return toBytes(model);
    }

    /** Returns the bytes of a model, also of one whose settings need a stream. */
    static byte[] toBytes(Model model) {
        if (model.state() == ModelState.QUARANTINED) {
            throw new IllegalStateException(
                    "a model must have all of its weights to be stored, got a corrupt one (continue"
                            + " with earlier bytes)");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataFileWriter<WeightsSnapshot> chunks = new DataFileWriter<>(new GenericDatumWriter<>(STORED))) {
            chunks.create(STORED, bytes, SYNC);
            new SnapshotEncoder(NO_SCHEMA, false).cutState(model, NO_LOG, chunk -> append(chunks, chunk));
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    private static void append(DataFileWriter<WeightsSnapshot> chunks, WeightsSnapshot chunk) {
        try {
            chunks.append(chunk);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
    }

    /**
     * Restores a model. Cost: O(weights). The source of the bytes must be trusted: a forged size of a block can ask for
     * much memory.
     *
     * @param bytes of {@link #toBytes} in this or an earlier version, or of
     *     {@code perceptron weights export --format avro}
     * @throws IllegalArgumentException if they are not a complete model, or one that needs a stream
     */
    public static OnlineModel fromBytes(byte[] bytes) {
        return new OnlineModel(model(bytes));
    }

    /** Restores any model. */
    static Model model(byte[] bytes) {
        SpecificData data = SpecificData.getForClass(WeightsSnapshot.class);
        ModelBuilder builder = null;
        int read = 0;
        int expected = 1;
        try (DataFileStream<WeightsSnapshot> chunks = new DataFileStream<>(
                new ByteArrayInputStream(bytes),
                new SpecificDatumReader<WeightsSnapshot>(null, data.getSchema(WeightsSnapshot.class), data))) {
            while (chunks.hasNext()) {
                WeightsChunk chunk = SnapshotDecoder.chunk(chunks.next());
                if (builder == null) {
                    builder = new ModelBuilder(chunk.header());
                    expected = chunk.header().chunks();
                }
                if (chunk.number() != read) {
                    throw new IllegalArgumentException(
                            "chunks must come in order, got " + chunk.number() + " as " + read);
                }
                builder.add(chunk);
                read++;
            }
            if (builder == null || read != expected) {
                throw new IllegalArgumentException("got " + read + " of " + expected + " chunks");
            }
            return builder.finish();
        } catch (IOException | AvroRuntimeException | RejectedException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "bytes must be those of OnlineModel.toBytes() or of perceptron weights export --format avro, but "
                            + e.getMessage(),
                    e);
        }
    }
}
