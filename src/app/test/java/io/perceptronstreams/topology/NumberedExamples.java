package io.perceptronstreams.topology;

import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.ExampleBatch;
import io.perceptronstreams.event.Label;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Utils;

/**
 * An endless stream of examples with a number each, from 1 for each model, which is also their id. Features and true
 * label follow from model and number, so that a reader of predictions can count the wrong ones without the stream.
 *
 * <p>Each partition has three models: with labelled examples, with labels of their own {@link #LATE_BY} examples later,
 * and with {@link #IN_ONE} examples in a record. One record of {@link #EVERY_REFUSED} is refused: a label that comes a
 * second time, or a value that is no event.
 */
final class NumberedExamples {
    /** Number of examples of a model that wait for their labels. */
    static final int LATE_BY = 20;

    static final int IN_ONE = 10;
    private static final int EVERY_REFUSED = 250;
    private static final int FEATURES = 4;

    /** Models, by what their records hold. */
    enum Kind {
        LABELLED("perceptron", 0),
        LATE("pa-i", 86_400_000),
        SEVERAL("arow", 0);

        private final String command;

        Kind(String algorithm, int awaitLabelsMs) {
            command = "{\"action\":\"CONFIGURE\",\"settings\":{\"algorithm\":\"" + algorithm + "\",\"await.labels.ms\":"
                    + awaitLabelsMs + "}}";
        }
    }

    /** A model, and what it was sent. */
    static final class Numbered {
        private final String name;
        private final Kind kind;
        private final int index;
        private long examples;
        private long labels;
        private long refused;

        private Numbered(String name, Kind kind, int index) {
            this.name = name;
            this.kind = kind;
            this.index = index;
        }

        String name() {
            return name;
        }

        /** Number of examples sent. */
        long examples() {
            return examples;
        }

        /** Number of examples sent whose labels were sent, too: the first ones. */
        long labelled() {
            return kind == Kind.LATE ? labels : examples;
        }

        /** Number of records that make a dead letter. */
        long refused() {
            return refused;
        }

        /** True label of an example. */
        int truth(long number) {
            return random(number).nextBoolean() ? 1 : -1;
        }

        private SplittableRandom random(long number) {
            return new SplittableRandom(number * 1_000_003 + index);
        }
    }

    private final String topic;
    private final EventWriter example;
    private final EventWriter batch;
    private final EventWriter label;
    private final List<Numbered> models = new ArrayList<>();
    private final AtomicLong examples = new AtomicLong();
    private long records;

    NumberedExamples(String topic, int partitions, SchemaRegistry registry) {
        this.topic = topic;
        example = writer("Example", registry);
        batch = writer("ExampleBatch", registry);
        label = writer("Label", registry);
        int number = 0;
        for (int partition = 0; partition < partitions; partition++) {
            for (Kind kind : Kind.values()) {
                while (Utils.toPositive(Utils.murmur2(utf8("model-" + number))) % partitions != partition) {
                    number++;
                }
                models.add(new Numbered("model-" + number++, kind, models.size()));
            }
        }
    }

    private EventWriter writer(String event, SchemaRegistry registry) {
        return new EventWriter(
                EventSchemas.schema(event), registry.register(topic + "-" + event, EventSchemas.schema(event)));
    }

    /** Three models of each partition, in the order of the partitions. */
    List<Numbered> models() {
        return models;
    }

    /** Number of examples so far; may be read by other threads than that of {@link #next}. */
    long examples() {
        return examples.get();
    }

    /** The next record. */
    ProducerRecord<byte[], byte[]> next() {
        long turn = records++;
        Numbered model = models.get((int) (turn % models.size()));
        if (turn < models.size()) {
            return record(model, utf8(model.kind.command));
        }
        if (turn % EVERY_REFUSED == 0) {
            model.refused++;
            return record(model, model.labels > 0 ? label(model, model.labels) : utf8("{"));
        }
        return record(
                model,
                switch (model.kind) {
                    case LABELLED -> write(example, nextExample(model, true));
                    case LATE ->
                        model.examples - model.labels > LATE_BY
                                ? label(model, ++model.labels)
                                : write(example, nextExample(model, false));
                    case SEVERAL ->
                        write(
                                batch,
                                new ExampleBatch(LongStream.range(0, IN_ONE)
                                        .mapToObj(k -> nextExample(model, true))
                                        .toList()));
                });
    }

    private Example nextExample(Numbered model, boolean hasLabel) {
        examples.incrementAndGet();
        long number = ++model.examples;
        SplittableRandom random = model.random(number);
        int truth = random.nextBoolean() ? 1 : -1;
        List<Double> values = new ArrayList<>(FEATURES);
        for (int k = 0; k < FEATURES; k++) {
            // some of the signs are those of the true label
            values.add((truth * (k % 2) + random.nextInt(-8, 9)) / 4.0);
        }
        return new Example(Long.toString(number), hasLabel ? truth : null, new DenseVector(values), 1.0);
    }

    private byte[] label(Numbered model, long number) {
        return write(label, new Label(Long.toString(number), model.truth(number), 1.0, null, null));
    }

    private static byte[] write(EventWriter writer, SpecificRecord event) {
        return writer.write(event);
    }

    private ProducerRecord<byte[], byte[]> record(Numbered model, byte[] value) {
        return new ProducerRecord<>(topic, utf8(model.name), value);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
