package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.topology.PositionReset;
import io.perceptronstreams.topology.TopicValidator;
import java.io.PrintWriter;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** Resets the engine's position in its input, after a confirmation. */
final class TopicReset {
    private TopicReset() {}

    static void run(EngineConfig config, PositionReset.Way way, Question question, PrintWriter out, PrintWriter err)
            throws InterruptedException {
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
