package io.perceptronstreams.store;

import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.Counts;
import io.perceptronstreams.learner.DriftState;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Model;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.learner.Window;
import io.perceptronstreams.model.LiveModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything of a model but its blocks, as bytes.
 *
 * <p>Settings are stored by name, so that a later version reads them with its own defaults for those that are new. The first
 * byte is the format's version; every version ever written must be readable for ever.
 */
final class HeaderCodec {
    private static final int VERSION = 3;

    private HeaderCodec() {}

    /** A model without its blocks, and the offset of the last record that was applied to it. */
    record Stored(Model model, long position) {}

    static byte[] encode(Model model, long position) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeLong(position);
            out.writeUTF(model.state().name());
            out.writeLong(model.epoch());
            out.writeLong(model.rerouted());
            out.writeInt(model.publications().chunks());
            out.writeLong(model.publications().statusTime());
            Map<String, String> settings = model.settings().toMap();
            out.writeInt(settings.size());
            for (Map.Entry<String, String> setting : settings.entrySet()) {
                out.writeUTF(setting.getKey());
                out.writeUTF(setting.getValue());
            }
            write(out, model.totals());
            Window window = model.window();
            out.writeBoolean(window.isOpen());
            out.writeLong(window.start());
            out.writeLong(window.end());
            write(out, window.counts());
            out.writeUTF(model.algorithm().name());
            LearnerState state = model.learner().state();
            write(out, state.numbers());
            out.writeInt(state.names().size());
            for (String name : state.names()) {
                out.writeUTF(name);
            }
            DriftState drift = model.driftState();
            out.writeLong(drift.lastEpoch());
            write(out, drift.detector());
            write(out, drift.trial());
            if (model.shadow() != null) {
                out.write(encode(model.shadow(), position));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static Stored decode(byte[] header) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(header))) {
            return decode(in);
        } catch (IOException e) {
            throw new UncheckedIOException("a stored model must be complete", e);
        }
    }

    private static Stored decode(DataInputStream in) throws IOException {
        int version = in.readUnsignedByte();
        if (version < 1 || version > VERSION) {
            throw new IllegalStateException("a stored model must be of version 1 to " + VERSION + ", got " + version
                    + " (written by a newer engine?)");
        }
        long position = version > 2 ? in.readLong() : LiveModel.NO_POSITION;
        Model.State state = Model.State.valueOf(in.readUTF());
        long epoch = in.readLong();
        long rerouted = in.readLong();
        int publishedChunks = in.readInt();
        long statusTime = version > 1 ? in.readLong() : 0;
        Map<String, String> settings = new LinkedHashMap<>();
        for (int count = in.readInt(); count > 0; count--) {
            settings.put(in.readUTF(), in.readUTF());
        }
        Model model = new Model();
        read(in, model.totals());
        model.window().restore(in.readBoolean(), in.readLong(), in.readLong());
        read(in, model.window().counts());
        // version 1 had one learner only, but a deleted model has none
        Algorithm algorithm = version > 1
                ? Algorithm.valueOf(in.readUTF())
                : state == Model.State.DELETED ? Algorithm.AUTO : Algorithm.PERCEPTRON;
        List<Double> numbers = readDoubles(in);
        List<String> names = new ArrayList<>();
        for (int count = in.readInt(); count > 0; count--) {
            names.add(in.readUTF());
        }
        model.restore(
                state,
                epoch,
                rerouted,
                Settings.DEFAULTS.with(settings),
                algorithm,
                algorithm == Algorithm.AUTO
                        ? new LearnerState(List.of(), List.of())
                        : new LearnerState(numbers, names));
        model.publications().markStatus(statusTime);
        model.publications().markSnapshot(publishedChunks);
        if (version > 1) {
            DriftState drift = new DriftState(in.readLong(), readDoubles(in), readDoubles(in));
            model.restore(drift, drift.trial().isEmpty() ? null : decode(in).model());
        }
        return new Stored(model, position);
    }

    private static void write(DataOutputStream out, List<Double> numbers) throws IOException {
        out.writeInt(numbers.size());
        for (double number : numbers) {
            out.writeDouble(number);
        }
    }

    private static List<Double> readDoubles(DataInputStream in) throws IOException {
        List<Double> numbers = new ArrayList<>();
        for (int count = in.readInt(); count > 0; count--) {
            numbers.add(in.readDouble());
        }
        return numbers;
    }

    private static void write(DataOutputStream out, Counts counts) throws IOException {
        out.writeLong(counts.examples());
        out.writeLong(counts.labelled());
        out.writeLong(counts.errors());
        out.writeLong(counts.mistakes());
        out.writeLong(counts.marginMistakes());
        out.writeLong(counts.updates());
        out.writeDouble(counts.hingeLoss());
    }

    private static void read(DataInputStream in, Counts counts) throws IOException {
        counts.restore(
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readDouble());
    }
}
