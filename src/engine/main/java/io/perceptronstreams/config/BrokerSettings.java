package io.perceptronstreams.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.streams.StreamsConfig;

/**
 * Settings of the classic group protocol that brokers decide with {@code group.protocol=streams}.
 *
 * <p>Kafka Streams and its consumer ignore them, with a warning at most. The engine sets those that brokers have, too,
 * as settings of the group, and refuses the others.
 */
final class BrokerSettings {
    /** Session time of brokers by default, {@code group.streams.session.timeout.ms}. */
    static final int SESSION_TIMEOUT_MS = 45_000;

    /** Prefixes of settings of the engine's consumer, the strongest first. */
    static final List<String> PREFIXES = List.of("main.consumer.", "consumer.", "");

    /** Names of a group's settings at the brokers, by those of the classic protocol. */
    static final Map<String, String> KEYS = Map.of(
            ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, "streams.session.timeout.ms",
            ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "streams.heartbeat.interval.ms",
            StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, "streams.num.standby.replicas",
            StreamsConfig.MAX_WARMUP_REPLICAS_CONFIG, "streams.num.warmup.replicas",
            StreamsConfig.ACCEPTABLE_RECOVERY_LAG_CONFIG, "streams.acceptable.recovery.lag");

    private static final List<String> UNKNOWN_TO_BROKERS = List.of(
            StreamsConfig.PROBING_REBALANCE_INTERVAL_MS_CONFIG,
            StreamsConfig.TASK_ASSIGNOR_CLASS_CONFIG,
            StreamsConfig.RACK_AWARE_ASSIGNMENT_STRATEGY_CONFIG,
            StreamsConfig.RACK_AWARE_ASSIGNMENT_TRAFFIC_COST_CONFIG,
            StreamsConfig.RACK_AWARE_ASSIGNMENT_NON_OVERLAP_COST_CONFIG,
            StreamsConfig.RACK_AWARE_ASSIGNMENT_TAGS_CONFIG,
            ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);

    private BrokerSettings() {}

    /** A line for each of the user's settings that the protocol does not have. */
    static List<String> faults(Map<String, Object> settings, UnaryOperator<String> origin) {
        List<String> faults = new ArrayList<>();
        for (String key : UNKNOWN_TO_BROKERS) {
            for (String prefix : PREFIXES) {
                if (settings.containsKey(prefix + key)) {
                    faults.add(prefix + key + " must not be set with group.protocol=streams, got '"
                            + settings.get(prefix + key) + "' (" + origin.apply(prefix + key)
                            + "; brokers assign the partitions: remove it, or use group.protocol=classic)");
                }
            }
        }
        return faults;
    }
}
