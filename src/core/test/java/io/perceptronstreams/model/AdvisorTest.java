package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AdvisorTest {
    // no counts of a comparison, and no features whose sizes are observed
    private static final String NOT_COMPARING = "000000";
    private static final String NOTHING = "00" + NOT_COMPARING;

    private static final String RULE = "algorithm=sgd rate=adagrad scale=standard implicit=true stacked=true";

    private static final String RULE_OF_CLASSES = "algorithm=softmax rate=adagrad scale=standard implicit=true";

    private final Model model = new Model();
    private final Observed observed = Observed.of(model);
    private final Example example = new Example();
    private final List<Advice> advice = new ArrayList<>();
    private final List<Long> places = new ArrayList<>();

    @Test
    void shouldAdviseToScaleFeaturesOfDifferentSizes() {
        Random random = new Random(7);
        for (int k = 0; k < 2_000; k++) {
            int y = random.nextBoolean() ? 1 : -1;
            learn(y, y * (0.01 + 0.001 * random.nextDouble()), 500 + random.nextDouble());
        }
        assertThat(advice.get(0).kind()).isEqualTo(Advice.Kind.SCALE);
        assertThat(advice.get(0).command("m")).isEqualTo("perceptron models reset m " + RULE);
        // the means of 0.01 to 0.011 and of 500 to 501
        assertThat(advice.get(0).finding())
                .startsWith("feature 1 has a mean size of 500, feature 0 only of 0.0105, and ");
        // begun after example 64, with the 64 examples behind it
        assertThat(places.get(0)).isEqualTo(128);
        assertThat(kinds()).doesNotHaveDuplicates();
    }

    /** After 1,024 labels a trial decides: what the model has learned is not risked. */
    @Test
    void shouldAdviseAChallengerToAModelThatHasLearnedMuch() {
        Random random = new Random(7);
        for (int k = 0; k < 2_200; k++) {
            int y = random.nextBoolean() ? 1 : -1;
            int x = k < 250 && random.nextInt(3) == 0 ? -y : y;
            learn(y, x * (0.5 + random.nextDouble()), k < 2_000 ? 1 : 500 + random.nextDouble());
        }
        assertThat(advice.get(0).kind()).isEqualTo(Advice.Kind.SCALE);
        assertThat(advice.get(0).command("m"))
                .isEqualTo("perceptron challengers begin m advised-scale " + RULE + " trial.promote=auto");
        challenge(advice.get(0));
        assertThat(model.challengers().all()).hasSize(1);
    }

    /** The average over the past errs at every change of the label. */
    @Test
    void shouldNotAdviseToAverageWhereLabelsComeInRuns() {
        for (int k = 0; k < 500 && advice.isEmpty(); k++) {
            learn(k / 20 % 2 == 0 ? 1 : -1, 0.01, 500);
        }
        // wrong on fewer than one in ten, it may lose more by a new beginning than it can win
        assertThat(advice.get(0).command("m"))
                .isEqualTo(
                        "perceptron challengers begin m advised-scale algorithm=pa scale=standard trial.promote=auto");
    }

    /** Seven errors of 128 where the majority label makes 32: after a reset there were half as many more. */
    @Test
    void shouldAdviseAChallengerToAModelThatIsGood() {
        Random random = new Random(7);
        for (int k = 0; k < 500 && advice.isEmpty(); k++) {
            int y = random.nextBoolean() ? 1 : -1;
            int x = random.nextInt(14) == 0 ? -y : y;
            learn(y, 0.01 * random.nextDouble(), 500 * x);
        }
        assertThat(kinds()).containsExactly(Advice.Kind.SCALE);
        assertThat(4 * model.counts().totals().errors()).isLessThan(3 * 128 / 2);
        assertThat(advice.get(0).command("m"))
                .isEqualTo("perceptron challengers begin m advised-scale " + RULE + " trial.promote=auto");
    }

    /** "feature 175357 has a mean size of 3.83e+04": a number that stands on no page and in no file. */
    @Test
    void shouldNameFeaturesByTheirNames() {
        Random random = new Random(7);
        for (int k = 0; k < 500 && advice.isEmpty(); k++) {
            int y = random.nextBoolean() ? 1 : -1;
            boolean isClerk = random.nextInt(4) == 0 ? y < 0 : y > 0;
            learnNamed(y, Map.of("income", 40_000.0, isClerk ? "job=clerk" : "job=driver", 1.0));
        }
        assertThat(advice.get(0).finding())
                .startsWith("feature 'income' has a mean size of 4.00e+04, feature 'job=")
                .contains("' only of 1.00, and ");
    }

    /** The steps of a normalised learner do not depend on the units of its features. */
    @Test
    void shouldNotAdviseToScaleWhereTheLearnerNormalises() {
        model.configure(Map.of("algorithm", "sgd", "rate", "adagrad", "normalised", "true"));
        for (int k = 0; k < 300; k++) {
            learn(k % 2 == 0 ? 1 : -1, k % 2 == 0 ? 1e-3 : -1e-3, 500);
        }
        assertThat(advice).isEmpty();
    }

    @Test
    void shouldNotAdviseWhereAFeatureIsSmallByChance() {
        Random random = new Random(8);
        for (int k = 1; k <= 3_000; k++) {
            double x = random.nextGaussian();
            learn(x >= 0 ? 1 : -1, x, Long.bitCount(k) == 1 ? 1e-6 : random.nextGaussian());
        }
        assertThat(advice).isEmpty();
        assertThat(state(model)).isEqualTo(NOTHING);
    }

    @Test
    void shouldNotAdviseToScaleWhatIsScaled() {
        model.configure(Map.of("scale", "standard"));
        for (int k = 0; k < 300; k++) {
            learn(k % 2 == 0 ? 1 : -1, k % 2 == 0 ? 1e-3 : -1e-3, 500);
        }
        assertThat(advice).isEmpty();
    }

    @Test
    void shouldCompareErrorsWithTheCommonestLabel() {
        Random random = new Random(9);
        model.configure(Map.of("scale", "standard"));
        int negative = 0;
        for (int k = 0; k < 1_100; k++) {
            // one label in ten is -1, independently of the features
            int label = random.nextInt(10) == 0 ? -1 : 1;
            negative += label < 0 && k < 1_024 ? 1 : 0;
            learn(label, random.nextGaussian(), random.nextGaussian());
        }
        int number = kinds().indexOf(Advice.Kind.BASELINE);
        assertThat(number).isNotNegative();
        assertThat(places.get(number)).isEqualTo(1_024);
        assertThat(advice.get(number).finding())
                .contains(
                        " of 1024 labelled examples ",
                        "no fewer than the " + negative + " if '1', the most frequent label");
        assertThat(advice.get(number).command("m"))
                .isEqualTo("perceptron challengers begin m advised-baseline " + RULE + " trial.promote=auto");
    }

    /** The most used table of all has 891 rows; advice that begins with the 1,024th does not reach it. */
    @Test
    void shouldCompareWithTheCommonestLabelInASmallTable() {
        Random random = new Random(21);
        for (int k = 0; k < 200; k++) {
            assertThat(kinds()).doesNotContain(Advice.Kind.BASELINE);
            // independent of the features
            learn(k % 2 == 0 || k % 5 == 0 ? 1 : -1, random.nextGaussian());
        }
        // of ten labels in a row, 1, 3, 7 and 9 are -1
        int number = kinds().indexOf(Advice.Kind.BASELINE);
        assertThat(advice.get(number).finding())
                .isEqualTo(model.counts().totals().errors()
                        + " of 200 labelled examples were predicted wrong, no fewer than the 80 if '1', the most frequent label,"
                        + " were always predicted");
        assertThat(advice.get(number).command("m")).isEqualTo("perceptron models reset m " + RULE);
    }

    @Test
    void shouldNotBlameAModelWhoseSettingsAreTheAdvisedOnes() {
        model.configure(Map.of("algorithm", "sgd", "rate", "adagrad", "scale", "standard", "implicit", "true"));
        Random random = new Random(22);
        for (int k = 0; k < 2_000; k++) {
            learn(random.nextBoolean() ? 1 : -1, random.nextGaussian());
        }
        int number = kinds().indexOf(Advice.Kind.BASELINE);
        assertThat(number).isNotNegative();
        assertThat(advice.get(number).command("m")).isNull();
    }

    /**
     * Runs of 20 equal labels: the last label is wrong on one in 20; the features show nothing. It came at 32,768 once.
     */
    @Test
    void shouldCompareWithTheLastLabel() {
        Random random = new Random(23);
        for (int k = 0; k < 192; k++) {
            assertThat(advice).isEmpty();
            learn(k / 20 % 2 == 0 ? 1 : -1, random.nextGaussian());
        }
        int number = kinds().indexOf(Advice.Kind.RUNS);
        // a change before each of 9 runs, and the first label of all
        assertThat(advice.get(number).finding())
                .isEqualTo("labels come in runs: " + model.counts().totals().errors()
                        + " of 192 labelled examples were predicted"
                        + " wrong, and 10 would have been if the last label were always predicted");
        assertThat(advice.get(number).command("m")).isEqualTo("perceptron models reset m algorithm=pa scale=standard");
        assertThat(reset(advice.get(number)).pipeline().algorithm()).isEqualTo(Algorithm.PA);
    }

    /** Behind the last label long before a power of two; what it has learned by then is not discarded. */
    @Test
    void shouldCompareWithTheLastLabelAtAnyTime() {
        Random random = new Random(23);
        model.configure(Map.of("algorithm", "sgd", "rate", "adagrad", "scale", "standard", "implicit", "true"));
        int from = 2_000;
        int k = 0;
        for (; advice.isEmpty(); k++) {
            double x = random.nextGaussian();
            int run = k / 20 % 2 == 0 ? 1 : -1;
            learn(k < from ? (random.nextInt(9) == 0) != (x > 0) ? 1 : -1 : run, x);
        }
        assertThat(kinds()).containsExactly(Advice.Kind.RUNS);
        assertThat(k).isGreaterThan(from).isLessThan(4_096);
        assertThat(advice.get(0).command("m"))
                .isEqualTo("perceptron challengers begin m advised-runs algorithm=pa scale=standard rate=constant"
                        + " implicit=false trial.promote=auto");
        challenge(advice.get(0));
        assertThat(model.challengers().all()).hasSize(1);
    }

    @Test
    void shouldNameSettingsOfSeveralClassesWhereTheyComeInRuns() {
        Random random = new Random(23);
        for (int k = 0; k < 500 && advice.isEmpty(); k++) {
            example.vector().resetDense().append(random.nextGaussian());
            process(new Label.ClassName("c" + k / 20 % 3));
        }
        assertThat(kinds()).containsExactly(Advice.Kind.RUNS);
        assertThat(advice.get(0).command("m"))
                .isEqualTo("perceptron models reset m algorithm=multiclass-pa scale=standard");
        assertThat(reset(advice.get(0)).pipeline().algorithm()).isEqualTo(Algorithm.MULTICLASS_PA);
        // now without runs: the other answer, and each of them once, whatever is found
        learnNoClasses(random, 2_000);
        assertThat(advice)
                .extracting(Advice::settings)
                .filteredOn(Objects::nonNull)
                .containsExactly("algorithm=multiclass-pa scale=standard", RULE_OF_CLASSES);
    }

    /** On 21 tables softmax makes 1.13 times the errors of the best, multiclass-pa 1.32 times. */
    @Test
    void shouldNameSettingsOfSeveralClasses() {
        learnNoClasses(new Random(23), 500);
        assertThat(kinds()).containsExactly(Advice.Kind.SCALE);
        assertThat(advice.get(0).command("m")).isEqualTo("perceptron models reset m " + RULE_OF_CLASSES);
        // bits 0 and 10, seven to a byte
        assertThat(state(model)).startsWith("8108");
        assertThat(reset(advice.get(0)).pipeline().algorithm()).isEqualTo(Algorithm.SOFTMAX);
        learnNoClasses(new Random(24), 2_000);
        assertThat(advice).filteredOn(each -> each.settings() != null).hasSize(1);
    }

    /**
     * The answer for several classes was once multiclass-pa alone, with the bit that its settings have now only where
     * there are runs.
     */
    @Test
    void shouldNotRepeatAnAnswerOfAStoredModel() {
        Random random = new Random(23);
        // bit 8, seven to a byte
        StoredText.restore("8002" + NOT_COMPARING, model.current().advisor()::exchange);
        for (int k = 0; k < 500; k++) {
            example.vector().resetDense().append(random.nextGaussian());
            process(new Label.ClassName("c" + k / 20 % 3));
        }
        assertThat(advice).isEmpty();
        learnNoClasses(random, 2_000);
        assertThat(advice)
                .extracting(Advice::settings)
                .filteredOn(Objects::nonNull)
                .containsExactly(RULE_OF_CLASSES);
    }

    /** Labels that do not depend on the features, of different sizes. */
    private void learnNoClasses(Random random, int count) {
        for (int k = 0; k < count; k++) {
            example.vector().resetDense().append(1 + 1000 * random.nextDouble());
            example.vector().append(1e-3);
            process(new Label.ClassName("c" + random.nextInt(3)));
        }
    }

    /** Settings of the last label are in use: only a feature helps. */
    @Test
    void shouldNameAFeatureWhereTheLearnerIsTheOneForRuns() {
        Random random = new Random(23);
        model.configure(Map.of("algorithm", "pa", "scale", "standard"));
        for (int k = 0; k < 2_000 && advice.isEmpty(); k++) {
            learn(k / 20 % 2 == 0 ? 1 : -1, random.nextGaussian());
        }
        assertThat(kinds()).containsExactly(Advice.Kind.RUNS);
        assertThat(advice.get(0).finding()).endsWith("send it as a feature, such as \"last\":\"a\")");
        assertThat(advice.get(0).command("m")).isNull();
    }

    /** The command was refused: pa has neither a step nor a confidence. */
    @Test
    void shouldAdviseDefaultsOfTheSettingsThatTheOtherLearnerDoesNotUse() {
        model.configure(Map.of(
                "algorithm", "scw", "c", "0.5", "confidence", "0.9", "class.weights", "balanced", "drift", "ddm"));
        Random random = new Random(23);
        for (int k = 0; k < 512; k++) {
            learn(k / 20 % 2 == 0 ? 1 : -1, random.nextGaussian());
        }
        Advice given = advice.get(kinds().indexOf(Advice.Kind.RUNS));
        assertThat(given.command("m"))
                .isEqualTo("perceptron challengers begin m advised-runs algorithm=pa scale=standard c=1.0"
                        + " class.weights= confidence=0.75 trial.promote=auto");
        challenge(given);
        assertThat(model.challengers().all()).hasSize(1);
        assertThat(reset(given).pipeline().algorithm()).isEqualTo(Algorithm.PA);
    }

    /** Of the model, and not of its learner: a challenger has none of its own. */
    @Test
    void shouldResetWhatTheOtherLearnerCannotHaveAndLeaveItOutForAChallenger() {
        Random random = new Random(7);
        model.configure(Map.of("algorithm", "perceptron", "eta", "0.01"));
        for (int k = 0; k < 500 && advice.isEmpty(); k++) {
            if (k == 20) {
                model.configure(
                        Map.of("comparator", Long.toString(model.current().version() + 1)));
            }
            learn(random.nextBoolean() ? 1 : -1, 0.01 + 0.001 * random.nextDouble(), 500 + random.nextDouble());
        }
        String command = advice.get(0).command("m");
        assertThat(command).isEqualTo("perceptron models reset m " + RULE + " eta=1.0 comparator=");
        // printed later, when the model has learned much
        assertThat(Advice.command("SCALE", command, 1_023)).isEqualTo(command);
        assertThat(Advice.command("SCALE", command, 1_024))
                .isEqualTo("perceptron challengers begin m advised-scale " + RULE + " eta=1.0 trial.promote=auto");
        assertThat(reset(advice.get(0)).pipeline().algorithm()).isEqualTo(Algorithm.SGD);
    }

    @Test
    void shouldOnlyScaleALearnerThatWrongLabelsMoveLittle() {
        Random random = new Random(7);
        model.configure(Map.of("algorithm", "arow", "r", "10"));
        for (int k = 0; k < 2_000 && advice.isEmpty(); k++) {
            learn(random.nextInt(3) == 0 ? 1 : -1, random.nextGaussian(), 500 * random.nextGaussian());
        }
        assertThat(advice.get(0).command("m"))
                .isEqualTo("perceptron challengers begin m advised-scale scale=standard trial.promote=auto");
        challenge(advice.get(0));
    }

    /**
     * Of raw units its steps, of at most eta, change nothing any more: it is wrong on nine in ten, and nothing is lost
     * with it.
     */
    @Test
    void shouldResetALearnerOfSmallStepsThatIsOfNoUse() {
        Random random = new Random(7);
        model.configure(Map.of("algorithm", "sgd"));
        for (int k = 0; k < 500 && advice.isEmpty(); k++) {
            learn(k == 0 || random.nextInt(10) == 0 ? 1 : -1, random.nextGaussian(), 50_000 + k % 7);
        }
        assertThat(advice.get(0).command("m")).isEqualTo("perceptron models reset m scale=standard");
    }

    /** SCALE, BASELINE and AVERAGED had three answers, of which each was to undo the last. */
    @Test
    void shouldGiveOneAnswerToAllThatItAnswers() {
        Random random = new Random(7);
        for (int k = 0; k < 5_000; k++) {
            learn(random.nextInt(3) == 0 ? 1 : -1, random.nextGaussian(), 500 * random.nextGaussian());
        }
        assertThat(kinds()).containsExactly(Advice.Kind.SCALE);
        reset(advice.get(0));
        for (int k = 0; k < 5_000; k++) {
            learn(random.nextInt(3) == 0 ? 1 : -1, random.nextGaussian(), 500 * random.nextGaussian());
        }
        assertThat(advice).filteredOn(each -> each.settings() != null).hasSize(1);
    }

    /** One error of 128 is no reason to begin again. */
    @Test
    void shouldNotAdviseAModelThatHardlyErrs() {
        for (int k = 0; k < 5_000; k++) {
            learn(k < 2_500 ? 1 : -1, 0.01 * (k < 2_500 ? 1 : -1), 500);
        }
        assertThat(model.counts().totals().errors()).isLessThan(50);
        assertThat(advice).isEmpty();
    }

    /** By chance the last label is right more often than the most frequent one and the model: there are no runs. */
    @Test
    void shouldNotCompareWithTheLastLabelOfIndependentLabels() {
        for (int seed = 1; seed <= 30; seed++) {
            Random random = new Random(seed);
            Model each = new Model();
            Observed ofEach = Observed.of(each);
            for (int k = 0; k < 2_048; k++) {
                example.vector().resetDense().append(random.nextGaussian());
                example.setLabel(Label.of(random.nextBoolean() ? -1 : 1));
                each.process(example, 0);
            }
            assertThat(ofEach.takeAdvice()).as("seed %d", seed).noneMatch(one -> one.kind() == Advice.Kind.RUNS);
        }
    }

    /** Two errors in 512 are no fewer than two labels -1 in 512, and show nothing. */
    @Test
    void shouldNotCompareFewErrors() {
        Random random = new Random(9);
        model.configure(Map.of("scale", "standard"));
        for (int k = 0; k < 1_100; k++) {
            // 44 of 1,024 are below a twentieth
            learn(k % 23 == 0 ? -1 : 1, random.nextGaussian(), random.nextGaussian());
        }
        assertThat(model.counts().totals().errors()).isGreaterThan(48);
        assertThat(kinds()).doesNotContain(Advice.Kind.BASELINE);
    }

    @Test
    void shouldNotBlameAModelThatIsBetterThanTheCommonestLabel() {
        Random random = new Random(14);
        for (int k = 0; k < 5_000; k++) {
            double x = random.nextGaussian();
            learn(x > 0.8 ? 1 : -1, x, 1);
        }
        assertThat(kinds()).doesNotContain(Advice.Kind.BASELINE);
    }

    @Test
    void shouldNameALabelSeenLessThanOnceInAThousand() {
        for (int k = 1; k <= 4_096; k++) {
            learn(k == 5 || k == 900 || k == 3_000 || k == 4_000 ? -1 : 1, 1, 1);
        }
        // 4 of 4,096 are less than 1 in 1,000
        assertThat(kinds()).containsExactly(Advice.Kind.RARE_LABEL);
        assertThat(advice.get(0).finding()).contains("label '-1' was seen 4 times in 4096");
        assertThat(advice.get(0).command("m")).isNull();
    }

    @Test
    void shouldNotCallALabelRareThatIsSeenFiveTimes() {
        for (int k = 1; k <= 4_096; k++) {
            learn(k % 800 == 0 ? -1 : 1, 1, 1);
        }
        assertThat(advice).isEmpty();
    }

    @Test
    void shouldNameARareLabelOfSeveral() {
        model.configure(Map.of("algorithm", "multiclass"));
        String longName = "x".repeat(80);
        for (int k = 1; k <= 4_096; k++) {
            example.vector().resetDense().append(k % 2);
            example.vector().append((k + 1) % 2);
            process(new Label.ClassName(k == 3_000 ? longName : k % 2 == 0 ? "even" : "odd"));
        }
        assertThat(kinds()).containsExactly(Advice.Kind.RARE_LABEL);
        assertThat(advice.get(0).finding())
                // the first example had no emitted label
                .startsWith("label '" + "x".repeat(64) + "…' was seen 1 times in 4095 labelled examples");
    }

    @Test
    void shouldNameAClassWeightWithoutALabel() {
        model.configure(Map.of("class.weights", "1:2,-1:1,0:5", "scale", "standard"));
        for (int k = 1; k <= 1_024; k++) {
            learn(k % 2 == 0 ? 1 : -1, k % 2 == 0 ? 1 : -1);
            assertThat(advice).hasSize(k == 1_024 ? 1 : 0);
        }
        assertThat(kinds()).containsExactly(Advice.Kind.CLASS_WEIGHTS);
        assertThat(advice.get(0).finding())
                .isEqualTo(
                        "class.weights has a weight for '0', but none of 1024 labels was of that class (seen: -1, 1)");
        assertThat(advice.get(0).command("m")).isNull();
    }

    /** One of the classes was seen in the very first example only, for which no label was emitted. */
    @Test
    void shouldNotNameClassWeightsOfClassesThatWereSeen() {
        model.configure(Map.of("algorithm", "multiclass", "class.weights", "c0:2,c1:3,c39:5"));
        for (int k = 0; k < 1_024; k++) {
            example.vector().resetDense().append(k % 2);
            example.vector().append((k + 1) % 2);
            // c32 and the following have no row in the confusion matrix
            process(new Label.ClassName(k == 0 ? "c0" : "c" + (1 + k % 40)));
        }
        assertThat(model.counts().confusion().hasOther()).isTrue();
        assertThat(kinds()).doesNotContain(Advice.Kind.CLASS_WEIGHTS);
        model.configure(Map.of("class.weights", "c0:2,c1:3,c39:5,C7:2"));
        for (int k = 1_024; k < 2_048; k++) {
            process(new Label.ClassName("c" + (1 + k % 40)));
        }
        assertThat(kinds()).contains(Advice.Kind.CLASS_WEIGHTS);
        assertThat(advice.get(kinds().indexOf(Advice.Kind.CLASS_WEIGHTS)).finding())
                .contains("a weight for 'C7', but none of 2048 labels was of that class (seen: c0, c2, c3, c4, c5, …)");
    }

    @Test
    void shouldEstimateCollisions() {
        model.configure(Map.of("hash.bits", "8", "bias", "false"));
        Random random = new Random(10);
        for (int k = 0; k < 256; k++) {
            example.vector().resetSparse().append(k % 40, 1 + random.nextDouble());
            example.vector().sortAndMerge();
            // each of the 40 features has one label; at score 0 it is learned once
            process(Label.of(k % 2 == 0 ? -1 : 1));
        }
        long live = LiveWeights.count(model.pipeline().learner());
        assertThat(live).isEqualTo(40);
        // n = -256·ln(1 - 40/256) = 43.5, pairs = 43.5·42.5/512 = 3.6 > 0.435; 2^12 is the first power of two of which
        // n is at most a fiftieth
        assertThat(kinds()).containsExactly(Advice.Kind.COLLISIONS);
        assertThat(advice.get(0).finding())
                .isEqualTo("40 of 2^8 weights are in use, about n(n-1)/2^9 = 4 pairs of n = 43 names share a weight");
        assertThat(advice.get(0).command("m")).isEqualTo("perceptron models reset m hash.bits=12");
        assertThat(reset(advice.get(0)).pipeline().settings().get(Settings.HASH_BITS))
                .isEqualTo(12);
    }

    /** The same features, but their indices are the producer's own. */
    @Test
    void shouldNotEstimateCollisionsOfIndices() {
        model.configure(Map.of("hash.bits", "8"));
        for (int k = 0; k < 256; k++) {
            example.vector().resetSparse().append(k % 40, 1);
            process(Label.of(k % 40 < 20 ? -1 : 1));
        }
        assertThat(advice).isEmpty();
    }

    @Test
    void shouldAdviseToAverageWeightsThatSwing() {
        Random random = new Random(11);
        learnNoise(random, 20_000);
        assertThat(kinds()).containsExactly(Advice.Kind.AVERAGED);
        assertThat(advice.get(0).command("m"))
                .isEqualTo("perceptron challengers begin m advised-averaged " + RULE + " trial.promote=auto");
        challenge(advice.get(0));
    }

    /** With other settings it would be another model: a copy of the weights shows whether their average is better. */
    @Test
    void shouldAdviseACopyThatAveragesWhereTheSettingsAreTheBestKnown() {
        Random random = new Random(11);
        model.configure(Map.of("algorithm", "sgd", "eta", "3", "scale", "standard"));
        learnNoise(random, 20_000);
        assertThat(kinds()).containsExactly(Advice.Kind.AVERAGED);
        assertThat(advice.get(0).command("m"))
                .isEqualTo("perceptron challengers begin m advised-averaged predict=averaged from=live"
                        + " trial.promote=auto");
        challenge(advice.get(0));
        assertThat(model.challengers()
                        .all()
                        .get(0)
                        .model()
                        .counts()
                        .ofWeights()
                        .counts()
                        .labelled())
                .isEqualTo(20_000);
    }

    @Test
    void shouldLearnTheSameWithoutComparisons() {
        Model shadow = new Model();
        shadow.current().advisor().turnOff();
        Observed ofShadow = Observed.of(shadow);
        Random random = new Random(13);
        for (int k = 0; k < 3_000; k++) {
            double x = random.nextGaussian();
            double z = random.nextGaussian();
            int label = (x + z >= 0) != (random.nextInt(4) == 0) ? 1 : -1;
            learn(label, x, z);
            example.vector().resetDense().append(x);
            example.vector().append(z);
            shadow.process(example, 0);
        }
        assertThat(shadow.pipeline().learner().state())
                .isEqualTo(model.pipeline().learner().state());
        assertThat(shadow.counts().totals().hingeLoss())
                .isEqualTo(model.counts().totals().hingeLoss());
        assertThat(shadow.counts().totals().errors())
                .isEqualTo(model.counts().totals().errors());
        assertThat(ofShadow.takeAdvice()).isEmpty();
        assertThat(state(shadow)).isEqualTo(NOTHING);
    }

    @Test
    void shouldGiveAdviceOncePerModel() {
        learnNoise(new Random(11), 20_000);
        assertThat(kinds()).containsExactly(Advice.Kind.AVERAGED);
        // bits 4 and 8, seven to a byte
        assertThat(state(model)).isEqualTo("9002" + NOT_COMPARING);

        model.reset(Map.of());
        learnNoise(new Random(11), 20_000);
        assertThat(kinds()).containsExactly(Advice.Kind.AVERAGED);

        model.delete();
        assertThat(state(model)).isEqualTo(NOTHING);
        learnNoise(new Random(11), 20_000);
        assertThat(kinds()).containsExactly(Advice.Kind.AVERAGED, Advice.Kind.AVERAGED);
    }

    @Test
    void shouldForgetItsObservationsWithTheWeights() {
        Random random = new Random(11);
        for (int k = 0; k < 20_000 && state(model).endsWith(NOT_COMPARING); k++) {
            learnNoise(random, 1);
        }
        assertThat(state(model)).doesNotEndWith(NOT_COMPARING);

        model.replaceWith(new Model());

        assertThat(state(model)).endsWith(NOT_COMPARING);
    }

    @Test
    void shouldRestoreItsState() {
        Set<String> states = new HashSet<>();
        Random random = new Random(12);
        for (int k = 0; k < 1_100; k++) {
            learn(random.nextInt(10) == 0 ? -1 : 1, random.nextGaussian(), 0.001 * random.nextGaussian());
            String state = state(model);
            Model restored = new Model();
            StoredText.restore(state, restored.current().advisor()::exchange);
            assertThat(state(restored)).isEqualTo(state);
            states.add(state);
        }
        // both features are observed from example 64 on, the average is compared from 769 on
        assertThat(states)
                .anyMatch(state -> state.startsWith("00000002"))
                .anyMatch(state -> state.startsWith("8102") && !state.startsWith("81020000"));
    }

    private static String state(Model model) {
        return StoredText.of(model.current().advisor()::exchange);
    }

    private void learnNoise(Random random, int count) {
        for (int k = 0; k < count; k++) {
            double x = random.nextGaussian();
            double z = random.nextGaussian();
            boolean isFlipped = random.nextInt(4) == 0;
            learn((x + z >= 0) != isFlipped ? 1 : -1, x, z);
        }
    }

    /** The model after the command of an advice with a reset. */
    private Model reset(Advice followed) {
        model.reset(Stream.of(followed.settings().split(" ", -1))
                .map(each -> each.split("=", 2))
                .collect(Collectors.toMap(each -> each[0], each -> each[1])));
        return model;
    }

    /** Executes the command of an advice with a challenger, or the same settings for one. */
    private void challenge(Advice followed) {
        String[] words = followed.command("m").split(" ", -1);
        Map<String, String> settings = new HashMap<>(Map.of("challenger", "advised"));
        for (String word : words) {
            if (word.contains("=")) {
                settings.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
            }
        }
        model.challenge(settings);
    }

    private List<Advice.Kind> kinds() {
        return advice.stream().map(Advice::kind).toList();
    }

    private void learn(int label, double x) {
        example.vector().resetDense().append(x);
        process(Label.of(label));
    }

    private void learn(int label, double x, double z) {
        example.vector().resetDense().append(x);
        example.vector().append(z);
        process(Label.of(label));
    }

    private void learnNamed(int label, Map<String, Double> features) {
        example.setFeatures(example.vector().resetSparse());
        features.forEach((name, value) -> {
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            example.vector().append(model.pipeline().hasher().index(utf8, 0, utf8.length), value);
        });
        example.vector().sortAndMerge();
        example.setNames(sink -> features.keySet().forEach(name -> {
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            sink.accept(utf8, 0, utf8.length);
        }));
        process(Label.of(label));
    }

    private void process(Label label) {
        example.setLabel(label);
        model.process(example, 0);
        for (Advice each : observed.takeAdvice()) {
            advice.add(each);
            places.add(model.counts().totals().labelled());
        }
    }
}
