package io.perceptronstreams.monitor;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.perceptronstreams.monitor.ReplicaRequests.Load;
import java.net.URI;
import java.util.Arrays;
import java.util.Locale;

/**
 * Predictions by HTTP through the log, on connections that each send a request when they have the answer to the last
 * one.
 */
public final class LogRequests {
    private static final double WARM_UP_SECONDS = 5;

    private LogRequests() {}

    /**
     * @param args URL of an engine with {@code http.write=true}, its bearer token, name of a model, seconds of a
     *     measurement, and numbers of connections, which are measured one after another
     */
    public static void main(String[] args) throws Exception {
        URI engine = URI.create(args[0]);
        String body = "{\"features\":{\"a\":1,\"b\":2.5}}";
        byte[] request = ("POST /api/v1/models/" + args[2] + "/predict HTTP/1.1\r\nHost: " + engine.getAuthority()
                        + "\r\nAuthorization: Bearer " + args[1]
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(US_ASCII);
        for (String each : Arrays.asList(args).subList(4, args.length)) {
            int connections = Integer.parseInt(each);
            ReplicaRequests.load(engine, new byte[][] {request}, WARM_UP_SECONDS, 0, connections);
            Load load =
                    ReplicaRequests.load(engine, new byte[][] {request}, Double.parseDouble(args[3]), 0, connections);
            System.out.println(String.format(
                    Locale.ROOT,
                    "%d connections: %.0f requests/s, p50 %.1f ms, p90 %.1f ms, p99 %.1f ms",
                    connections,
                    load.perSecond(),
                    load.ms(0.5),
                    load.ms(0.9),
                    load.ms(0.99)));
        }
    }
}
