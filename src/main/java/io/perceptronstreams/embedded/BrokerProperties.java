package io.perceptronstreams.embedded;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the embedded broker is told: one node that is broker and controller, small in memory, files and threads.
 *
 * <p>Retention and everything else that decides how long data lives are Kafka's own defaults.
 */
final class BrokerProperties {

    static final int NODE_ID = 1;
    static final String CLIENT_LISTENER = "PLAINTEXT";
    static final String CONTROLLER_LISTENER = "CONTROLLER";

    private BrokerProperties() {}

    /**
     * All of the broker's properties.
     *
     * @param extra further broker properties; they win over the defaults, but not over what makes the node a single one
     * @throws IllegalArgumentException if {@code extra} sets a property that only this class may set
     */
    static Properties of(Path dataDirectory, int clientPort, int controllerPort, Map<String, ?> extra) {
        String clients = CLIENT_LISTENER + "://" + Loopback.HOST + ":" + clientPort;
        String controller = Loopback.HOST + ":" + controllerPort;
        var fixed = Map.of(
                "process.roles",
                "broker,controller",
                "node.id",
                String.valueOf(NODE_ID),
                "log.dirs",
                dataDirectory.toString(),
                "listeners",
                clients + "," + CONTROLLER_LISTENER + "://" + controller,
                "advertised.listeners",
                clients,
                "controller.listener.names",
                CONTROLLER_LISTENER,
                "inter.broker.listener.name",
                CLIENT_LISTENER,
                "listener.security.protocol.map",
                CLIENT_LISTENER + ":PLAINTEXT," + CONTROLLER_LISTENER + ":PLAINTEXT",
                "controller.quorum.voters",
                NODE_ID + "@" + controller);
        refuse(extra.keySet(), fixed.keySet());
        var properties = new Properties();
        singleNode(properties);
        small(properties);
        extra.forEach((key, value) -> properties.put(key, String.valueOf(value)));
        properties.putAll(fixed);
        return properties;
    }

    private static void refuse(Set<String> extra, Set<String> fixed) {
        var clash = new TreeSet<>(extra);
        clash.retainAll(fixed);
        if (!clash.isEmpty()) {
            throw new IllegalArgumentException(
                    "broker properties " + clash + " are set by the embedded broker itself; leave them out");
        }
    }

    private static void singleNode(Properties properties) {
        properties.put("auto.create.topics.enable", "false");
        properties.put("default.replication.factor", "1");
        properties.put("min.insync.replicas", "1");
        properties.put("offsets.topic.replication.factor", "1");
        properties.put("transaction.state.log.replication.factor", "1");
        properties.put("transaction.state.log.min.isr", "1");
        properties.put("share.coordinator.state.topic.replication.factor", "1");
        properties.put("share.coordinator.state.topic.min.isr", "1");
        // A lone member need not wait for others to join its group.
        properties.put("group.initial.rebalance.delay.ms", "0");
        properties.put("group.streams.initial.rebalance.delay.ms", "0");
        // After a kill the only voter would wait one to two of Kafka's seconds before it elects itself.
        properties.put("controller.quorum.election.timeout.ms", "100");
        // A killed engine's open transaction holds back every read-committed reader: end it soon after its time-out.
        properties.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000");
        // The broker waits up to one beat for the controller's leave to stop.
        properties.put("broker.heartbeat.interval.ms", "200");
        // A laptop that slept must not find its only broker fenced.
        properties.put("broker.session.timeout.ms", "30000");
    }

    private static void small(Properties properties) {
        properties.put("offsets.topic.num.partitions", "5");
        properties.put("transaction.state.log.num.partitions", "5");
        properties.put("share.coordinator.state.topic.num.partitions", "1");
        properties.put("num.network.threads", "2");
        properties.put("num.io.threads", "4");
        properties.put("background.threads", "2");
        properties.put("num.recovery.threads.per.data.dir", "2");
        properties.put("log.cleaner.threads", "1");
        properties.put("log.cleaner.dedupe.buffer.size", "8388608");
        properties.put("log.segment.bytes", "134217728");
        // An index file is mapped at this size from the start; 1 MiB is enough for 512 MiB of log.
        properties.put("log.index.size.max.bytes", "1048576");
        properties.put("offsets.topic.segment.bytes", "16777216");
        properties.put("transaction.state.log.segment.bytes", "16777216");
        // Several brokers in one JVM (tests) would fight for the same JMX names.
        properties.put("metric.reporters", "");
    }
}
