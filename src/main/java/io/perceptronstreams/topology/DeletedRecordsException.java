package io.perceptronstreams.topology;

import org.apache.kafka.streams.errors.StreamsException;

/** Records of the examples topic that must be read again were deleted, as by retention. */
final class DeletedRecordsException extends StreamsException {
    private static final long serialVersionUID = 1;

    DeletedRecordsException(String message) {
        super(message);
    }
}
