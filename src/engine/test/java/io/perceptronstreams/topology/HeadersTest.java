package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.log.EventTime;
import io.perceptronstreams.serde.Topic;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(EngineExtension.class)
class HeadersTest {
    private static final byte[] MODEL = BadRecord.utf8("m");
    private static final byte[] EXAMPLE = BadRecord.utf8("{\"id\":\"1\",\"label\":1,\"features\":[1]}");

    private final EngineDriver engine;

    HeadersTest(EngineDriver engine) {
        this.engine = engine;
    }

    @Test
    void shouldPassHeadersOnToEveryOutput() {
        engine.send(
                MODEL, EXAMPLE, new RecordHeaders().add("trace", new byte[] {7}).add("null", null), 5);

        for (Topic topic : List.of(Topic.PREDICTIONS, Topic.MISTAKES, Topic.MODELS)) {
            Header[] headers = engine.records(topic).get(0).headers().toArray();
            assertThat(headers).as("%s", topic).hasSize(2);
            assertThat(headers[0].key()).isEqualTo("trace");
            assertThat(headers[0].value()).containsExactly(7);
            assertThat(headers[1].key()).isEqualTo("null");
            assertThat(headers[1].value()).isNull();
        }
    }

    @Test
    void shouldNotPassOnHeadersWithWhichAnOutputWouldBeTooLarge() {
        engine.send(MODEL, EXAMPLE, new RecordHeaders().add("large", new byte[EngineDriver.MAX_RECORD_BYTES]), 5);

        TestRecord<byte[], byte[]> prediction =
                engine.records(Topic.PREDICTIONS).get(0);
        assertThat(prediction.headers().lastHeader("large")).isNull();
        assertThat(Integer.parseInt(EngineDriver.header(prediction, DeadLetter.OMITTED)))
                .isGreaterThanOrEqualTo(EngineDriver.MAX_RECORD_BYTES);
        assertThat(engine.records(Topic.MISTAKES).get(0).headers().lastHeader("large"))
                .isNull();
        assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
    }

    /** With headers as those of a dead letter among them. */
    @Test
    void shouldPassOnAThousandHeaders() {
        RecordHeaders headers = new RecordHeaders();
        for (int number = 0; number < 500; number++) {
            headers.add("h" + number, new byte[] {1}).add("__streams.errors.offset", new byte[] {'9'});
        }
        engine.send(MODEL, EXAMPLE, headers, 5);
        engine.send(MODEL, new byte[] {'{'}, headers, 6);

        assertThat(engine.records(Topic.PREDICTIONS).get(0).headers().toArray()).hasSize(1000);
        TestRecord<byte[], byte[]> letter = engine.letter();
        assertThat(EngineDriver.header(letter, "__streams.errors.offset")).isEqualTo("1");
        assertThat(letter.headers().toArray()).hasSizeGreaterThan(1000);
    }

    @Test
    void shouldIgnoreARefusedTimestampInTheHeadersOfTheRecord() {
        engine.send(MODEL, EXAMPLE, new RecordHeaders().add(EventTime.REFUSED, null), 5);
        engine.send(MODEL, EXAMPLE, new RecordHeaders().add(EventTime.REFUSED, new byte[] {'7'}), 6);

        assertThat(engine.records(Topic.PREDICTIONS)).hasSize(2);
        assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
    }

    @Test
    void shouldSayWhichTimestampWasRefused() {
        engine.send(MODEL, EXAMPLE, new RecordHeaders().add(EventTime.REFUSED, new byte[] {'7'}), -1);

        TestRecord<byte[], byte[]> letter = engine.letter();
        assertThat(EngineDriver.message(letter)).endsWith("got -1");
        assertThat(letter.headers().lastHeader(EventTime.REFUSED)).isNull();
    }

    @Test
    void shouldNotTakeAHeaderOfTheProducerForThePlaceOfAnExample() {
        engine.send(MODEL, new byte[] {'{'}, new RecordHeaders().add(DeadLetter.BATCH_INDEX, new byte[] {'7'}), 5);

        assertThat(engine.letter().headers().lastHeader(DeadLetter.BATCH_INDEX)).isNull();
    }

    /** Without them the limit of replays was lost, and a record was sent again for ever. */
    @Test
    void shouldKeepTheMarksOfAReplayWhereHeadersAreOmitted() {
        RecordHeaders headers = new RecordHeaders();
        headers.add(DeadLetter.REPLAYS, new byte[] {'2'})
                .add("large", new byte[100_000])
                .add(DeadLetter.REPLAY_OF, BadRecord.utf8("perceptron-dead-letters-0@7"));
        // none can be read; one of several; too large to copy
        engine.send(MODEL, BadRecord.utf8("[7]"), headers, 5);
        engine.send(MODEL, BadRecord.utf8("[7,{\"features\":[1]}]"), headers, 5);
        engine.send(MODEL, new byte[1024 * 1024], headers, 5);

        assertThat(engine.records(Topic.DEAD_LETTERS)).hasSize(3).allSatisfy(letter -> {
            assertThat(DeadLetter.replays(letter.headers())).isEqualTo(2);
            assertThat(EngineDriver.header(letter, DeadLetter.REPLAY_OF)).isEqualTo("perceptron-dead-letters-0@7");
        });
    }

    /** With time 0, which is that of no record, retention would delete it at once. */
    @Test
    void shouldGiveDeadLettersOfInvalidTimestampsAValidOne() {
        engine.send(MODEL, EXAMPLE, 4_000);
        engine.send(MODEL, BadRecord.utf8("{\"features\":[1],\"timestamp\":\"yesterday\"}"), 5_000);
        engine.send(MODEL, EXAMPLE, new RecordHeaders(), -1);

        assertThat(engine.records(Topic.DEAD_LETTERS))
                .extracting(TestRecord::timestamp)
                .containsExactly(5_000L, 5_000L);
    }

    @Test
    void shouldRefuseATimestampInJsonFarAfterThatOfTheRecord() {
        String example = "{\"id\":\"1\",\"features\":[1],\"timestamp\":%d}";
        engine.send(MODEL, BadRecord.utf8(String.format(example, 3_600_005)), 5);
        engine.send(MODEL, BadRecord.utf8(String.format(example, 3_600_006)), 5);

        assertThat(engine.records(Topic.PREDICTIONS))
                .extracting(TestRecord::timestamp)
                .containsExactly(3_600_005L);
        TestRecord<byte[], byte[]> letter = engine.letter();
        assertThat(EngineDriver.message(letter)).endsWith("got 3600006 in a record of 5");
    }
}
