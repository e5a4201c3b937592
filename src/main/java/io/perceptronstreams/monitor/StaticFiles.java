package io.perceptronstreams.monitor;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Serves the files of the page, which are those under {@code /monitor} on the class path: those of {@code docs} that it
 * links to are among them.
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

    static void addTo(RoutesConfig routes) {
        Api.get(routes, "/", context -> serve(context, "index.html"));
        Api.get(routes, "/favicon.ico", context -> serve(context, "icon.svg"));
        Api.get(routes, Api.ROOT + "/openapi.yaml", context -> answer(context, "openapi.yaml", OpenApi.yaml()));
        Api.get(routes, "/<file>", context -> serve(context, context.pathParam("file")));
    }

    private static void serve(Context context, String path) throws IOException {
        byte[] file = type(path) != null && PATH.matcher(path).matches() ? read(path) : null;
        if (file == null) {
            Api.error(context, 404, "path must exist");
            return;
        }
        answer(context, path, file);
    }

    private static void answer(Context context, String path, byte[] file) {
        // the page must not run with cached scripts of another version
        context.header("Cache-Control", "no-cache").contentType(type(path)).result(file);
    }

    private static String type(String path) {
        return TYPES.get(path.substring(path.lastIndexOf('.') + 1));
    }

    private static byte[] read(String path) throws IOException {
        try (InputStream in = StaticFiles.class.getResourceAsStream("/monitor/" + path)) {
            return in == null ? null : in.readAllBytes();
        }
    }
}
