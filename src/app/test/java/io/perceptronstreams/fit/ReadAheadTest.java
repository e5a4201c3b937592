package io.perceptronstreams.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.format.MalformedExampleException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ReadAheadTest {
    private static final int ROUND = ReadAhead.BATCH * ReadAhead.BATCHES;

    @TempDir
    Path directory;

    /** Lines 1 to {@code lines}, each with its number as value, and what follows. */
    private ExampleFeed feed(int lines, String more) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int line = 1; line <= lines; line++) {
            text.append("+1 1:").append(line).append('\n');
        }
        Path file = Files.writeString(directory.resolve("f.libsvm"), text + more);
        return new ExampleFeed(
                new ExampleSource(file.toString(), ExampleFormat.LIBSVM, LabelType.AUTO, null, null, null),
                new FeatureHasher(18));
    }

    @ParameterizedTest
    @CsvSource({"0,false", "1,true", "63,true", "64,true", "65,false", "65,true", "1000,false", "1000,true"})
    void shouldGiveAllExamplesInOrder(int lines, boolean hasThread) throws IOException {
        try (ExampleFeed feed = feed(lines, "");
                ReadAhead ahead = new ReadAhead(feed, hasThread)) {
            for (int line = 1; line <= lines; line++) {
                assertThat(value(ahead.next())).isEqualTo(line);
                assertThat(ahead.line()).isEqualTo(line);
            }
            assertThat(ahead.next()).isNull();
            assertThat(ahead.next()).isNull();
        }
    }

    private static double value(Example example) {
        return ((FeatureVector) example.features()).values()[0];
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveTheExamplesBeforeAFault(boolean hasThread) throws IOException {
        try (ExampleFeed feed = feed(100, "+1 x\n+1 1:1\n");
                ReadAhead ahead = new ReadAhead(feed, hasThread)) {
            for (int line = 1; line <= 100; line++) {
                assertThat(value(ahead.next())).isEqualTo(line);
            }
            assertThatThrownBy(ahead::next)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasCauseInstanceOf(MalformedExampleException.class)
                    .hasMessageContaining("f.libsvm:101: ");
        }
    }

    @Test
    void shouldEndItsThreadWhenItIsClosed() throws IOException {
        try (ExampleFeed feed = feed(5 * ROUND, "")) {
            ReadAhead ahead = new ReadAhead(feed, true);
            ahead.next();
            assertThat(isReading()).isTrue();
            ahead.close();
            await().until(() -> !isReading());
        }
    }

    private static boolean isReading() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(each -> each.getName().equals(ReadAhead.THREAD) && each.isAlive());
    }
}
