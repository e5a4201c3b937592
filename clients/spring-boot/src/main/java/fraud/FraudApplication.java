package fraud;

import io.perceptronstreams.embed.Learn;
import io.perceptronstreams.embed.LearnExample;
import io.perceptronstreams.embed.LearnResult;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafkaStreams;

/** Reads payments such as {@code p7 120.5 1 fraud} (id, amount, at night, verdict or nothing), by country; writes what it predicted. */
@SpringBootApplication
@EnableKafkaStreams
public class FraudApplication {
    static final Map<String, String> SETTINGS = Map.of("algorithm", "pa-i", "labels", "ok,fraud", "scale", "standard");

    public static void main(String[] arguments) {
        SpringApplication.run(FraudApplication.class, arguments);
    }

    @Bean
    public KStream<String, LearnResult> results(StreamsBuilder builder) {
        KStream<String, LearnResult> results = builder.stream("payments", Consumed.with(Serdes.String(), Serdes.String()))
                .mapValues(FraudApplication::example)
                .process(Learn.with(SETTINGS).named("fraud"));
        results.mapValues(LearnResult::toString).to("payment-results", Produced.with(Serdes.String(), Serdes.String()));
        return results;
    }

    static LearnExample example(String payment) {
        String[] fields = payment.split(" ");
        LearnExample example = LearnExample.of(fields[0])
                .feature("amount", Double.parseDouble(fields[1]))
                .feature("night", Double.parseDouble(fields[2]));
        return fields.length > 3 ? example.label(fields[3]) : example;
    }
}
