package io.perceptronstreams.topology;

import io.perceptronstreams.state.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Identity of an engine as a member of its group, {@code group.instance.id}, which is kept in its data directory: as
 * the same static member, a restarted engine continues at once; a new member waits for a session time-out.
 */
public final class InstanceId {
    private InstanceId() {}

    /** Reads the identity, or creates the directory and a random one. */
    public static String of(Path dataDir) throws IOException {
        Path file = dataDir.resolve("instance-id");
        if (Files.exists(file)) {
            return Files.readString(file).strip();
        }
        OwnerOnly.createDirectories(dataDir);
        Path unfinished = dataDir.resolve("instance-id.new");
        Files.deleteIfExists(unfinished);
        Files.createFile(unfinished, OwnerOnly.file(dataDir));
        Files.writeString(unfinished, UUID.randomUUID().toString());
        Files.move(unfinished, file);
        return Files.readString(file);
    }
}
