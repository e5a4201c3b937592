package io.perceptronstreams.bench;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.sending.RateLimiter;
import io.perceptronstreams.serde.WireFormat;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Sends examples at a fixed rate and receives their committed answers, in this process and with one clock.
 *
 * <p>An answer, a copy or a Prediction, is matched by the example's id at the start of its value.
 */
final class LatencyProbe {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final SyntheticStream stream;
    private final BenchTopics topics;
    private final int rate;
    private final int warmUp;
    private final long[] sent;
    private final long[] received;
    private long firstId;

    LatencyProbe(BenchSettings settings, SyntheticStream stream, BenchTopics topics) {
        this.stream = stream;
        this.topics = topics;
        this.rate = settings.rate();
        this.warmUp = Math.multiplyExact(settings.seconds(), rate);
        this.sent = new long[2 * warmUp];
        this.received = new long[sent.length];
    }

    /** Sends for twice {@code settings.seconds()} and measures the second half. */
    LatencyStats measure(Variant variant) throws InterruptedException {
        EngineConfig config = topics.config(variant.input());
        try (TopicScan answers = TopicScan.open(config, variant.output(config));
                BenchTopics.Sender sender = topics.sender(variant.input(), 0)) {
            firstId = stream.next();
            Thread sending = new Thread(() -> send(sender), "bench-sender");
            sending.start();
            receive(answers);
            sending.join();
        }
        long[] nanos = new long[sent.length - warmUp];
        Arrays.setAll(nanos, k -> received[k + warmUp] - sent[k + warmUp]);
        return LatencyStats.of(nanos);
    }

    private void send(BenchTopics.Sender sender) {
        long start = System.nanoTime();
        for (int k = 0; k < sent.length; k++) {
            RateLimiter.await(start, k, rate);
            sent[k] = System.nanoTime();
            sender.send(stream);
            stream.next();
        }
    }

    private void receive(TopicScan answers) {
        int missing = received.length;
        long deadline = System.nanoTime() + TIMEOUT_NANOS + TimeUnit.SECONDS.toNanos(sent.length / rate);
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
                throw new CommandFailedException("every example must be answered, got no answer to " + missing + " of "
                        + received.length + " within " + TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NANOS) + " s");
            }
        }
    }

    /** Parses the id at the start of an event: digits, with a length of one byte, as ids have less than 64 digits. */
    static long id(byte[] value) {
        int start = WireFormat.HEADER + 1;
        int length = value[WireFormat.HEADER] >> 1;
        return Long.parseLong(new String(value, start, length, StandardCharsets.US_ASCII));
    }
}
