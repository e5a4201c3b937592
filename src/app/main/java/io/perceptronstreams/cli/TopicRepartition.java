package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.CommandSender;
import io.perceptronstreams.client.Confirmation;
import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.model.Fence;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.Repartition;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Moves the models of an engine to topics with another number of partitions, and says at each step what is done. */
final class TopicRepartition {
    private final EngineConfig config;
    private final Confirmation confirmation;
    private final Question question;
    private final PrintWriter out;

    /** Use of records behind the fence. */
    enum AfterFence {
        FORWARD,
        REFUSE
    }

    /** @param timeoutSeconds maximum time to wait for the engine's answers */
    TopicRepartition(EngineConfig config, double timeoutSeconds, Question question, PrintWriter out) {
        this.config = config;
        this.confirmation = new Confirmation(timeoutSeconds, true, false);
        this.question = question;
        this.out = out;
    }

    /** Moves the models, or goes on with that. */
    void run(int partitions, AfterFence afterFence, boolean isDryRun) throws InterruptedException {
        BrokerCheck.require(config);
        try (Admin admin = Admin.create(config.admin())) {
            Repartition repartition = new Repartition(admin, config, partitions);
            if (repartition.isDone()) {
                print(
                        "%s has the models already",
                        repartition.next().generation().prefix());
                printNext(repartition, afterFence);
                return;
            }
            printPlan(repartition, partitions);
            if (isDryRun) {
                for (NewTopic topic : repartition.newTopics()) {
                    print(
                            "%s: %d partitions, %d copies",
                            topic.name(), topic.numPartitions(), topic.replicationFactor());
                }
                return;
            }
            question.requireYes("repartition", "Stop learning now and move the models?");
            repartition.createTopics();
            repartition.requireRights();
            long start = System.nanoTime();
            boolean isForwarding = afterFence == AfterFence.FORWARD;
            new CommandSender(config).sendFence(new Fence(isForwarding).settings(), confirmation);
            print(
                    "%s: the engine has reached the fence in each of %d partitions, after %.1f s",
                    config.topic(Topic.EXAMPLES), repartition.partitionsBefore(), seconds(start));
            Repartition.Moved moved = repartition.move();
            print(
                    "%s: %d models, %d records of %.1f MB are moved, %.1f s after the command",
                    repartition.next().generation().prefix(),
                    moved.models(),
                    moved.records(),
                    moved.bytes() / 1e6,
                    seconds(start));
            if (moved.hasOtherDefaults()) {
                print("the partitions had different settings for models to be created; those of partition 0 hold now"
                        + " (perceptron models defaults sets others)");
            }
            printNext(repartition, afterFence);
        } catch (ExecutionException e) {
            throw new CommandFailedException(TopicValidator.explain(e, config), e);
        }
    }

    private void printPlan(Repartition repartition, int partitions) throws ExecutionException, InterruptedException {
        Repartition.Estimate estimate = repartition.estimate();
        print(
                "%s (partitions: %d) to %s (partitions: %d)",
                config.topic(Topic.EXAMPLES),
                repartition.partitionsBefore(),
                repartition.next().topic(Topic.EXAMPLES),
                partitions);
        print(
                "models: %s, changelog: about %.1f MB, read here at %.1f MB/s (measured): about %.0f s without"
                        + " predictions (computed), besides the time to start the next engine",
                estimate.models() < 0 ? "unknown" : Long.toString(estimate.models()),
                estimate.changelogBytes() / 1e6,
                estimate.bytesPerSecond() / 1e6,
                estimate.seconds());
    }

    private void printNext(Repartition repartition, AfterFence afterFence) {
        EngineConfig next = repartition.next();
        StringBuilder settings =
                new StringBuilder(" -D topics.prefix=" + next.generation().prefix());
        if (next.get(EngineConfigDef.APPLICATION_ID) != null) {
            settings.append(" -D application.id=").append(next.applicationId());
        }
        print("now, with the settings and options that each has:");
        print("  engine     perceptron run%s", settings);
        print(
                "  producers  to topic %s (perceptron produce … -D topics.prefix=%s)",
                next.topic(Topic.EXAMPLES), next.generation().prefix());
        print(
                "  consumers  from the topics with the prefix %s once they have read the old ones to the end",
                next.generation().prefix());
        if (afterFence == AfterFence.FORWARD) {
            print("leave the old engine running as long as producers send to %s", config.topic(Topic.EXAMPLES));
        }
        print("until %s has a record: perceptron topics repartition --back", next.topic(Topic.EXAMPLES));
    }

    /** Lifts the fences. */
    void back() throws InterruptedException {
        BrokerCheck.require(config);
        try (Admin admin = Admin.create(config.admin())) {
            String prefix = config.generation().next().prefix();
            question.requireYes("repartition --back", "Delete the topics of " + prefix + " and lift the fence?");
            CommandSender commands = new CommandSender(config);
            Repartition.forgetMove(admin, config);
            // a record that comes now must not be sent on to a topic that is deleted
            commands.sendFence(Fence.CLOSING, confirmation);
            if (Repartition.deleteNext(admin, config)) {
                print("the topics of %s are deleted", prefix);
            }
            commands.sendFence(Fence.LIFTING, confirmation);
            print("%s: the engine uses its records again", config.topic(Topic.EXAMPLES));
        } catch (ExecutionException e) {
            throw new CommandFailedException(TopicValidator.explain(e, config), e);
        }
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }
}
