package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.Label;
import java.util.List;
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

    @ParameterizedTest
    @MethodSource("settings")
    void shouldRefuseAStateWithNames(Settings settings) {
        LearnerState state = new LearnerState(create(settings).state().numbers(), List.of("spam"));

        assertThatThrownBy(() -> create(settings).restore(state))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the state of " + create(settings).name() + " must have no names, got 1");
    }
}
