package io.perceptronstreams.client;

import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;

/**
 * Positions with the id of their cluster, such as {@code 4L6g3nShT-eMCtK--X86sw/2@1234}. The copy of a topic on another
 * cluster has the same records at other offsets.
 */
public final class ClusterPlace {
    private static final Pattern PLACE = Pattern.compile("([A-Za-z0-9_-]{22})/(\\d{1,9}@.*)");

    private ClusterPlace() {}

    /**
     * Returns a position without its cluster; unchanged if it has none.
     *
     * @throws CommandFailedException if it is one of another cluster than that of the settings
     */
    public static String own(EngineConfig config, String place) {
        Matcher matcher = PLACE.matcher(place);
        if (!matcher.matches()) {
            return place;
        }
        String own = cluster(config);
        if (!matcher.group(1).equals(own)) {
            throw CommandFailedException.wrongUsage("a position must be one of the cluster " + own + " at "
                    + config.get(EngineConfigDef.BOOTSTRAP_SERVERS) + ", got " + place
                    + " of another one, whose record has another offset here (ask the other cluster with --bootstrap, or"
                    + " take the example's id)");
        }
        return matcher.group(2);
    }

    /**
     * Returns the id of a cluster.
     *
     * @throws StartupException if no broker answers
     */
    public static String cluster(EngineConfig config) {
        BrokerCheck.require(config);
        try (Admin admin = Admin.create(config.admin())) {
            return admin.describeCluster().clusterId().get();
        } catch (ExecutionException e) {
            throw new StartupException(List.of(TopicValidator.explain(e, config)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("the question for the cluster's id was interrupted", e);
        }
    }
}
