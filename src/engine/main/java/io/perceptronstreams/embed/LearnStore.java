package io.perceptronstreams.embed;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * Store of a task of {@link Learn} that has each batch of writes completely or not at all.
 *
 * <p>A batch is what an input or a checkpoint writes, and ends with {@link #endBatch}. A transaction makes it atomic
 * anyway; without one ({@code at_least_once}) a crash leaves any number of its first writes. The replaced values are
 * therefore noted before each write, so that the next owner undoes these writes. Records of the task, unlike those of
 * models, have the partition in their keys: a reader sees the stores of all tasks of a process as one. Not thread-safe.
 */
final class LearnStore implements KeyValueStore<Bytes, byte[]> {
    /*
     * Keys of the task: OF_TASK, the partition, a kind. A key of the models' store that belongs to no model begins with
     * 0 and takes the place of the kind. The partition of a model: OF_TASK, -1, its name. Names have no character
     * OF_TASK.
     */
    private static final byte OF_TASK = 0x7f;
    private static final byte BATCH = 1;
    private static final byte UNDO = 2;
    private static final byte JOURNAL = 3;
    private static final byte END = 4;

    private static final int NO_PARTITION = -1;

    private static final int COPY_ATTEMPTS = 5_000;

    private final KeyValueStore<Bytes, byte[]> inner;
    private final int partition;
    private final boolean isTransactional;
    private Batch batch;
    private long inputs;
    private long written;
    private int noted;

    /**
     * State of the last batch.
     *
     * @param number of batches so far
     * @param inputs number of inputs of which the batch, or if it is open the batch before, may have written something
     * @param isOpen whether the batch has begun and not ended
     * @param isNoted whether the writes of an open batch can be undone
     */
    private record Batch(long number, long inputs, boolean isOpen, boolean isNoted) {
        static final Batch NONE = new Batch(0, 0, false, false);

        static Batch decode(byte[] stored) {
            if (stored == null) {
                return NONE;
            }
            ByteBuffer in = ByteBuffer.wrap(stored);
            byte flags = in.get();
            return new Batch(in.getLong(), in.getLong(), (flags & 1) != 0, (flags & 2) != 0);
        }

        byte[] encode() {
            return ByteBuffer.allocate(1 + 2 * Long.BYTES)
                    .put((byte) ((isOpen ? 1 : 0) + (isNoted ? 2 : 0)))
                    .putLong(number)
                    .putLong(inputs)
                    .array();
        }
    }

    /**
     * Opens the store of a task, and undoes a batch that a crash has left open. Writes, so that it must be done while a
     * record is processed.
     *
     * @param partition number of the task
     * @param isTransactional whether a crash never leaves a part of a batch
     */
    LearnStore(KeyValueStore<Bytes, byte[]> inner, int partition, boolean isTransactional) {
        this.inner = inner;
        this.partition = partition;
        this.isTransactional = isTransactional;
        batch = Batch.decode(inner.get(ofTask(partition, BATCH)));
        inputs = batch.inputs();
        if (batch.isOpen()) {
            undo();
        }
    }

    /**
     * Copies the entries of a model and of its task, between two batches of the task, which may run in another thread.
     *
     * <p>Cost: O(entries of the model and of the journal), in memory.
     *
     * @param shared stores of the tasks of a process as one, or that of one task
     * @return null if no task has the model
     * @throws IllegalStateException if a batch does not end within some seconds
     */
    static LearnStore copy(ReadOnlyKeyValueStore<Bytes, byte[]> shared, byte[] model) {
        byte[] owner = shared.get(owner(model));
        if (owner == null) {
            return null;
        }
        int partition = ByteBuffer.wrap(owner).getInt();
        Bytes batchKey = ofTask(partition, BATCH);
        byte[] endOfModel = Arrays.copyOf(model, model.length + 1);
        endOfModel[model.length] = 1;
        for (int attempt = 0; attempt < COPY_ATTEMPTS; attempt++) {
            byte[] before = shared.get(batchKey);
            KeyValueStore<Bytes, byte[]> copy =
                    Stores.inMemoryKeyValueStore("copy").get();
            try (KeyValueIterator<Bytes, byte[]> ofModel =
                            shared.range(Bytes.wrap(Arrays.copyOf(model, model.length + 1)), Bytes.wrap(endOfModel));
                    KeyValueIterator<Bytes, byte[]> ofTask =
                            shared.range(ofTask(partition, (byte) 0), ofTask(partition, END))) {
                // each sees the store as it is when it is opened, not later writes; over the stores of several tasks
                // it is opened by the first call of hasNext
                boolean hasModel = ofModel.hasNext();
                boolean hasTask = ofTask.hasNext();
                if ((hasModel || hasTask) && Arrays.equals(before, shared.get(batchKey))) {
                    ofModel.forEachRemaining(each -> copy.put(each.key, each.value));
                    ofTask.forEachRemaining(each -> copy.put(each.key, each.value));
                }
            }
            Batch then = Batch.decode(copy.get(batchKey));
            if (Arrays.equals(before, copy.get(batchKey)) && (!then.isOpen() || then.isNoted())) {
                return new LearnStore(copy, partition, true);
            }
            // a batch takes some ms
            LockSupport.parkNanos(1_000_000);
        }
        throw new IllegalStateException(
                "model '" + new String(model, StandardCharsets.UTF_8) + "' is being written (read it again later)");
    }

    private static Bytes ofTask(int partition, byte kind) {
        return Bytes.wrap(start(partition, 1).put(kind).array());
    }

    private static ByteBuffer start(int partition, int more) {
        return ByteBuffer.allocate(1 + Integer.BYTES + more).put(OF_TASK).putInt(partition);
    }

    private Bytes numbered(byte kind, int number) {
        return Bytes.wrap(
                start(partition, 1 + Integer.BYTES).put(kind).putInt(number).array());
    }

    /** Key of a page of the journal. */
    Bytes journal(int page) {
        return numbered(JOURNAL, page);
    }

    private static Bytes owner(byte[] model) {
        return Bytes.wrap(start(NO_PARTITION, model.length).put(model).array());
    }

    private Bytes stored(Bytes key) {
        byte[] bytes = key.get();
        return bytes[0] == 0
                ? Bytes.wrap(start(partition, bytes.length).put(bytes).array())
                : key;
    }

    private static Bytes own(Bytes stored) {
        byte[] bytes = stored.get();
        return bytes[0] == OF_TASK ? Bytes.wrap(Arrays.copyOfRange(bytes, 1 + Integer.BYTES, bytes.length)) : stored;
    }

    /** Notes that a model is one of this task. */
    void own(byte[] model) {
        writeBatch(
                owner(model),
                ByteBuffer.allocate(Integer.BYTES).putInt(partition).array());
    }

    /** Writes a record outside any batch. */
    void putAlone(Bytes key, byte[] value) {
        inner.put(key, value);
    }

    @Override
    public void put(Bytes key, byte[] value) {
        writeBatch(stored(key), value);
    }

    private void writeBatch(Bytes key, byte[] value) {
        if (!batch.isOpen()) {
            batch = new Batch(batch.number() + 1, batch.inputs(), true, !isTransactional);
            noted = 0;
            inner.put(ofTask(partition, BATCH), batch.encode());
        }
        if (batch.isNoted()) {
            inner.put(numbered(UNDO, noted), note(key, inner.get(key)));
            noted++;
        }
        inner.put(key, value);
        written += key.get().length + (value == null ? 0 : value.length);
    }

    /** Sets the number of inputs so far, including the one that the next writes belong to. */
    void begin(long number) {
        inputs = Math.max(inputs, number);
    }

    /** Number of inputs of which something may have been written, also before a crash. */
    long inputs() {
        return batch.inputs();
    }

    /** Number of bytes of all batches of this object so far. */
    long written() {
        return written;
    }

    private byte[] note(Bytes key, byte[] replaced) {
        byte[] bytes = key.get();
        ByteBuffer note = ByteBuffer.allocate(
                        Long.BYTES + Integer.BYTES + 1 + bytes.length + (replaced == null ? 0 : replaced.length))
                .putLong(batch.number())
                .putInt(bytes.length)
                .put(bytes)
                .put((byte) (replaced == null ? 0 : 1));
        return replaced == null ? note.array() : note.put(replaced).array();
    }

    /** Ends the batch of the writes since the last one. */
    void endBatch() {
        if (batch.isOpen()) {
            batch = new Batch(batch.number(), inputs, false, false);
            inner.put(ofTask(partition, BATCH), batch.encode());
        }
    }

    /** Undoes the open batch; repeated after a crash in the middle. */
    private void undo() {
        int notes = 0;
        while (isOfBatch(inner.get(numbered(UNDO, notes)))) {
            notes++;
        }
        for (int k = notes - 1; k >= 0; k--) {
            ByteBuffer note = ByteBuffer.wrap(inner.get(numbered(UNDO, k))).position(Long.BYTES);
            byte[] key = new byte[note.getInt()];
            note.get(key);
            boolean isReplaced = note.get() == 1;
            byte[] replaced = new byte[note.remaining()];
            note.get(replaced);
            inner.put(Bytes.wrap(key), isReplaced ? replaced : null);
        }
        endBatch();
    }

    private boolean isOfBatch(byte[] note) {
        return note != null && ByteBuffer.wrap(note).getLong() == batch.number();
    }

    @Override
    public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
        entries.forEach(each -> put(each.key, each.value));
    }

    @Override
    public byte[] get(Bytes key) {
        return inner.get(stored(key));
    }

    /** {@inheritDoc} Both keys belong to a model, or neither does. */
    @Override
    public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
        KeyValueIterator<Bytes, byte[]> found = inner.range(stored(from), stored(to));
        return from.get()[0] == 0 ? new OwnKeys(found) : found;
    }

    /** Entries with the keys that the models' store has given them. */
    private static final class OwnKeys implements KeyValueIterator<Bytes, byte[]> {
        private final KeyValueIterator<Bytes, byte[]> stored;

        OwnKeys(KeyValueIterator<Bytes, byte[]> stored) {
            this.stored = stored;
        }

        @Override
        public boolean hasNext() {
            return stored.hasNext();
        }

        @Override
        public KeyValue<Bytes, byte[]> next() {
            KeyValue<Bytes, byte[]> next = stored.next();
            return KeyValue.pair(own(next.key), next.value);
        }

        @Override
        public Bytes peekNextKey() {
            return own(stored.peekNextKey());
        }

        @Override
        public void close() {
            stored.close();
        }
    }

    @Override
    public byte[] putIfAbsent(Bytes key, byte[] value) {
        throw unused();
    }

    @Override
    public byte[] delete(Bytes key) {
        throw unused();
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> all() {
        throw unused();
    }

    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("only limits of an engine need this method");
    }

    @Override
    public long approximateNumEntries() {
        return inner.approximateNumEntries();
    }

    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public void init(StateStoreContext context, StateStore root) {
        throw unused();
    }

    /** The inner store stays open. */
    @Override
    public void close() {}

    @Override
    public boolean persistent() {
        return inner.persistent();
    }

    @Override
    public boolean isOpen() {
        return inner.isOpen();
    }
}
