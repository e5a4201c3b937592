package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.ClusterProcess;
import io.perceptronstreams.log.Replica;
import io.perceptronstreams.model.LinearWeights;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.relearn.Difference;
import io.perceptronstreams.relearn.Verification;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.ModelKeys;
import io.perceptronstreams.store.StoredModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;

/**
 * A broker and a registry in their own process under a steady load of {@link MixedStream}, and the comparison of what
 * engines made of it with one uninterrupted pass.
 *
 * <p>The engines create the topics.
 */
public final class LoadedCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String EXAMPLES = Topic.EXAMPLES.name("perceptron");

    private final Path directory;
    private final int partitions;
    private final SchemaRegistry registry;
    private final Admin admin;
    private ClusterProcess process;
    private SteadyLoad load;

    /** Takes a running cluster, which it kills when it is closed. */
    LoadedCluster(Path directory, int partitions, ClusterProcess process) {
        this.directory = directory;
        this.partitions = partitions;
        this.process = process;
        registry = SchemaRegistries.of(Map.of("schema.registry.url", process.registryUrl()));
        admin = Admin.create(Map.of("bootstrap.servers", process.bootstrapServers()));
    }

    /** Starts broker and registry, with files in {@code directory}. */
    public static LoadedCluster start(Path directory, int partitions) throws IOException {
        return new LoadedCluster(
                directory,
                partitions,
                ClusterProcess.start(directory.resolve("broker"), directory.resolve("cluster.log")));
    }

    /** Like {@link #start}, for engines that connect to a proxy on this machine. */
    public static LoadedCluster startBehind(int proxyPort, Path directory, int partitions) throws IOException {
        return new LoadedCluster(
                directory,
                partitions,
                ClusterProcess.startBehind(proxyPort, directory.resolve("broker"), directory.resolve("cluster.log")));
    }

    /** Port of the broker to which a proxy must forward. */
    public int proxiedPort() {
        return process.proxiedPort();
    }

    /** Kills broker and registry. */
    public void kill() {
        process.close();
    }

    /** Sends a signal to broker and registry, such as {@code STOP}. */
    public void signal(String name) throws IOException, InterruptedException {
        EngineProcess.signal(process.process(), name);
    }

    /** Whether both are running. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Starts both again, on the same ports, and returns when they answer. */
    public void restart() throws IOException {
        process = process.restart(directory.resolve("broker"), directory.resolve("cluster.log"));
    }

    /** Starts the load as soon as an engine has created the topics. */
    public void startLoad(long seed, int recordsPerSecond) {
        awaitExamples();
        startLoad(recordsPerSecond, new MixedStream(seed, EXAMPLES, partitions, registry)::next);
    }

    /** Like {@link #startLoad(long, int)}, with other records. */
    void startLoad(int recordsPerSecond, Supplier<ProducerRecord<byte[], byte[]>> records) {
        awaitExamples();
        load = new SteadyLoad(process.bootstrapServers(), recordsPerSecond, records);
    }

    private void awaitExamples() {
        // the broker answers the second request as soon as it leads the partitions
        await().atMost(PATIENCE).until(() -> admin.listTopics().names().get().contains(EXAMPLES));
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> !ends(EXAMPLES, IsolationLevel.READ_UNCOMMITTED).isEmpty());
    }

    /** Changes the rate of the load, to a multiple of 100 records a second. */
    public void setRate(int recordsPerSecond) {
        load.setRate(recordsPerSecond);
    }

    /** Number of records sent so far. */
    public long sent() {
        return load.sent();
    }

    /** Ends the load; returns the number of records that were acknowledged. */
    public long stopLoad() throws InterruptedException {
        return load.stop();
    }

    /** Address of the broker. */
    public String bootstrapServers() {
        return process.bootstrapServers();
    }

    /** Address of the registry. */
    public String registryUrl() {
        return process.registryUrl();
    }

    /** Client of the broker. */
    public Admin admin() {
        return admin;
    }

    /** Client of the registry. */
    SchemaRegistry registry() {
        return registry;
    }

    /** An engine on this cluster, with its data and its log in the directory of the cluster. */
    public EngineProcess engine(String name, Map<String, String> settings) {
        return new EngineProcess(
                bootstrapServers(), registryUrl(), directory.resolve(name), directory.resolve(name + ".log"), settings);
    }

    /** Broker and registry, as engines need them. */
    ClusterProcess process() {
        return process;
    }

    /** Number of predictions, including those of open and aborted transactions and the markers at their ends. */
    public long predictions() throws ExecutionException, InterruptedException {
        return ends(Topic.PREDICTIONS.name("perceptron"), IsolationLevel.READ_UNCOMMITTED).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** End of the committed predictions of each partition, markers included. */
    Map<TopicPartition, Long> committedPredictions() throws ExecutionException, InterruptedException {
        return ends(Topic.PREDICTIONS.name("perceptron"), IsolationLevel.READ_COMMITTED);
    }

    /** Number of open transactions whose id has a prefix. */
    public int openTransactions(String transactionalIdPrefix) throws ExecutionException, InterruptedException {
        return (int) admin
                .listTransactions(new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING)))
                .all()
                .get()
                .stream()
                .filter(open -> open.transactionalId().startsWith(transactionalIdPrefix))
                .count();
    }

    /** Committed positions of the engines in the examples. */
    public Map<TopicPartition, OffsetAndMetadata> positions() throws ExecutionException, InterruptedException {
        return admin.listConsumerGroupOffsets("perceptron")
                .partitionsToOffsetAndMetadata()
                .get();
    }

    /** Number of examples, and of the markers between them, behind the committed positions of the engines. */
    long lag() throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed = positions();
        return ends(EXAMPLES, IsolationLevel.READ_UNCOMMITTED).entrySet().stream()
                .mapToLong(end -> end.getValue()
                        - (committed.get(end.getKey()) == null
                                ? 0
                                : committed.get(end.getKey()).offset()))
                .sum();
    }

    /**
     * Whether nothing is left to read, no transaction is open, and the engines have committed their positions at the
     * end.
     */
    public boolean isAllProcessed() throws ExecutionException, InterruptedException {
        for (String topic : admin.listTopics().names().get()) {
            if (topic.startsWith("perceptron-")
                    && !ends(topic, IsolationLevel.READ_COMMITTED)
                            .equals(ends(topic, IsolationLevel.READ_UNCOMMITTED))) {
                return false;
            }
        }
        Map<TopicPartition, OffsetAndMetadata> committed = positions();
        for (int partition = 0; partition < partitions; partition++) {
            OffsetAndMetadata position = committed.get(new TopicPartition(EXAMPLES, partition));
            if (position == null) {
                return false;
            }
            // behind the last record there may be the markers of transactions, which consumers do not return
            try (TopicLog rest = new TopicLog(bootstrapServers(), EXAMPLES, partition, position.offset())) {
                if (rest.hasNext()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Whether the last checkpoint of every partition contains all records. */
    public boolean isCheckpointed() {
        for (int partition = 0; partition < partitions; partition++) {
            long next = 0;
            try (TopicLog changelog = new TopicLog(bootstrapServers(), "perceptron-models-changelog", partition)) {
                while (changelog.hasNext()) {
                    ConsumerRecord<byte[], byte[]> record = changelog.next();
                    if (ModelKeys.POSITION.equals(Bytes.wrap(record.key()))) {
                        next = InputPosition.decode(record.value()).next();
                    }
                }
            }
            try (TopicLog rest = new TopicLog(bootstrapServers(), EXAMPLES, partition, next)) {
                if (rest.hasNext()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Ends of committed and of all records of the examples and the changelog, for the report of a failure. */
    public String logEnds() throws ExecutionException, InterruptedException {
        StringBuilder report = new StringBuilder();
        for (String topic : List.of(EXAMPLES, "perceptron-models-changelog")) {
            report.append(topic)
                    .append(": ")
                    .append(ends(topic, IsolationLevel.READ_COMMITTED))
                    .append(" of ")
                    .append(ends(topic, IsolationLevel.READ_UNCOMMITTED))
                    .append('\n');
        }
        return report.append("positions: ").append(positions()).toString();
    }

    Map<TopicPartition, Long> ends(String topic, IsolationLevel isolation)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            latest.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        Map<TopicPartition, Long> ends = new HashMap<>();
        admin.listOffsets(latest, new ListOffsetsOptions(isolation))
                .all()
                .get()
                .forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    /**
     * Compares all committed records with one uninterrupted pass, and recounts them. The last checkpoints are compared,
     * too: the engines have stopped in order, or {@link #isCheckpointed} was true.
     *
     * @return a line for people
     */
    public String requireExact() {
        LogComparison comparison = new LogComparison(bootstrapServers(), registry, partitions);
        Map<Topic, Long> compared = comparison.run();
        Recount.Summary recounted = recount();
        assertThat(recounted.predictions()).isPositive();
        assertThat(recounted.events(Topic.PREDICTIONS)).isEqualTo(compared.getOrDefault(Topic.PREDICTIONS, 0L));
        assertThat(recounted.events(Topic.MISTAKES)).isEqualTo(compared.getOrDefault(Topic.MISTAKES, 0L));
        assertThat(recounted.events(Topic.COUNTS)).isEqualTo(compared.getOrDefault(Topic.COUNTS, 0L));
        return "compared " + compared + ", " + comparison.imports() + " imports, recounted " + recounted;
    }

    /**
     * Compares weights and counts of {@link ManyModels} in a replica that has read everything with those of the last
     * checkpoints, bit for bit.
     *
     * @return their names
     */
    List<String> requireSame(Replica replica) {
        List<String> names = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            Map<String, Model> stored =
                    StoredModels.models(LogComparison.changelog(bootstrapServers(), "perceptron", partition));
            stored.entrySet()
                    .removeIf(each ->
                            !ManyModels.isName(each.getKey()) || each.getValue().state() != ModelState.LIVE);
            stored.forEach((name, model) -> assertThat(replica.<List<Long>>read(name, held -> bits(held.model())))
                    .as("replica's %s", name)
                    .isEqualTo(bits(model)));
            names.addAll(stored.keySet());
        }
        return names;
    }

    private static List<Long> bits(Model model) {
        LinearWeights u = LinearWeights.of(model, model.pipeline().settings().get(Settings.HASH_BITS));
        List<Long> bits = new ArrayList<>();
        for (int index = 0; index < ManyModels.INDICES; index++) {
            bits.add(Double.doubleToRawLongBits(u.weights().read(index, 0)));
        }
        bits.add(Double.doubleToRawLongBits(u.bias()));
        bits.add(model.counts().totals().examples());
        bits.add(model.counts().totals().mistakes());
        return bits;
    }

    /** Counts predictions and mistakes and compares them with those that the engines have sent. */
    Recount.Summary recount() {
        return Recount.ofCluster(bootstrapServers(), partitions, value -> EngineDriver.decode(registry, value));
    }

    /**
     * Verifies a model, as {@code perceptron verify} does; returns how many of its events are equal to those of the
     * log.
     */
    Verification.Counted verify(String model) {
        EngineConfig config = EngineConfig.of(
                Map.of("bootstrap.servers", bootstrapServers(), "schema.registry.url", registryUrl()),
                Map.of(),
                null,
                Map.of());
        try {
            Verification.Report report = Verification.of(config, model, false, null, note -> {});
            assertThat(report.isComplete()).as(model).isTrue();
            return report.equal();
        } catch (Difference e) {
            throw new AssertionError(
                    model + ": " + e.getMessage() + "\nsent:      " + e.sent() + "\nrelearned: " + e.relearned(), e);
        }
    }

    /** The last lines of the broker's log. */
    public String tail(int lines) throws IOException {
        return tail(directory.resolve("cluster.log"), lines);
    }

    /** The last lines of a log. */
    public static String tail(Path log, int number) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - number), lines.size()));
    }

    @Override
    public void close() {
        if (load != null) {
            load.close();
        }
        registry.close();
        admin.close(Duration.ZERO);
        process.close();
    }
}
