package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Additional contract of two-class learners: accepted and rejected labels. */
abstract class TwoClassContract extends LearnerContract {
    @Override
    Label label(Settings settings, int y) {
        return settings.labels().isEmpty()
                ? Label.of(y)
                : new Label.ClassName(settings.labels().get(y < 0 ? 0 : 1));
    }

    @Override
    List<Rejected> rejected() {
        Sample good = Sample.dense(1, 1, 2, 3);
        return List.of(
                new Rejected(Sample.dense(1, 1e200), Label.PLUS_ONE),
                new Rejected(Sample.dense(1, 1e200), new Label.ClassName("spam")),
                new Rejected(good, Label.of(0)),
                new Rejected(good, Label.of(2)),
                new Rejected(good, new Label.ClassName("eggs")),
                new Rejected(good, new Label.Tags(List.of("NOUN"))));
    }

    /** One tiny example must not end a model, whether its learner can use it or not. */
    @ParameterizedTest
    @MethodSource("settings")
    void shouldNotBeQuarantinedByATinyExample(Settings settings) {
        for (String bias : List.of("true", "false")) {
            for (double value : new double[] {1e-155, 1e-170, 1e-310}) {
                Settings with = settings.with(Map.of("bias", bias));
                Learner fresh = create(with);
                Learner learned = create(with);
                samples(1).forEach(sample -> learn(with, learned, sample));
                for (int y : new int[] {-1, 1, 1, -1}) {
                    for (Learner learner : List.of(fresh, learned)) {
                        // the first index is that of another feature, the last one is new
                        for (int index : new int[] {0, 100_000}) {
                            tryToLearn(with, learner, Sample.sparse(y, new int[] {index}, new double[] {value}));
                        }
                    }
                }
            }
        }
    }

    private void tryToLearn(Settings settings, Learner learner, Sample sample) {
        try {
            learn(settings, learner, sample);
        } catch (RejectedException e) {
            assertThat(e.reason()).as("%s: %s", settings, e.getMessage()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void shouldRefuseAStateWithNames(Settings settings) {
        LearnerState state = new LearnerState(create(settings).state().numbers(), List.of("spam"));

        assertThatThrownBy(() -> create(settings).restore(state))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the state of " + create(settings).name() + " must have no names, got 1");
    }
}
