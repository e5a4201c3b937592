package io.perceptronstreams.store;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.model.Waiting;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes what waits in a model; ids are in the keys, see {@link ModelKeys}. Numbers and strings as in {@link ByteWriter}:
 *
 * <pre>
 * example or label that waits:
 * byte      1
 * signed    offset, time, due - time, epoch; -1 for a label
 * only for an example:
 *   signed  version
 *   label   the predicted one
 *   signed  epoch of the shadow, -1 without one
 *   label   predicted by the shadow
 * bytes     the record, to the end
 *
 * entry of the due list:
 * byte      1 for a label, 0 for an example
 * bytes     the id, to the end
 *
 * label:
 * byte      0 none, 1 int, 2 name, 3 tags
 *           signed, or string, or unsigned count and strings
 * </pre>
 */
final class WaitingCodec {
    private static final int FORM = 1;

    private final ByteWriter out = new ByteWriter();

    byte[] encode(Waiting waiting) {
        out.clear();
        out.writeByte(FORM);
        out.writeSigned(waiting.offset());
        out.writeSigned(waiting.time());
        out.writeSigned(waiting.due() - waiting.time());
        out.writeSigned(waiting.epoch());
        if (!waiting.isLabel()) {
            out.writeSigned(waiting.version());
            write(waiting.emitted());
            out.writeSigned(waiting.shadowEpoch());
            write(waiting.shadowEmitted());
        }
        out.writeBytes(waiting.value());
        return out.copyFrom(0);
    }

    static Waiting waiting(Utf8Slice id, byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        int form = in.readByte();
        if (form != FORM) {
            throw in.fault("have waiting records of form " + FORM, form + ", written by a newer engine?");
        }
        long offset = in.readSigned();
        long time = in.readSigned();
        long due = time + in.readSigned();
        long epoch = in.readSigned();
        if (epoch == Waiting.NO_EPOCH) {
            return Waiting.label(id, in.readBytes(in.left()), offset, time, due);
        }
        long version = in.readSigned();
        Label emitted = label(in);
        long shadowEpoch = in.readSigned();
        Label shadowEmitted = label(in);
        byte[] value = in.readBytes(in.left());
        return new Waiting(id, value, offset, time, due, epoch, version, emitted, shadowEpoch, shadowEmitted);
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

    private void write(Label label) {
        if (label == null) {
            out.writeByte(0);
        } else if (label instanceof Label.Int number) {
            out.writeByte(1);
            out.writeSigned(number.value());
        } else if (label instanceof Label.ClassName name) {
            out.writeByte(2);
            out.writeString(name.name());
        } else {
            List<String> tags = ((Label.Tags) label).tags();
            out.writeByte(3);
            out.writeUnsigned(tags.size());
            tags.forEach(out::writeString);
        }
    }

    private static Label label(ByteReader in) {
        int kind = in.readByte();
        return switch (kind) {
            case 0 -> null;
            case 1 -> Label.of((int) in.readSigned());
            case 2 -> new Label.ClassName(in.readString());
            case 3 -> {
                int count = in.readCount(1);
                List<String> tags = new ArrayList<>(count);
                for (int k = 0; k < count; k++) {
                    tags.add(in.readString());
                }
                yield new Label.Tags(tags);
            }
            default -> throw in.fault("have labels of kind 0 to 3", kind);
        };
    }
}
