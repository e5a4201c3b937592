package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.topology.PositionReset;
import io.perceptronstreams.topology.TopicValidator;
import java.io.Console;
import java.io.PrintWriter;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** Resets the engine's place in its input, after a question. */
final class TopicReset {
    private TopicReset() {}

    /** Whether it was done. */
    static boolean run(EngineConfig config, PositionReset.Way way, boolean isSure, PrintWriter out)
            throws InterruptedException {
        System.err.println(
                "looking at offsets and models, once the brokers have forgotten the engine's last members …");
        try (Admin admin = Admin.create(config.admin())) {
            PositionReset reset = new PositionReset(admin, config, way);
            reset.plan().forEach(out::println);
            out.flush();
            if (!isSure && !isAgreed()) {
                throw new CommandFailedException("reset must be agreed to with yes, nothing was changed");
            }
            reset.act();
            out.println("done; start the engine");
            return true;
        } catch (ExecutionException e) {
            throw new CommandFailedException(TopicValidator.explain(e, config), e);
        }
    }

    @SuppressWarnings("SystemConsoleNull") // where it is none but not null, its end of input is no yes
    private static boolean isAgreed() {
        Console console = System.console();
        if (console == null) {
            throw new CommandFailedException(
                    "reset must be agreed to, got no terminal to ask on and no --yes; nothing was changed");
        }
        return "yes"
                .equalsIgnoreCase(
                        String.valueOf(console.readLine("Do this? (yes/no) ")).strip());
    }
}
