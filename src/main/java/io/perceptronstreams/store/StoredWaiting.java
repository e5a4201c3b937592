package io.perceptronstreams.store;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.Due;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.labels.WaitingStore;
import io.perceptronstreams.state.StoredFields;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The waiting records and ids of one model in the store of a task; ids of records are in the keys, see {@link ModelKeys}.
 * Writes reach the store with a flush of the writer.
 */
final class StoredWaiting implements WaitingStore {
    private static final int FORM = 2;

    /** Form with the label of one challenger at most, the shadow of a drift. */
    private static final int FORM_WITH_SHADOW = 1;

    /** Form of one of several examples of a record: with its number. */
    private static final int FORM_OF_PART = 3;

    private static final Waiting NONE = Waiting.label(null, new byte[0], 0, 0, 0);

    private final KeyValueStore<Bytes, byte[]> inner;
    private final BatchWriter writer;
    private final Removals removals;
    private final byte[] name;
    private final StoredFields buffer;
    private long generation;

    /** @param buffer shared by all models of the store */
    StoredWaiting(
            KeyValueStore<Bytes, byte[]> inner,
            BatchWriter writer,
            Removals removals,
            byte[] name,
            StoredFields buffer) {
        this.inner = inner;
        this.writer = writer;
        this.removals = removals;
        this.name = name;
        this.buffer = buffer;
    }

    @Override
    public Waiting waiting(Utf8Slice id) {
        byte[] stored = inner.get(ModelKeys.waiting(name, generation, id));
        return stored == null ? null : decode(id.copy(), stored);
    }

    @Override
    public List<Due> due(Due after, int limit) {
        List<Due> found = new ArrayList<>();
        Bytes from = after == null
                ? ModelKeys.due(name, generation, 0, 0, 0)
                : ModelKeys.due(name, generation, after.time(), after.offset(), after.part() + 1);
        try (KeyValueIterator<Bytes, byte[]> entries =
                inner.range(from, ModelKeys.due(name, generation, Long.MAX_VALUE, Long.MAX_VALUE, 0))) {
            while (entries.hasNext() && found.size() < limit) {
                KeyValue<Bytes, byte[]> entry = entries.next();
                Utf8Slice id = new Utf8Slice();
                id.set(entry.value, 1, entry.value.length - 1);
                found.add(new Due(
                        ModelKeys.dueTime(entry.key),
                        ModelKeys.dueOffset(entry.key),
                        ModelKeys.duePart(entry.key),
                        entry.value[0] != 0,
                        id));
            }
        }
        return found;
    }

    @Override
    public long[] ids(long block) {
        byte[] stored = inner.get(ModelKeys.ids(name, generation, block));
        return stored == null ? null : decodeIds(stored);
    }

    @Override
    public void put(Utf8Slice id, Waiting waiting) {
        writer.put(ModelKeys.waiting(name, generation, id), waiting == null ? null : encode(buffer, waiting));
    }

    @Override
    public void putDue(Due due, boolean isThere) {
        byte[] value = null;
        if (isThere) {
            value = new byte[1 + due.id().length()];
            value[0] = (byte) (due.isLabel() ? 1 : 0);
            System.arraycopy(
                    due.id().bytes(), due.id().offset(), value, 1, due.id().length());
        }
        writer.put(ModelKeys.due(name, generation, due.time(), due.offset(), due.part()), value);
    }

    @Override
    public void putIds(long block, long[] ids) {
        writer.put(ModelKeys.ids(name, generation, block), ids == null ? null : encodeIds(ids));
    }

    @Override
    public void open(long ofModel) {
        generation = ofModel;
    }

    @Override
    public void begin(long ofModel) {
        if (ofModel > generation) {
            removals.remove(ModelKeys.firstOfWaiting(name, ofModel - 1), ModelKeys.endOfWaiting(name, generation));
            generation = ofModel;
        }
    }

    static byte[] encode(StoredFields out, Waiting waiting) {
        out.clear();
        var unused = exchange(out, null, waiting);
        return out.toBytes();
    }

    static Waiting decode(Utf8Slice id, byte[] bytes) {
        return exchange(new StoredFields(bytes), id, NONE);
    }

    private static Waiting exchange(StoredFields fields, Utf8Slice id, Waiting waiting) {
        int form = fields.form(
                waiting.part() == 0 ? FORM : FORM_OF_PART, FORM_WITH_SHADOW, FORM_OF_PART, "waiting record");
        long offset = fields.signed(waiting.offset());
        int part = form < FORM_OF_PART ? 0 : fields.upTo(Short.MAX_VALUE, waiting.part());
        long time = fields.signed(waiting.time());
        long due = fields.near(time, waiting.due());
        long epoch = fields.signed(waiting.epoch());
        if (epoch == Waiting.NO_EPOCH) {
            return Waiting.label(id, fields.rest(waiting.value()), offset, time, due);
        }
        long version = fields.signed(waiting.version());
        Label emitted = label(fields, waiting.emitted());
        List<Waiting.Emitted> challengers =
                form == FORM_WITH_SHADOW ? ofShadow(fields) : challengers(fields, waiting.challengers());
        byte[] value = fields.rest(waiting.value());
        return new Waiting(id, value, offset, part, time, due, epoch, version, emitted, challengers);
    }

    private static List<Waiting.Emitted> challengers(StoredFields fields, List<Waiting.Emitted> challengers) {
        int count = fields.count(2, challengers.size());
        List<Waiting.Emitted> exchanged = new ArrayList<>(count);
        for (int k = 0; k < count; k++) {
            Waiting.Emitted each = fields.isReading() ? new Waiting.Emitted(0, null) : challengers.get(k);
            exchanged.add(new Waiting.Emitted(fields.unsigned(each.epoch()), label(fields, each.label())));
        }
        return exchanged;
    }

    private static List<Waiting.Emitted> ofShadow(StoredFields fields) {
        long epoch = fields.signed(0);
        Label emitted = label(fields, null);
        return epoch == Waiting.NO_EPOCH ? List.of() : List.of(new Waiting.Emitted(epoch, emitted));
    }

    private static Label label(StoredFields fields, Label label) {
        int kind = fields.bits(
                label == null ? 0 : label instanceof Label.Int ? 1 : label instanceof Label.ClassName ? 2 : 3);
        return switch (kind) {
            case 0 -> null;
            case 1 -> Label.of((int) fields.signed(label instanceof Label.Int number ? number.value() : 0));
            case 2 -> new Label.ClassName(fields.text(label instanceof Label.ClassName name ? name.name() : null));
            case 3 -> new Label.Tags(fields.texts(label instanceof Label.Tags tags ? tags.tags() : List.of()));
            default -> throw fields.fault("have labels of kind 0 to 3", kind);
        };
    }

    static byte[] encodeIds(long[] ids) {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * ids.length);
        bytes.asLongBuffer().put(ids);
        return bytes.array();
    }

    static long[] decodeIds(byte[] bytes) {
        long[] ids = new long[bytes.length / Long.BYTES];
        ByteBuffer.wrap(bytes).asLongBuffer().get(ids);
        return ids;
    }
}
