package io.perceptronstreams.bench;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.RateLimiter;
import io.perceptronstreams.client.TopicTail;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.WireFormat;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Sends examples at a fixed rate and waits for their answers, committed ones only; both in this process, by one clock.
 *
 * <p>An answer is known by the example's id, with which the values of both sides begin: a copy as well as a Prediction.
 */
final class LatencyProbe {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final SyntheticStream stream;
    private final BenchTopics topics;
    private final int unmeasured;
    private final long[] sent;
    private final long[] received;
    private long firstId;

    LatencyProbe(BenchSettings settings, SyntheticStream stream, BenchTopics topics) {
        this.stream = stream;
        this.topics = topics;
        this.unmeasured = settings.seconds() * BenchSettings.RATE;
        this.sent = new long[2 * unmeasured];
        this.received = new long[sent.length];
    }

    /** Sends for twice the seconds set, and measures the second half. */
    LatencyStats measure(Variant contestant) throws InterruptedException {
        EngineConfig config = topics.config(contestant.input());
        try (TopicTail answers = TopicTail.open(config, contestant.output(config));
                BenchTopics.Sender sender = topics.sender(contestant.input(), 0)) {
            firstId = stream.next();
            Thread sending = new Thread(() -> send(sender), "bench-sender");
            sending.start();
            receive(answers);
            sending.join();
        }
        long[] nanos = new long[sent.length - unmeasured];
        Arrays.setAll(nanos, k -> received[k + unmeasured] - sent[k + unmeasured]);
        return LatencyStats.of(nanos);
    }

    private void send(BenchTopics.Sender sender) {
        long start = System.nanoTime();
        for (int k = 0; k < sent.length; k++) {
            RateLimiter.await(start, k, BenchSettings.RATE);
            sent[k] = System.nanoTime();
            sender.send(stream);
            stream.next();
        }
    }

    private void receive(TopicTail answers) {
        int missing = received.length;
        long deadline = System.nanoTime() + PATIENCE_NANOS + TimeUnit.SECONDS.toNanos(sent.length / BenchSettings.RATE);
        while (missing > 0) {
            for (ConsumerRecord<byte[], byte[]> answer : answers.poll()) {
                long now = System.nanoTime();
                long k = id(answer.value()) - firstId;
                if (k >= 0 && k < received.length && received[(int) k] == 0) {
                    received[(int) k] = now;
                    missing--;
                }
            }
            if (System.nanoTime() > deadline) {
                throw new CommandFailedException("every example must be answered, " + missing + " of " + received.length
                        + " were not within " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
            }
        }
    }

    /** The id that an event begins with: a string of digits, its length a byte, as ids have less than 64 digits. */
    static long id(byte[] value) {
        int start = WireFormat.HEADER + 1;
        int length = value[WireFormat.HEADER] >> 1;
        return Long.parseLong(new String(value, start, length, StandardCharsets.US_ASCII));
    }
}
