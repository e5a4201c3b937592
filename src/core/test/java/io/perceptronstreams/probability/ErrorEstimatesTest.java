package io.perceptronstreams.probability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Windows of predictions that wait for labels, against sums over all of them. */
final class ErrorEstimatesTest {
    private static final int UNIT = 1_000_000;

    private ErrorEstimates estimates = new ErrorEstimates();

    /** A prediction, by its offset; and what became of it: 0 for out, 1 for right, 2 for wrong, 3 for lost. */
    private static final class Made {
        private final long offset;
        private final int millionths;
        private int fate;

        Made(long offset, int millionths) {
            this.offset = offset;
            this.millionths = millionths;
        }
    }

    @Test
    void shouldEstimateAWindowAndCompareItWithItsLabels() {
        // 100 predictions of 0.9: a tenth of them is expected to be wrong
        for (int k = 0; k < 100; k++) {
            assertThat(estimates.predicted(k, 10L * k, 900_000, 100, 0)).isNull();
        }
        ErrorEstimates.Window window = estimates.windows().get(0);
        assertThat(estimates.waiting()).isEqualTo(100);
        assertThat(estimates.expectedErrors()).isEqualTo(10);
        assertThat(window.estimate()).isEqualTo(0.1);
        assertThat(window.start()).isZero();
        assertThat(window.end()).isEqualTo(990);
        assertThat(window.error()).isNaN();

        // 20 labels, 4 of them wrong: known are 4 errors, 8 of the other 80 are expected
        for (int k = 0; k < 20; k++) {
            estimates.labelled(k, 900_000, k < 4);
        }
        assertThat(window.present()).isEqualTo(0.12);
        assertThat(window.estimate()).isEqualTo(0.1);
        assertThat(estimates.compared()).isZero();
        assertThat(estimates.meanGap()).isNaN();

        // with the 90th label it is compared: 18 of 90 are wrong, 0.2 - 0.1
        for (int k = 20; k < 90; k++) {
            estimates.labelled(k, 900_000, k < 34);
        }
        assertThat(estimates.compared()).isEqualTo(1);
        assertThat(estimates.meanGap()).isEqualTo(0.1);
        assertThat(estimates.worstGap()).isEqualTo(0.1);
        for (int k = 90; k < 100; k++) {
            estimates.lost(k, 900_000);
        }
        assertThat(estimates.compared()).isEqualTo(1);
        assertThat(estimates.waiting()).isZero();
        assertThat(estimates.expectedErrors()).isZero();
        assertThat(window.present()).isEqualTo(0.2);
    }

    @Test
    void shouldTellOnceWhereAnEstimateLeavesTheKnownErrors() {
        long offset = 0;
        // three windows with errors of 0.08, 0.1 and 0.12 are known
        for (int wrong = 8; wrong <= 12; wrong += 2) {
            long first = offset;
            for (int k = 0; k < 100; k++) {
                assertThat(estimates.predicted(offset++, 0, 900_000, 100, 0.05)).isNull();
            }
            for (int k = 0; k < 100; k++) {
                estimates.labelled(first + k, 900_000, k < wrong);
            }
        }
        assertThat(fill(offset, 830_001)).isNull();
        // 0.17 is not more than 0.12 + 0.05, but 0.1701 is
        ErrorEstimates.Outlier outlier = fill(offset + 100, 829_900);
        assertThat(outlier.estimate()).isCloseTo(0.1701, within(1e-12));
        assertThat(outlier.least()).isEqualTo(0.08);
        assertThat(outlier.most()).isEqualTo(0.12);
        assertThat(fill(offset + 200, 700_000)).isNull();
        assertThat(fill(offset + 300, 900_000)).isNull();
        assertThat(fill(offset + 400, 980_000)).isNotNull();
    }

    private ErrorEstimates.Outlier fill(long offset, int millionths) {
        ErrorEstimates.Outlier last = null;
        for (int k = 0; k < 100; k++) {
            last = estimates.predicted(offset + k, 0, millionths, 100, 0.05);
        }
        return last;
    }

    @SeededTest
    void shouldCountAsSumsOverAllPredictions(long seed) {
        Random random = new Random(seed);
        List<Made> made = new ArrayList<>();
        List<Long> firsts = new ArrayList<>();
        long size = 0;
        long inLast = 0;
        for (int step = 0; step < 12_000; step++) {
            if (random.nextInt(3) > 0) {
                if (inLast >= size) {
                    // sizes follow the number of predictions at the first one of a window
                    size = Math.max(100, (made.size() + 1) / 20);
                    inLast = 0;
                    firsts.add((long) step);
                }
                // all of a record are in one window, also if it is full before the last one
                int several = random.nextInt(20) == 0 ? 1 + random.nextInt(150) : 1;
                for (int k = 0; k < several; k++) {
                    inLast++;
                    int p = 1 + random.nextInt(UNIT - 1);
                    made.add(new Made(step, p));
                    estimates.predicted(step, step, p, 100, 0);
                }
            } else if (!made.isEmpty()) {
                Made resolved = made.get(random.nextInt(made.size()));
                if (resolved.fate == 0) {
                    resolved.fate = 1 + random.nextInt(3);
                    if (resolved.fate == 3) {
                        estimates.lost(resolved.offset, resolved.millionths);
                    } else {
                        estimates.labelled(resolved.offset, resolved.millionths, resolved.fate == 2);
                    }
                }
            }
            if (random.nextInt(50) == 0) {
                estimates = restored();
            }
        }
        List<Made> out = made.stream().filter(each -> each.fate == 0).toList();
        assertThat(estimates.waiting()).isEqualTo(out.size());
        assertThat(estimates.expectedErrors()).isCloseTo(risk(out), within(1e-6));
        List<ErrorEstimates.Window> windows = estimates.windows();
        assertThat(windows).hasSize(Math.min(firsts.size(), ErrorEstimates.MAX_WINDOWS));
        for (int back = 1; back <= windows.size(); back++) {
            ErrorEstimates.Window window = windows.get(windows.size() - back);
            long from = firsts.get(firsts.size() - back);
            long to = back == 1 ? Long.MAX_VALUE : firsts.get(firsts.size() - back + 1);
            List<Made> all = made.stream()
                    .filter(each -> each.offset >= from && each.offset < to)
                    .toList();
            List<Made> waiting = all.stream().filter(each -> each.fate == 0).toList();
            long wrong = all.stream().filter(each -> each.fate == 2).count();
            long labelled = wrong + all.stream().filter(each -> each.fate == 1).count();
            assertThat(window.predictions()).isEqualTo(all.size());
            assertThat(window.out()).isEqualTo(waiting.size());
            assertThat(window.labelled()).isEqualTo(labelled);
            assertThat(window.errors()).isEqualTo(wrong);
            assertThat(window.estimate()).isCloseTo(risk(all) / all.size(), within(1e-9));
            assertThat(window.present()).isCloseTo((wrong + risk(waiting)) / (labelled + waiting.size()), within(1e-9));
            assertThat(window.start()).isEqualTo(all.get(0).offset);
            assertThat(window.end()).isEqualTo(all.get(all.size() - 1).offset);
        }
    }

    // Of the record with the hundredth label some predictions came before it, which are in no window.
    @Test
    void shouldBeginWithARecord() {
        estimates.predicted(7, 7, 900_000, 99, 0);
        estimates.predicted(7, 7, 900_000, 100, 0);
        assertThat(estimates.windows()).isEmpty();
        estimates.predicted(8, 8, 900_000, 100, 0);
        estimates.labelled(7, 900_000, false);
        assertThat(estimates.windows()).hasSize(1);
        assertThat(estimates.windows().get(0).out()).isEqualTo(1);
    }

    private static double risk(List<Made> made) {
        return made.stream().mapToDouble(each -> 1 - each.millionths / 1e6).sum();
    }

    private ErrorEstimates restored() {
        StoredFields out = new StoredFields();
        estimates.exchange(out);
        byte[] stored = out.toBytes();
        ErrorEstimates restored = new ErrorEstimates();
        StoredFields in = new StoredFields(stored);
        restored.exchange(in);
        in.requireEnd();
        StoredFields again = new StoredFields();
        restored.exchange(again);
        assertThat(Arrays.equals(again.toBytes(), stored)).isTrue();
        return restored;
    }

    /** Before any label, a model of two classes emits the second one with a probability that nobody has learned. */
    @Test
    void shouldEstimateNothingBeforeTheFirstLabels() {
        for (int k = 0; k < 300; k++) {
            estimates.predicted(k, k, 500_000, Math.min(k, 99), 0);
        }
        assertThat(estimates.windows()).isEmpty();
        assertThat(estimates.waiting()).isEqualTo(300);
        assertThat(estimates.expectedErrors()).isEqualTo(150);
        estimates.predicted(300, 300, 900_000, 100, 0);
        estimates.labelled(299, 500_000, true);
        assertThat(estimates.windows()).hasSize(1);
        assertThat(estimates.windows().get(0).out()).isEqualTo(1);
        assertThat(estimates.waiting()).isEqualTo(300);
    }

    @Test
    void shouldBeginAgainAndGoOnWaiting() {
        for (int k = 0; k < 150; k++) {
            estimates.predicted(k, k, 750_000, 100, 0);
        }
        estimates.beginAgain();
        assertThat(estimates.windows()).isEmpty();
        assertThat(estimates.waiting()).isEqualTo(150);
        // belongs to no window any more
        estimates.labelled(3, 750_000, true);
        assertThat(estimates.expectedErrors()).isEqualTo(149 * 0.25);
        estimates.predicted(200, 200, 750_000, 100, 0);
        assertThat(estimates.windows()).hasSize(1);
        estimates.clear();
        assertThat(estimates.isEmpty()).isTrue();
    }
}
