package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.FeatureName;
import io.perceptronstreams.event.WeightsSnapshot;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TopWeightsTest {
    private final TopWeights weights = new TopWeights();

    @Test
    void shouldPutChunksTogetherAndCountTheBiasOnce() {
        weights.add(Fabricated.chunk("m", 0, 2, 9, 0, 1, -4));
        assertThat(weights.newest()).isNull();
        weights.add(Fabricated.chunk("m", 1, 2, 9, 2, 3));

        assertThat(weights.newest().updates()).isEqualTo(9);
        assertThat(weights.newest().size()).isEqualTo(4);
        assertThat(weights.newest().top())
                .containsExactly(
                        new TopWeights.Weight("", 1, -4, -4),
                        new TopWeights.Weight("", 2, 3, 3),
                        new TopWeights.Weight("", 0, 1, 1),
                        new TopWeights.Weight("", null, 0.5, 0.25));
    }

    @Test
    void shouldKeepTheLargestOfMany() {
        weights.add(Fabricated.chunk(
                "m", 0, 1, 1, 0, IntStream.range(0, 1000).asDoubleStream().toArray()));

        assertThat(weights.newest().size()).isEqualTo(1000);
        assertThat(weights.newest().top()).hasSize(TopWeights.MAX_WEIGHTS);
        assertThat(weights.newest().top().get(0).index()).isEqualTo(999);
        assertThat(weights.newest().top().get(19).index()).isEqualTo(980);
    }

    // Names follow the weights, so that only those of the largest are kept.
    @Test
    void shouldNameTheLargest() {
        Event<WeightsSnapshot> chunk = Fabricated.chunk("m", 0, 1, 1, 0, 5, 3);
        chunk.value()
                .setFeatureNames(
                        List.of(new FeatureName(1, "b"), new FeatureName(7, "other"), new FeatureName(1, "a")));
        weights.add(chunk);

        assertThat(weights.newest().top())
                .contains(new TopWeights.Weight("", 0, 5, 5), new TopWeights.Weight("", 1, 3, 3, List.of("a", "b")));
    }

    @Test
    void shouldLeaveOutASnapshotThatIsNotWhole() {
        weights.add(Fabricated.chunk("m", 0, 1, 1, 0, 1));
        weights.add(Fabricated.chunk("m", 0, 3, 2, 0, 2));
        weights.add(Fabricated.chunk("m", 2, 3, 2, 2, 2));
        weights.add(Fabricated.chunk("m", 1, 3, 2, 1, 2));
        weights.add(Fabricated.chunk("m", 0, 2, 3, 0, 2));
        weights.add(Fabricated.chunk("m", 1, 2, 4, 0, 2));

        assertThat(weights.newest().updates()).isEqualTo(1);
    }
}
