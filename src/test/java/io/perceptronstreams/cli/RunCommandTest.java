package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.Test;

final class RunCommandTest {

    @Test
    void shouldNameTheFirstCauseOfAFailure() {
        Throwable full = new ProcessorStateException("store", new IOException("No space left on device: /data/x.sst"));

        assertThat(RunCommand.reason(new StreamsException("task [0_0] failed", full)))
                .isEqualTo("task [0_0] failed: IOException: No space left on device: /data/x.sst");
        assertThat(RunCommand.reason(new StreamsException("fenced"))).isEqualTo("fenced");
    }
}
