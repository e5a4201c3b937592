package io.perceptronstreams.embed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;

/** A stranger's topology around {@link Learn}: numbers in, results as text out. */
final class LearningApplication {
    static final String INPUT = "measurements";
    static final String OUTPUT = "results";
    static final Map<String, String> SETTINGS = Map.of("algorithm", "pa-i", "scale", "standard");

    private LearningApplication() {}

    static Topology topology(String prefix) {
        return topology(prefix, results -> results);
    }

    /** @param after gets the results before they are sent */
    static Topology topology(String prefix, UnaryOperator<KStream<String, LearnResult>> after) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, Integer> input =
                builder.stream(prefix + INPUT, Consumed.with(Serdes.String(), Serdes.Integer()));
        after.apply(input.mapValues(LearningApplication::example)
                        .process(Learn.with(SETTINGS).named("fraud")))
                .mapValues(LearnResult::toString)
                .to(prefix + OUTPUT, Produced.with(Serdes.String(), Serdes.String()));
        return builder.build();
    }

    static LearnExample example(int number) {
        double amount = number * 7 % 11 - 5;
        double age = number * 3 % 7 - 3;
        return LearnExample.of("e" + number)
                .label(amount + age > 0.3 ? 1 : -1)
                .feature("amount", amount)
                .feature("age", age);
    }

    /** Name of the model that gets a number. */
    static String key(int number) {
        return "model-" + number % 3;
    }

    /** Models without Kafka that have learned the numbers below {@code end}, and their results by model. */
    record Expected(Map<String, OnlineModel> models, Map<String, List<String>> results) {
        static Expected of(int end) {
            Expected expected = new Expected(new HashMap<>(), new HashMap<>());
            for (int number = 0; number < end; number++) {
                LearnResult result = expected.models
                        .computeIfAbsent(key(number), unused -> OnlineModel.create(SETTINGS))
                        .learn(example(number));
                expected.results
                        .computeIfAbsent(key(number), unused -> new ArrayList<>())
                        .add(result.toString());
            }
            return expected;
        }
    }
}
