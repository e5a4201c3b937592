package io.perceptronstreams.monitor;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/**
 * Reads the body of a request into one array without a thread that waits.
 *
 * <p>Copies each chunk at once, so that chunks of a byte do not keep network buffers of thousands.
 */
final class BodyReader implements Runnable {
    private final Request request;
    private final int maxBytes;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> result = new CompletableFuture<>();

    private BodyReader(Request request, int maxBytes) {
        this.request = request;
        this.maxBytes = maxBytes;
    }

    /** Returns the body; null if it has more than {@code maxBytes}, then the rest is not read. */
    static CompletableFuture<byte[]> read(Request request, int maxBytes) {
        BodyReader reader = new BodyReader(request, maxBytes);
        reader.run();
        return reader.result;
    }

    /** Reads all that has arrived. */
    @Override
    public void run() {
        while (true) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                request.demand(this);
                return;
            }
            if (Content.Chunk.isFailure(chunk)) {
                result.completeExceptionally(chunk.getFailure());
                return;
            }
            boolean isTooLarge = body.size() + chunk.remaining() > maxBytes;
            if (!isTooLarge) {
                append(chunk.getByteBuffer());
            }
            chunk.release();
            if (isTooLarge || chunk.isLast()) {
                result.complete(isTooLarge ? null : body.toByteArray());
                return;
            }
        }
    }

    private void append(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        body.writeBytes(bytes);
    }
}
