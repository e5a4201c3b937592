package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BenchRestartTest {
    @Test
    void shouldKillBetweenOneAndTwoThirdsOfTheTopicAndElsewhereInEachRound() {
        List<Long> places = IntStream.range(0, 20)
                .mapToObj(round -> BenchRestart.killAt(900, round))
                .toList();

        assertThat(places).doesNotHaveDuplicates().allMatch(place -> place >= 300 && place < 600);
        // the distance of any two of the first four is at least a seventh of the range
        List<Long> first = places.subList(0, 4).stream().sorted().toList();
        for (int k = 1; k < first.size(); k++) {
            assertThat(first.get(k) - first.get(k - 1)).isGreaterThanOrEqualTo(300 / 7);
        }
    }
}
