package io.perceptronstreams.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ExampleBufferTest {
    private final ExampleBuffer list = new ExampleBuffer();
    private final Example example = new Example();

    @Test
    void shouldGiveBackEveryKindOfFeaturesToTheBit() {
        example.setLabel(Label.of(-1));
        example.setWeight(0.25);
        example.setFeatures(example.vector().resetDense());
        example.vector().append(-0.0);
        example.vector().append(1);
        list.add(example);

        example.setLabel(null);
        example.setWeight(1);
        example.vector().resetSparse().append(7, 1);
        example.vector().append(900, 1);
        list.add(example);

        example.setLabel(new Label.Tags(List.of("D", "N")));
        example.setFeatures(example.sequence().clear());
        example.sequence().append().append(3, 1);
        example.sequence().append().append(4, 2);
        list.add(example);

        example.setLabel(new Label.ClassName("b"));
        example.setFeatures(example.candidates().clear());
        example.candidates().append("a").append(1, 0.5);
        example.candidates().append("b").append(2, 1);
        list.add(example);

        List<String> filled = new ArrayList<>();
        Example other = new Example();
        // backwards, so that nothing left of the one before may stay
        for (int position = list.size() - 1; position >= 0; position--) {
            list.fill(position, other);
            filled.add(other.label() + " " + other.weight() + " " + FeatureText.of(other.features()));
        }
        assertThat(filled)
                .containsExactly(
                        "b 1.0 a[1:0.5]b[2:1.0]",
                        "[D, N] 1.0 [3:1.0][4:2.0]",
                        "null 1.0 7:1.0 900:1.0",
                        "-1 0.25 dense 0:-0.0 1:1.0");
    }
}
