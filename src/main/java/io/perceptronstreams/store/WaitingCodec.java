package io.perceptronstreams.store;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.model.Waiting;
import io.perceptronstreams.state.StoredFields;
import java.nio.ByteBuffer;
import java.util.List;

/** Encodes the examples and labels that wait in a model; ids are in the keys, see {@link ModelKeys}. Not thread-safe. */
final class WaitingCodec {
    private static final int FORM = 1;
    private static final Waiting NONE = Waiting.label(null, new byte[0], 0, 0, 0);

    private final StoredFields out = new StoredFields();

    byte[] encode(Waiting waiting) {
        out.clear();
        var unused = exchange(out, null, waiting);
        return out.toBytes();
    }

    static Waiting waiting(Utf8Slice id, byte[] bytes) {
        return exchange(new StoredFields(bytes), id, NONE);
    }

    private static Waiting exchange(StoredFields fields, Utf8Slice id, Waiting waiting) {
        fields.form(FORM, "waiting record");
        long offset = fields.signed(waiting.offset());
        long time = fields.signed(waiting.time());
        long due = fields.near(time, waiting.due());
        long epoch = fields.signed(waiting.epoch());
        if (epoch == Waiting.NO_EPOCH) {
            return Waiting.label(id, fields.rest(waiting.value()), offset, time, due);
        }
        long version = fields.signed(waiting.version());
        Label emitted = label(fields, waiting.emitted());
        long shadowEpoch = fields.signed(waiting.shadowEpoch());
        Label shadowEmitted = label(fields, waiting.shadowEmitted());
        byte[] value = fields.rest(waiting.value());
        return new Waiting(id, value, offset, time, due, epoch, version, emitted, shadowEpoch, shadowEmitted);
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

    static long[] ids(byte[] bytes) {
        long[] ids = new long[bytes.length / Long.BYTES];
        ByteBuffer.wrap(bytes).asLongBuffer().get(ids);
        return ids;
    }
}
