package io.perceptronstreams.log;

import org.apache.kafka.streams.errors.StreamsException;

/** Records of the examples topic that must be read again were deleted, as by retention. */
public final class DeletedRecordsException extends StreamsException {
    private static final long serialVersionUID = 1;

    public DeletedRecordsException(String message) {
        super(message);
    }
}
