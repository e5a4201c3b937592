package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class BatchTrainerTest {
    private final Model model = new Model();
    private final List<BatchTrainer.Pass> passes = new ArrayList<>();

    @ParameterizedTest
    @MethodSource("io.perceptronstreams.example.Seeds#all")
    void shouldLeaveTheModelAsItIsWhenItCountsErrors(long seed) {
        model.configure(Map.of("scale", "standard", "predict", "averaged", "h", "0.5"));
        ExampleBuffer examples = examples(seed);
        train(examples, 2, Long.MAX_VALUE);
        List<Object> before = bits();

        Map<Settings.Predict, Evaluation> errors = Evaluation.ofEach(model, examples);

        assertThat(errors).containsKeys(Settings.Predict.LAST, Settings.Predict.AVERAGED);
        assertThat(Evaluation.ofEach(model, examples)).as("seed %d", seed).isEqualTo(errors);
        assertThat(bits()).as("seed %d", seed).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("io.perceptronstreams.example.Seeds#all")
    void shouldKeepWhatWasLearnedWhenItIsStopped(long seed) {
        train(examples(seed), 5, 250);

        assertThat(passes).extracting(BatchTrainer.Pass::examples).containsExactly(200L, 50L);
        assertThat(model.totals().examples()).isEqualTo(250);
    }

    private void train(ExampleBuffer examples, int epochs, long limit) {
        new BatchTrainer(model, examples, BatchTrainer.Order.FILE, 1).train(epochs, new BatchTrainer.Watcher() {
            @Override
            public boolean keepGoing(long done) {
                return done < limit;
            }

            @Override
            public void passed(BatchTrainer.Pass pass) {
                passes.add(pass);
            }
        });
    }

    private List<Object> bits() {
        return List.of(
                Bits.of(model.learner()),
                Bits.of((BlockVector) model.vector(Model.STATISTICS)),
                Bits.of(model.totals()),
                model.settings(),
                model.window().counts().examples());
    }

    private static ExampleBuffer examples(long seed) {
        ExampleBuffer examples = new ExampleBuffer();
        for (Sample sample : RandomStreams.noisy(new Random(seed), 200, 30, 6)) {
            examples.add(sample.example());
        }
        return examples;
    }
}
