package io.perceptronstreams.store;

import io.perceptronstreams.learner.Settings;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of a model that differ from {@link #BASE}, as names and values.
 *
 * <p>Layout: the number of bytes that follow, unsigned; then pairs of strings, name and value, in the order of {@link
 * Settings#toMap}.
 *
 * <p><b>Rules for those who change settings.</b> Stored values are read by {@link Settings#with}, which checks them, and a model whose
 * settings are refused cannot be read:
 *
 * <ol>
 *   <li>A rule on the value of a setting is never tightened, or {@code with} gets a variant for stored values.
 *   <li>No setting is removed or renamed, or this class gets a translation.
 *   <li>The value that a setting has in BASE never changes: a stored model without the setting has that value. A setting whose default
 *       changes keeps the old one here, by {@code Settings.DEFAULTS.with(Map.of(name, old))}.
 *   <li>A new setting may come at any time; an engine without it refuses models in which it differs.
 * </ol>
 *
 * <p>Size: at most {@link #MAX_BYTES}.
 *
 * <p>Most models of a store have the same settings, so the last ones written and read are kept: neither costs anything the next time,
 * and models with equal settings share them. Not thread-safe.
 */
final class SettingsCodec {
    /** The values of settings that are not stored. */
    static final Settings BASE = Settings.DEFAULTS;

    /**
     * No settings take more: classes have 16,384 UTF-16 units, a kernel 4,096 characters of ASCII, labels have twice 256 units, and
     * 25 other settings less than 64 bytes each.
     */
    static final int MAX_BYTES = 60 * 1024;

    private static final Map<String, String> BASE_MAP = BASE.toMap();

    private final ByteWriter pairs = new ByteWriter();
    private Settings lastWritten = BASE;
    private byte[] lastBytes = {0};
    private Settings lastRead = BASE;
    private byte[] lastReadBytes = {0};

    void write(Settings settings, ByteWriter out) {
        if (!settings.equals(lastWritten)) {
            lastBytes = encode(settings);
            lastWritten = settings;
        }
        out.writeBytes(lastBytes);
    }

    private byte[] encode(Settings settings) {
        pairs.clear();
        settings.toMap().forEach((name, value) -> {
            if (!value.equals(BASE_MAP.get(name))) {
                pairs.writeString(name);
                pairs.writeString(value);
            }
        });
        byte[] content = pairs.copyFrom(0);
        pairs.clear();
        pairs.writeUnsigned(content.length);
        pairs.writeBytes(content);
        return pairs.copyFrom(0);
    }

    Settings read(ByteReader in) {
        if (!in.skipIfNext(lastReadBytes)) {
            byte[] content = in.readBytes(in.readCount(1));
            ByteReader reader = new ByteReader(content);
            Map<String, String> differing = new LinkedHashMap<>();
            while (reader.left() > 0) {
                differing.put(reader.readString(), reader.readString());
            }
            UnreadableModelException.ifRefused("valid settings", () -> lastRead = BASE.with(differing));
            pairs.clear();
            pairs.writeUnsigned(content.length);
            pairs.writeBytes(content);
            lastReadBytes = pairs.copyFrom(0);
        }
        return lastRead;
    }
}
