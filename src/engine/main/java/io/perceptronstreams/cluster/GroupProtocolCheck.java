package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfig.GroupProtocol;
import io.perceptronstreams.config.EngineConfigDef;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FeatureMetadata;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prepares the group for the engine's {@code group.protocol}, or finds why it cannot have it. */
public final class GroupProtocolCheck {
    private static final Logger LOG = LoggerFactory.getLogger(GroupProtocolCheck.class);

    /** Level of {@code metadata.version} from which all brokers are of Kafka 4.4 or newer. */
    private static final int STATIC_MEMBERS_FROM = 31;

    /** Largest session time of both protocols that is usual, and a margin. */
    private static final long MIN_WAIT_MS = 65_000;

    private static final long MARGIN_MS = 5_000;
    private static final long POLL_MS = 500;

    private GroupProtocolCheck() {}

    /**
     * Sets what the engine's settings say of the group, and waits for the sessions of engines that have ended and had
     * the other protocol: brokers let a group change its protocol only while it has no member.
     *
     * @return a line for each fault
     */
    public static List<String> faults(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        List<String> faults = new ArrayList<>();
        if (config.isStreamsProtocol()) {
            if (level(admin, "streams.version") < 1) {
                faults.add(
                        "group.protocol must be classic on these brokers, got 'streams' (they do not have the feature"
                                + " streams.version: upgrade them to Kafka 4.2 or newer and run kafka-features.sh"
                                + " --bootstrap-server " + config.get(EngineConfigDef.BOOTSTRAP_SERVERS)
                                + " upgrade --feature streams.version=1, or remove the setting)");
                return faults;
            }
            set(admin, config).ifPresent(faults::add);
        }
        if (faults.isEmpty()) {
            awaitOther(admin, config).ifPresent(faults::add);
        }
        return faults;
    }

    /**
     * Returns whether members can be static, so that an engine that returns gets its partitions back at once: brokers
     * before Kafka 4.4 refuse static members of the protocol {@code streams}.
     */
    public static boolean takesStaticMembers(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        return !config.isStreamsProtocol() || level(admin, "metadata.version") >= STATIC_MEMBERS_FROM;
    }

    private static int level(Admin admin, String feature) throws ExecutionException, InterruptedException {
        FeatureMetadata features = admin.describeFeatures().featureMetadata().get();
        return features.finalizedFeatures().containsKey(feature)
                ? features.finalizedFeatures().get(feature).maxVersionLevel()
                : 0;
    }

    /** Sets what brokers decide in the protocol {@code streams}; returns a fault if they refuse it. */
    private static Optional<String> set(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        Map<String, String> settings = config.brokerSettings();
        if (settings.isEmpty()) {
            return Optional.empty();
        }
        Collection<AlterConfigOp> all = settings.entrySet().stream()
                .map(each ->
                        new AlterConfigOp(new ConfigEntry(each.getKey(), each.getValue()), AlterConfigOp.OpType.SET))
                .toList();
        try {
            admin.incrementalAlterConfigs(
                            Map.of(new ConfigResource(ConfigResource.Type.GROUP, config.applicationId()), all))
                    .all()
                    .get();
            return Optional.empty();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InvalidConfigurationException
                    || e.getCause() instanceof InvalidRequestException) {
                return Optional.of(
                        "settings of the group that brokers decide with group.protocol=streams must be ones that"
                                + " they accept, got " + settings + ": "
                                + e.getCause().getMessage()
                                + " (change the settings, or the limits of the brokers, group.streams.…)");
            }
            throw e;
        }
    }

    /** Waits while there are members of the other protocol; returns a fault if they stay. */
    private static Optional<String> awaitOther(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        GroupProtocol own = config.get(EngineConfigDef.GROUP_PROTOCOL);
        long limitMs = Math.max(MIN_WAIT_MS, config.sessionTimeoutMs() + MARGIN_MS);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        boolean isNoted = false;
        while (true) {
            Optional<EngineGroup.Description> other = EngineGroup.describe(admin, config)
                    .filter(group -> group.protocol() != own && !group.members().isEmpty());
            if (other.isEmpty()) {
                return Optional.empty();
            }
            String members = other.get().members().size() + " with "
                    + spelled(other.get().protocol()) + " at "
                    + other.get().members().stream()
                            .map(member -> member.host().replaceFirst("^/", ""))
                            .distinct()
                            .sorted()
                            .collect(Collectors.joining(", "));
            if (System.nanoTime() > end) {
                return Optional.of("members of group " + config.applicationId() + " must all have group.protocol="
                        + spelled(own) + ", got " + members + " (stop those engines before the first one with another"
                        + " protocol starts)");
            }
            if (!isNoted) {
                isNoted = true;
                LOG.warn(
                        "group {} has members of another group.protocol, {}: waits up to {} s until the sessions of"
                                + " engines that have ended expire",
                        config.applicationId(),
                        members,
                        limitMs / 1000);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
    }

    private static String spelled(GroupProtocol protocol) {
        return protocol.name().toLowerCase(Locale.ROOT);
    }
}
