package io.perceptronstreams.relearn;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class EventComparisonTest {
    private final EventReader<MistakeCount> reader = OwnEvents.reader(MistakeCount.class);

    // JSON has no infinities: verify called an event with one another event.
    @Test
    void shouldFindAnOverflownSumEqualToThatInJson() {
        MistakeCount own = Events.filled(MistakeCount.class);
        own.setTotalHingeLoss(Double.POSITIVE_INFINITY);
        own.setWeightNorm(Double.POSITIVE_INFINITY);
        MistakeCount sent = inJson(own);

        assertThat(sent).isNotEqualTo(own);
        assertThat(EventComparison.firstDifference(sent, own)).isNull();
    }

    @Test
    void shouldNameTheFieldOfADifferenceInTheLastBit() {
        MistakeCount own = Events.filled(MistakeCount.class);
        MistakeCount sent = inJson(own);
        sent.setTotalHingeLoss(Math.nextUp(own.getTotalHingeLoss()));

        assertThat(EventComparison.firstDifference(sent, own)).isEqualTo("totalHingeLoss");
    }

    private MistakeCount inJson(MistakeCount event) {
        return reader.read(EventJson.text(event).getBytes(StandardCharsets.UTF_8));
    }
}
