package io.perceptronstreams.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Names of settings of other clients and frameworks, and what takes their place here: Kafka's Java clients would ignore
 * them.
 *
 * <p>Names that differ from known ones in case and punctuation only, such as {@code bootstrap_servers}, are not listed:
 * they are misspelt here.
 */
final class ForeignKeys {
    private static final String PLAIN =
            "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"USER\""
                    + " password=\"PASSWORD\"; holds user and password";
    private static final String TRUSTED = "truststore.location=FILE with %struststore.type=PEM names the certificates";
    private static final String OWN_KEY =
            "keystore.location=FILE with %skeystore.type=PEM names a file with key and certificates";
    private static final String VERIFIED =
            "certificates are always verified; ssl.truststore.location names those to trust, and an empty"
                    + " ssl.endpoint.identification.algorithm accepts any host name";
    private static final String USER_INFO =
            "basic.auth.user.info=USER:PASSWORD with basic.auth.credentials.source=USER_INFO";
    private static final String NOTHING = "there is nothing in its place, leave it out";

    private static final Map<String, String> REMEDIES = new TreeMap<>();

    static {
        // librdkafka, and so the clients for Python, Go, .NET, Rust and kcat
        add("metadata.broker.list", "bootstrap.servers");
        add("sasl.mechanisms", "sasl.mechanism");
        add("sasl.username", PLAIN);
        add("sasl.password", PLAIN);
        add(
                "sasl.kerberos.principal",
                "sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required … holds it");
        add(
                "sasl.kerberos.keytab",
                "sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required … holds it");
        add("sasl.oauthbearer.client.id", "sasl.oauthbearer.client.credentials.client.id");
        add("sasl.oauthbearer.client.secret", "sasl.oauthbearer.client.credentials.client.secret");
        add("sasl.oauthbearer.config", "sasl.jaas.config holds it");
        add("sasl.oauthbearer.method", "sasl.oauthbearer.jwt.retriever.class");
        add("ssl.ca.location", "ssl." + TRUSTED.formatted("ssl."));
        add("ssl.ca.pem", "ssl.truststore.certificates with ssl.truststore.type=PEM");
        add("ssl.ca.certificate.stores", NOTHING);
        add("ssl.certificate.location", "ssl." + OWN_KEY.formatted("ssl."));
        add("ssl.certificate.pem", "ssl.keystore.certificate.chain with ssl.keystore.type=PEM");
        add("ssl.key.location", "ssl." + OWN_KEY.formatted("ssl."));
        add("ssl.key.pem", "ssl.keystore.key with ssl.keystore.type=PEM");
        add("enable.ssl.certificate.verification", VERIFIED);
        add("schema.registry.ssl.ca.location", "schema.registry.ssl." + TRUSTED.formatted("schema.registry.ssl."));
        add(
                "schema.registry.ssl.certificate.location",
                "schema.registry.ssl." + OWN_KEY.formatted("schema.registry.ssl."));
        add("schema.registry.ssl.key.location", "schema.registry.ssl." + OWN_KEY.formatted("schema.registry.ssl."));
        add("message.max.bytes", "producer.max.request.size");
        add("message.timeout.ms", "producer.delivery.timeout.ms");
        add("message.send.max.retries", "producer.retries");
        add("queue.buffering.max.ms", "producer.linger.ms");
        add("queue.buffering.max.kbytes", "producer.buffer.memory (in bytes)");
        add("queue.buffering.max.messages", "producer.buffer.memory (in bytes)");
        add("batch.num.messages", "producer.batch.size (in bytes)");
        add("compression.codec", "producer.compression.type");
        add("request.required.acks", "producer.acks");
        add("fetch.message.max.bytes", "consumer.max.partition.fetch.bytes");
        add("fetch.wait.max.ms", "consumer.fetch.max.wait.ms");
        add("topic.metadata.refresh.interval.ms", "metadata.max.age.ms");
        add("socket.timeout.ms", "request.timeout.ms");
        add("enable.auto.offset.store", NOTHING);
        add("enable.partition.eof", NOTHING);
        add("statistics.interval.ms", "GET /metrics of the monitor has figures; leave it out");
        add("socket.keepalive.enable", NOTHING);
        add("broker.address.family", "-Djava.net.preferIPv4Stack=true in PERCEPTRON_OPTS");
        add("broker.address.ttl", NOTHING);
        add("broker.version.fallback", NOTHING);
        add("api.version.request", NOTHING);
        add("api.version.fallback.ms", NOTHING);
        add("log_level", "-Dkafka.log.level in PERCEPTRON_OPTS");
        add("log.connection.close", NOTHING);
        add("debug", "-Dkafka.log.level=DEBUG in PERCEPTRON_OPTS");
        // kafka-python, aiokafka
        add("sasl_plain_username", PLAIN);
        add("sasl_plain_password", PLAIN);
        add("ssl_cafile", "ssl." + TRUSTED.formatted("ssl."));
        add("ssl_certfile", "ssl." + OWN_KEY.formatted("ssl."));
        add("ssl_keyfile", "ssl." + OWN_KEY.formatted("ssl."));
        add("ssl_check_hostname", VERIFIED);
        // KafkaJS, Sarama, franz-go
        add("brokers", "bootstrap.servers");
        add("ssl", "security.protocol=SSL, or SASL_SSL");
        add("sasl", "sasl.mechanism and sasl.jaas.config");
        add("ssl.rejectUnauthorized", VERIFIED);
        add("connectionTimeout", "socket.connection.setup.timeout.ms");
        add("logLevel", "-Dkafka.log.level in PERCEPTRON_OPTS");
        // clients of schema registries
        add("url", "schema.registry.url");
        add("schema.registry.basic.auth.username", USER_INFO);
        add("schema.registry.basic.auth.password", USER_INFO);
        add("schema.registry.username", USER_INFO);
        add("schema.registry.password", USER_INFO);
        add("apicurio.registry.url", "schema.registry.url=…/apis/ccompat/v7");
        // Spring's names that differ in more than their prefix
        add("ssl.trust-store-location", "ssl.truststore.location");
        add("ssl.trust-store-password", "ssl.truststore.password");
        add("ssl.trust-store-type", "ssl.truststore.type");
        add("ssl.trust-store-certificates", "ssl.truststore.certificates");
        add("ssl.key-store-location", "ssl.keystore.location");
        add("ssl.key-store-password", "ssl.keystore.password");
        add("ssl.key-store-type", "ssl.keystore.type");
        add("ssl.key-store-key", "ssl.keystore.key");
        add("ssl.key-store-certificate-chain", "ssl.keystore.certificate.chain");
        add("jaas.login-module", "sasl.jaas.config");
    }

    /**
     * Prefixes of frameworks before names of Kafka, the longest of each first, and Kafka Streams' own in their place.
     */
    private static final Map<String, String> PREFIXES = Map.ofEntries(
            Map.entry("spring.kafka.consumer.properties.", "consumer."),
            Map.entry("spring.kafka.consumer.", "consumer."),
            Map.entry("spring.kafka.producer.properties.", "producer."),
            Map.entry("spring.kafka.producer.", "producer."),
            Map.entry("spring.kafka.admin.properties.", "admin."),
            Map.entry("spring.kafka.admin.", "admin."),
            Map.entry("spring.kafka.streams.properties.", ""),
            Map.entry("spring.kafka.streams.", ""),
            Map.entry("spring.kafka.properties.", ""),
            Map.entry("spring.kafka.", ""),
            Map.entry("spring.cloud.stream.kafka.streams.binder.configuration.", ""),
            Map.entry("spring.cloud.stream.kafka.streams.binder.", ""),
            Map.entry("spring.cloud.stream.kafka.binder.configuration.", ""),
            Map.entry("spring.cloud.stream.kafka.binder.", ""),
            Map.entry("quarkus.kafka-streams.", ""),
            Map.entry("kafka-streams.", ""),
            Map.entry("kafka.", ""),
            Map.entry("properties.", ""),
            Map.entry("consumer.override.", "consumer."),
            Map.entry("producer.override.", "producer."),
            Map.entry("admin.override.", "admin."));

    private static final List<String> LONGEST_FIRST =
            PREFIXES.keySet().stream().sorted((a, b) -> b.length() - a.length()).toList();

    private ForeignKeys() {}

    private static void add(String name, String remedy) {
        REMEDIES.put(name, remedy);
    }

    /**
     * What takes the place of a name of another client, as words of a message; empty for other names.
     *
     * @param known gives the setting that has a name, or a similar one
     */
    static Optional<String> remedy(String name, Function<String, Optional<String>> known) {
        String remedy = REMEDIES.get(name);
        if (remedy != null) {
            return Optional.of(remedy);
        }
        for (String prefix : LONGEST_FIRST) {
            if (name.startsWith(prefix)) {
                String rest = name.substring(prefix.length());
                String own = PREFIXES.get(prefix) + rest;
                Optional<String> here = Optional.ofNullable(REMEDIES.get(rest))
                        .or(() -> known.apply(own))
                        .or(() -> known.apply(rest));
                // of plug-ins other names may begin with words such as kafka
                return here.or(() -> prefix.startsWith("spring.") || prefix.startsWith("quarkus.")
                        ? Optional.of(rest + ", if Kafka's clients have it")
                        : Optional.empty());
            }
        }
        // of one client only, as Kafka Streams has it
        for (String prefix : List.of("consumer.", "producer.", "admin.")) {
            if (name.startsWith(prefix)) {
                return Optional.ofNullable(REMEDIES.get(name.substring(prefix.length())));
            }
        }
        return Optional.empty();
    }
}
