package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.Model;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RemedyTest {
    private static String refusal(Model model, Label label) {
        Example example = new Example();
        example.vector().resetDense().append(1);
        example.setLabel(label);
        return catchThrowableOfType(RejectedException.class, () -> model.process(example, 0))
                .getMessage();
    }

    /** With the command labels=A,B every label was refused from then on. */
    @Test
    void shouldPrintNoCommandWithNamesThatStandForOthers() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "perceptron"));

        assertThat(Remedy.commands("m", refusal(model, new Label.ClassName("spam"))))
                .containsExactly("perceptron models set m algorithm=multiclass");
    }

    /** A user copies the command into a shell, and a producer chooses the label in it. */
    @Test
    void shouldQuoteWhatALabelHasBroughtIntoTheMessage() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "perceptron"));

        assertThat(Remedy.commands("m", refusal(model, new Label.ClassName("set h=$(reboot)"))))
                .contains("perceptron models set m 'h=$(reboot'");
    }

    /** Of another scale the weights would be wrong: the message has the two commands that keep the model sound. */
    @Test
    void shouldMakeCommandsOfAResetAndOfAChallenger() {
        Model model = new Model();
        Example example = new Example();
        example.vector().resetDense().append(1);
        example.setLabel(Label.PLUS_ONE);
        model.process(example, 0);

        assertThat(Remedy.commands("m", fault(model, Map.of("scale", "standard"))))
                .containsExactly(
                        "perceptron models reset m scale=standard --yes",
                        "perceptron challengers begin m next scale=standard trial.promote=auto");
        assertThat(Remedy.commands("m", fault(model, Map.of("hash.bits", "20"))))
                .containsExactly(
                        "perceptron models reset m hash.bits=20 --yes", "perceptron models copy m m-next hash.bits=20");
    }

    private static String fault(Model model, Map<String, String> changes) {
        return catchThrowableOfType(IllegalArgumentException.class, () -> model.configure(changes))
                .getMessage();
    }

    @Test
    void shouldMakeOptionsOfFitOfTheChanges() {
        assertThat(Remedy.withOptions("got 2 (if there are more, reset with algorithm=multiclass labels=)"))
                .isEqualTo("got 2 (if there are more, --set algorithm=multiclass --set labels=)");
    }
}
