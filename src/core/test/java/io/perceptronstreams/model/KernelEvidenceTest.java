package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Parts of a kernel model's margin: the examples of its support, against a support kept by hand. */
class KernelEvidenceTest {
    /** A support by hand: each update with its features, coefficient and name, most of them repeated. */
    @SeededTest
    void shouldNameTheExamplesOfTheSupport(long seed) {
        Random random = new Random(seed);
        double[][] few = new double[25][3];
        for (double[] x : few) {
            Arrays.setAll(x, k -> Math.rint(8 * random.nextGaussian()) / 4);
        }
        Model model = new Model();
        model.configure(Map.of("algorithm", "kernel", "kernel", "rbf(g=0.3)", "bias", "false", "h", "0.1"));
        List<ByHand> support = new ArrayList<>();
        int named = 0;
        for (int k = 0; k < 300; k++) {
            double[] x = few[random.nextInt(few.length)];
            int y = (x[0] * x[1] > 0) ^ random.nextInt(6) == 0 ? 1 : -1;
            Example example = new Example();
            example.id().set("é" + k);
            example.vector().resetDense();
            for (double value : x) {
                example.vector().append(value);
            }
            example.setLabel(new Label.Int(y));
            boolean isExplained = k >= 40 && k % 50 < 40;
            model.configure(Map.of("explain", isExplained ? "3" : "0"));

            Outcome outcome = model.process(example, k);

            Map<String, Double> parts = new LinkedHashMap<>();
            for (ByHand each : support) {
                ByHand first = support.stream()
                        .filter(other -> other.x == each.x)
                        .findFirst()
                        .orElseThrow();
                parts.merge(first.name, y * each.alpha * each.kernel(x), Double::sum);
            }
            Evidence evidence = outcome.evidence();
            assertThat(evidence.isEmpty()).isEqualTo(!isExplained || !outcome.isUpdated());
            if (!evidence.isEmpty()) {
                requireLargest(parts, outcome, 3);
                named += evidence.size();
            }
            if (outcome.isUpdated()) {
                support.add(new ByHand(isExplained ? "é" + k : "update " + (support.size() + 1), x, y));
            }
            if (random.nextInt(20) == 0) {
                model = copy(model);
            }
        }
        assertThat(named).as("seed %d", seed).isGreaterThan(50);
    }

    private static void requireLargest(Map<String, Double> parts, Outcome outcome, int most) {
        Evidence evidence = outcome.evidence();
        List<String> largest = parts.entrySet().stream()
                .filter(each -> each.getValue() != 0)
                .sorted(Comparator.comparingDouble(each -> -Math.abs(each.getValue())))
                .limit(most)
                .map(Map.Entry::getKey)
                .toList();
        assertThat(IntStream.range(0, evidence.size()).mapToObj(evidence::tag)).isEqualTo(largest);
        double sum = 0;
        for (int k = 0; k < evidence.size(); k++) {
            assertThat(evidence.index(k)).isEqualTo(Evidence.NO_FEATURE);
            assertThat(evidence.contribution(k)).isCloseTo(parts.get(evidence.tag(k)), within(1e-12));
            sum += evidence.contribution(k);
        }
        assertThat(evidence.bias()).isZero();
        assertThat(sum + evidence.rest()).isCloseTo(outcome.margin(), within(1e-12));
        double all = parts.values().stream().mapToDouble(Double::doubleValue).sum();
        assertThat(outcome.margin()).isCloseTo(all, within(1e-12));
    }

    private static final class ByHand {
        private final String name;
        private final double[] x;
        private final double alpha;

        ByHand(String name, double[] x, double alpha) {
            this.name = name;
            this.x = x;
            this.alpha = alpha;
        }

        double kernel(double[] other) {
            double squared = 0;
            for (int k = 0; k < x.length; k++) {
                squared += (x[k] - other[k]) * (x[k] - other[k]);
            }
            return Math.exp(-0.3 * squared);
        }
    }

    /** The model after a restart: settings, state and blocks. */
    private static Model copy(Model model) {
        Model copy = new Model();
        copy.restore(
                EpochModel.restored(
                        0,
                        model.pipeline().given(),
                        model.pipeline().negative(),
                        model.pipeline().algorithm(),
                        model.pipeline().learner().state()),
                ModelState.LIVE);
        copy.counts().totals().restore(model.counts().totals());
        for (int vector = 0; vector < model.pipeline().vectors(); vector++) {
            int of = vector;
            model.pipeline()
                    .vector(vector)
                    .forEach((number, block) -> copy.pipeline().vector(of).restore(number, block.clone()));
        }
        copy.pipeline().learner().checkBlocks();
        return copy;
    }

    @Test
    void shouldForgetTheIdOfAnExampleThatLeavesTheSupport() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "kernel", "kernel", "rbf(g=1)", "budget", "2", "h", "9"));
        for (int k = 0; k < 5; k++) {
            model.configure(Map.of("explain", k == 3 ? "0" : "5"));
            Example example = new Example();
            example.id().set(k == 1 ? "é" + "x".repeat(59) : "id" + k);
            example.vector().resetSparse().append(0, 0.1 * k);
            example.setLabel(Label.PLUS_ONE);
            Evidence evidence = model.process(example, k).evidence();
            List<String> names =
                    IntStream.range(0, evidence.size()).mapToObj(evidence::tag).toList();
            assertThat(names)
                    .isEqualTo(List.of(
                                    List.<String>of(),
                                    List.of("id0"),
                                    List.of("x".repeat(59), "id0"),
                                    List.<String>of(),
                                    List.of("update 4", "id2"))
                            .get(k));
        }
        assertThat(model.pipeline().vector(2).count()).isEqualTo(1);
    }
}
