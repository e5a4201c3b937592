package io.perceptronstreams.cli;

import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Address options of the monitor. */
final class HttpOptions {
    static final int DEFAULT_PORT = 8080;

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            description =
                    "Port of dashboard, HTTP API and metrics; 0: any free one (default: 8080; run without --embedded:"
                            + " none).")
    private Integer port;

    @Option(
            names = "--http-host",
            paramLabel = "ADDRESS",
            description =
                    "Address to listen on (default: 127.0.0.1); others require credentials and TLS, or --insecure.")
    String host;

    @Option(
            names = "--insecure",
            description =
                    "Let everybody who can reach --http-host read everything without credentials, or send it without TLS.")
    boolean isInsecure;

    /** Returns the given options as settings. */
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        if (port != null) {
            settings.put("http.port", port.toString());
        }
        if (host != null) {
            settings.put("http.host", host);
        }
        if (isInsecure) {
            settings.put("http.insecure", "true");
        }
        return settings;
    }
}
