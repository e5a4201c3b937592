package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.IgnoredFields;
import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.TopicCreator;
import io.perceptronstreams.cluster.TopicRetention;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.relearn.CopyCheck;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.FirstDefaults;
import io.perceptronstreams.topology.PositionReset;
import io.perceptronstreams.topology.Repartition;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;

/** Creates and checks topics, with a line for each, and resets the position in the input. */
final class TopicReport {
    private record Checked(String topic, List<String> faults, List<String> notes) {}

    private TopicReport() {}

    /** Prints what an administrator has to create. */
    static void plan(EngineConfig config, boolean isStrimzi, PrintWriter out) {
        ClusterPlan plan = new ClusterPlan(config);
        if (isStrimzi) {
            plan.printStrimzi(out);
        } else {
            plan.printCommands(out);
        }
    }

    static void create(EngineConfig config, PrintWriter out) throws InterruptedException {
        BrokerCheck.require(config);
        try (Admin admin = Admin.create(config.admin())) {
            Repartition.requireComplete(admin, config);
            List<String> created = TopicCreator.create(admin, config);
            for (Topic topic : Topic.values()) {
                String name = config.topic(topic);
                out.println(name + ": " + (created.contains(name) ? "created" : "exists"));
            }
            if (created.contains(config.topic(Topic.EXAMPLES))) {
                FirstDefaults.write(config);
            }
        } catch (ExecutionException e) {
            throw new CommandFailedException(TopicValidator.explain(e, config), e);
        }
    }

    /**
     * Checks all topics; returns true if they are valid.
     *
     * @param source cluster of whose examples topic this one is a copy; null if it is none
     */
    static boolean check(EngineConfig config, EngineConfig source, boolean isJson, PrintWriter out)
            throws InterruptedException {
        BrokerCheck.require(config);
        try (Admin admin = Admin.create(config.admin())) {
            TopicValidator topics = TopicValidator.of(admin, config);
            Map<String, List<String>> faults = new LinkedHashMap<>(topics.byTopic());
            boolean isUsable = faults.values().stream().allMatch(List::isEmpty);
            List<TopicValidator.Note> notes = new ArrayList<>(isUsable ? topics.notes() : List.of());
            String examples = config.topic(Topic.EXAMPLES);
            if (isUsable) {
                IgnoredFields.of(config).forEach(each -> notes.add(new TopicValidator.Note(each, List.of(examples))));
            }
            if (source != null && topics.hasExamples()) {
                BrokerCheck.require(source);
                CopyCheck copy = CopyCheck.of(config, source);
                faults.merge(
                        examples,
                        copy.faults(),
                        (own, more) ->
                                Stream.concat(own.stream(), more.stream()).toList());
                copy.notes().forEach(each -> notes.add(new TopicValidator.Note(each, List.of(examples))));
            }
            boolean isValid = faults.values().stream().allMatch(List::isEmpty);
            if (isJson) {
                faults.forEach((topic, lines) -> out.println(EventFormat.json(new Checked(
                        topic,
                        lines,
                        notes.stream()
                                .filter(note -> note.topics().contains(topic))
                                .map(TopicValidator.Note::text)
                                .toList()))));
                return isValid;
            }
            faults.forEach((topic, lines) -> {
                if (lines.isEmpty()) {
                    out.println(topic + ": ok");
                }
                lines.forEach(out::println);
            });
            notes.forEach(note -> out.println(note.text()));
            return isValid;
        } catch (ExecutionException e) {
            throw new CommandFailedException(TopicValidator.explain(e, config), e);
        }
    }

    /** Sets how long the topics are kept. */
    static void retention(EngineConfig config, PrintWriter out) throws InterruptedException {
        List<String> lines = applied(config);
        lines.forEach(out::println);
        if (lines.isEmpty()) {
            out.println("nothing to change");
        }
    }

    /** Sets how long the topics are kept; returns a line for each retention that was another one. */
    static List<String> applied(EngineConfig config) throws InterruptedException {
        BrokerCheck.require(config);
        try (Admin admin = Admin.create(config.admin())) {
            return TopicRetention.apply(admin, config);
        } catch (ExecutionException e) {
            throw new CommandFailedException(TopicValidator.explain(e, config), e);
        }
    }

    /** Resets the engine's position in its input, after a confirmation. */
    static void reset(EngineConfig config, PositionReset.Way way, Question question, PrintWriter out, PrintWriter err)
            throws InterruptedException {
        BrokerCheck.require(config);
        try (Admin admin = Admin.create(config.admin())) {
            PositionReset reset = new PositionReset(admin, config, way, err::println);
            reset.plan().forEach(out::println);
            out.flush();
            question.requireYes("reset", "Do this?");
            reset.act();
            out.println("done; start the engine");
        } catch (ExecutionException e) {
            throw new CommandFailedException(TopicValidator.explain(e, config), e);
        }
    }
}
