package io.perceptronstreams.embedded;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** The address 127.0.0.1, independent of the hosts file and of address preferences. */
final class Loopback {

    static final String HOST = "127.0.0.1";

    private Loopback() {}

    static InetSocketAddress socket(int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[] {127, 0, 0, 1}), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}
