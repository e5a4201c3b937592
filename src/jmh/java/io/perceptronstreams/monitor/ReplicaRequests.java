package io.perceptronstreams.monitor;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.javalin.Javalin;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests per second and latency of a replica, beside a bare Javalin handler in its own process that answers a
 * constant of the same length. Connections stay open; both are measured by turns. Prints a table.
 */
public final class ReplicaRequests {
    private static final int FEATURES = 40;
    private static final int BATCH = 100;
    private static final int CONNECTIONS = 8;
    private static final int ROUNDS = 5;

    private enum Form {
        NAMED,
        DENSE
    }

    private ReplicaRequests() {}

    /** @param args URL of a replica, name of a model of two classes, seconds of a measurement */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("--bare")) {
            bare(Integer.parseInt(args[1]));
            return;
        }
        URI replica = URI.create(args[0]);
        String path = "/api/v1/models/" + args[1] + "/predict";
        double seconds = Double.parseDouble(args[2]);
        byte[] answer = answer(replica, request(replica, path, body(Form.NAMED, 1, new Random(1))));
        int port = replica.getPort() + 1;
        Process bare = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ReplicaRequests.class.getName(),
                        "--bare",
                        Integer.toString(port))
                .inheritIO()
                .start();
        try {
            awaitPort(port);
            URI bareUrl = URI.create("http://127.0.0.1:" + port);
            System.out.println("an answer: " + new String(answer, US_ASCII));
            measure(replica, bareUrl, path, seconds);
        } finally {
            bare.destroyForcibly().waitFor();
        }
    }

    private static void bare(int port) {
        String constant =
                "{\"model\":\"m\",\"exampleId\":null,\"label\":1,\"score\":-0.12345678901234567,\"scores\":null,"
                        + "\"version\":12345,\"epoch\":0,\"position\":{\"partition\":0,\"offset\":123456},\"ageMs\":123,\"via\":\"replica\"}";
        Javalin.create(config -> {
                    config.startup.showJavalinBanner = false;
                    config.startup.showOldJavalinVersionWarning = false;
                    config.routes.post("/*", request -> {
                        // otherwise the connection ends
                        request.bodyAsBytes();
                        request.contentType("application/json").result(constant);
                    });
                })
                .start("127.0.0.1", port);
    }

    private static void awaitPort(int port) throws Exception {
        for (int k = 0; k < 600; k++) {
            try {
                new Socket("127.0.0.1", port).close();
                return;
            } catch (IOException e) {
                Thread.sleep(100);
            }
        }
        throw new IOException("the bare server must listen on port " + port);
    }

    private static void measure(URI replica, URI bare, String path, double seconds) throws Exception {
        for (Form form : Form.values()) {
            byte[][] single = requests(replica, path, form, 1, 64);
            byte[][] batch = requests(replica, path, form, BATCH, 8);
            double[] ratios = new double[ROUNDS];
            double[] bares = new double[ROUNDS];
            double[] singles = new double[ROUNDS];
            double[] batches = new double[ROUNDS];
            // the first rounds warm up
            for (int round = -2; round < ROUNDS; round++) {
                double perSecondBare = load(bare, single, seconds, 0).perSecond();
                double perSecond = load(replica, single, seconds, 0).perSecond();
                double examples = BATCH * load(replica, batch, seconds, 0).perSecond();
                if (round >= 0) {
                    bares[round] = perSecondBare;
                    singles[round] = perSecond;
                    ratios[round] = perSecond / perSecondBare;
                    batches[round] = examples;
                }
            }
            print(form, "bare, requests/s", bares, "%.0f");
            print(form, "replica, requests/s", singles, "%.0f");
            print(form, "replica / bare", ratios, "%.3f");
            print(form, "batches of 100, examples/s", batches, "%.0f");
            Load quarter = load(replica, single, 3 * seconds, singles[ROUNDS / 2] / 4);
            System.out.printf(
                    Locale.ROOT,
                    "%s | at %.0f requests/s, ms: p50 %.2f, p99 %.2f, p99.9 %.2f, largest %.2f%n",
                    form,
                    quarter.perSecond(),
                    quarter.ms(0.5),
                    quarter.ms(0.99),
                    quarter.ms(0.999),
                    quarter.ms(1));
        }
    }

    private static void print(Form form, String what, double[] values, String format) {
        Arrays.sort(values);
        System.out.printf(
                Locale.ROOT,
                "%s | %s | " + format + " (" + format + " to " + format + ")%n",
                form,
                what,
                values[ROUNDS / 2],
                values[0],
                values[ROUNDS - 1]);
    }

    private static String body(Form form, int examples, Random random) {
        List<String> all = new ArrayList<>();
        for (int k = 0; k < examples; k++) {
            List<String> features = new ArrayList<>();
            for (int f = 0; f < FEATURES; f++) {
                String value = String.format(Locale.ROOT, "%.4f", random.nextGaussian());
                features.add(form == Form.DENSE ? value : "\"w" + (100 * f + random.nextInt(100)) + "\":" + value);
            }
            String joined = String.join(",", features);
            all.add("{\"features\":" + (form == Form.DENSE ? "[" + joined + "]" : "{" + joined + "}") + "}");
        }
        return examples == 1 ? all.get(0) : "[" + String.join(",", all) + "]";
    }

    private static byte[] request(URI to, String path, String body) {
        return ("POST " + path + " HTTP/1.1\r\nHost: " + to.getAuthority()
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(US_ASCII);
    }

    private static byte[][] requests(URI to, String path, Form form, int examples, int count) {
        Random random = new Random(42);
        byte[][] requests = new byte[count][];
        for (int k = 0; k < count; k++) {
            requests[k] = request(to, path, body(form, examples, random));
        }
        return requests;
    }

    private static byte[] answer(URI to, byte[] request) throws IOException {
        try (Client client = new Client(to)) {
            client.send(request);
            return client.body.toByteArray();
        }
    }

    /** Answers of all connections: how many per second, and their sorted latencies in ns. */
    record Load(double perSecond, long[] nanos) {
        double ms(double quantile) {
            return nanos[(int) Math.min(nanos.length - 1, quantile * nanos.length)] / 1e6;
        }
    }

    /** Sends requests for some seconds. With a rate above 0, latencies are from the time at which each was due. */
    private static Load load(URI to, byte[][] requests, double seconds, double rate) throws Exception {
        return load(to, requests, seconds, rate, CONNECTIONS);
    }

    static Load load(URI to, byte[][] requests, double seconds, double rate, int connections) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        List<Future<long[]>> futures = new ArrayList<>();
        for (int k = 0; k < connections; k++) {
            double interval = rate > 0 ? connections * 1e9 / rate : 0;
            long first = start + (long) (interval * k / connections);
            futures.add(threads.submit(connection(to, requests, first, interval, end)));
        }
        long[] all = new long[0];
        for (Future<long[]> each : futures) {
            long[] more = each.get();
            int from = all.length;
            all = Arrays.copyOf(all, from + more.length);
            System.arraycopy(more, 0, all, from, more.length);
        }
        double elapsed = (System.nanoTime() - start) / 1e9;
        threads.shutdown();
        threads.awaitTermination(1, TimeUnit.SECONDS);
        Arrays.sort(all);
        return new Load(all.length / elapsed, all);
    }

    private static Callable<long[]> connection(URI to, byte[][] requests, long first, double interval, long end) {
        return () -> {
            long[] nanos = new long[1 << 16];
            int count = 0;
            try (Client client = new Client(to)) {
                for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
                    long due = interval > 0 ? first + (long) (count * interval) : now;
                    while (due - System.nanoTime() > 0) {
                        LockSupport.parkNanos(due - System.nanoTime());
                    }
                    client.send(requests[count % requests.length]);
                    if (count == nanos.length) {
                        nanos = Arrays.copyOf(nanos, 2 * count);
                    }
                    nanos[count++] = System.nanoTime() - due;
                }
            }
            return Arrays.copyOf(nanos, count);
        };
    }

    /** A connection that stays open. */
    private static final class Client implements AutoCloseable {
        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private final byte[] line = new byte[1_024];

        Client(URI to) throws IOException {
            socket = new Socket(to.getHost(), to.getPort());
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
            out = socket.getOutputStream();
        }

        void send(byte[] request) throws IOException {
            out.write(request);
            int length = -1;
            String status = readLine();
            if (!status.startsWith("HTTP/1.1 200")) {
                throw new IOException("the answer must be 200, got " + status);
            }
            for (String header = readLine(); !header.isEmpty(); header = readLine()) {
                if (header.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                    length = Integer.parseInt(header.substring(15).strip());
                }
            }
            body.reset();
            body.write(in.readNBytes(length));
        }

        private String readLine() throws IOException {
            int count = 0;
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0) {
                    throw new IOException("the server must not close the connection");
                }
                line[count++] = (byte) next;
            }
            return new String(line, 0, count - 1, US_ASCII);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
