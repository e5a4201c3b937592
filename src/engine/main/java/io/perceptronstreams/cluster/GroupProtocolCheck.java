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
     * the other protocol, because brokers let a group change its protocol only while it has no member, or had this
     * engine's name.
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

    /** Waits while members keep this engine from joining; returns a fault if they stay. */
    private static Optional<String> awaitOther(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        long limitMs = Math.max(MIN_WAIT_MS, config.sessionTimeoutMs() + MARGIN_MS);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        boolean isNoted = false;
        while (true) {
            Optional<EngineGroup.Description> group = EngineGroup.describe(admin, config);
            Optional<Hindrance> hindrance =
                    group.flatMap(each -> otherProtocol(each, config).or(() -> ownPlace(each, config)));
            if (hindrance.isEmpty() || System.nanoTime() > end) {
                return hindrance.map(Hindrance::fault);
            }
            if (!isNoted) {
                isNoted = true;
                LOG.warn("{}", hindrance.get().waiting(limitMs / 1000));
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
    }

    /**
     * Why the engine cannot join yet.
     *
     * @param state of the group
     * @param fault what must be done if it stays so
     */
    private record Hindrance(String state, String fault) {
        String waiting(long seconds) {
            return state + ": waits up to " + seconds + " s until the sessions of engines that have ended expire";
        }
    }

    private static Optional<Hindrance> otherProtocol(EngineGroup.Description group, EngineConfig config) {
        GroupProtocol own = config.get(EngineConfigDef.GROUP_PROTOCOL);
        if (group.protocol() == own || group.members().isEmpty()) {
            return Optional.empty();
        }
        String members =
                group.members().size() + " with " + spelled(group.protocol()) + " at " + hosts(group.members());
        return Optional.of(new Hindrance(
                "group " + config.applicationId() + " has members of another group.protocol, " + members,
                "members of group " + config.applicationId() + " must all have group.protocol=" + spelled(own)
                        + ", got " + members + " (stop those engines before the first one with another protocol"
                        + " starts)"));
    }

    /** With {@code streams} brokers refuse a static member while the session of a killed one with its name lasts. */
    private static Optional<Hindrance> ownPlace(EngineGroup.Description group, EngineConfig config) {
        List<EngineGroup.Member> own = group.protocol() == GroupProtocol.CLASSIC
                ? List.of()
                : group.members().stream()
                        .filter(member -> EngineGroup.isOwn(member, config) && !member.hasLeft())
                        .toList();
        return own.isEmpty()
                ? Optional.empty()
                : Optional.of(new Hindrance(
                        "group " + config.applicationId() + " still has this engine as a member",
                        "engines of group " + config.applicationId() + " must have different group.instance.id, got one"
                                + " of this name at " + hosts(own) + " (is it a copy of another engine's data"
                                + " directory?)"));
    }

    private static String hosts(List<EngineGroup.Member> members) {
        return members.stream()
                .map(member -> member.host().replaceFirst("^/", ""))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static String spelled(GroupProtocol protocol) {
        return protocol.name().toLowerCase(Locale.ROOT);
    }
}
