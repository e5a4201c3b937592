package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.RejectedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;

/** {@link Learn} in a topology has the bits of the model without Kafka, which has those of the engine. */
final class LearnTest {
    private static final String STORE = "fraud-models";

    @Test
    void shouldLearnInAnotherTopologyAsWithoutKafka() {
        LearningApplication.Expected expected = LearningApplication.Expected.of(60);
        Map<String, byte[]> stored = new HashMap<>();
        Map<String, List<String>> results = new HashMap<>();

        // the second one begins with the store of the first, as a task does that has moved
        run(0, 25, stored, results);
        run(25, 60, stored, results);

        assertThat(results).isEqualTo(expected.results());
        assertThat(stored).hasSize(3);
        expected.models()
                .forEach((name, model) -> assertThat(stored.get(name)).as(name).isEqualTo(model.toBytes()));
    }

    private static void run(int first, int end, Map<String, byte[]> stored, Map<String, List<String>> results) {
        try (TopologyTestDriver driver = new TopologyTestDriver(LearningApplication.topology(""), new Properties())) {
            KeyValueStore<String, byte[]> store = driver.getKeyValueStore(STORE);
            stored.forEach(store::put);
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic(LearningApplication.INPUT, new StringSerializer(), new IntegerSerializer());
            TestOutputTopic<String, String> output = driver.createOutputTopic(
                    LearningApplication.OUTPUT, new StringDeserializer(), new StringDeserializer());
            for (int number = first; number < end; number++) {
                input.pipeInput(LearningApplication.key(number), number, 1000L + number);
                var record = output.readRecord();
                assertThat(record.timestamp()).isEqualTo(1000L + number);
                results.computeIfAbsent(record.key(), unused -> new ArrayList<>())
                        .add(record.value());
            }
            assertThat(output.isEmpty()).isTrue();
            try (KeyValueIterator<String, byte[]> all = store.all()) {
                all.forEachRemaining(each -> stored.put(each.key, each.value));
            }
        }
    }

    @Test
    void shouldChangeNothingWhenARecordCannotBeUsed() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.Integer()))
                .mapValues(number -> number < 0
                        ? LearnExample.of("wrong").label(1).feature("amount", Double.NaN)
                        : LearningApplication.example(number))
                .process(Learn.with(LearningApplication.SETTINGS).named("fraud"));
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic("in", new StringSerializer(), new IntegerSerializer());
            input.pipeInput("m", 1);

            assertThatThrownBy(() -> input.pipeInput("m", -1)).hasRootCauseInstanceOf(RejectedException.class);
            assertThatThrownBy(() -> input.pipeInput(null, 2))
                    .hasRootCauseMessage("a record must have the name of a model as key and an example as value, got a"
                            + " record without a key");
            input.pipeInput("m", 2);

            OnlineModel expected = OnlineModel.create(LearningApplication.SETTINGS);
            List.of(1, 2).forEach(number -> expected.learn(LearningApplication.example(number)));
            assertThat(driver.<String, byte[]>getKeyValueStore(STORE).get("m")).isEqualTo(expected.toBytes());
        }
    }

    @Test
    void shouldRefuseWrongSettingsBeforeTheTopologyStarts() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Learn.with(Map.of("algorithm", "best")))
                .withMessageStartingWith("algorithm must be one of ");
    }
}
