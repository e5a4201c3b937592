package io.perceptronstreams.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.drift.Trial.Growth;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Ends of bunches, wealth and stored numbers; {@link TrialSimulationTest} has the promise. */
class BunchesTest {
    /** The same by its definition: all gaps and bunches are kept. */
    private static final class Naive {
        private final Growth growth;
        private final long step;
        private final List<Long> examples = new ArrayList<>();
        private final List<Integer> sides = new ArrayList<>();
        private final List<Double> logGaps = new ArrayList<>();
        private final List<Long> ended = new ArrayList<>();
        private int number = 1;

        Naive(Growth growth, long step) {
            this.growth = growth;
            this.step = step;
        }

        void add(long example, int side) {
            if (!examples.isEmpty()) {
                double gap = Math.log((double) (example - examples.get(examples.size() - 1)));
                double typical = 0;
                for (int k = 0; k < logGaps.size(); k++) {
                    typical += (logGaps.get(k) - typical) / Math.min(k + 1, 16);
                }
                boolean isPause = logGaps.size() >= 8 && gap > Math.log(16) + typical;
                logGaps.add(gap);
                boolean isNewRun = side == sides.get(0) && side != sides.get(sides.size() - 1);
                long round = growth == Growth.LINEAR
                        ? step * number
                        : step * number * (number + 1) * (2L * number + 1) / 6 / 10
                                - step * (number - 1) * number * (2L * number - 1) / 6 / 10;
                if (isPause || (isNewRun && example - examples.get(0) >= 3 * round)) {
                    ended.add(sides.stream().mapToLong(Integer::longValue).sum());
                    number++;
                    examples.clear();
                    sides.clear();
                }
            }
            examples.add(example);
            sides.add(side);
        }

        double logWealth() {
            double wealth = 1;
            double absolute = 0;
            double bets = 0;
            int count = 0;
            for (long y : ended) {
                if (y != 0) {
                    count++;
                    absolute += Math.abs(y);
                    double outcome = Math.tanh(2 * y / (absolute / count));
                    wealth *= 1 + bets / count * outcome;
                    bets += outcome;
                }
            }
            return Math.log(wealth);
        }
    }

    private static void add(Bunches bunches, long first, int count, int side) {
        for (int k = 0; k < count; k++) {
            bunches.add(first + k, side);
        }
    }

    @SeededTest
    void shouldBetAsDefined(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int pauses = 0;
        for (int trial = 0; trial < 200; trial++) {
            Growth growth = random.nextBoolean() ? Growth.LINEAR : Growth.SQUARE;
            long step = 10L + random.nextInt(20);
            Bunches bunches = new Bunches(growth, step);
            Naive naive = new Naive(growth, step);
            long example = 0;
            int side = 1;
            for (int k = 0; k < 300; k++) {
                example += random.nextInt(30) == 0 ? 200 + random.nextInt(2_000) : 1 + random.nextInt(3);
                side = random.nextInt(4) == 0 ? -side : side;
                bunches.add(example, side);
                naive.add(example, side);
                if (bunches.side() != 0) {
                    assertThat(bunches.logEvidence()).isEqualTo(naive.logWealth(), within(1e-9));
                }
            }
            pauses += naive.ended.size();
        }
        assertThat(pauses).isGreaterThan(2_000);
    }

    /**
     * Bunches of one disagreement each, with m = 1 and t = tanh(2) = 0.9640, all to one side but the fourth.
     *
     * <p>b = 0, 0.9640/2 = 0.4820, 1.9281/3 = 0.6427, 2.8921/4 = 0.7230, 1.9281/5 = 0.3856; wealth 1, 1.4647,
     * 1.4647·1.6196 = 2.3721, 2.3721·(1 - 0.6970) = 0.7187, 0.7187·1.3717 = 0.9859.
     */
    @Test
    void shouldMultiplyItsWealth() {
        Bunches bunches = new Bunches(Growth.LINEAR, 1);
        // nine gaps of 1 before the first pause, in a bunch without a difference
        add(bunches, 1, 5, 1);
        add(bunches, 6, 5, -1);
        double[] wealth = {1, 1.4647, 2.3721, 0.7187, 0.9859};
        int[] sides = {1, 1, 1, -1, 1};
        long example = 10;
        for (int k = 0; k < wealth.length; k++) {
            example += 1_000_000_000L << k;
            assertThat(bunches.add(example, sides[k])).isEqualTo(true);
            if (k > 0) {
                assertThat(Math.exp(bunches.logEvidence())).isEqualTo(wealth[k - 1], within(5e-5));
            }
        }
        bunches.add(example + (1L << 60), 1);
        assertThat(Math.exp(bunches.logEvidence())).isEqualTo(wealth[4], within(5e-5));
    }

    /** Gaps of 1, then pauses: 16 after eight gaps is none, 17 is one. */
    @Test
    void shouldEndABunchAfterAPause() {
        Bunches early = new Bunches(Growth.LINEAR, 20);
        add(early, 1, 8, 1);
        assertThat(early.add(1_000, 1)).as("after seven gaps").isFalse();

        Bunches short16 = new Bunches(Growth.LINEAR, 20);
        add(short16, 1, 9, 1);
        assertThat(short16.add(9 + 16, 1)).isFalse();

        Bunches long17 = new Bunches(Growth.LINEAR, 20);
        add(long17, 1, 9, 1);
        assertThat(long17.add(9 + 17, 1)).isTrue();
    }

    /** With a step of 20 the first bunch has 60 examples at least, the second one 120. */
    @Test
    void shouldEndABunchWithAPairOfRuns() {
        Bunches bunches = new Bunches(Growth.LINEAR, 20);
        add(bunches, 1, 50, 1);
        bunches.add(51, -1);
        assertThat(bunches.add(52, 1)).as("too short").isFalse();
        add(bunches, 53, 20, 1);
        assertThat(bunches.add(73, -1)).as("the other side").isFalse();
        assertThat(bunches.add(74, 1)).isTrue();
        assertThat(bunches.side()).as("no bet yet, but 1 is ahead").isEqualTo(1);

        add(bunches, 75, 118, -1);
        assertThat(bunches.add(74 + 119, 1)).isFalse();
        bunches.add(74 + 120, -1);
        assertThat(bunches.add(74 + 121, 1)).isTrue();
    }

    /** Nine bunches of one are won, one of 40 is lost: by bets the challenger is ahead, by its errors the champion. */
    @Test
    void shouldHaveNoSideWhereManySmallBunchesContradictALargeOne() {
        Bunches bunches = new Bunches(Growth.LINEAR, 1);
        add(bunches, 1, 5, 1);
        add(bunches, 6, 5, -1);
        long example = 10;
        for (int k = 0; k < 9; k++) {
            example += 1_000_000L << k;
            bunches.add(example, 1);
        }
        bunches.add(example + (1L << 40), -1);
        assertThat(bunches.side()).isEqualTo(1);
        assertThat(bunches.logEvidence()).isPositive();

        add(bunches, example + (1L << 40) + 1, 39, -1);
        bunches.add(example + (1L << 60), 1);
        assertThat(bunches.side()).isZero();
        assertThat(bunches.logEvidence()).isEqualTo(Double.NEGATIVE_INFINITY);
    }

    @SeededTest
    void shouldGoOnWithTheSameBitsAfterItWasStored(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Bunches bunches = new Bunches(Growth.LINEAR, 2);
        Bunches stored = new Bunches(Growth.LINEAR, 2);
        long example = 0;
        for (int k = 0; k < 5_000; k++) {
            example += 1 + random.nextInt(random.nextInt(20) == 0 ? 1_000 : 4);
            int side = random.nextInt(3) == 0 ? -1 : 1;
            assertThat(stored.add(example, side)).isEqualTo(bunches.add(example, side));
            if (random.nextInt(5) == 0) {
                StoredFields out = new StoredFields();
                stored.exchange(out);
                StoredFields in = new StoredFields(out.toBytes());
                stored = new Bunches(Growth.LINEAR, 2);
                stored.exchange(in);
                in.requireEnd();
            }
            assertThat(Double.doubleToRawLongBits(stored.logEvidence()))
                    .isEqualTo(Double.doubleToRawLongBits(bunches.logEvidence()));
        }
        assertThat(bunches.logEvidence()).isGreaterThan(5);
    }
}
