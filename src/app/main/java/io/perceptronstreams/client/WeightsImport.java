package io.perceptronstreams.client;

import io.perceptronstreams.cluster.CommandSigner;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.format.InputFile;
import io.perceptronstreams.model.ImportPurpose;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    private final StatusCause answer;

    /** Value of the header {@link ImportPurpose#HEADER}, or null. */
    private final String purpose;

    private WeightsImport(EngineConfig config, String model, StatusCause answer, String purpose) {
        this.config = config;
        this.examples = config.topic(Topic.EXAMPLES);
        this.model = model;
        this.answer = answer;
        this.purpose = purpose;
    }

    /** Replaces or creates a model. */
    public static WeightsImport ofModel(EngineConfig config, String model) {
        return new WeightsImport(config, model, StatusCause.IMPORT, null);
    }

    /**
     * Returns an import that replaces a model without a gap: the engine learns the examples that the weights lack.
     *
     * @param through offset of the last record of the partition that the weights have learned
     */
    public static WeightsImport ofModel(EngineConfig config, String model, long through) {
        return new WeightsImport(config, model, StatusCause.IMPORT, ImportPurpose.through(through));
    }

    /** Compares a model with the weights instead of replacing it. */
    public static WeightsImport ofComparator(EngineConfig config, String model) {
        return new WeightsImport(config, model, StatusCause.COMPARATOR, ImportPurpose.COMPARATOR.toString());
    }

    /**
     * Begins a challenger of a model with the weights.
     *
     * @param options of the trial
     */
    public static WeightsImport ofChallenger(
            EngineConfig config, String model, String name, Map<String, String> options) {
        Map<String, String> command = new LinkedHashMap<>();
        command.put("challenger", name);
        command.putAll(options);
        return new WeightsImport(config, model, StatusCause.CHALLENGED, ImportPurpose.ofChallenger(command));
    }

    /**
     * Sends a file, or the named snapshot {@code MODEL@NAME} if there is no such file, and prints the model's status
     * after it.
     *
     * @throws CommandFailedException as {@link #send(WeightsFile, String, Confirmation, PrintWriter)}
     */
    public void send(String source, Confirmation confirmation, PrintWriter out) throws IOException {
        boolean isSnapshot = source.indexOf(Versions.SEPARATOR) > 0 && !Files.exists(Path.of(source));
        try (WeightsFile weights = isSnapshot
                ? WeightsFile.of(SnapshotReader.latestChunks(config, source), source)
                : WeightsFile.open(InputFile.open(source), source)) {
            send(weights, source, confirmation, out);
        }
    }

    /**
     * Sends a file and prints the model's status after it.
     *
     * @throws CommandFailedException if the file is not a complete snapshot (nothing is sent then), or the engine
     *     rejects it or does not answer in time
     */
    public void send(WeightsFile file, String name, Confirmation confirmation, PrintWriter out) throws IOException {
        byte[] key = ModelKey.ofNew(model);
        // others may begin a model
        if (purpose != null && confirmation.isWaiting()) {
            new StatusReader(config).requireExisting(model);
        }
        CommandSender.Exchange exchange = new CommandSender(config)
                .exchange(
                        WeightsFile.SCHEMA,
                        () -> KafkaClients.transactionalProducer(config, "import"),
                        confirmation,
                        model::equals,
                        (writer, producer) -> send(file, name, key, writer, producer));
        CommandSender.print(exchange, model, answer.name(), "weights for " + model + " are", confirmation, out);
    }

    List<RecordMetadata> send(
            WeightsFile file, String name, byte[] key, EventWriter writer, Producer<byte[], byte[]> producer)
            throws IOException, ExecutionException, InterruptedException {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (Buffer chunks = Buffer.read(file, name, writer)) {
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
        if (purpose != null) {
            record.headers().add(ImportPurpose.HEADER, purpose.getBytes(StandardCharsets.UTF_8));
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

    /**
     * All chunks of a snapshot, checked and encoded, in a temporary file: a model may be larger than the memory of a
     * command.
     *
     * <p>Read before the first chunk is sent, because a transaction does not wait for a slow pipe.
     */
    private static final class Buffer implements Closeable {
        private final Path path;
        private final int size;
        private final DataInputStream in;

        private Buffer(Path path, int size) throws IOException {
            this.path = path;
            this.size = size;
            this.in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path)));
        }

        /**
         * Reads a file to its end.
         *
         * @param name of the file, for messages
         * @throws CommandFailedException if the file is not a complete snapshot
         */
        static Buffer read(WeightsFile file, String name, EventWriter writer) throws IOException {
            // with mode 0600 where the file system has modes
            Path path = Files.createTempFile("perceptron-import", ".tmp");
            // if the command is stopped while it reads
            path.toFile().deleteOnExit();
            try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(path)))) {
                int read = 0;
                for (WeightsSnapshot chunk = file.next(); chunk != null; chunk = file.next()) {
                    if (chunk.getState() == null) {
                        throw new CommandFailedException(name + " must hold a model's exact state, got weights only"
                                + " (perceptron weights export without --limit exports the state)");
                    }
                    byte[] value = writer.write(chunk);
                    if (value.length > WeightsChunk.MAX_BYTES) {
                        throw new CommandFailedException("a chunk must have at most " + WeightsChunk.MAX_BYTES
                                + " bytes, got " + value.length + " (" + name + ", chunk " + read + ")");
                    }
                    out.writeInt(value.length);
                    out.write(value);
                    read++;
                }
                out.flush();
                return new Buffer(path, read);
            } catch (IOException | RuntimeException e) {
                Files.deleteIfExists(path);
                throw e;
            }
        }

        /** Number of chunks, at least 1. */
        int size() {
            return size;
        }

        /** The next chunk, for each of {@link #size} calls. */
        byte[] next() throws IOException {
            byte[] value = new byte[in.readInt()];
            in.readFully(value);
            return value;
        }

        @Override
        public void close() throws IOException {
            in.close();
            Files.deleteIfExists(path);
        }
    }
}
