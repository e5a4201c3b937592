package io.perceptronstreams.config;

import java.io.IOException;
import java.net.JarURLConnection;
import java.util.jar.Attributes;

/**
 * Version of the program, from the manifest of its jar.
 *
 * @param commit from which the jar was built; null if it was built outside a clone
 */
public record ProgramVersion(String version, String commit) {
    /** Reads the manifest; null if the classes are not in a jar. */
    public static ProgramVersion read() throws IOException {
        if (!(ProgramVersion.class.getResource("ProgramVersion.class").openConnection()
                instanceof JarURLConnection jar)) {
            return null;
        }
        Attributes attributes = jar.getMainAttributes();
        String commit = attributes.getValue("Implementation-Commit");
        return new ProgramVersion(
                attributes.getValue(Attributes.Name.IMPLEMENTATION_VERSION),
                commit == null || commit.isEmpty() || commit.startsWith("$") ? null : commit);
    }
}
