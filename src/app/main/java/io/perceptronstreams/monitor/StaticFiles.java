package io.perceptronstreams.monitor;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Serves the files of the page: all under {@code /monitor} on the class path, which has the pages of {@code docs}, too.
 */
final class StaticFiles {
    /** Segments begin with a letter or digit, which excludes parent directories and hidden files. */
    private static final Pattern PATH =
            Pattern.compile("(?:[A-Za-z0-9][A-Za-z0-9_.-]{0,63}/){0,3}[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "mjs", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "json", "application/json",
            "yaml", "application/yaml; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "txt", "text/plain; charset=utf-8",
            // as text, because browsers save text/markdown instead of showing it
            "md", "text/plain; charset=utf-8");

    private StaticFiles() {}

    /** Returns the file of a path; null without one. */
    static Answer answer(String path) throws IOException {
        String name = switch (path) {
            case "/" -> "index.html";
            case "/favicon.ico" -> "icon.svg";
            default -> path.substring(1);
        };
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        byte[] file = type != null && PATH.matcher(name).matches() ? read(name) : null;
        return file == null ? null : Answer.file(type, file);
    }

    private static byte[] read(String path) throws IOException {
        try (InputStream in = StaticFiles.class.getResourceAsStream("/monitor/" + path)) {
            return in == null ? null : in.readAllBytes();
        }
    }
}
