package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Windows, totals and a recount of the logs are equal after all kinds of commands; see {@code CrashIT} for kills. */
final class RecountTest {
    private static final int RECORDS = 12_000;

    @TempDir
    Path dir;

    private record Output(Topic topic, String key, long timestamp, GenericRecord value) {}

    @SeededTest
    void shouldCountInWindowsAndTotalsWhatLiesInTheLogs(long seed) {
        List<Output> outputs;
        try (EngineDriver engine = new EngineDriver(dir, Map.of(), 2)) {
            MixedStream stream = new MixedStream(seed, "perceptron-examples", 2, engine.registry);
            for (int k = 0; k < RECORDS; ) {
                ProducerRecord<byte[], byte[]> record = stream.next();
                if (record.partition() != 0) {
                    continue; // the driver is partition 0
                }
                k++;
                engine.send(record.key(), record.value(), record.headers(), record.timestamp());
            }
            outputs = outputs(engine);
        }

        Recount.Summary summary = recount(outputs);
        assertThat(summary.windows()).isGreaterThan(100);
        assertThat(summary.mistakes()).isGreaterThan(1_000);
        // resets, deletions, drifts, takeovers, imports
        assertThat(summary.epochs()).isGreaterThan(12);
        assertThat(summary.open()).isLessThan(summary.predictions() / 2);
    }

    @Test
    void shouldCountEveryMarginMistakeAndUnlabelledExample() {
        // by hand: mistakes at examples 0 and 5, where the score is 0, and in the margin at 1, 2, 6 and 12; the fifth
        // window ends with its tenth example
        assertThat(recount(small())).isEqualTo(new Recount.Summary(5, 50, 6, 0, 1));
    }

    @ParameterizedTest
    @CsvSource({
        "COUNTS, examples",
        "COUNTS, labelled",
        "COUNTS, errors",
        "COUNTS, mistakes",
        "COUNTS, marginMistakes",
        "COUNTS, totalExamples",
        "COUNTS, totalLabelled",
        "COUNTS, totalErrors",
        "COUNTS, totalMistakes",
        "COUNTS, totalMarginMistakes",
        "MISTAKES, mistakes",
        "MISTAKES, marginMistakes",
        "MISTAKES, labelled",
        "MISTAKES, examples",
        "PREDICTIONS, examples"
    })
    void shouldNoticeANumberThatIsAnotherOne(Topic topic, String field) {
        checkNotices(outputs -> {
            GenericRecord event = ofTopic(outputs, topic).get(2).value();
            event.put(field, (Long) event.get(field) + 1);
        });
    }

    @ParameterizedTest
    @CsvSource({"PREDICTIONS", "MISTAKES", "COUNTS"})
    void shouldNoticeWhatIsMissingOrDouble(Topic topic) {
        checkNotices(outputs -> outputs.remove(ofTopic(outputs, topic).get(2)));
        checkNotices(outputs -> {
            Output third = ofTopic(outputs, topic).get(2);
            outputs.add(outputs.indexOf(third), third);
        });
    }

    private void checkNotices(Consumer<List<Output>> damage) {
        List<Output> outputs = small();
        damage.accept(outputs);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> recount(outputs))
                .withMessageStartingWith("m");
    }

    /**
     * Fifty examples, a second apart, of windows of ten seconds; every fifth has no label, and h is large enough for
     * margin mistakes.
     */
    private List<Output> small() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":\"1.5\",\"eta\":\"0.3\"}}", 0);
            for (int k = 0; k < 50; k++) {
                String label = k % 5 == 4 ? "" : "\"label\":" + (k % 7 < 4 ? 1 : -1) + ",";
                engine.send(
                        "m",
                        "{\"id\":\"" + k + "\"," + label + "\"features\":[" + (k % 7 < 4 ? 1 : -1) + "]}",
                        1_000L * k);
            }
            return outputs(engine);
        }
    }

    private static List<Output> outputs(EngineDriver engine) {
        List<Output> outputs = new ArrayList<>();
        for (Topic topic : List.of(Topic.PREDICTIONS, Topic.MISTAKES, Topic.COUNTS)) {
            for (TestRecord<byte[], byte[]> record : engine.records(topic)) {
                outputs.add(new Output(
                        topic,
                        new String(record.key(), StandardCharsets.UTF_8),
                        record.timestamp(),
                        engine.decode(record.value())));
            }
        }
        return outputs;
    }

    private static List<Output> ofTopic(List<Output> outputs, Topic topic) {
        return outputs.stream().filter(output -> output.topic() == topic).toList();
    }

    private static Recount.Summary recount(List<Output> outputs) {
        Recount recount = new Recount();
        outputs.forEach(each -> recount.add(each.topic(), each.key(), each.timestamp(), each.value()));
        return recount.check();
    }
}
