package io.perceptronstreams.embed;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeKind;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.jspecify.annotations.NullMarked;

/**
 * Topics of an engine as streams of another program's topology: examples and labels into it, predictions, mistakes and
 * refusals out of it. The engine may run in the same JVM ({@link Engine}) or anywhere else.
 *
 * <pre>{@code
 * KStream<String, Payment> payments = builder.stream("payments-by-model", yours);
 * KStream<String, Verdict> verdicts = builder.stream("verdicts-by-model", yours);
 * PerceptronTopics topics = PerceptronTopics.of(
 *         Map.of("bootstrap.servers", "localhost:9092", "schema.registry.url", "http://localhost:8081"));
 * topics.send(payments.mapValues(each -> LearnExample.of(each.id()).feature("amount", each.amount())));
 * topics.send(verdicts.mapValues(each -> LearnLabel.of(each.paymentId(), each.verdict())));
 * topics.predictions(builder).foreach((model, each) -> System.out.println(each.id() + " " + each.predicted()));
 * topics.refusals(builder).foreach((model, each) -> System.err.println(each.reason() + ": " + each.message()));
 * }</pre>
 *
 * <p>Keys are names of models. Names of topics, format and registry follow from the settings of the engine
 * ({@code topics.prefix}, {@code output.format}, {@code schema.registry.…}): with {@code output.format=json} no
 * registry is asked. The topics must exist before the topology starts.
 *
 * <p>Immutable and thread-safe.
 *
 * @since 0.2.0
 */
@NullMarked
public final class PerceptronTopics {
    private final EngineConfig config;

    private PerceptronTopics(EngineConfig config) {
        this.config = config;
    }

    /**
     * Returns the topics of an engine.
     *
     * @param settings those of the engine, as of {@link Engine#of}
     * @throws org.apache.kafka.common.config.ConfigException with a line for each unknown or wrong setting
     */
    public static PerceptronTopics of(Map<?, ?> settings) {
        return new PerceptronTopics(EngineConfig.ofProgram(ProgramSettings.of(settings), Map.of()));
    }

    /**
     * Sends examples and labels to the engine, each model to its partition, with the timestamps of the records. Headers
     * go with them, except those of another record's events ({@code perceptron-…}, {@code __…}).
     *
     * <p>What the engine cannot use becomes a {@linkplain #refusals refusal}. A record without key or value throws. The
     * engine learns what comes twice twice, so that the topology should run with
     * {@code processing.guarantee=exactly_once_v2}.
     */
    public void send(KStream<String, ? extends LearnInput> examples) {
        FixedKeyProcessorSupplier<String, LearnInput, byte[]> encoding = Encoding::new;
        examples.processValues(encoding)
                .to(config.topic(Topic.EXAMPLES), Produced.with(Serdes.String(), Serdes.ByteArray(), new ByModel()));
    }

    /** Adds the predictions to a topology, in the order of each model, with the timestamps of the examples. */
    public KStream<String, EnginePrediction> predictions(StreamsBuilder builder) {
        return events(builder, Topic.PREDICTIONS, Prediction.class, PerceptronTopics::prediction);
    }

    /**
     * Adds the mistakes and margin mistakes to a topology, in the order of each model, with the timestamps of the
     * examples.
     */
    public KStream<String, EngineMistake> mistakes(StreamsBuilder builder) {
        return events(builder, Topic.MISTAKES, Mistake.class, PerceptronTopics::mistake);
    }

    /**
     * Adds the records that the engine could not use to a topology; the key is that of the record, which may be null.
     */
    public KStream<String, EngineRefusal> refusals(StreamsBuilder builder) {
        return read(builder, Topic.DEAD_LETTERS, Refusals::new);
    }

    private <E extends SpecificRecord, R> KStream<String, R> events(
            StreamsBuilder builder, Topic topic, Class<E> type, Function<E, R> result) {
        return read(builder, topic, () -> new Decoding<>(config, type, result));
    }

    private <R> KStream<String, R> read(
            StreamsBuilder builder, Topic topic, FixedKeyProcessorSupplier<String, byte[], R> reader) {
        return builder.stream(config.topic(topic), Consumed.with(Serdes.String(), Serdes.ByteArray()))
                .processValues(reader);
    }

    private static EnginePrediction prediction(Prediction event) {
        return new EnginePrediction(
                event.getExampleId(),
                text(event.getLabelText(), event.getLabel()),
                event.getScore(),
                event.getScores() == null ? Map.of() : Map.copyOf(event.getScores()),
                event.getCorrect(),
                event.getUpdates(),
                event.getExamples(),
                event.getEpoch(),
                event.getProbability(),
                event.getProbabilities() == null ? Map.of() : Map.copyOf(event.getProbabilities()),
                event.getLabelSet() == null ? null : List.copyOf(event.getLabelSet()));
    }

    private static EngineMistake mistake(Mistake event) {
        return new EngineMistake(
                event.getExampleId(),
                text(event.getLabelText(), event.getLabel()),
                text(event.getPredictedText(), event.getPredicted()),
                event.getKind() == MistakeKind.MARGIN_MISTAKE,
                event.getScore(),
                event.getMargin(),
                event.getMistakes(),
                event.getUpdates(),
                event.getLabelled(),
                event.getExamples(),
                event.getEpoch() == null ? -1 : event.getEpoch(),
                event.getSource(),
                event.getReplaced(),
                event.getErrorChange() == null ? 0 : event.getErrorChange());
    }

    /** A label as text; events of early engines have it only as a value. */
    private static String text(String text, Object label) {
        return text != null || label == null ? text : label.toString();
    }

    /** Partitioner of the engine's producers, used regardless of the configuration of the program's producer. */
    private record ByModel() implements StreamPartitioner<String, byte[]> {
        @Override
        public Optional<Set<Integer>> partitions(
                String topic, String key, byte[] value, Headers headers, int partitions) {
            return only(key, partitions);
        }

        // Kafka Streams 4.4 calls the other one; the interface still demands both
        @Override
        @Deprecated
        @SuppressWarnings("removal")
        public Optional<Set<Integer>> partitions(String topic, String key, byte[] value, int partitions) {
            return only(key, partitions);
        }

        private static Optional<Set<Integer>> only(String key, int partitions) {
            return Optional.of(Set.of(Utils.toPositive(Utils.murmur2(Utils.utf8(key))) % partitions));
        }
    }

    /** Encodes the examples and labels of a task. */
    private final class Encoding extends ContextualFixedKeyProcessor<String, LearnInput, byte[]> {
        private SchemaRegistry registry;
        private InputEncoder encoder;

        @Override
        public void init(FixedKeyProcessorContext<String, byte[]> context) {
            super.init(context);
            if (config.get(EngineConfigDef.OUTPUT_FORMAT) == EngineConfig.OutputFormat.JSON) {
                encoder = InputEncoder::json;
                return;
            }
            // now, not with the first example: a handler that continues after failures would lose it
            registry = SchemaRegistries.of(config.registry());
            encoder = InputEncoder.avro(registry, config.topic(Topic.EXAMPLES));
        }

        @Override
        public void process(FixedKeyRecord<String, LearnInput> record) {
            Learn.requireComplete(record.key(), record.value());
            context().forward(record.withValue(encoder.encode(record.value())).withHeaders(passedOn(record.headers())));
        }

        /** A copy, because the record may have other readers. */
        private static Headers passedOn(Headers headers) {
            Headers copy = new ProducerRecord<>("", new byte[0]).headers();
            headers.forEach(header -> {
                if (!header.key().startsWith("perceptron-") && !header.key().startsWith("__")) {
                    copy.add(header);
                }
            });
            return copy;
        }

        @Override
        public void close() {
            Utils.closeQuietly(registry, "registry");
        }
    }

    /** Reads what engines have committed. */
    private abstract static class Reading<R> extends ContextualFixedKeyProcessor<String, byte[], R> {
        @Override
        public void init(FixedKeyProcessorContext<String, R> context) {
            super.init(context);
            Map<String, Object> application = context.appConfigs();
            String key = ConsumerConfig.ISOLATION_LEVEL_CONFIG;
            Object level = Stream.of("main.consumer.", "consumer.", "")
                    .map(prefix -> application.get(prefix + key))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse("read_uncommitted");
            boolean isExact =
                    StreamsConfig.EXACTLY_ONCE_V2.equals(application.get(StreamsConfig.PROCESSING_GUARANTEE_CONFIG));
            if (!isExact && !level.equals("read_committed")) {
                throw new IllegalStateException(key
                        + " must be read_committed to read the topics of an engine, which has"
                        + " written what it aborts, too, got " + level + " (set consumer." + key
                        + "=read_committed in the KafkaStreams of this topology, or "
                        + StreamsConfig.PROCESSING_GUARANTEE_CONFIG + "=" + StreamsConfig.EXACTLY_ONCE_V2 + ")");
            }
        }
    }

    /** Decodes the events of a task, of records with one or several. */
    private static final class Decoding<E extends SpecificRecord, R> extends Reading<R> {
        private final SchemaRegistry registry;
        private final EventReader<E> reader;
        private final Function<E, R> result;

        Decoding(EngineConfig config, Class<E> type, Function<E, R> result) {
            this.registry = SchemaRegistries.of(config.registry());
            this.reader = EventReader.of(type, registry);
            this.result = result;
        }

        @Override
        public void process(FixedKeyRecord<String, byte[]> record) {
            List<E> events = reader.readAll(record.value());
            events.forEach(event -> context().forward(record.withValue(result.apply(event))));
        }

        @Override
        public void close() {
            registry.close();
        }
    }

    /** Reads the headers of dead letters. */
    private static final class Refusals extends Reading<EngineRefusal> {
        @Override
        public void process(FixedKeyRecord<String, byte[]> record) {
            DeadLetter refused = DeadLetter.of(record.headers());
            if (refused.sourcePartition() == null || refused.sourceOffset() == null) {
                // written by somebody else
                return;
            }
            EngineRefusal refusal = new EngineRefusal(
                    refused.reason(),
                    refused.message(),
                    refused.sourcePartition().intValue(),
                    refused.sourceOffset());
            context().forward(record.withValue(refusal));
        }
    }
}
