package io.perceptronstreams.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

final class DeadLetterTest {
    private final Headers headers = new RecordHeaders();

    @Test
    void shouldReadWhatItWrites() {
        RejectedException why = new RejectedException(RejectReason.MALFORMED_AVRO, "value must be Avro");

        DeadLetter.addTo(headers, why, "perceptron-examples", 3, 17);

        assertThat(DeadLetter.of(headers))
                .isEqualTo(
                        new DeadLetter("MALFORMED_AVRO", "value must be Avro", "perceptron-examples", 3L, 17L, null));
    }

    @Test
    void shouldReadTheNumbersOfExamples() {
        DeadLetter.addTo(headers, new RejectedException(RejectReason.INVALID_ID, "id"), "t", 0, 17);
        assertThat(DeadLetter.of(headers).source()).isEqualTo("17");
        headers.add(
                DeadLetter.BATCH_INDEX, DeadLetter.toText(List.of(3, 4, 999)).getBytes(UTF_8));
        assertThat(DeadLetter.of(headers).examples()).containsExactly(3, 4, 999);
        assertThat(DeadLetter.of(headers).source()).isEqualTo("17#3,4,999");
        for (String wrong : List.of("", "-1", "3,", "3,,4", "99999")) {
            headers.add(DeadLetter.BATCH_INDEX, wrong.getBytes(UTF_8));
            assertThat(DeadLetter.of(headers).examples()).as(wrong).isNull();
        }
    }

    @Test
    void shouldNotCutAMessageInTheMiddleOfACharacter() {
        // the 500th and 501st unit are one character; half of it would become "?" in UTF-8
        String start = "x".repeat(DeadLetter.MAX_MESSAGE - 1);

        DeadLetter.addTo(headers, new RejectedException(RejectReason.MALFORMED_JSON, start + "😀😀"), "t", 0, 0);

        assertThat(DeadLetter.of(headers).message()).isEqualTo(start + "…");
    }

    @Test
    void shouldReadTheLastOfSeveralHeaders() {
        headers.add(DeadLetter.REASON, "MISROUTED".getBytes(UTF_8));
        DeadLetter.addTo(headers, new RejectedException(RejectReason.NULL_KEY, "key must be there"), "t", 0, 0);

        assertThat(DeadLetter.of(headers).reason()).isEqualTo("NULL_KEY");
    }

    @Test
    void shouldGiveTheOriginalHeadersBack() {
        // those of another program's dead letter, which the producer has sent
        headers.add(DeadLetter.REASON, "a".getBytes(UTF_8))
                .add("trace", null)
                .add("__streams.errors.offset", new byte[] {1});
        Header[] original = headers.toArray();
        DeadLetter.addTo(headers, new RejectedException(RejectReason.NULL_KEY, "key must be there"), "t", 0, 0);

        assertThat(DeadLetter.original(headers)).containsExactly(original);
    }
}
