package io.perceptronstreams.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.utils.Time;

/**
 * A broker with Kafka's own authorizer and two listeners for clients, one with SASL over TLS and one with client
 * certificates, and a registry. The caller's {@link #admin} client has all rights, others have none but those that it
 * grants.
 */
public final class SecuredCluster implements AutoCloseable {
    /** Password of all users and of all key stores. */
    public static final String PASSWORD = "p4ssw0rd";

    private static final int SCRAM_ITERATIONS = 4096;

    private final KafkaRaftServer server;
    private final EmbeddedRegistry registry;
    private final Admin admin;
    private final int saslPort;
    private final int tlsPort;

    private SecuredCluster(KafkaRaftServer server, EmbeddedRegistry registry, Admin admin, int saslPort, int tlsPort) {
        this.server = server;
        this.registry = registry;
        this.admin = admin;
        this.saslPort = saslPort;
        this.tlsPort = tlsPort;
    }

    /**
     * Starts both.
     *
     * @param directory directory of the broker's files
     * @param keyStore certificate of the broker
     * @param trustStore certificates of the clients
     * @param users names for PLAIN, each with {@link #PASSWORD}
     */
    public static SecuredCluster start(Path directory, Path keyStore, Path trustStore, Iterable<String> users)
            throws IOException {
        // formats the directory
        EmbeddedBroker.start(directory, 0).close();
        int port = freePort();
        int saslPort = freePort();
        int tlsPort = freePort();
        StringBuilder plain = new StringBuilder("org.apache.kafka.common.security.plain.PlainLoginModule required");
        users.forEach(user -> plain.append(" user_").append(user).append("=\"" + PASSWORD + "\""));
        Properties properties = BrokerProperties.of(
                directory.toAbsolutePath().normalize(),
                port,
                freePort(),
                Map.ofEntries(
                        Map.entry("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"),
                        // the broker's own listeners, and the caller
                        Map.entry("super.users", "User:ANONYMOUS"),
                        Map.entry("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-512"),
                        Map.entry("listener.name.sasl.plain.sasl.jaas.config", plain + ";"),
                        Map.entry(
                                "listener.name.sasl.scram-sha-512.sasl.jaas.config",
                                "org.apache.kafka.common.security.scram.ScramLoginModule required;"),
                        Map.entry("listener.name.tls.ssl.client.auth", "required"),
                        // CN=engine is User:engine
                        Map.entry("ssl.principal.mapping.rules", "RULE:^CN=([^,]+).*$/$1/"),
                        Map.entry("ssl.keystore.type", "PKCS12"),
                        Map.entry("ssl.keystore.location", keyStore.toString()),
                        Map.entry("ssl.keystore.password", PASSWORD),
                        Map.entry("ssl.key.password", PASSWORD),
                        Map.entry("ssl.truststore.type", "PKCS12"),
                        Map.entry("ssl.truststore.location", trustStore.toString()),
                        Map.entry("ssl.truststore.password", PASSWORD)));
        for (String key : new String[] {"listeners", "advertised.listeners"}) {
            append(properties, key, "SASL://127.0.0.1:" + saslPort + ",TLS://127.0.0.1:" + tlsPort);
        }
        append(properties, "listener.security.protocol.map", "SASL:SASL_SSL,TLS:SSL");
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
        server.startup();
        String bootstrapServers = Loopback.HOST + ":" + port;
        EmbeddedRegistry registry = EmbeddedRegistry.start(bootstrapServers, 0);
        Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
        return new SecuredCluster(server, registry, admin, saslPort, tlsPort);
    }

    private static void append(Properties properties, String key, String value) {
        properties.put(key, properties.get(key) + "," + value);
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    /** Creates a user for SCRAM-SHA-512. */
    public void addScramUser(String name) throws ExecutionException, InterruptedException {
        admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                        name, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, SCRAM_ITERATIONS), PASSWORD)))
                .all()
                .get();
    }

    /** Client with all rights. */
    public Admin admin() {
        return admin;
    }

    /** Port for user and password over TLS. */
    public int saslPort() {
        return saslPort;
    }

    /** Port for client certificates. */
    public int tlsPort() {
        return tlsPort;
    }

    /** Address of the registry. */
    public String registryUrl() {
        return registry.url();
    }

    @Override
    public void close() {
        admin.close();
        registry.close();
        server.shutdown();
        server.awaitShutdown();
    }
}
