package fraud;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perceptronstreams.embed.OnlineModel;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.Test;

class FraudApplicationTest {
    @Test
    void shouldPredictAndLearn() {
        StreamsBuilder builder = new StreamsBuilder();
        new FraudApplication().results(builder);
        OnlineModel expected = OnlineModel.create(FraudApplication.SETTINGS);
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            var payments = driver.createInputTopic("payments", new StringSerializer(), new StringSerializer());
            var results = driver.createOutputTopic("payment-results", new StringDeserializer(), new StringDeserializer());
            for (String payment : List.of("p1 900 1 fraud", "p2 10 0 ok", "p3 20 0 ok", "p4 700 1")) {
                payments.pipeInput("fr", payment);
                String result = expected.learn(FraudApplication.example(payment)).toString();
                assertEquals(result, results.readValue());
            }
        }
    }
}
