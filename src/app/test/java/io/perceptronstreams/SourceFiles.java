package io.perceptronstreams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The Java files of all modules. */
final class SourceFiles {
    private SourceFiles() {}

    /** @param kind {@code main} or {@code test} */
    static List<Path> of(String kind) throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of("src"))) {
            for (Path sources : modules.map(each -> each.resolve(kind).resolve("java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> all = Files.walk(sources)) {
                    files.addAll(all.filter(file -> file.toString().endsWith(".java"))
                            .toList());
                }
            }
        }
        return files;
    }
}
