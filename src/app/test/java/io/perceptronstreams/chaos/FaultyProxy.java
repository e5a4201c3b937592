package io.perceptronstreams.chaos;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A proxy on loopback between engines and a broker, which reads the length of each request and answer of Kafka's
 * protocol.
 */
final class FaultyProxy implements AutoCloseable {
    private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Key of EndTxn in Kafka's protocol, the request that commits or aborts. */
    private static final short END_TXN = 26;

    enum Fault {
        /** Everything is passed on. */
        NONE,
        /** Every request and every answer is held up by 200 ms. */
        SLOW,
        /** Connections stay open, and nothing is passed on in any direction. */
        SILENT,
        /** The broker commits or aborts, and the connection is reset before its answer. */
        LOSE_ENDS_OF_TRANSACTIONS
    }

    private final ServerSocket server;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger lost = new AtomicInteger();
    private volatile int target;
    private volatile Fault fault = Fault.NONE;

    FaultyProxy() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        thread(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Sets the port of the broker; before that, connections are refused. */
    void forwardTo(int port) {
        target = port;
    }

    void set(Fault next) {
        fault = next;
    }

    /** Resets all connections. */
    void reset() {
        connections.forEach(Connection::reset);
    }

    /** How many answers to commits and aborts were lost. */
    int lost() {
        return lost.get();
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void thread(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // the connection has ended
                    }
                },
                "faulty-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = server.accept();
            try {
                Connection connection = new Connection(client, new Socket(InetAddress.getLoopbackAddress(), target));
                connections.add(connection);
                thread(connection::passRequests);
                thread(connection::passAnswers);
            } catch (IOException e) {
                client.close();
            }
        }
    }

    private final class Connection {
        private final Socket client;
        private final Socket broker;

        /** Correlation ids of requests to end a transaction. */
        private final Set<Integer> ends = ConcurrentHashMap.newKeySet();

        Connection(Socket client, Socket broker) throws IOException {
            this.client = client;
            this.broker = broker;
            client.setTcpNoDelay(true);
            broker.setTcpNoDelay(true);
        }

        void passRequests() throws IOException {
            pass(client, broker, request -> {
                if (request.getShort(0) == END_TXN) {
                    ends.add(request.getInt(4));
                }
                return true;
            });
        }

        void passAnswers() throws IOException {
            pass(broker, client, answer -> {
                boolean isEnd = ends.remove(answer.getInt(0));
                return !isEnd || fault != Fault.LOSE_ENDS_OF_TRANSACTIONS;
            });
        }

        private void pass(Socket from, Socket to, Filter filter) throws IOException {
            try (DataInputStream in = new DataInputStream(from.getInputStream());
                    DataOutputStream out = new DataOutputStream(to.getOutputStream())) {
                while (true) {
                    byte[] message = new byte[in.readInt()];
                    in.readFully(message);
                    if (fault == Fault.SLOW) {
                        LockSupport.parkNanos(DELAY_NANOS);
                    }
                    while (fault == Fault.SILENT) {
                        LockSupport.parkNanos(POLL_NANOS);
                    }
                    if (!filter.passes(ByteBuffer.wrap(message))) {
                        lost.incrementAndGet();
                        return;
                    }
                    byte[] whole = ByteBuffer.allocate(Integer.BYTES + message.length)
                            .putInt(message.length)
                            .put(message)
                            .array();
                    out.write(whole);
                    out.flush();
                }
            } finally {
                reset();
                connections.remove(this);
            }
        }

        void reset() {
            for (Socket socket : new Socket[] {client, broker}) {
                try {
                    // RST instead of FIN
                    socket.setSoLinger(true, 0);
                    socket.close();
                } catch (IOException e) {
                    // has ended already
                }
            }
        }
    }

    private interface Filter {
        boolean passes(ByteBuffer message);
    }

    @Override
    public void close() throws IOException {
        server.close();
        set(Fault.NONE);
        reset();
    }
}
