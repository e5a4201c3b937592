package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Fuzz;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Learner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random imports: each is rejected with a message, or gives a model that works or rejects examples with a message. */
final class RandomImportTest {
    private static final int IMPORTS = 4_000;
    private static final double[] SPECIAL = {0, 1, -1, 0.5, 2, 1e300, -1e300, Double.MIN_VALUE, -0.0, 1L << 53, 3};
    private static final List<String> ALGORITHMS = List.of(
            "auto", "perceptron", "multiclass", "pa", "pa-i", "arow", "kernel", "structured", "sequence", "sgd", "scw");

    static LongStream seeds() {
        return Fuzz.seeds("imported models", 0.006, IMPORTS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("fuzz")
    void shouldRefuseNonsenseWithAMessageAndNothingElse(long seed) {
        Random random = new Random(seed);
        Map<String, Integer> taken = new HashMap<>();
        for (int round = 0; round < IMPORTS; round++) {
            String algorithm = ALGORITHMS.get(random.nextInt(ALGORITHMS.size()));
            Model model;
            try {
                model = imported(algorithm, random);
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).isNotEmpty();
                continue;
            }
            taken.merge(algorithm, 1, Integer::sum);
            use(model, random);
        }
        assertThat(taken).as("seed %d", seed).hasSizeGreaterThan(6);
    }

    private static Model imported(String algorithm, Random random) {
        Map<String, String> settings = new HashMap<>();
        settings.put("algorithm", random.nextInt(4) == 0 ? "auto" : algorithm);
        if (random.nextInt(3) == 0) {
            settings.put("scale", "standard");
        }
        if (random.nextInt(3) == 0) {
            settings.put("predict", "averaged");
        }
        if (random.nextInt(6) == 0) {
            settings.put("comparator", random.nextBoolean() ? "3" : "imported");
        }
        if (algorithm.equals("kernel")) {
            settings.put("kernel", random.nextBoolean() ? "rbf(g=1)" : "poly(c=1,k=3)");
            settings.put("budget", "" + random.nextInt(4));
        }
        Counts totals = new Counts();
        totals.set(Counter.EXAMPLES, 9)
                .set(Counter.LABELLED, 9)
                .set(Counter.ERRORS, random.nextInt(3))
                .set(Counter.MISTAKES, 2)
                .set(Counter.MARGIN_MISTAKES, 0)
                .set(Counter.UPDATES, random.nextInt(9))
                .setHingeLoss(1);
        ModelBuilder model = ModelBuilderTest.builder(settings, algorithm, totals);
        int[] sizes = {0, 4, 5, 7, 21};
        double[] numbers = new double
                [switch (algorithm) {
                    case "auto" -> 0;
                    case "arow", "scw" -> 4;
                    case "kernel", "sgd" -> 7;
                    default -> random.nextInt(3) == 0 ? sizes[random.nextInt(sizes.length)] : 5;
                }];
        for (int k = 0; k < numbers.length; k++) {
            numbers[k] = random.nextInt(3) == 0 ? SPECIAL[random.nextInt(SPECIAL.length)] : random.nextInt(4);
        }
        boolean hasNames = algorithm.equals("multiclass") || algorithm.equals("sequence");
        model.addState(numbers, hasNames ? List.of("a", "b", "c").subList(0, random.nextInt(4)) : List.of());
        int vector = -1;
        int number = 0;
        for (int k = random.nextInt(4); k > 0; k--) {
            if (random.nextBoolean()) {
                vector++;
                number = 0;
            }
            int[] lengths = {8, 16, 128, 256, 384, 3};
            int length = lengths[random.nextInt(lengths.length)];
            List<Integer> positions = new ArrayList<>();
            for (int position = 0; position < length; position += 1 + random.nextInt(40)) {
                positions.add(position);
            }
            double[] values = new double[positions.size()];
            Arrays.setAll(values, each -> SPECIAL[random.nextInt(SPECIAL.length)]);
            model.addBlock(
                    vector,
                    number++,
                    length,
                    positions.stream().mapToInt(each -> each).toArray(),
                    values);
        }
        return model.finish();
    }

    private static void use(Model imported, Random random) {
        Model model = new Model();
        model.replaceWith(imported);
        for (int k = 0; k < 20; k++) {
            Example example = example(random);
            try {
                model.process(example, k);
            } catch (RejectedException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
            if (model.drift().isOn()) {
                model.adapt();
            }
            if (k == 15) {
                model.reset(Map.of());
            }
        }
        model.pipeline().learner().forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {}

            @Override
            public void weight(int index, double weight, double averaged) {
                assertThat(weight).isFinite();
            }
        });
    }

    private static Example example(Random random) {
        Example example = new Example();
        example.setWeight(1);
        int kind = random.nextInt(4);
        switch (kind) {
            case 0 -> {
                example.sequence().append().append(random.nextInt(3), 1);
                example.sequence().append().append(random.nextInt(200), 1);
                example.setFeatures(example.sequence());
                example.setLabel(new Label.Tags(List.of("a", "b")));
            }
            case 1 -> {
                example.candidates().append("x").append(random.nextInt(200), 1);
                example.candidates().append("y").append(random.nextInt(3), 1);
                example.setFeatures(example.candidates());
                example.setLabel(new Label.ClassName("y"));
            }
            default -> {
                example.vector().resetDense();
                example.vector().append(random.nextGaussian());
                example.vector().append(1);
                example.vector().append(random.nextInt(3));
                example.setFeatures(example.vector());
                example.setLabel(kind == 2 ? Label.of(2 * random.nextInt(2) - 1) : new Label.ClassName("b"));
            }
        }
        if (random.nextInt(4) == 0) {
            example.setLabel(null);
        }
        return example;
    }
}
