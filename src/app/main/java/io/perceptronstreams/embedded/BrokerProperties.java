package io.perceptronstreams.embedded;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * Properties of the embedded node: broker and controller in one, with little memory and few files and threads.
 *
 * <p>Retention keeps Kafka's defaults.
 */
final class BrokerProperties {

    static final int NODE_ID = 1;
    static final String CLIENT_LISTENER = "PLAINTEXT";
    static final String CONTROLLER_LISTENER = "CONTROLLER";

    private BrokerProperties() {}

    /**
     * Returns all properties of the broker.
     *
     * @param extra further broker properties; override the defaults
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
        requireDisjoint(extra.keySet(), fixed.keySet());
        var properties = new Properties();
        singleNode(properties);
        limitResources(properties);
        extra.forEach((key, value) -> properties.put(key, String.valueOf(value)));
        properties.putAll(fixed);
        return properties;
    }

    private static void requireDisjoint(Set<String> extra, Set<String> fixed) {
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
        // a single member need not wait for others to join its group
        properties.put("group.initial.rebalance.delay.ms", "0");
        properties.put("group.streams.initial.rebalance.delay.ms", "0");
        // after a kill, the only voter would otherwise wait one to two seconds before it elects itself
        properties.put("controller.quorum.election.timeout.ms", "100");
        // an open transaction of a killed engine blocks read-committed consumers: abort it soon after its time-out
        properties.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000");
        // transactions follow each other by 10 ms: a partition that lacks the end of the last one is tried again after
        // this, not after 20 ms (docs/sizing.md has what that changes)
        properties.put("add.partitions.to.txn.retry.backoff.ms", "2");
        // at shutdown, the broker waits up to one heartbeat for the controller
        properties.put("broker.heartbeat.interval.ms", "200");
        // a laptop that wakes from sleep must not find its only broker fenced
        properties.put("broker.session.timeout.ms", "30000");
    }

    private static void limitResources(Properties properties) {
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
        // index files are mapped at full size from the start; 1 MiB is enough for 512 MiB of log
        properties.put("log.index.size.max.bytes", "1048576");
        properties.put("offsets.topic.segment.bytes", "16777216");
        properties.put("transaction.state.log.segment.bytes", "16777216");
        // several brokers in one JVM (tests) would register the same JMX names
        properties.put("metric.reporters", "");
    }
}
