package io.perceptronstreams.store;

import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.UnreadableModelException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes the settings of a model that differ from {@link #BASE}.
 *
 * <p>Layout: the number of bytes that follow, unsigned; then pairs of strings, name and value, in the order of {@link
 * Settings#toMap}. With probabilities, an empty name and a byte stand for one of {@link #SHORT}.
 *
 * <p><b>Rules for changing settings.</b> Stored values are read by {@link Settings#with}, which validates them; a model
 * with rejected settings is unreadable:
 *
 * <ol>
 *   <li>Never tighten the rule of a setting, or give {@code with} a variant for stored values.
 *   <li>Never remove or rename a setting, or translate it here.
 *   <li>Never change the value of a setting in BASE, which is the value of stored models without the setting. If a
 *       default changes, keep the old one here: {@code Settings.DEFAULTS.with(Map.of(name, old))}.
 *   <li>A setting may be added at any time; older engines reject models in which it differs.
 * </ol>
 *
 * <p>Most models of a store have equal settings: they are cached and shared. Not thread-safe.
 */
final class SettingsCodec {
    /** Values of settings that are not stored. */
    static final Settings BASE = Settings.DEFAULTS.with(Map.of(Settings.WINDOW_MS.name(), "10000"));

    /**
     * Upper bound: classes have 16,384 UTF-16 units, a kernel 4,096 ASCII characters, labels twice 256 units, a
     * default label 256 units, class weights 512 units, crosses and namespaces 1,024 bytes each, of which one list of
     * namespaces is empty, sources of labels 327 bytes, and 61 other settings less than 64 bytes each.
     */
    static final int MAX_BYTES = 62 * 1024;

    /**
     * Settings of models with probabilities, by the number that stands for them: a name whose value follows, or both. A
     * number never changes.
     */
    private static final List<String> SHORT = List.of("calibrate=platt", "coverage");

    private static final int MAX_CACHED = 64;

    private static final Map<String, String> BASE_MAP = BASE.toMap();

    private final StoredFields pairs = new StoredFields();
    private Settings lastWritten = BASE;
    private byte[] lastBytes = {};
    private final Map<Settings, byte[]> written = new HashMap<>();
    private final Map<ByteBuffer, Settings> read = new HashMap<>();

    Settings exchange(StoredFields fields, Settings settings) {
        if (fields.isReading()) {
            byte[] content = fields.bytes(null);
            Settings known = content.length == 0 ? BASE : read.get(ByteBuffer.wrap(content));
            return known == null ? decode(content) : known;
        }
        if (!settings.equals(lastWritten)) {
            clearIfFull(written);
            lastBytes = written.computeIfAbsent(settings, this::encode);
            lastWritten = settings;
        }
        fields.bytes(lastBytes);
        return settings;
    }

    private static void clearIfFull(Map<?, ?> cache) {
        if (cache.size() == MAX_CACHED) {
            cache.clear();
        }
    }

    private byte[] encode(Settings settings) {
        pairs.clear();
        // models without probabilities stay readable for engines that know no short names
        boolean isShort = settings.get(Settings.CALIBRATE) != Settings.Calibrate.NONE;
        settings.toMap().forEach((name, value) -> {
            if (!value.equals(BASE_MAP.get(name))) {
                write(name, value, isShort);
            }
        });
        return pairs.toBytes();
    }

    private void write(String name, String value, boolean isShort) {
        int both = SHORT.indexOf(name + "=" + value);
        int number = both >= 0 ? both : SHORT.indexOf(name);
        boolean isFound = isShort && number >= 0;
        pairs.text(isFound ? "" : name);
        if (isFound) {
            int unused = pairs.bits(number);
        }
        if (!isFound || both < 0) {
            pairs.text(value);
        }
    }

    private Settings decode(byte[] content) {
        StoredFields in = new StoredFields(content);
        Map<String, String> differing = new LinkedHashMap<>();
        while (in.left() > 0) {
            String name = in.text(null);
            if (name.isEmpty()) {
                int number = in.bits(0);
                if (number >= SHORT.size()) {
                    throw in.fault("have a known setting", number);
                }
                name = SHORT.get(number);
            }
            int equals = name.indexOf('=');
            String value = equals < 0 ? in.text(null) : name.substring(equals + 1);
            differing.put(equals < 0 ? name : name.substring(0, equals), value);
        }
        clearIfFull(read);
        UnreadableModelException.ifRefused(
                "valid settings", () -> read.put(ByteBuffer.wrap(content), BASE.with(differing)));
        return read.get(ByteBuffer.wrap(content));
    }
}
