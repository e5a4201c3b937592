package io.perceptronstreams.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class OpenTransactionsTest {
    /** The tool of Kafka ends without brokers, and takes them before its action only. */
    @Test
    void shouldNameTheBrokersInTheCommand() {
        assertThat(OpenTransactions.line(new TopicPartition("perceptron-examples", 3), 7, 21, "a:1,b:2"))
                .startsWith(
                        "perceptron-examples-3 waits for the end of another producer's transaction, open at offset 7"
                                + " of 21: ")
                .endsWith(
                        "kafka-transactions.sh --bootstrap-server a:1,b:2 abort --topic perceptron-examples --partition 3"
                                + " --start-offset 7)");
    }
}
