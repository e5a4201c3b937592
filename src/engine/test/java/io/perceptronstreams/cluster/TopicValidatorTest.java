package io.perceptronstreams.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cluster.TopicValidator.Actual;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class TopicValidatorTest {
    private static final String AFTER = "message.timestamp.after.max.ms";
    private static final String BEFORE = "message.timestamp.before.max.ms";

    private final EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
    private final Map<String, Actual> actual = new HashMap<>();

    /** As a broker with default settings describes the topics that we create. */
    @BeforeEach
    void create() {
        for (Topic topic : Topic.values()) {
            NewTopic created = TopicCreator.describe(topic, config);
            Map<String, String> settings = new HashMap<>(
                    Map.of(AFTER, "3600000", BEFORE, "9223372036854775807", "max.message.bytes", "1048588"));
            settings.putAll(created.configs());
            actual.put(created.name(), new Actual(created.numPartitions(), settings));
        }
    }

    @Test
    void shouldHaveNothingToSayAboutTopicsThatWeCreate() {
        assertThat(faults()).isEmpty();
    }

    private List<String> notes() {
        return validator().notes().stream().map(TopicValidator.Note::text).toList();
    }

    @Test
    void shouldSayWhatMakesAMissingTopic() {
        actual.remove("perceptron-alerts");

        assertThat(faults())
                .containsExactly("perceptron-alerts must exist, got no such topic "
                        + "(perceptron topics create or topics.create=true creates it)");
    }

    @Test
    void shouldRefuseACompactedInput() {
        set("perceptron-examples", "cleanup.policy", "delete,compact");

        requireFault("perceptron-examples must not have cleanup.policy compact, got compact,delete (");
    }

    @Test
    void shouldTakeAnInputThatKeepsEverything() {
        set("perceptron-examples", "cleanup.policy", "");

        assertThat(faults()).isEmpty();
    }

    @Test
    void shouldRefuseAnOutputOfWhichCompactionRemovesRecords() {
        set("perceptron-predictions", "cleanup.policy", "compact,delete");
        set("perceptron-counts", "cleanup.policy", "delete, compact");

        requireFault("perceptron-predictions must not have cleanup.policy compact, got compact,delete ("
                + "compaction keeps one record per model; kafka-configs.sh --bootstrap-server localhost:9092 --alter ");
    }

    @Test
    void shouldNoteStatusesThatDisappear() {
        set("perceptron-models", "cleanup.policy", "delete");
        set("perceptron-counts", "cleanup.policy", "delete");
        set("perceptron-weights", "cleanup.policy", "");

        assertThat(faults()).isEmpty();
        assertThat(notes())
                .singleElement()
                .asString()
                .startsWith("perceptron-models has cleanup.policy delete: the last records of a model without examples"
                        + " disappear after retention.ms (kafka-configs.sh --bootstrap-server localhost:9092 --alter ");
    }

    @Test
    void shouldLimitTimesInJsonToWhatTheOutputsAccept() {
        assertThat(validator().aheadMs()).isEqualTo(3_600_000);
        assertThat(notes()).isEmpty();

        set("perceptron-examples", AFTER, "5000");
        set("perceptron-mistakes", AFTER, "12000");
        assertThat(faults()).isEmpty();
        assertThat(validator().aheadMs()).isEqualTo(7000);
        assertThat(notes())
                .containsExactly(
                        "the timestamp in an example in JSON may be at most 7000 ms after that of its record, because"
                                + " perceptron-mistakes has message.timestamp.after.max.ms 12000 (kafka-configs.sh --bootstrap-server localhost:9092 --alter"
                                + " --entity-type topics --entity-name perceptron-mistakes --add-config"
                                + " message.timestamp.after.max.ms=9223372036854775807 allows an hour)");

        set("perceptron-mistakes", AFTER, "99999999999");
        assertThat(validator().aheadMs()).isEqualTo(3_600_000);
    }

    /** Kafka 4 has the same limit, an hour, for all topics; some clusters have a higher one. */
    @Test
    void shouldTakeTopicsOfOneLimit() {
        for (String hours : List.of("3600000", "7200000")) {
            actual.keySet().forEach(topic -> set(topic, AFTER, hours));

            assertThat(faults()).isEmpty();
            assertThat(validator().aheadMs()).isZero();
            assertThat(notes())
                    .singleElement()
                    .asString()
                    .startsWith(
                            "the timestamp in an example in JSON may be no later than that of its record, because ");
        }
    }

    @Test
    void shouldTakeTopicsWhoseTimesAreThoseOfTheBroker() {
        actual.keySet().forEach(topic -> set(topic, AFTER, "3600000"));
        set("perceptron-examples", "message.timestamp.type", "LogAppendTime");
        set("perceptron-counts", "message.timestamp.type", "LogAppendTime");
        set("perceptron-counts", BEFORE, "86400000");
        set("perceptron-counts", AFTER, "0");

        assertThat(faults()).isEmpty();
        assertThat(validator().aheadMs()).isEqualTo(3_600_000);
        assertThat(notes())
                .containsExactly(
                        "brokers replace event times of records by their clock, but not those in an example in JSON:"
                                + " perceptron-examples, perceptron-counts have message.timestamp.type LogAppendTime (kafka-configs.sh"
                                + " --bootstrap-server localhost:9092 --alter --entity-type topics --entity-name perceptron-examples"
                                + " --add-config message.timestamp.type=CreateTime keeps them)");
    }

    /**
     * Of 3,000 examples of May that were sent in November, none was left after some minutes, and nothing had warned.
     */
    @Test
    void shouldNoteThatBrokersDeleteRecordsByTheirEventTimes() {
        set("perceptron-examples", "retention.ms", "604800000");
        set("perceptron-counts", "retention.ms", "604800000");
        set("perceptron-alerts", "retention.ms", "3600000");
        // none of these is deleted by time
        set("perceptron-models", "retention.ms", "604800000");
        set("perceptron-mistakes", "retention.ms", "604800000");
        set("perceptron-mistakes", "cleanup.policy", "");
        set("perceptron-predictions", "retention.ms", "604800000");
        set("perceptron-predictions", "message.timestamp.type", "LogAppendTime");

        assertThat(faults()).isEmpty();
        assertThat(validator().notes().get(0).topics())
                .containsExactly("perceptron-alerts", "perceptron-examples", "perceptron-counts");
        assertThat(notes().get(0))
                .matches(
                        "brokers delete records with old event times within minutes, learned or not: those before \\S+Z of"
                                + " perceptron-alerts \\(retention.ms 3600000\\), before \\S+Z of perceptron-examples,"
                                + " perceptron-counts \\(retention.ms 604800000\\) \\(perceptron topics retention --bootstrap"
                                + " localhost:9092 keeps all\\)");
    }

    @Test
    void shouldSayWhichEventTimesBrokersDeleteOrRefuse() {
        long now = System.currentTimeMillis();
        assertThat(validator().deleted(0)).isNull();
        assertThat(validator().refused(0)).isNull();
        assertThat(validator().replaced()).isNull();

        set("perceptron-examples", "retention.ms", "604800000");
        set("perceptron-examples", BEFORE, "86400000");
        assertThat(validator().deleted(now - 604_900_000))
                .matches(
                        "brokers delete examples with event times before \\S+Z within minutes, by retention.ms 604800000 of"
                                + " perceptron-examples \\(perceptron topics retention --bootstrap localhost:9092 keeps all");
        assertThat(validator().deleted(now - 604_000_000)).isNull();
        assertThat(validator().refused(now - 86_500_000))
                .contains("by message.timestamp.before.max.ms 86400000 of perceptron-examples (kafka-configs.sh ");
        assertThat(validator().refused(now - 86_000_000)).isNull();

        set("perceptron-examples", AFTER, "3600000");
        assertThat(validator().refused(now + 3_700_000))
                .matches(
                        "brokers refuse examples with event times after \\S+Z, by message.timestamp.after.max.ms 3600000 of"
                                + " perceptron-examples \\(without --time, examples have the time at which they are sent");
        assertThat(validator().refused(now + 3_500_000)).isNull();

        set("perceptron-examples", "message.timestamp.type", "LogAppendTime");
        assertThat(validator().deleted(0)).isNull();
        assertThat(validator().refused(0)).isNull();
        assertThat(validator().refused(now + 3_700_000)).isNull();
        assertThat(validator().replaced()).startsWith("brokers replace the event times of the file by their clock, ");
    }

    /**
     * The broker refused the copy of a record that had waited for longer than that, at every start of the engine again.
     */
    @Test
    void shouldRefuseAnInputThatDoesNotTakeARecordThatIsSentOnLate() {
        set("perceptron-examples", BEFORE, "86400000");

        requireFault(
                "perceptron-examples must have message.timestamp.before.max.ms of at least 9223372036854775807, got"
                        + " 86400000 (a record may wait before it is sent on to its right partition, unless misrouted=dead-letter; ");
        EngineConfig refusing = EngineConfig.of(Map.of("misrouted", "dead-letter"), Map.of(), null, Map.of());
        assertThat(new TopicValidator(refusing, actual).byTopic().get("perceptron-examples"))
                .isEmpty();
    }

    @Test
    void shouldRefuseAnOutputThatDoesNotTakeAllTimestampsOfTheInput() {
        set("perceptron-examples", AFTER, "5000");
        set("perceptron-mistakes", AFTER, "4999");
        set("perceptron-alerts", AFTER, "5000");

        requireFault("perceptron-mistakes must have message.timestamp.after.max.ms of at least 5000, got 4999 (");
    }

    @Test
    void shouldRefuseAnOutputThatDoesNotTakeOldTimesOfExamplesInJson() {
        set("perceptron-counts", BEFORE, "86400000");

        requireFault(
                "perceptron-counts must have message.timestamp.before.max.ms of at least 9223372036854775807, got 86400000 (");
    }

    @Test
    void shouldRefuseTopicsTooNarrowForLongMistakes() {
        set("perceptron-mistakes", "max.message.bytes", "1000000");
        assertThat(faults()).isEmpty();

        set("perceptron-mistakes", "max.message.bytes", "999999");
        requireFault("perceptron-mistakes must have max.message.bytes of at least 1000000, got 999999 (");
    }

    @Test
    void shouldRefuseTopicsTooNarrowForChunksOfWeights() {
        set("perceptron-weights", "max.message.bytes", "614399");
        set("perceptron-predictions", "max.message.bytes", "614399");
        actual.put(
                "perceptron-models-changelog",
                new Actual(4, Map.of("max.message.bytes", "1000", "cleanup.policy", "compact")));

        assertThat(faults())
                .hasSize(3)
                .allMatch(fault -> fault.contains("must have max.message.bytes of at least 614400, got "));
    }

    @Test
    void shouldRefuseAChangelogOfAnotherPartitionCount() {
        actual.put("perceptron-models-changelog", new Actual(3, Map.of("cleanup.policy", "compact")));

        requireFault("perceptron-models-changelog must have as many partitions as perceptron-examples, got 3 and 4 (");
    }

    @Test
    void shouldRefuseAChangelogThatForgetsModels() {
        actual.put("perceptron-models-changelog", new Actual(4, Map.of("cleanup.policy", "compact,delete")));

        requireFault("perceptron-models-changelog must have cleanup.policy compact, got compact,delete (");
    }

    @Test
    void shouldRefuseAChangelogThatDoesNotTakeAllEventTimesOfTheInput() {
        actual.put(
                "perceptron-models-changelog",
                new Actual(4, Map.of("cleanup.policy", "compact", BEFORE, "86400000", AFTER, "3600000")));

        requireFault("perceptron-models-changelog must have message.timestamp.before.max.ms of at least ");
    }

    @Test
    void shouldExplainAbsentBrokersAsAllCommandsDo() {
        EngineConfig absent = EngineConfig.of(Map.of("bootstrap.servers", "127.0.0.1:1"), Map.of(), null, Map.of());

        assertThat(TopicValidator.explain(new ExecutionException(new TimeoutException("call timed out")), absent))
                .startsWith("brokers must listen, got 127.0.0.1:1: ")
                .endsWith(" (start them, or name others with --bootstrap)");
    }

    private void set(String topic, String setting, String value) {
        actual.get(topic).settings().put(setting, value);
    }

    private void requireFault(String start) {
        assertThat(faults()).singleElement().asString().startsWith(start);
    }

    private TopicValidator validator() {
        return new TopicValidator(config, actual);
    }

    private List<String> faults() {
        return validator().byTopic().values().stream().flatMap(List::stream).toList();
    }
}
