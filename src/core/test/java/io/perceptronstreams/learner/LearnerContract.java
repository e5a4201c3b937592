package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Contract of every learner: subclasses define settings and labels, and the examples that must be rejected.
 *
 * <p>A learner that is new in {@link Algorithm} is under contract with its default settings.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class LearnerContract {
    private static final int EXAMPLES = 400;

    private final Outcome outcome = new Outcome();

    /** Returns true for the learners under this contract. */
    public abstract boolean covers(Algorithm algorithm);

    /** Further settings, a line for each: an algorithm, and values that are not the defaults. */
    public abstract String others();

    /** The settings under which the contract is checked: the defaults of each learner, and others. */
    final Stream<Settings> settings() {
        Stream<String> defaults =
                Stream.of(Algorithm.values()).filter(this::covers).map(Algorithm::toString);
        return Stream.concat(defaults, others().lines()).map(line -> {
            Map<String, String> changes = new HashMap<>();
            for (String pair : ("algorithm=" + line).split(" \\| ", -1)) {
                changes.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
            }
            return Settings.DEFAULTS.with(changes);
        });
    }

    static Learner create(Settings settings) {
        return Algorithm.of(settings).create(settings);
    }

    /** The label for a number that is -1 or +1. */
    public abstract Label label(Settings settings, int y);

    /** The label of an example; another one than that for its number where there are more than two classes. */
    public Label label(Settings settings, Sample sample) {
        return label(settings, sample.y);
    }

    /** The features that this learner takes, made of those of a sample; new ones every time. */
    public Features features(Sample sample) {
        return sample.vector();
    }

    /** An example and the label with which the learner must reject it at any time. */
    public record Rejected(Features features, Label label) {
        public Rejected(Sample sample, Label label) {
            this(sample.vector(), label);
        }
    }

    public abstract List<Rejected> rejected();

    Stream<Arguments> seedsAndSettings() {
        return Seeds.all().boxed().flatMap(seed -> settings().map(each -> Arguments.of(seed, each)));
    }

    @ParameterizedTest
    @MethodSource("seedsAndSettings")
    void shouldChangeNothingWhenItPredictsOrEvaluates(long seed, Settings settings) {
        Learner learner = create(settings);
        List<Sample> samples = samples(seed);
        samples.subList(0, EXAMPLES / 2).forEach(sample -> learn(settings, learner, sample));
        drain(learner, new HashMap<>());
        List<Object> before = Bits.of(learner);

        for (Sample sample : samples) {
            Features x = features(sample);
            learner.predict(x, outcome);
            learner.evaluate(x, label(settings, sample), outcome);

            assertThat(outcome.isUpdated()).isFalse();
            assertThat(shown(x)).isEqualTo(shown(features(sample)));
        }
        assertThat(Bits.of(learner)).isEqualTo(before);
        assertThat(drain(learner, new HashMap<>())).isZero();
    }

    @ParameterizedTest
    @MethodSource("seedsAndSettings")
    void shouldReturnFromLearningWhatPredictingWouldHaveReturned(long seed, Settings settings) {
        Learner learner = create(settings);
        for (Sample sample : samples(seed)) {
            learner.predict(features(sample), outcome);
            List<Object> predicted = Bits.ofPrediction(outcome);
            learner.evaluate(features(sample), label(settings, sample), outcome);
            List<Object> evaluated = List.of(outcome.kind(), outcome.margin(), outcome.hingeLoss(), outcome.isError());

            learn(settings, learner, sample);

            assertThat(Bits.ofPrediction(outcome)).isEqualTo(predicted);
            assertThat(List.of(outcome.kind(), outcome.margin(), outcome.hingeLoss(), outcome.isError()))
                    .isEqualTo(evaluated);
        }
    }

    @ParameterizedTest
    @MethodSource("seedsAndSettings")
    void shouldComeToTheSameBitsFromTheSameInput(long seed, Settings settings) {
        Learner one = create(settings);
        Learner other = create(settings);
        for (Sample sample : samples(seed)) {
            learn(settings, one, sample);
            List<Object> first = Bits.of(outcome);
            learn(settings, other, sample);

            assertThat(Bits.of(outcome)).isEqualTo(first);
        }
        assertThat(Bits.of(other)).isEqualTo(Bits.of(one));
    }

    @ParameterizedTest
    @MethodSource("seedsAndSettings")
    void shouldGoOnAsIfNothingHadHappenedAfterItsStateWasRestored(long seed, Settings settings) {
        Random random = new Random(seed);
        Learner original = create(settings);
        Learner restored = create(settings);
        // What a store holds: the last version of every block that was ever handed over.
        Map<List<Integer>, double[]> stored = new HashMap<>();
        for (Sample sample : samples(seed)) {
            learn(settings, original, sample);
            List<Object> expected = Bits.of(outcome);
            learn(settings, restored, sample);
            assertThat(Bits.of(outcome)).isEqualTo(expected);

            if (random.nextInt(10) == 0) {
                drain(restored, stored);
            }
            if (random.nextInt(40) == 0) {
                drain(restored, stored);
                restored = restore(settings, restored.state(), stored);
                assertThat(Bits.of(restored)).isEqualTo(Bits.of(original));
            }
        }
        assertThat(Bits.of(restored)).isEqualTo(Bits.of(original));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void shouldRefuseAStateWithMoreOrFewerNumbersThanItsOwn(Settings settings) {
        LearnerState state = create(settings).state();
        List<Double> more = new ArrayList<>(state.numbers());
        // more than those of a comparator, which a state may have or not
        more.addAll(Collections.nCopies(20, 0.0));

        assertThatThrownBy(() -> create(settings).restore(new LearnerState(more, state.names())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the state of " + create(settings).name() + " must have ")
                .hasMessageEndingWith(" numbers, got " + more.size());
        assertThatThrownBy(() -> create(settings)
                        .restore(new LearnerState(state.numbers().subList(0, 1), state.names())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(" at position 1, got only 1 numbers");
    }

    @ParameterizedTest
    @MethodSource("seedsAndSettings")
    void shouldChangeNothingWhenItRejectsAnExample(long seed, Settings settings) {
        Learner learner = create(settings);
        for (Sample sample : samples(seed).subList(0, 20)) {
            learn(settings, learner, sample);
            drain(learner, new HashMap<>());
            List<Object> before = Bits.of(learner);
            for (Rejected bad : rejected()) {
                assertThatThrownBy(() -> learner.learn(bad.features(), bad.label(), 1, outcome))
                        .isInstanceOf(RejectedException.class);
                assertThat(Bits.of(learner)).isEqualTo(before);
                assertThat(drain(learner, new HashMap<>())).isZero();
            }
        }
    }

    /** Such an example put the model into quarantine, although the update was not made. */
    @ParameterizedTest
    @MethodSource("seedsAndSettings")
    void shouldChangeNothingAndGoOnWhereAnUpdateWouldOverflow(long seed, Settings settings) {
        Learner learner = create(settings);
        Learner other = create(settings);
        for (Sample sample : samples(seed).subList(0, 60)) {
            for (double weight : new double[] {1e154, 1e200, Double.MAX_VALUE}) {
                List<Object> before = Bits.of(learner);
                drain(learner, new HashMap<>());
                try {
                    learn(settings, learner, sample.withWeight(weight));
                    // not every learner has steps in proportion to the weight
                    learn(settings, other, sample.withWeight(weight));
                } catch (RejectedException e) {
                    assertThat(e.reason()).as("seed %d", seed).isEqualTo(RejectReason.SCORE_OVERFLOW);
                    assertThat(Bits.of(learner)).as("seed %d", seed).isEqualTo(before);
                    assertThat(drain(learner, new HashMap<>())).isZero();
                }
            }
            learn(settings, learner, sample);
            List<Object> learned = Bits.of(outcome);
            learn(settings, other, sample);
            assertThat(Bits.of(outcome)).as("seed %d", seed).isEqualTo(learned);
        }
        assertThat(Bits.of(other)).as("seed %d", seed).isEqualTo(Bits.of(learner));
    }

    @ParameterizedTest
    @MethodSource("seedsAndSettings")
    void shouldShowAllItsBlocksAndThenHandOverTheChangedOnesAsBefore(long seed, Settings settings) {
        Random random = new Random(seed);
        Learner learner = create(settings);
        Map<List<Integer>, double[]> stored = new HashMap<>();
        for (Sample sample : samples(seed)) {
            learn(settings, learner, sample);
            if (random.nextInt(20) == 0) {
                Map<List<Integer>, double[]> shown = new HashMap<>();
                for (int vector = 0; vector < learner.blocks().size(); vector++) {
                    int ofVector = vector;
                    learner.blocks()
                            .get(vector)
                            .forEach((number, block) -> shown.put(List.of(ofVector, number), block.clone()));
                }
                drain(learner, stored);
                assertThat(bits(shown)).isEqualTo(bits(stored));
            }
        }
    }

    private static Map<List<Integer>, List<Long>> bits(Map<List<Integer>, double[]> blocks) {
        Map<List<Integer>, List<Long>> bits = new HashMap<>();
        blocks.forEach((key, block) -> bits.put(
                key, Arrays.stream(block).mapToObj(Double::doubleToRawLongBits).toList()));
        return bits;
    }

    /** Prepares what {@link Learner#learn} takes besides features, label and weight: nothing. */
    public void prepare(Settings settings, Sample sample, Outcome outcome) {}

    void learn(Settings settings, Learner learner, Sample sample) {
        prepare(settings, sample, outcome);
        learner.learn(features(sample), label(settings, sample), sample.weight, outcome);
    }

    private Learner restore(Settings settings, LearnerState state, Map<List<Integer>, double[]> stored) {
        Learner learner = create(settings);
        learner.restore(state);
        stored.forEach((key, block) -> learner.blocks().get(key.get(0)).restore(key.get(1), block.clone()));
        return learner;
    }

    /** Copies the changed blocks, by vector and number; how many there were, not counting those of small vectors. */
    private static int drain(Learner learner, Map<List<Integer>, double[]> into) {
        int[] count = new int[1];
        for (int vector = 0; vector < learner.blocks().size(); vector++) {
            int ofVector = vector;
            boolean isSmall = learner.blocks().get(vector) instanceof BlockVector weights && weights.isSmall();
            WrittenBlocks.drain(learner.blocks().get(vector), (number, block) -> {
                if (block == null) {
                    into.remove(List.of(ofVector, number));
                } else {
                    into.put(List.of(ofVector, number), block.clone());
                }
                count[0] += isSmall ? 0 : 1;
            });
        }
        return count[0];
    }

    /** With weights of examples, and with indices far apart. */
    static List<Sample> samples(long seed) {
        Random random = new Random(seed);
        List<Sample> samples = new ArrayList<>();
        for (Sample sample : RandomStreams.noisy(random, EXAMPLES, 50, 8)) {
            int[] spread = sample.indices.clone();
            for (int k = 0; k < spread.length; k++) {
                spread[k] *= 77_777;
            }
            samples.add(Sample.sparse(sample.y, spread, sample.values).withWeight(0.1 + random.nextInt(30) / 10.0));
        }
        return samples;
    }

    private static List<Object> shown(Features features) {
        List<Object> shown = new ArrayList<>();
        if (features instanceof Sequence sequence) {
            for (int i = 0; i < sequence.size(); i++) {
                shown.add(shown(sequence.token(i)));
            }
        } else if (features instanceof Candidates candidates) {
            for (int k = 0; k < candidates.size(); k++) {
                shown.add(List.of(candidates.output(k), shown(candidates.features(k))));
            }
        } else {
            FeatureVector x = (FeatureVector) features;
            for (int k = 0; k < x.size(); k++) {
                shown.add(List.of(x.index(k), x.values()[k]));
            }
        }
        return shown;
    }
}
