package io.perceptronstreams.bench;

import com.sun.management.OperatingSystemMXBean;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.log.ModelInput;
import io.perceptronstreams.log.ModelLog;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.relearn.WhatIf;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.store.InputPosition.Decisions;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/**
 * Examples per second of {@code what-if}, from memory: the control alone, and with a grid of 16.
 *
 * <p>Arguments: number of examples (200,000), rounds (3). Prints each round.
 */
public final class RelearnBench {
    private static final byte[] MODEL = "bench".getBytes(StandardCharsets.UTF_8);

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private RelearnBench() {}

    public static void main(String[] args) {
        int examples = args.length > 0 ? Integer.parseInt(args[0]) : 200_000;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        try (SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://relearn"))) {
            List<List<ConsumerRecord<byte[], byte[]>>> log = log(registry, examples);
            List<Changes> grid = new ArrayList<>();
            for (String h : List.of("0", "0.1", "0.5", "1")) {
                for (String eta : List.of("0.1", "0.5", "1", "2")) {
                    grid.add(Changes.NONE.with(Map.of("h", h, "eta", eta)));
                }
            }
            int threads = Runtime.getRuntime().availableProcessors();
            for (int round = 0; round < rounds; round++) {
                report("one run", examples, run(registry, log, List.of(), 1));
                report(
                        "grid of 16 and the control, " + threads + " threads",
                        examples,
                        run(registry, log, grid, threads));
            }
        }
    }

    private static void report(String what, int examples, double[] seconds) {
        System.out.println(String.format(
                Locale.ROOT,
                "%s: %,.0f examples/s, %,.0f ns of processor time per example",
                what,
                examples / seconds[0],
                1e9 * seconds[1] / examples));
    }

    /** Seconds, and seconds of processor time of all threads of the process. */
    private static double[] run(
            SchemaRegistry registry,
            List<List<ConsumerRecord<byte[], byte[]>>> log,
            List<Changes> candidates,
            int threads) {
        EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
        ModelInput input = new ModelInput(
                "bench",
                "perceptron-examples",
                Uuid.ONE_UUID,
                0,
                config.decisions(1, Decisions.DEFAULT_AHEAD_MS),
                Map.of(),
                Set.of(),
                0,
                (partition, from, to, sink) -> {},
                List.of(),
                null);
        ModelStatus status = new ModelStatus();
        status.setOffset(-1L);
        status.setCause("TIME");
        try (WhatIf runs = new WhatIf(input, registry, status, Changes.NONE, candidates, 0.01, threads)) {
            long start = System.nanoTime();
            long processor = PROCESS.getProcessCpuTime();
            log.forEach(runs::learn);
            return new double[] {(System.nanoTime() - start) / 1e9, (PROCESS.getProcessCpuTime() - processor) / 1e9};
        }
    }

    /** Examples of the hard stream, 40 of 100,000 features, in Avro, after the settings of the model. */
    private static List<List<ConsumerRecord<byte[], byte[]>>> log(SchemaRegistry registry, int examples) {
        Schema schema = EventSchemas.schema("Example");
        EventWriter writer = new EventWriter(schema, registry.register("perceptron-examples-value", schema));
        SyntheticStream stream = SyntheticStream.ofSparse(1, 100_000);
        List<List<ConsumerRecord<byte[], byte[]>>> blocks = new ArrayList<>();
        List<ConsumerRecord<byte[], byte[]>> block = new ArrayList<>();
        byte[] settings = "{\"action\":\"CONFIGURE\",\"settings\":{\"algorithm\":\"perceptron\"}}"
                .getBytes(StandardCharsets.UTF_8);
        block.add(record(0, settings));
        for (int offset = 1; offset <= examples; offset++) {
            stream.next();
            Example example = stream.example(stream.bits(), 0.05);
            block.add(record(offset, writer.write(example)));
            if (block.size() == ModelLog.BLOCK) {
                blocks.add(block);
                block = new ArrayList<>();
            }
        }
        blocks.add(block);
        return blocks;
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, byte[] value) {
        return new ConsumerRecord<>(
                "perceptron-examples",
                0,
                offset,
                1_700_000_000_000L + offset,
                TimestampType.CREATE_TIME,
                MODEL.length,
                value.length,
                MODEL,
                value,
                new RecordHeaders(),
                Optional.empty());
    }
}
