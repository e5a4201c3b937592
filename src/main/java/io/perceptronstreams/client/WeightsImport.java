package io.perceptronstreams.client;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.model.ImportPurpose;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;

/** Writes the chunks of a snapshot to the log in one transaction and waits for the engine's answer. */
public final class WeightsImport {
    private final EngineConfig config;
    private final String examples;
    private final String model;
    private final boolean isComparator;

    /** @param isComparator true to compare the model with the weights instead of replacing it */
    public WeightsImport(EngineConfig config, String model, boolean isComparator) {
        this.config = config;
        this.examples = config.topic(Topic.EXAMPLES);
        this.model = model;
        this.isComparator = isComparator;
    }

    /**
     * Sends a file and prints the model's status after it.
     *
     * @throws CommandFailedException if the file is not a complete snapshot (nothing is sent then), or the engine
     *     rejects it or does not answer in time
     */
    public void send(WeightsFile file, String name, Confirmation confirmation, PrintWriter out) throws IOException {
        byte[] key = ModelKey.ofNew(model);
        CommandSender.Exchange exchange = new CommandSender(config)
                .exchange(
                        WeightsFile.SCHEMA,
                        () -> KafkaClients.transactionalProducer(config, "import"),
                        confirmation,
                        model::equals,
                        (writer, producer) -> send(file, name, key, writer, producer));
        CommandSender.print(
                exchange,
                model,
                isComparator ? "COMPARATOR" : "IMPORT",
                "weights for " + model + " are",
                confirmation,
                out);
    }

    List<RecordMetadata> send(
            WeightsFile file, String name, byte[] key, EventWriter writer, Producer<byte[], byte[]> producer)
            throws IOException, ExecutionException, InterruptedException {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (WeightsBuffer chunks = WeightsBuffer.read(file, name, writer)) {
            CommandSigner signer = new CommandSigner(config);
            producer.initTransactions();
            producer.beginTransaction();
            try {
                for (int chunk = 0; chunk < chunks.size(); chunk++) {
                    sent.add(producer.send(signer.sign(record(key, chunks.next()))));
                }
                producer.commitTransaction();
            } catch (IOException | RuntimeException e) {
                abort(producer, e);
                throw e;
            }
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            throw new CommandFailedException(
                    "weights must be sent before their transaction expires, got one that the broker aborted"
                            + " (nothing was imported: run this again)",
                    e);
        }
        List<RecordMetadata> sentPositions = new ArrayList<>();
        for (Future<RecordMetadata> each : sent) {
            sentPositions.add(each.get());
        }
        return sentPositions;
    }

    private ProducerRecord<byte[], byte[]> record(byte[] key, byte[] value) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(examples, key, value);
        if (isComparator) {
            record.headers()
                    .add(
                            ImportPurpose.HEADER,
                            ImportPurpose.COMPARATOR.toString().getBytes(StandardCharsets.UTF_8));
        }
        return record;
    }

    private static void abort(Producer<byte[], byte[]> producer, Exception why) {
        try {
            producer.abortTransaction();
        } catch (RuntimeException e) {
            // the broker aborts the transaction after its time-out
            why.addSuppressed(e);
        }
    }
}
