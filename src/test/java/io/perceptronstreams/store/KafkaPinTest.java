package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.InternalProcessorContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.internals.CacheFlushListener;
import org.apache.kafka.streams.state.internals.CachedStateStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@link ModelStore} believes of the internals of Kafka Streams, in the one version for which it was looked up. */
class KafkaPinTest {
    @TempDir
    Path dir;

    @Test
    void shouldRunOnTheVersionWhoseOrderOfCallsWasChecked() {
        assertThat(AppInfoParser.getVersion())
                .as(
                        "look at StreamTask.prepareCommit, postCommit and ProcessorStateManager.flushCache of the new version,"
                                + " run the crash test with 50 kills, and only then change this number")
                .isEqualTo("4.3.1");
    }

    @Test
    void shouldBeAskedToFlushBeforeTheTransactionIsCommittedAndToCommitAfterIt() {
        Calls store = new Calls();
        try (StoreDriver<Calls> driver = new StoreDriver<>(dir, store)) {
            driver.commit(same -> same.calls.add("process"));
            assertThat(store.calls).containsSubsequence("process", "flushCache", "commit");
            // what flushCache logs belongs to the transaction of the record; what commit would log does not any more
            assertThat(driver.changelog())
                    .extracting(record -> new String(record.value(), StandardCharsets.UTF_8))
                    .containsExactly("flushCache");
            assertThat(driver.committed("out")).hasSize(1);
        }
    }

    /** A store that only writes down in which order it is called, and logs that. */
    private static final class Calls implements StateStore, CachedStateStore<Bytes, byte[]>, StoreBuilder<Calls> {
        private final List<String> calls = new ArrayList<>();
        private InternalProcessorContext<?, ?> context;

        private void call(String name) {
            calls.add(name);
            if (calls.contains("process")) {
                context.logChange(
                        name(),
                        Bytes.wrap(StoreDriver.utf8("key")),
                        StoreDriver.utf8(name),
                        1,
                        new RecordHeaders(),
                        Position.emptyPosition());
            }
        }

        @Override
        public void flushCache() {
            call("flushCache");
        }

        @Override
        public void commit(Map<TopicPartition, Long> changelogOffsets) {
            call("commit");
        }

        @Override
        public void init(StateStoreContext stateStoreContext, StateStore root) {
            context = (InternalProcessorContext<?, ?>) stateStoreContext;
            context.register(root, (key, value) -> {});
        }

        @Override
        public void clearCache() {}

        @Override
        public boolean setFlushListener(CacheFlushListener<Bytes, byte[]> listener, boolean sendOldValues) {
            return false;
        }

        @Override
        public String name() {
            return "models";
        }

        @Override
        public void close() {}

        @Override
        public boolean persistent() {
            return true;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public StoreBuilder<Calls> withCachingEnabled() {
            return this;
        }

        @Override
        public StoreBuilder<Calls> withCachingDisabled() {
            return this;
        }

        @Override
        public StoreBuilder<Calls> withLoggingEnabled(Map<String, String> config) {
            return this;
        }

        @Override
        public StoreBuilder<Calls> withLoggingDisabled() {
            return this;
        }

        @Override
        public Calls build() {
            return this;
        }

        @Override
        public Map<String, String> logConfig() {
            return Map.of();
        }

        @Override
        public boolean loggingEnabled() {
            return true;
        }
    }
}
