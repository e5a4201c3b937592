package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.learner.Sample;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Limits of the examples that are learned in imported weights. */
class CatchUpTest {
    private static final int FEATURES = 1 << 15;

    private final Model model = new Model();
    private final ModelSession.CatchUp catchUp = new ModelSession.CatchUp(model, 7, false);

    /** 2^30 steps, of which an example takes 16 to read each feature and 1 to score it. */
    @Test
    void shouldRefuseMoreThanTheWorkOfOneTransaction() {
        Sample sample = Sample.dense(1, new double[FEATURES]);
        int most = (1 << 30) / (17 * FEATURES);
        for (int k = 0; k < most; k++) {
            catchUp.example(8 + k, InputRecord.WHOLE, k, sample.example());
        }
        assertThat(model.counts().totals().examples()).isEqualTo(most);
        assertThatThrownBy(() -> catchUp.example(8 + most, InputRecord.WHOLE, most, sample.example()))
                .hasMessage(
                        "weights that replace a model must lack examples of at most 1073741824 steps, got more after"
                                + " offset 7");
    }

    /** With 1,024 classes an example has 2^15 * (16 + 1,024) steps, so that 2^29 are reached after 16. */
    @Test
    void shouldLearnOfARecordWhatTheModelWouldHaveUsed() {
        model.configure(Map.of("algorithm", "multiclass", "classes.max", "1024"));
        for (int k = 0; k < 1024; k++) {
            catchUp.example(k, InputRecord.WHOLE, k, Sample.dense(k, 1).example());
        }
        Sample sample = Sample.dense(1, new double[FEATURES]);
        for (int k = 0; k < 20; k++) {
            catchUp.example(2000, k, k, sample.example());
        }
        assertThat(model.counts().totals().examples()).isEqualTo(1024 + 16);
        catchUp.example(2001, 0, 0, sample.example());
        assertThat(model.counts().totals().examples()).isEqualTo(1024 + 17);
    }
}
