package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LearnedExamplesTest {
    @Test
    void shouldCountAnExampleWhenItsLabelIsThere() {
        LearnedExamples learned = new LearnedExamples(4);
        // record 1: command; e1 e2 | l1 l2 e3 | e4 | l3 e5 | l4 l5 e6
        learned.add(0, 2);
        learned.add(0, 3);
        learned.add(2, 6);
        learned.add(0, 7);
        learned.add(1, 9);
        learned.add(2, 12);

        assertThat(new long[] {learned.records(1), learned.records(2), learned.records(3), learned.records(4)})
                .containsExactly(6, 6, 9, 12);
        assertThat(new long[] {
                    learned.learned(0),
                    learned.learned(5),
                    learned.learned(6),
                    learned.learned(8),
                    learned.learned(9),
                    learned.learned(11),
                    learned.learned(12),
                    learned.learned(100)
                })
                .containsExactly(0, 0, 2, 2, 3, 3, 4, 4);
    }
}
