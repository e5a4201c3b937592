package io.perceptronstreams.relearn;

import io.perceptronstreams.event.ModelState;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventEncoder.Origin;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeMap;

/**
 * SHA-256 of a model's status and of its named snapshot, without positions: equal on all clusters on which the model
 * has learned the same records, also at other offsets.
 *
 * <p>Two models that differ in one bit of a weight have different digests. Of challengers only what is in the status is
 * included, and of what waits for labels only the numbers. Cost: O(touched weights).
 */
final class ModelDigest {
    private static final Origin NOWHERE = new Origin(-1, -1);

    private ModelDigest() {}

    /**
     * Computes the digest.
     *
     * @param model null if there was none
     * @return 64 hexadecimal digits
     */
    static String of(Model model) {
        MessageDigest digest = sha256();
        if (model != null) {
            EventEncoder encoder = OwnEvents.encoder();
            ModelStatus status = status(
                    OwnEvents.reader(ModelStatus.class).read(encoder.modelStatus(model, StatusCause.IDLE, NOWHERE)));
            add(EventJson.text(status), digest);
            if (status.getState() != ModelState.DELETED) {
                EventReader<WeightsSnapshot> chunks = OwnEvents.reader(WeightsSnapshot.class);
                encoder.weightsSnapshot(
                        model,
                        NOWHERE,
                        true,
                        (chunk, number) -> add(EventJson.text(weights(chunks.read(chunk))), digest));
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Without offsets, and with its maps in one order. */
    private static ModelStatus status(ModelStatus status) {
        status.setCountsSince(null);
        status.setSettings(new TreeMap<>(status.getSettings()));
        status.getVersions().forEach(each -> each.setOffset(-1));
        status.getChallengers().forEach(each -> {
            each.setSince(-1);
            each.setSettings(new TreeMap<>(each.getSettings()));
        });
        return status;
    }

    private static WeightsSnapshot weights(WeightsSnapshot chunk) {
        chunk.setCountsSince(null);
        chunk.setSettings(new TreeMap<>(chunk.getSettings()));
        return chunk;
    }

    private static void add(String text, MessageDigest digest) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
