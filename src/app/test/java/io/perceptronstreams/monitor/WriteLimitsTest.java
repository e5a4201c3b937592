package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Limits of requests with events. */
final class WriteLimitsTest {
    private long now;
    private final WriteLimits limits = new WriteLimits(2, 10, 20, () -> now, 100, 150);

    @Test
    void shouldLimitRequestsAndTheirBytes() {
        assertThat(limits.begin(WriteLimits.MAX_BYTES - 1)).isNull();
        assertThat(limits.begin(2)).contains("bytes");
        assertThat(limits.begin(1)).isNull();
        assertThat(limits.begin(0)).contains("http.write.requests.max = 2");
        limits.end(1);
        assertThat(limits.begin(1)).isNull();
        assertThat(limits.requests()).isEqualTo(2);
    }

    @Test
    void shouldLimitEventsPerSecond() {
        assertThat(limits.take(10)).isNull();
        assertThat(limits.take(1)).contains("http.write.rate.max = 10");
        now += TimeUnit.MILLISECONDS.toNanos(100);
        assertThat(limits.take(1)).isNull();
        assertThat(limits.take(1)).isNotNull();
        // never more than those of a second
        now += TimeUnit.HOURS.toNanos(1);
        assertThat(limits.take(10)).isNull();
        assertThat(limits.take(1)).isNotNull();
    }

    @Test
    void shouldLimitExamplesForTheReplicaPerSecond() {
        assertThat(limits.take(10)).isNull();
        assertThat(limits.takePredicted(20)).isNull();
        assertThat(limits.takePredicted(1)).contains("http.replica.rate.max = 20");
        now += TimeUnit.MILLISECONDS.toNanos(50);
        assertThat(limits.takePredicted(1)).isNull();
    }

    @Test
    void shouldLimitTheBytesOfAnAnswerAndOfAllAnswers() {
        AnswerBudget first = limits.answer();
        assertThat(first.take(101)).contains("an answer must have at most 100 bytes");
        assertThat(first.take(100)).isNull();
        assertThat(first.take(1)).contains("an answer must have at most 100 bytes");

        AnswerBudget second = limits.answer();
        assertThat(second.take(51)).contains("answers at the same time must have at most 150 bytes");
        assertThat(second.take(50)).isNull();
        second.clear();
        assertThat(limits.answerBytes()).isEqualTo(100);
    }

    /** The connection may end before the answer is complete. */
    @Test
    void shouldReturnTheBytesOfAnAnswerWhenBothHoldersHaveReleasedIt() {
        AnswerBudget answer = limits.answer();
        assertThat(answer.take(50)).isNull();
        answer.release();
        assertThat(answer.take(50)).isNull();
        assertThat(limits.answerBytes()).isEqualTo(100);
        answer.release();
        assertThat(limits.answerBytes()).isZero();
    }

    /** The prediction was read after the time-out: no answer was left to return its bytes. */
    @Test
    void shouldTakeNothingForAnAnswerThatIsSent() {
        AnswerBudget answer = limits.answer();
        answer.release();
        answer.release();
        assertThat(answer.take(50)).isNull();
        assertThat(limits.answerBytes()).isZero();
    }

    @Test
    void shouldTakeMoreEventsThanThoseOfASecondAtOnceButPayForThem() {
        assertThat(limits.take(30)).isNull();
        now += TimeUnit.MILLISECONDS.toNanos(2_050);
        assertThat(limits.take(1)).isNotNull();
        now += TimeUnit.MILLISECONDS.toNanos(100);
        assertThat(limits.take(1)).isNull();
    }
}
