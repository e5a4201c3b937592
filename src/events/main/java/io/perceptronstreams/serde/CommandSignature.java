package io.perceptronstreams.serde;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signature of a command or of a chunk of weights, in the record header {@link #HEADER}: byte 1, the time of signing
 * in microseconds since 1970 as 8 bytes, and HMAC-SHA-256 (RFC 2104) in 32 bytes.
 *
 * <p>The signed bytes are byte 1, the time, the record key, a 0 byte, the length of the purpose as 4 bytes, the purpose
 * (value of the header {@code perceptron-import-as}, empty without it), and the record value. All numbers are
 * big-endian. Partition, offset, timestamp and other headers are not signed: rerouting keeps a signature valid. The key
 * of the HMAC is the text of {@code commands.key} in UTF-8.
 *
 * @param timeMicros time of signing; a model accepts ascending times only, so that a copy of a record is refused
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by equals
public record CommandSignature(long timeMicros, byte[] mac) {
    /** Name of the record header. */
    public static final String HEADER = "perceptron-signature";

    private static final byte FORM = 1;
    private static final int MAC_BYTES = 32;
    private static final int BYTES = 1 + Long.BYTES + MAC_BYTES;

    /** Signs a record; {@code purpose} may be null. */
    public static CommandSignature of(String secret, long timeMicros, byte[] name, byte[] purpose, byte[] value) {
        return new CommandSignature(timeMicros, mac(secret, timeMicros, name, purpose, value));
    }

    /** Decodes the value of a header; null if it has another form. */
    public static CommandSignature decode(byte[] header) {
        if (header == null || header.length != BYTES || header[0] != FORM) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(header, 1, BYTES - 1);
        long timeMicros = bytes.getLong();
        byte[] mac = new byte[MAC_BYTES];
        bytes.get(mac);
        return new CommandSignature(timeMicros, mac);
    }

    /** Encodes the value of the header. */
    public byte[] encode() {
        return ByteBuffer.allocate(BYTES).put(FORM).putLong(timeMicros).put(mac).array();
    }

    /** Returns true if this signature was made with {@code secret} for the record; takes constant time. */
    public boolean isOf(String secret, byte[] name, byte[] purpose, byte[] value) {
        return MessageDigest.isEqual(mac, mac(secret, timeMicros, name, purpose, value));
    }

    private static byte[] mac(String secret, long timeMicros, byte[] name, byte[] purpose, byte[] value) {
        byte[] as = purpose == null ? new byte[0] : purpose;
        try {
            Mac hmac = Mac.getInstance("HmacSHA256");
            hmac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            hmac.update(ByteBuffer.allocate(1 + Long.BYTES)
                    .put(FORM)
                    .putLong(timeMicros)
                    .flip());
            hmac.update(name);
            hmac.update((byte) 0);
            hmac.update(ByteBuffer.allocate(Integer.BYTES).putInt(as.length).flip());
            hmac.update(as);
            return hmac.doFinal(value);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HmacSHA256 must be available in every Java platform", e);
        }
    }
}
