package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.Test;
import org.rocksdb.RocksDBException;

final class EngineFailureTest {
    private static final Path STATE = Path.of("/data/state");

    @Test
    void shouldNameTheFirstCauseOfAFailure() {
        Throwable full = new ProcessorStateException("store", new IOException("No space left on device: /data/x.sst"));

        assertThat(EngineFailure.reason(new StreamsException("task [0_0] failed", full), STATE))
                .isEqualTo("task [0_0] failed: IOException: No space left on device: /data/x.sst");
        assertThat(EngineFailure.reason(new StreamsException("fenced"), STATE)).isEqualTo("fenced");
    }

    // "While fsync: a directory: Input/output error" was all that there was.
    @Test
    void shouldNameTheStateDirectoryWhereTheFaultOfADiskNamesNoFile() {
        Throwable unnamed = new RocksDBException("While fsync: a directory: Input/output error");
        Throwable named = new RocksDBException("While appending to file: " + STATE + "/1.sst: Input/output error");

        assertThat(EngineFailure.reason(new StreamsException("task", unnamed), STATE))
                .isEqualTo("task: RocksDBException: While fsync: a directory: Input/output error in state directory "
                        + STATE);
        assertThat(EngineFailure.reason(new StreamsException("task", named), STATE))
                .endsWith("1.sst: Input/output error");
    }
}
