package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Positions at which clients start and resume. */
final class EventRingTest {
    private static final String TOPIC = "perceptron-mistakes";

    private final EventRing ring = new EventRing(10);

    @Test
    void shouldGoOnBehindTheLastEventOfEveryPartitionInAnyOrder() {
        List<Event<?>> events = List.of(
                Fabricated.mistake("a", 0, 0),
                Fabricated.mistake("b", 1, 0),
                Fabricated.mistake("a", 0, 1),
                Fabricated.mistake("b", 1, 3),
                Fabricated.mistake("a", 0, 2));
        // another process reads the partitions in another order
        List<Event<?>> again = List.of(events.get(1), events.get(3), events.get(0), events.get(2), events.get(4));
        again.forEach(ring::add);

        for (int seen = 1; seen <= events.size(); seen++) {
            StreamPosition positions = StreamPosition.at(Map.of());
            events.subList(0, seen).forEach(positions::pass);
            List<Event<?>> rest = after(positions.id(TOPIC));
            assertThat(rest).containsExactlyInAnyOrderElementsOf(events.subList(seen, events.size()));
        }
    }

    @Test
    void shouldFindTheOtherPartitionsOfABareId() {
        ring.add(Fabricated.mistake("a", 0, 0));
        ring.add(Fabricated.mistake("b", 1, 0));
        ring.add(Fabricated.mistake("a", 0, 1));
        ring.add(Fabricated.mistake("b", 1, 1));

        assertThat(after(TOPIC + "-0-1"))
                .extracting(Event::partition, Event::offset)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(1, 1L));
    }

    @Test
    void shouldTellThatEventsAreGone() {
        for (int k = 0; k < 15; k++) {
            ring.add(Fabricated.mistake("a", 0, k));
        }

        assertThat(ring.after(positions(TOPIC + "-0-4@")).isComplete()).isTrue();
        assertThat(ring.after(positions(TOPIC + "-0-3@")).isComplete()).isFalse();
        assertThat(ring.after(positions(TOPIC + "-1-9@")).isComplete()).isFalse();
    }

    @Test
    void shouldTellThatWhatLiesBeforeTheLookbackWasNotRead() {
        ring.skipTo(0, 100);
        ring.add(Fabricated.mistake("a", 0, 100));

        assertThat(ring.after(positions(TOPIC + "-0-99@")).isComplete()).isTrue();
        assertThat(ring.after(positions(TOPIC + "-0-98@")).isComplete()).isFalse();
    }

    @Test
    void shouldDropTheOldestForASlowClientAndSayHowMany() {
        for (int k = 0; k < 25; k++) {
            ring.add(Fabricated.mistake("a", 0, k));
        }

        EventRing.Batch batch = ring.read(3, 4);
        assertThat(batch.skipped()).isEqualTo(12);
        assertThat(batch.events()).extracting(Event::offset).containsExactly(15L, 16L, 17L, 18L);
        assertThat(batch.next()).isEqualTo(19);
    }

    @Test
    void shouldRefuseIdsOfOtherTopicsAndNonsense() {
        for (String id :
                List.of("perceptron-counts-0-1", TOPIC, TOPIC + "-1", TOPIC + "-x-1", TOPIC + "-0-1@x", "", "-0-1")) {
            assertThat(StreamPosition.parse(id, TOPIC)).as(id).isEmpty();
        }
        assertThat(StreamPosition.parse(TOPIC + "-0-1", TOPIC)).isPresent();
    }

    private static StreamPosition positions(String id) {
        return StreamPosition.parse(id, TOPIC).orElseThrow();
    }

    private List<Event<?>> after(String id) {
        EventRing.Start start = ring.after(positions(id));
        List<Event<?>> events = new ArrayList<>(ring.read(start.place(), 100).events());
        events.removeIf(start.positions()::isPast);
        return events;
    }

    @Test
    void shouldNotForgetWhatWasSkippedWhenOlderEventsAreOverwritten() {
        for (int k = 0; k < 10; k++) {
            ring.add(Fabricated.mistake("a", 0, k));
        }
        ring.skipAheadTo(0, 1_000);
        ring.add(Fabricated.mistake("a", 0, 1_000));

        assertThat(ring.after(positions(TOPIC + "-0-9@")).isComplete()).isFalse();
        assertThat(ring.after(positions(TOPIC + "-0-999@")).isComplete()).isTrue();
    }

    @Test
    void shouldTellClientsThatEventsAreSkipped() {
        ring.add(Fabricated.mistake("a", 0, 0));
        ring.skipAheadTo(0, 1_000);
        ring.add(Fabricated.mistake("a", 0, 1_000));

        EventRing.Batch before = ring.read(0, 5);
        assertThat(before.events()).extracting(Event::offset).containsExactly(0L);
        EventRing.Batch gap = ring.read(before.next(), 5);
        assertThat(gap.isGap()).isTrue();
        assertThat(gap.events()).isEmpty();
        EventRing.Batch after = ring.read(gap.next(), 5);
        assertThat(after.isGap()).isFalse();
        assertThat(after.events()).extracting(Event::offset).containsExactly(1_000L);
    }
}
