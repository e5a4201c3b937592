package io.perceptronstreams.log;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.serde.ForeignBytes;
import io.perceptronstreams.serde.InputDecoder;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;

/** What the headers of a record of the examples topic say about its value. */
final class InputHeaders {
    private InputHeaders() {}

    /**
     * Refuses a record whose schema id is in a header. JSON needs no schema, so that its headers are ignored.
     *
     * @throws RejectedException with the remedy
     */
    static void check(Headers headers, byte[] value) {
        String fault = InputDecoder.isJson(value) ? null : schemaId(headers);
        if (fault != null) {
            throw new RejectedException(RejectReason.UNKNOWN_FORMAT, fault);
        }
    }

    /** Returns true if a decoder asks the registry for this value in the wire format, unless the schema is known. */
    static boolean askForSchema(Headers headers, byte[] value) {
        return InputDecoder.asksForSchema(value) && schemaId(headers) == null;
    }

    /** Text of the last header of a name, empty for null; null if there is none. */
    static String text(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null ? null : header.value() == null ? "" : Utils.utf8(header.value());
    }

    private static String schemaId(Headers headers) {
        for (Header each : headers) {
            String fault = ForeignBytes.idInHeader(each.key(), each.value());
            if (fault != null) {
                return fault;
            }
        }
        return null;
    }
}
