package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.embedded.SharedCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An engine with a marked secret in every setting that takes one: none appears where others may look. */
final class SecretsIT {
    private static final String SECRET = "canary7391";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Pattern MONITOR = Pattern.compile("monitor (http://\\S+)/");

    @TempDir
    Path directory;

    @Test
    void shouldShowNoSecretAnywhere() throws Exception {
        Path data = directory.resolve("data");
        SharedCluster cluster = new SharedCluster("secrets");
        Path config = Files.writeString(directory.resolve("engine.properties"), """
                bootstrap.servers=%s
                schema.registry.url=%s
                topics.prefix=secrets
                data.dir=%s
                topics.create=true
                models.defaults=
                topics.partitions=1
                http.port=0
                http.auth=basic:user:SECRET-http-password
                basic.auth.credentials.source=USER_INFO
                basic.auth.user.info=user:SECRET-registry
                commands.key=SECRET-commands-key-of-some-length
                ssl.truststore.password=SECRET-truststore
                ssl.keystore.password=SECRET-keystore
                ssl.key.password=SECRET-key
                sasl.oauthbearer.token.endpoint.url=https://user:SECRET-endpoint@idp.invalid/token?key=SECRET-query
                http.oidc.issuer=http://user:SECRET-issuer@127.0.0.1:1/realm
                http.oidc.audience=perceptron
                sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
                username="user" password="SECRET-sasl";
                """.formatted(
                        cluster.bootstrapServers(), cluster.registryUrl(), data)
                .replace("SECRET", SECRET));
        List<String> options = List.of("-Dlog.level=DEBUG", "-Dkafka.log.level=DEBUG");
        try (CommandProcess engine =
                CommandProcess.start(directory, options, "run", "--verbose", "--config", config.toString())) {
            await().atMost(PATIENCE).until(() -> engine.errText().contains("running: "));
            // an example, a bad one, and a command without a signature
            cluster.send(
                    "m",
                    "{\"id\":\"1\",\"label\":1,\"features\":[1,2]}",
                    "{",
                    "{\"action\":\"RESET\",\"settings\":{}}");
            String monitor = monitor(engine);
            await().atMost(PATIENCE)
                    .until(() -> get(monitor, "/api/v1/dead-letters").contains("NOT_AUTHORISED"));
            for (String path : List.of(
                    "/",
                    "/metrics",
                    "/readyz",
                    "/api/v1/engine",
                    "/api/v1/settings",
                    "/api/v1/models",
                    "/api/v1/models/m",
                    "/api/v1/dead-letters",
                    "/api/v1/nothing")) {
                assertThat(get(monitor, path)).as(path).isNotEmpty().doesNotContain(SECRET);
            }
            // signed by nobody, while the keys of the issuer cannot be read
            HttpRequest unsigned = HttpRequest.newBuilder(URI.create(monitor + "/"))
                    .header("Authorization", "Bearer eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.c2ln")
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(unsigned, HttpResponse.BodyHandlers.ofString())
                            .body())
                    .contains("keys of http.oidc.issuer must be read")
                    .doesNotContain(SECRET, "127.0.0.1", "Exception");
            assertThat(engine.process().info().commandLine().orElse("")).doesNotContain(SECRET);
            engine.terminate();

            assertThat(engine.outText()).doesNotContain(SECRET);
            assertThat(engine.errText())
                    .contains("DEBUG")
                    .satisfies(text -> assertThat(text.lines().filter(line -> line.contains(SECRET)))
                            .isEmpty());
        }
        try (Stream<Path> files = Files.walk(data)) {
            assertThat(files.filter(Files::isRegularFile))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                            .as(file.toString())
                            .doesNotContain(SECRET));
        }
    }

    private static String monitor(CommandProcess engine) throws Exception {
        Matcher address = MONITOR.matcher(engine.errText());
        assertThat(address.find()).isTrue();
        return address.group(1);
    }

    /** Headers and body of an answer. */
    private static String get(String monitor, String path) throws Exception {
        String login = "user:" + SECRET + "-http-password";
        HttpRequest request = HttpRequest.newBuilder(URI.create(monitor + path))
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)))
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.headers().map() + "\n" + answer.body();
    }
}
