package io.perceptronstreams.embed;

import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.topology.UndoableStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * A stranger's topology around {@link Learn}: numbers in, results as text out. The label of every fourth number comes
 * late.
 */
final class LearningApplication {
    static final String INPUT = "measurements";
    static final String OUTPUT = "results";
    static final Map<String, String> SETTINGS =
            Map.of("algorithm", "pa-i", "scale", "standard", "await.labels.ms", "100000000");

    private LearningApplication() {}

    static Topology topology(String prefix) {
        return topology(prefix, results -> results);
    }

    /** @param after gets the results before they are sent */
    static Topology topology(String prefix, UnaryOperator<KStream<String, LearnResult>> after) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, Integer> input =
                builder.stream(prefix + INPUT, Consumed.with(Serdes.String(), Serdes.Integer()));
        after.apply(input.mapValues(LearningApplication::input)
                        .process(Learn.with(SETTINGS).named("fraud")))
                .mapValues(LearnResult::toString)
                .to(prefix + OUTPUT, Produced.with(Serdes.String(), Serdes.String()));
        return builder.build();
    }

    /** Models of a store, in transactions, without a limit of their heap. */
    static LearnModels models(KeyValueStore<Bytes, byte[]> store, Map<String, String> settings) {
        return new LearnModels(
                new LearnStore(store, 0, true), Settings.DEFAULTS.with(settings), new StoreCounters(), Long.MAX_VALUE);
    }

    /** An example, or the label of the last but one. */
    static LearnInput input(int number) {
        return isLabel(number) ? LearnLabel.of("e" + (number - 2), label(number - 2)) : example(number);
    }

    private static boolean isLabel(int number) {
        return number % 4 == 3;
    }

    static LearnExample example(int number) {
        LearnExample example =
                LearnExample.of("e" + number).feature("amount", amount(number)).feature("age", age(number));
        return isLabel(number + 2) ? example : example.label(label(number));
    }

    private static double amount(int number) {
        return number * 7 % 11 - 5;
    }

    private static double age(int number) {
        return number * 3 % 7 - 3;
    }

    private static int label(int number) {
        return amount(number) + age(number) > 0.3 ? 1 : -1;
    }

    /** Name of the model that gets a number. */
    static String key(int number) {
        return "model-" + (isLabel(number) ? number - 2 : number) % 3;
    }

    /**
     * Models that have learned the numbers below {@code end} without a crash, and by model their results as text, and
     * their predictions: results without those of late labels.
     */
    record Expected(
            Map<String, byte[]> models, Map<String, List<String>> results, Map<String, List<LearnResult>> predictions) {
        static Expected of(int end) {
            Expected expected = new Expected(new HashMap<>(), new HashMap<>(), new HashMap<>());
            LearnModels models = LearningApplication.models(new UndoableStore(), SETTINGS);
            for (int number = 0; number < end; number++) {
                String key = key(number);
                boolean isLabel = isLabel(number);
                models.learn(key.getBytes(StandardCharsets.UTF_8), 1000L + number, input(number), result -> {
                    if (!isLabel) {
                        expected.predictions
                                .computeIfAbsent(key, unused -> new ArrayList<>())
                                .add(result);
                    }
                    expected.results
                            .computeIfAbsent(key, unused -> new ArrayList<>())
                            .add(result.toString());
                });
            }
            expected.results.keySet().forEach(key -> expected.models.put(key, OnlineModel.toBytes(models.model(key))));
            return expected;
        }
    }
}
