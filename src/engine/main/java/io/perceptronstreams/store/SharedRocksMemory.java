package io.perceptronstreams.store;

import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BackgroundErrorReason;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.Status;
import org.rocksdb.WriteBufferManager;

/**
 * One block cache, which also limits write buffers, for the stores of all partitions of a process. The default is 50
 * MiB of cache and up to 48 MiB of write buffers per partition.
 *
 * <p>Kafka Streams creates one object per store by reflection and passes the configuration of the engine.
 */
public final class SharedRocksMemory implements RocksDBConfigSetter {
    /** Key of the cache size in bytes; the first opened store decides. */
    public static final String CACHE_BYTES = "store.cache.bytes";

    private static final double INDEX_SHARE = 0.1;

    /**
     * With a full disk, writers would wait silently while RocksDB waits for space: the engine would neither learn nor
     * end. Without recovery they fail. The object must live as long as any store.
     */
    private static final AbstractEventListener NO_RECOVERY =
            new AbstractEventListener(AbstractEventListener.EnabledEventCallback.ON_ERROR_RECOVERY_BEGIN) {
                @Override
                public boolean onErrorRecoveryBegin(BackgroundErrorReason reason, Status error) {
                    return false;
                }
            };

    private static Cache cache;
    private static WriteBufferManager writeBuffers;

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
        share(Long.parseLong(String.valueOf(configs.get(CACHE_BYTES))));
        BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(cache);
        table.setCacheIndexAndFilterBlocks(true);
        table.setCacheIndexAndFilterBlocksWithHighPriority(true);
        table.setPinTopLevelIndexAndFilter(true);
        options.setTableFormatConfig(table);
        options.setWriteBufferManager(writeBuffers);
        // neither after other errors
        options.setMaxBgErrorResumeCount(0);
        options.setListeners(List.of(NO_RECOVERY));
    }

    private static synchronized void share(long bytes) {
        if (cache == null) {
            cache = new LRUCache(bytes, -1, false, INDEX_SHARE);
            writeBuffers = new WriteBufferManager(bytes / 2, cache);
        }
    }

    /** Closes nothing: cache and buffers belong to the process. */
    @Override
    public void close(String storeName, Options options) {}
}
