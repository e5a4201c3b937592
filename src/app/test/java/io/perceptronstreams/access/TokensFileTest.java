package io.perceptronstreams.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.topology.LogLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens, roles and models from a file. */
final class TokensFileTest {
    @TempDir
    private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("tokens.yaml"), text);
    }

    private static String entry(String name, String token, String roles, String models) {
        return name + ":\n  sha256: " + HexFormat.of().formatHex(Secret.digest(token)) + "\n  roles: " + roles
                + "\n  models: " + models + "\n";
    }

    @Test
    void shouldKnowEachClientByItsToken() throws IOException {
        TokensFile tokens = new TokensFile(
                file(entry("ci", "t-ci", "[send, read]", "team-a-*") + entry("eve", "t-eve", "read", "[spam, 'x*']")));

        Caller ci = tokens.caller("bearer", "t-ci");
        assertThat(ci.name()).isEqualTo("ci");
        assertThat(ci.roles()).containsExactlyInAnyOrder(Role.READ, Role.SEND);
        assertThat(ci.models().globs()).containsExactly("team-a-*");
        Caller eve = tokens.caller("bearer", "t-eve");
        assertThat(eve.roles()).containsExactly(Role.READ);
        assertThat(eve.models().globs()).containsExactly("spam", "x*");
        assertThat(tokens.caller("bearer", "t-c")).isNull();
        assertThat(tokens.caller("bearer", "")).isNull();
        assertThat(tokens.caller("digest", "t-ci")).isNull();
    }

    @Test
    void shouldSkipAByteOrderMark() throws IOException {
        assertThat(new TokensFile(file("\uFEFF" + entry("ci", "t-ci", "read", "'*'")))
                        .caller("bearer", "t-ci")
                        .name())
                .isEqualTo("ci");
    }

    /** The digest is in a file that more people may read than the token. */
    @Test
    void shouldNotTakeTheDigestForTheToken() throws IOException {
        TokensFile tokens = new TokensFile(file(entry("ci", "t-ci", "read", "'*'")));

        assertThat(tokens.caller("bearer", HexFormat.of().formatHex(Secret.digest("t-ci"))))
                .isNull();
    }

    @Test
    void shouldTakeATokenAsThePasswordOfItsClientInABrowser() throws IOException {
        TokensFile tokens =
                new TokensFile(file(entry("ci", "t:ci", "read", "'*'") + entry("eve", "t-eve", "read", "a")));

        assertThat(tokens.caller("basic", base64("ci:t:ci")).name()).isEqualTo("ci");
        assertThat(tokens.caller("basic", base64("eve:t:ci"))).isNull();
        assertThat(tokens.caller("basic", base64("t:ci"))).isNull();
        assertThat(tokens.caller("basic", "%%")).isNull();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Jackson reads an alias as the text of its name. */
    @Test
    void shouldRefuseAnAlias() throws IOException {
        Path file = file(entry("ci", "t-ci", "read", "&all [spam, 'x*']") + entry("eve", "t-eve", "read", "*all"));

        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> new TokensFile(file))
                .withMessageContaining("tokens.yaml:8: value must be written out, got the alias *all");
    }

    @Test
    void shouldReadAFileThatChanges() throws IOException {
        TokensFile tokens = new TokensFile(file(entry("ci", "old", "read", "'*'")));
        file(entry("ci", "new", "send", "'*'"));
        tokens.refresh();

        assertThat(tokens.caller("bearer", "old")).isNull();
        assertThat(tokens.caller("bearer", "new").roles()).isEqualTo(Set.of(Role.SEND));
        file("");
        tokens.refresh();
        assertThat(tokens.caller("bearer", "new")).isNull();
    }

    @Test
    void shouldKeepTheRightsWhileTheFileHasAFault() throws IOException {
        try (LogLines log = new LogLines(TokensFile.class)) {
            TokensFile tokens = new TokensFile(file(entry("ci", "old", "read", "'*'")));
            Path file = file(entry("ci", "new", "write", "'*'"));
            tokens.refresh();
            tokens.refresh();
            assertThat(log.lines()).singleElement().asString().contains("clients keep their rights", "got write");
            assertThat(tokens.caller("bearer", "old")).isNotNull();
            assertThat(tokens.caller("bearer", "new")).isNull();

            Files.delete(file);
            tokens.refresh();
            assertThat(log.lines()).hasSize(2).last().asString().contains("file must exist");
            assertThat(tokens.caller("bearer", "old")).isNotNull();

            file(entry("ci", "new", "read", "'*'"));
            tokens.refresh();
            tokens.refresh();
            assertThat(log.lines()).hasSize(3).last().asString().contains("rights of 1 clients were read again");
            assertThat(tokens.caller("bearer", "old")).isNull();
            assertThat(tokens.caller("bearer", "new")).isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "[a] | must be a map of clients",
                "a: x | a must have sha256, roles and models",
                "a: {sha256: s3cret, roles: read, models: b} | sha256 must be 64 hexadecimal digits",
                "a: {roles: read, models: b} | sha256 must be 64 hexadecimal digits",
                "a: {sha256: H, roles: write, models: b} | roles must be some of read, send, command, got write",
                "a: {sha256: H, roles: [], models: b} | roles must be some of read, send, command, got none",
                "a: {sha256: H, models: b} | roles must be some of",
                "a: {sha256: H, roles: read} | models must be a pattern",
                "a: {sha256: H, roles: read, models: ''} | models must be a pattern",
                "a: {sha256: H, roles: read, models: *} | text must be YAML",
                "a: {sha256: H, roles: read, models: b, model: c} | field must be one of sha256, roles, models, got model",
                "a: {sha256: H, roles: read, models: b, roles: send} | text must be YAML",
                "'a:b': {sha256: H, roles: read, models: b} | without ':'",
                "{a: {sha256: H, roles: read, models: b}, c: {sha256: H, roles: read, models: b}} | must differ",
            })
    void shouldNameFaultsWithoutPrintingASecret(String text, String fault) throws IOException {
        String digest = HexFormat.of().formatHex(Secret.digest("t"));
        Path file = file(text.replace("H,", digest + ","));

        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> new TokensFile(file))
                .withMessageStartingWith("http.tokens.file must be valid: " + file)
                .withMessageContaining(fault)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("s3cret", digest));
    }

    @Test
    void shouldNameAllFaultsAndAMissingFile() throws IOException {
        Path file = file("a: {sha256: x, roles: write}\nb: {}\n");
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> new TokensFile(file))
                .satisfies(failure ->
                        assertThat(failure.getMessage().split(";", -1)).hasSizeGreaterThan(4));
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> new TokensFile(directory.resolve("none")))
                .withMessageContaining("file must exist");
    }

    @Test
    void shouldReadTheFileOfTheDocs() throws IOException {
        String page = Files.readString(Path.of("docs/security.md"));
        int start = page.indexOf("```yaml\n") + "```yaml\n".length();
        TokensFile tokens = new TokensFile(file(page.substring(start, page.indexOf("```", start))));

        assertThat(tokens.caller("bearer", "first-example").name()).isEqualTo("prometheus");
        assertThat(tokens.caller("bearer", "second-example").models().matches("fraud-eu"))
                .isTrue();
    }
}
