package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.ModelStatus;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Advice outlived its reason: a model with scale=standard was told to set it, after a promotion. */
final class PresentAdviceTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            BASELINE     | 0 | perceptron models set m scale=standard predict=averaged | true
            BASELINE     | 1 | perceptron models set m scale=standard predict=averaged | false
            RUNS         | 1 |                                                         | false
            NUMBER_TEXTS | 1 |                                                         | true
            RARE_LABEL   | 1 |                                                         | true
            AVERAGED     | 0 | perceptron models set m predict=last                    | false
            RUNS         | 0 | perceptron models challenge m advised-runs algorithm=pa scale=standard c=1.0 | true
            """)
    void shouldBeForTheModelAsItIs(String kind, long epoch, String command, boolean isShown) {
        Alert alert = Events.filled(Alert.class);
        alert.setAdvice(kind);
        alert.setEpoch(0L);
        alert.setCommand(command);
        ModelStatus status = Events.filled(ModelStatus.class);
        status.setEpoch(epoch);
        status.setSettings(Map.of("scale", "none", "predict", "last", "c", "1.0"));

        assertThat(RefusalCheck.isOfPresent(alert, status)).isEqualTo(isShown);
        assertThat(RefusalCheck.isOfPresent(alert, null)).isTrue();
    }
}
