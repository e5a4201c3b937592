package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.drift.Trial.Verdict;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.TrialSettings.From;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.StoredText;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Challengers of a model: each equals a model of its own, and none changes what the model predicts. */
class ChallengersTest {
    private static final int BEGIN = 150;
    private static final int END = 700;

    private final Model model = new Model();
    private final Observed observed = Observed.of(model);

    /** A model with its examples that have no label yet. */
    private static final class Lane {
        private final Model model;
        private final Deque<Waiting> pending = new ArrayDeque<>();

        private Lane(Model model) {
            this.model = model;
        }

        private List<Object> predict(Example example, int number) {
            List<Object> outcome = Bits.of(model.use(example, number, null, null));
            if (example.label() == null) {
                InputRecord record = new InputRecord(null, number, number, number, false);
                long version = model.current().version();
                pending.add(model.current().waiting(example, null, record, version, model.emittedByChallengers()));
            }
            return outcome;
        }

        private List<Object> label(Example example, int number) {
            return Bits.of(model.use(example, number, pending.remove(), Counts.Counter.LATE));
        }
    }

    private static Stream<Arguments> learners() {
        List<Arguments> learners = new ArrayList<>();
        for (Algorithm algorithm : Algorithm.values()) {
            if (algorithm.isDecided()) {
                learners.add(Arguments.of(algorithm, "scratch"));
                learners.add(Arguments.of(algorithm, "live"));
            }
        }
        return learners.stream();
    }

    private static Map<String, String> champion(Algorithm algorithm, String from) {
        Map<String, String> settings = new HashMap<>();
        boolean isSame = from.equals("live") || !algorithm.has(Algorithm.Trait.TWO_CLASSES);
        Algorithm own = isSame ? algorithm : Algorithm.PERCEPTRON;
        settings.put("algorithm", own.toString());
        if (own == Algorithm.KERNEL) {
            settings.put("kernel", "rbf(g=0.1)");
            settings.put("budget", "30");
            settings.put("budget.policy", "random");
        }
        if (own.uses(Settings.CLASS_WEIGHTS)) {
            settings.put("class.weights", "balanced");
        }
        // a challenger has no evidence, and so no ids of support vectors
        if (own.uses(Settings.EXPLAIN) && algorithm != Algorithm.KERNEL) {
            settings.put("explain", "2");
        }
        settings.put("drift", "ddm");
        settings.put("drift.action", "shadow");
        settings.put("await.labels.ms", "5000");
        if (own.uses(Settings.CALIBRATE)) {
            settings.put("calibrate", "platt");
            settings.put("coverage", "0.8");
        }
        if (own.has(Algorithm.Trait.TWO_CLASSES)) {
            settings.put("threshold", "cost:1:3");
        } else if (own.has(Algorithm.Trait.SEVERAL_CLASSES)) {
            settings.put("predict.scores", "3");
        }
        return settings;
    }

    /** Settings of the learner that differ from those of the champion. */
    private static Map<String, String> challenger(Algorithm algorithm, String from) {
        Map<String, String> changes = new HashMap<>();
        if (from.equals("scratch") && algorithm.has(Algorithm.Trait.TWO_CLASSES)) {
            changes.put("algorithm", algorithm.toString());
            changes.put("scale", "standard");
            if (algorithm == Algorithm.KERNEL) {
                changes.put("kernel", "poly(c=1,k=2)");
            }
            if (!algorithm.uses(Settings.CLASS_WEIGHTS)) {
                changes.put("class.weights", "");
            }
        }
        if (algorithm.uses(Settings.H)) {
            changes.put("h", "0.5");
        }
        return changes;
    }

    @ParameterizedTest
    @MethodSource("learners")
    void shouldEqualAModelOfItsOwn(Algorithm algorithm, String from) {
        Map<String, String> settings = champion(algorithm, from);
        Map<String, String> changes = challenger(algorithm, from);
        model.configure(settings);
        Lane champion = new Lane(model);
        Lane plain = new Lane(new Model());
        plain.model.configure(settings);
        Lane own = new Lane(new Model());
        own.model.configure(settings);
        own.model.configure(Map.of("drift", "none"));
        boolean isLive = from.equals("live");
        Random random = new Random(algorithm.number());
        Deque<Example> later = new ArrayDeque<>();
        for (int k = 0; k < END; k++) {
            if (k == BEGIN) {
                Map<String, String> command = new HashMap<>(changes);
                command.putAll(Map.of("challenger", "c", "from", from, "trial.warmup", "0", "trial.round", "2"));
                model.challenge(command);
                if (!isLive) {
                    own.model.reset(Map.of());
                }
                // what waits for a label is a new example for a challenger
                own.pending.clear();
                own.model.configure(changes);
            }
            freeze(k, champion.model, plain.model);
            boolean isPresent = isLive || k >= BEGIN;
            Example example = example(algorithm, random, k > 400);
            boolean isLate = k % 3 == 0;
            Example first = copy(example, !isLate);
            List<Object> expected = plain.predict(copy(example, !isLate), k);
            assertThat(champion.predict(first, k)).isEqualTo(expected);
            if (isPresent) {
                own.predict(copy(example, !isLate), k);
            }
            adapt(champion.model, plain.model);
            if (isLate) {
                later.add(example);
            }
            if (later.size() > 5) {
                Example late = later.remove();
                boolean isOld = own.pending.size() < champion.pending.size();
                assertThat(champion.label(copy(late, true), k)).isEqualTo(plain.label(copy(late, true), k));
                if (isPresent && isOld) {
                    own.model.use(copy(late, true), k, null, null);
                } else if (isPresent) {
                    own.label(copy(late, true), k);
                }
                adapt(champion.model, plain.model);
            }
        }
        Challenger challenger = model.challengers().find("c");
        assertThat(challenger).isNotNull();
        assertThat(bits(challenger.model())).isEqualTo(bits(own.model.current()));
        assertThat(challenger.compared()).isPositive();
        assertThat(challenger.model().calibrationNumbers().isEmpty()).isNotEqualTo(algorithm.hasClasses());
        promote(challenger, own);
    }

    /** The challenger as the champion: it goes on as the model of its own, and the former champion as it would have. */
    private void promote(Challenger challenger, Lane own) {
        EpochModel before = model.current();
        Model former = new Model(before.copy(before.epoch()));
        model.promote(Map.of("challenger", "c"));
        assertThat(model.current().epoch()).isEqualTo(challenger.model().epoch());
        assertThat(model.pipeline().settings().get(Settings.AWAIT_LABELS_MS)).isEqualTo(5000);
        model.freeze(false);
        model.configure(Map.of("drift", "none"));
        former.configure(Map.of("drift", "none"));
        Algorithm algorithm = model.pipeline().algorithm();
        Random random = new Random(9);
        for (int k = 0; k < 100; k++) {
            Example example = example(algorithm, random, false);
            List<Object> expected = Bits.of(own.model.use(copy(example, true), k, null, null));
            former.use(copy(example, true), k, null, null);
            assertThat(Bits.of(model.use(example, k, null, null))).isEqualTo(expected);
        }
        assertThat(bits(model.current())).isEqualTo(bits(own.model.current()));
        Challenger previous = model.challengers().find(Challenger.PREVIOUS);
        assertThat(previous.model().epoch()).isEqualTo(before.epoch());
        assertThat(bits(previous.model())).isEqualTo(bits(former.current()));
    }

    private static void freeze(int k, Model... both) {
        for (Model each : both) {
            if (k == 300 || k == 360) {
                each.freeze(k == 300);
            }
        }
    }

    private static void adapt(Model champion, Model plain) {
        assertThat(champion.adapt()).isEqualTo(plain.adapt());
    }

    private static List<Object> bits(EpochModel of) {
        // which way a label came is counted by the model alone
        List<Long> totals = Stream.of(Counts.Counter.values())
                .filter(counter -> counter != Counts.Counter.LATE)
                .map(counter -> of.counts().ofWeights().counts().of(counter))
                .toList();
        return List.of(
                Bits.of(of.pipeline().learner()),
                Bits.of(of.pipeline().vector(Pipeline.STATISTICS)),
                totals,
                Double.doubleToRawLongBits(of.counts().ofWeights().counts().hingeLoss()),
                of.calibrationNumbers(),
                of.counts().ofWeights().reliability().ranges(),
                StoredText.of(fields -> of.counts().ofWeights().confusion().exchange(fields)));
    }

    private static Example example(Algorithm algorithm, Random random, boolean isTurned) {
        Example example = new Example();
        example.id().set("x");
        if (algorithm == Algorithm.STRUCTURED) {
            int best = random.nextInt(3);
            for (int k = 0; k < 3; k++) {
                example.candidates()
                        .append("abc".substring(k, k + 1))
                        .append(1, random.nextGaussian() + (k == best ? 2 : 0));
            }
            example.setFeatures(example.candidates());
            example.setLabel(new Label.ClassName("abc".substring(best, best + 1)));
        } else if (algorithm == Algorithm.SEQUENCE) {
            List<String> tags = new ArrayList<>();
            for (int length = 1 + random.nextInt(4); length > 0; length--) {
                int word = random.nextInt(12);
                example.sequence().append().append(100 + word, 1);
                tags.add("tag" + (word + (isTurned ? 1 : 0)) % 3);
            }
            example.setFeatures(example.sequence());
            example.setLabel(new Label.Tags(tags));
        } else {
            FeatureVector x = example.vector().resetSparse();
            double sum = 0;
            for (int index = random.nextInt(9); index < 90; index += 1 + random.nextInt(20)) {
                double value = random.nextGaussian();
                x.append(index, value);
                sum += value * (index % 5 - 2);
            }
            boolean isPositive = sum > 0 ^ isTurned ^ random.nextInt(10) == 0;
            boolean isNamed = algorithm.has(Algorithm.Trait.SEVERAL_CLASSES);
            example.setLabel(
                    isNamed ? new Label.ClassName("class" + Math.abs((int) sum) % 4) : Label.of(isPositive ? 1 : -1));
        }
        return example;
    }

    private static Example copy(Example from, boolean isLabelled) {
        Example to = new Example();
        to.id().set("x");
        if (from.features() instanceof FeatureVector x) {
            FeatureVector copied = to.vector().resetSparse();
            for (int k = 0; k < x.size(); k++) {
                copied.append(x.index(k), x.values()[k]);
            }
        } else {
            // neither scaled nor changed otherwise
            to.setFeatures(from.features());
        }
        to.setLabel(isLabelled ? from.label() : null);
        return to;
    }

    private void learn(int from, int to) {
        for (int k = from; k < to; k++) {
            learn(k);
        }
    }

    /** An example whose labels a perceptron without a margin seldom gets wrong after some time. */
    private StatusCause learn(int k) {
        return learn(model, k);
    }

    private static StatusCause learn(Model model, int k) {
        Random random = new Random(k);
        double[] values = random.doubles(8, -1, 1).toArray();
        double sum = Arrays.stream(values, 0, 4).sum();
        model.at(k);
        model.use(
                Sample.dense(sum > 0 ^ random.nextInt(5) == 0 ? 1 : -1, values).example(), k, null, null);
        return model.adapt();
    }

    private void challenge(String... settings) {
        Map<String, String> command = new HashMap<>();
        for (String each : settings) {
            command.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        model.challenge(command);
    }

    private static String message(String... settings) {
        ChallengersTest test = new ChallengersTest();
        test.model.configure(Map.of("h", "1"));
        test.learn(0, 20);
        long epochs = test.model.current().epoch();
        String[] message = new String[1];
        assertThatThrownBy(() -> test.challenge(settings))
                .isInstanceOfSatisfying(IllegalArgumentException.class, e -> message[0] = e.getMessage());
        // a refused command changes nothing, the number of the next epoch included
        assertThat(test.model.challengers().all()).isEmpty();
        test.model.reset(Map.of());
        assertThat(test.model.current().epoch()).isEqualTo(epochs + 1);
        return message[0];
    }

    @Test
    void shouldRefuseWhatNoChallengerCanHave() {
        assertThat(message("challenger=c", "window.ms=5"))
                .isEqualTo("window.ms must not be set for a challenger, which has that of its model, got '5' (set"
                        + " window.ms=5 for the model)");
        assertThat(message("challenger=previous")).startsWith("challenger must be a name of 1 to 32 of the characters");
        assertThat(message("challenger=drift")).endsWith("and not drift or previous, got 'drift'");
        assertThat(message("from=live")).endsWith("and not drift or previous, got none");
        assertThat(message("challenger=c", "from=dead"))
                .isEqualTo("from must be one of scratch, live, import, got 'dead'");
        assertThat(message("challenger=c", "trial.alpha=2", "trial.round=0"))
                .isEqualTo(
                        "trial.alpha must be a number >= 1.0E-300 and < 1.0, got '2'; trial.round must be a whole number"
                                + " from 1 to 1048576, got '0'");
        // its inverse is no number, and a verdict would never come
        assertThat(message("challenger=c", "trial.alpha=1e-310"))
                .startsWith("trial.alpha must be a number >= 1.0E-300");
        assertThat(message("challenger=c", "trial.limit=1000"))
                .isEqualTo("trial.limit must be 0 or > trial.warmup = 1000, got 1000 (which ends the trial before its"
                        + " first round)");
        assertThat(message("challenger=c", "hash.bits=12"))
                .isEqualTo("hash.bits must be 18, as for the model that is challenged, got 12 (leave out"
                        + " hash.bits=12, or begin a model of another name)");
        assertThat(message("challenger=c", "algorithm=pa")).startsWith("h must be 0.0 with algorithm=pa, got '1.0'");
        assertThat(message("challenger=c", "speed=9")).startsWith("unknown setting 'speed'");
        assertThat(message("challenger=c", "trial.growth=square", "trial.round=5"))
                .isEqualTo("trial.round must be >= 10 with trial.growth=square, got 5");
    }

    /** The message for the model itself recommends a reset, which would discard what the champion has learned. */
    @ParameterizedTest
    @CsvSource({"hash.bits, 12", "algorithm, pa", "predict, voted", "labels, 'a,b'"})
    void shouldNotRecommendToResetTheModelForAChallenger(String setting, String value) {
        String fault = message("challenger=c", "from=live", setting + "=" + value);

        assertThat(fault).doesNotContain("reset");
        if (!setting.equals("hash.bits")) {
            assertThat(fault)
                    .endsWith(" (leave out from=live: a challenger from scratch copies nothing that was learned)");
        }
    }

    @Test
    void shouldHaveAtMostFourBesidesTheShadowOfADrift() {
        for (int k = 0; k < Challengers.MAX; k++) {
            challenge("challenger=c" + k);
        }
        assertThatThrownBy(() -> challenge("challenger=c4"))
                .hasMessage(
                        "a model must have at most 4 challengers, got one more, 'c4' (withdraw one of c0, c1, c2, c3)");
        challenge("challenger=c2", "h=1");

        assertThat(model.challengers().all().stream().map(Challenger::name)).containsExactly("c0", "c1", "c3", "c2");
        assertThat(observed.takeEnded()).containsExactly(3L);
    }

    @Test
    void shouldEndAChallengerThatIsWithdrawn() {
        challenge("challenger=c");
        long epoch = model.challengers().find("c").model().epoch();

        assertThatThrownBy(() -> model.withdraw(Map.of("challenger", "d")))
                .hasMessage("challenger must exist, got 'd' (there are c)");
        assertThatThrownBy(() -> model.promote(Map.of()))
                .hasMessage("the settings of the command must have the key challenger and no other, got []");
        model.withdraw(Map.of("challenger", "c"));

        assertThat(model.challengers().all()).isEmpty();
        assertThat(observed.takeEnded()).containsExactly(epoch);
    }

    /** The champion pays no attention to the labels' noise any more: its steps are tiny. */
    private void challengeAFixedModel(String... options) {
        learn(0, 3);
        model.configure(Map.of("eta", "1e-9"));
        List<String> all = new ArrayList<>(List.of("challenger=c", "eta=1", "predict=averaged"));
        all.addAll(List.of(options));
        challenge(all.toArray(String[]::new));
    }

    @Test
    void shouldBecomeTheModelByItselfWhenItIsBetter() {
        challengeAFixedModel("trial.promote=auto", "trial.warmup=100");
        Challenger challenger = model.challengers().find("c");
        long old = model.current().epoch();
        int k = 3;
        while (learn(k) == null) {
            k++;
            assertThat(k).isLessThan(20_000);
        }
        assertThat(challenger.trial().verdict()).isEqualTo(Verdict.BETTER);
        // by a bunch that ended in a round: 20, 40, 60, ...
        long compared = challenger.compared();
        long rounds = challenger.trial().rounds();
        assertThat(compared).isBetween(10 * rounds * (rounds + 1) + 1, 10 * (rounds + 1) * (rounds + 2) - 1);
        assertThat(challenger.trial().examples()).isEqualTo(compared + 100);
        assertThat(observed.takeJudged())
                .extracting(Judgement::challenger, Judgement::isOver)
                .containsExactly(tuple("c", false));
        assertThat(challenger.judgement().message())
                .isEqualTo("challenger 'c' is better than the model: "
                        + (challenger.onlyChallengerWrong() + challenger.bothWrong()) + " errors, and "
                        + (challenger.onlyChampionWrong() + challenger.bothWrong()) + " of the model, on the same "
                        + compared + " examples; it becomes the model unless that is frozen");
        assertThat(model.current().epoch()).isEqualTo(challenger.model().epoch());
        assertThat(model.counts().totals().examples()).isEqualTo(k + 1);
        assertThat(model.counts().ofWeights().counts().examples()).isEqualTo(k + 1 - 3);
        assertThat(model.challengers().all()).hasSize(1);
        Challenger previous = model.challengers().find(Challenger.PREVIOUS);
        assertThat(previous.model().epoch()).isEqualTo(old);
        assertThat(previous.compared()).isZero();
        assertThat(observed.takeEnded()).isEmpty();
    }

    @Test
    void shouldOnlyBeReportedWithoutAutomaticPromotion() {
        challengeAFixedModel("trial.warmup=100");
        Challenger challenger = model.challengers().find("c");

        learn(3, 6_000);

        assertThat(observed.takeJudged())
                .extracting(Judgement::challenger, Judgement::isOver)
                .containsExactly(tuple("c", false));
        assertThat(challenger.judgement().command("M")).isEqualTo("perceptron challengers promote M c");
        assertThat(model.current().epoch()).isZero();
        assertThat(challenger.compared()).isEqualTo(6_000 - 3 - 100);
    }

    @Test
    void shouldBecomeTheModelWhenThatIsThawed() {
        challengeAFixedModel("trial.promote=auto");
        model.freeze(true);
        learn(3, 6_000);
        assertThat(model.challengers().find("c").trial().verdict()).isEqualTo(Verdict.BETTER);
        assertThat(model.current().epoch()).isZero();
        model.freeze(false);

        assertThat(learn(6_000)).isEqualTo(StatusCause.PROMOTED);
    }

    @Test
    void shouldStayFrozenWhenAChallengerIsPromoted() {
        learn(0, 50);
        challenge("challenger=next", "from=live");
        model.freeze(true);
        learn(50, 100);
        Challenger next = model.challengers().find("next");
        assertThat(next.model().version()).isGreaterThan(model.current().version());

        model.promote(Map.of("challenger", "next"));

        assertThat(model.state()).isEqualTo(ModelState.FROZEN);
        List<Object> before = Bits.of(model.pipeline().learner());
        learn(100, 120);
        assertThat(Bits.of(model.pipeline().learner())).isEqualTo(before);
    }

    @Test
    void shouldBeFoundWorse() {
        challenge("challenger=c", "eta=1e-9", "predict=last", "trial.warmup=3");
        model.configure(Map.of("predict", "averaged"));
        Challenger challenger = model.challengers().find("c");

        learn(0, 6_000);

        assertThat(observed.takeJudged())
                .extracting(Judgement::challenger, Judgement::isOver)
                .containsExactly(tuple("c", false));
        assertThat(challenger.judgement().message()).startsWith("challenger 'c' is worse than the model: ");
        assertThat(challenger.judgement().command("M")).isEqualTo("perceptron challengers withdraw M c");
        assertThat(model.challengers().all()).containsExactly(challenger);
    }

    /** The verdict was the last one: an automatic challenger could not win any more, whatever came. */
    @Test
    void shouldBeTriedAgainAfterItWasWorseIfItIsAutomatic() {
        learn(0, 300);
        model.configure(Map.of("eta", "1e-9"));
        // predicts -1 always
        challenge("challenger=c", "from=live", "threshold=1e9", "trial.promote=auto", "trial.round=2");
        Challenger challenger = model.challengers().find("c");
        long most = 0;
        for (int k = 300; k < 3_000; k++) {
            learn(k);
            most = Math.max(most, challenger.trial().examples());
        }
        assertThat(most).isLessThan(2_000);
        assertThat(challenger.trial().verdict()).isEqualTo(Verdict.OPEN);
        // nobody is asked what follows
        assertThat(observed.takeJudged()).isEmpty();

        StatusCause cause = null;
        for (int k = 0; k < 2_000 && cause == null; k++) {
            model.use(
                    Sample.dense(-1, new Random(k).doubles(8, -1, 1).toArray()).example(), k, null, null);
            cause = model.adapt();
        }
        assertThat(cause).isEqualTo(StatusCause.PROMOTED);
        assertThat(model.current().epoch()).isEqualTo(challenger.model().epoch());
    }

    /** Who sets a limit wants no more trials. */
    @Test
    void shouldStayWorseWithALimit() {
        learn(0, 300);
        challenge(
                "challenger=c",
                "from=live",
                "threshold=1e9",
                "trial.promote=auto",
                "trial.round=2",
                "trial.limit=9999");

        learn(300, 3_000);

        assertThat(model.challengers().find("c").trial().verdict()).isEqualTo(Verdict.WORSE);
        assertThat(observed.takeJudged()).hasSize(1);
    }

    /** The former champion ended at the limit of the challenger that had replaced it. */
    @Test
    void shouldSetNoLimitForTheFormerChampion() {
        challenge("challenger=c", "trial.warmup=40", "trial.limit=50", "trial.round=7", "trial.promote=auto");
        learn(0, 10);

        model.promote(Map.of("challenger", "c"));

        Challenger previous = model.challengers().find(Challenger.PREVIOUS);
        assertThat(previous.options())
                .isEqualTo(new Challenger.Options(
                        From.SCRATCH, true, false, new Trial.Rules(0, 7, Trial.Growth.LINEAR, 0.01, 0, true)));
        learn(10, 30);
        assertThat(previous.compared()).isEqualTo(20);
    }

    /**
     * A shadow of a drift and a member that votes are compared by rounds alone, and so is a challenger of an earlier
     * version.
     */
    @Test
    void shouldCompareAChallengerByBunchesToo() {
        challenge("challenger=c");
        Challenger.Options options = model.challengers().find("c").options();
        assertThat(options.trial().byBunches()).isTrue();
        assertThat(stored(options)).isEqualTo(options);

        for (Challenger.Options others :
                List.of(Challenger.Options.VOTING, Challenger.Options.ofDrift(DriftSettings.NONE.trial()))) {
            assertThat(others.trial().byBunches()).isFalse();
            assertThat(stored(others)).isEqualTo(others);
        }
        // bits of an automatic challenger as they were before there was a test of bunches
        assertThat(storedBytes(Challenger.Options.ofDrift(DriftSettings.NONE.trial()))[0])
                .isEqualTo((byte) 1);
    }

    private static Challenger.Options stored(Challenger.Options options) {
        return Challenger.Options.NONE.exchange(new StoredFields(storedBytes(options)));
    }

    private static byte[] storedBytes(Challenger.Options options) {
        StoredFields out = new StoredFields();
        var unused = options.exchange(out);
        return out.toBytes();
    }

    /** A promotion took back settings of labels and sizes that the model was given since the challenger began. */
    @Test
    void shouldHaveLaterSettingsOfLabelsAndSizes() {
        learn(0, 10);
        challenge("challenger=c", "eta=2");
        challenge("challenger=own", "class.weights=1:3");
        challenge("challenger=romma", "algorithm=romma");

        model.configure(Map.of("class.weights", "1:5", "blocks.max", "777", "h", "0.5"));

        Settings c = model.challengers().find("c").model().pipeline().given();
        assertThat(c).hasToString("{algorithm=perceptron, eta=2.0, blocks.max=777, class.weights=1:5.0}");
        assertThat(model.challengers().find("own").model().pipeline().given())
                .hasToString("{algorithm=perceptron, blocks.max=777, class.weights=1:3.0}");
        assertThat(model.challengers().find("romma").model().pipeline().given())
                .hasToString("{algorithm=romma, blocks.max=777}");
        model.promote(Map.of("challenger", "c"));
        assertThat(model.pipeline().given()).isEqualTo(c);
    }

    /** A record may have a thousand examples, and each may take a thousand times as long as for a linear model. */
    @Test
    void shouldEndWhereTheExamplesOfARecordTakeTooLong() {
        challenge("challenger=c", "algorithm=kernel", "kernel=rbf(g=10)", "eta=1");
        Challenger challenger = model.challengers().find("c");
        int k = 0;
        for (;
                challenger
                                .model()
                                .pipeline()
                                .learner()
                                .cost(Sample.dense(1, new double[8]).example().features())
                        < 1 << 17;
                k++) {
            learn(k);
        }
        Random random = new Random(1);
        long examples = 0;
        model.at(k);
        for (; model.challengers().find("c") != null; examples++) {
            model.at(k);
            model.use(Sample.dense(1, random.doubles(8, -1, 1).toArray()).example(), k, null, null);
        }

        assertThat(examples).isBetween(1L << 10, 1L << 12);
        assertThat(observed.takeJudged())
                .extracting(Judgement::challenger, Judgement::isOver)
                .containsExactly(tuple("c", true));
        assertThat(challenger.judgement().message())
                .contains("the examples of a record must take at most 536870912 steps");
    }

    @Test
    void shouldEndAtItsLimit() {
        challenge("challenger=c", "trial.limit=50", "trial.warmup=10");
        Challenger challenger = model.challengers().find("c");

        learn(0, 60);

        assertThat(model.challengers().all()).isEmpty();
        assertThat(observed.takeJudged())
                .extracting(Judgement::challenger, Judgement::isOver)
                .containsExactly(tuple("c", true));
        assertThat(challenger.judgement().message())
                .startsWith("challenger 'c' has ended without a verdict after trial.limit = 50 examples: ")
                .endsWith(" on the same 40 examples");
        assertThat(challenger.judgement().command("M")).isNull();
    }

    @Test
    void shouldEndWhereItCannotUseAnExample() {
        model.configure(Map.of("algorithm", "sequence"));
        challenge("challenger=c", "classes.max=1");
        Challenger challenger = model.challengers().find("c");
        for (int k = 0; k < 20; k++) {
            model.use(example(Algorithm.SEQUENCE, new Random(k), false), k, null, null);
        }

        assertThat(model.challengers().all()).isEmpty();
        assertThat(observed.takeJudged())
                .extracting(Judgement::challenger, Judgement::isOver)
                .containsExactly(tuple("c", true));
        assertThat(challenger.judgement().message())
                .startsWith("challenger 'c' has ended, because it could not use an example: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"reset", "import", "promote"})
    void shouldStartAllTrialsAgainWhereAnotherModelPredicts(String how) {
        challenge("challenger=c", "trial.warmup=0");
        challenge("challenger=d", "trial.warmup=0");
        learn(0, 500);
        Challenger challenger = model.challengers().find("c");
        List<Object> weights = bits(challenger.model());
        assertThat(challenger.compared()).isEqualTo(500);

        switch (how) {
            case "reset" -> model.reset(Map.of());
            case "import" -> model.replaceWith(new Model());
            default -> model.promote(Map.of("challenger", "d"));
        }

        assertThat(model.challengers().find("c")).isSameAs(challenger);
        assertThat(challenger.compared()).isZero();
        assertThat(challenger.trial().examples()).isZero();
        assertThat(bits(challenger.model())).isEqualTo(weights);
    }

    /** It was better than the model as a beginner, and brought back what the reset had discarded. */
    @Test
    void shouldEndWithAResetIfItIsAutomatic() {
        learn(0, 100);
        challenge("challenger=c", "from=live", "trial.promote=auto");
        challenge("challenger=d", "from=live");
        long epoch = model.challengers().find("c").model().epoch();

        model.reset(Map.of());

        assertThat(model.challengers().all().stream().map(Challenger::name)).containsExactly("d");
        assertThat(observed.takeEnded()).containsExactlyInAnyOrder(0L, epoch);
    }

    /** What served while the model was frozen serves again where a promotion is undone. */
    @Test
    void shouldNotTeachTheFormerChampionOfAFrozenModel() {
        learn(0, 50);
        model.freeze(true);
        challenge("challenger=next", "from=live");
        learn(50, 100);
        List<Object> served = Bits.of(model.pipeline().learner());
        long version = model.current().version();
        model.promote(Map.of("challenger", "next"));
        learn(100, 200);
        Challenger previous = model.challengers().find(Challenger.PREVIOUS);
        assertThat(previous.trial().examples()).isEqualTo(100);

        model.promote(Map.of("challenger", "previous"));

        assertThat(Bits.of(model.pipeline().learner())).isEqualTo(served);
        assertThat(model.current().version()).isEqualTo(version);
        // and its successor likewise, until the model is thawed
        Challenger next = model.challengers().find(Challenger.PREVIOUS);
        long updates = next.model().version();
        learn(200, 300);
        assertThat(next.model().version()).isEqualTo(updates);
        model.freeze(false);
        learn(300, 400);
        assertThat(next.model().version()).isGreaterThan(updates);
    }

    /** The former champion was kept as a fifth challenger, and came back by itself at the alpha of the drift, 0.2. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotKeepTheModelWhenTheShadowOfADriftIsPromoted(boolean isFrozen) {
        model.configure(Map.of("drift", "ddm", "drift.action", "shadow", "drift.window", "1000"));
        int k = 0;
        for (; model.challengers().find(Challenger.DRIFT) == null; k++) {
            // all labels turn round
            Example example = example(Algorithm.PERCEPTRON, new Random(k), k > 300);
            model.use(example, k, null, null);
            model.adapt();
        }
        challenge("challenger=c");
        long epoch = model.challengers().find(Challenger.DRIFT).model().epoch();
        model.freeze(isFrozen);
        observed.takeEnded();

        model.promote(Map.of("challenger", "drift"));

        assertThat(model.current().epoch()).isEqualTo(epoch);
        assertThat(model.state()).isEqualTo(isFrozen ? ModelState.FROZEN : ModelState.LIVE);
        assertThat(model.pipeline().settings().get(Settings.DRIFT)).isEqualTo(DriftSettings.Detector.DDM);
        assertThat(model.challengers().all().stream().map(Challenger::name)).containsExactly("c");
        assertThat(observed.takeEnded()).containsExactly(0L);
    }

    @Test
    void shouldComeBackWithTheComparatorAndTheSettingsThatTheLearnerBetweenDoesNotUse() {
        model.configure(Map.of("comparator", "5", "auc.window", "9"));
        Model plain = new Model();
        plain.configure(Map.of("comparator", "5", "auc.window", "9"));
        learn(0, 100);
        challenge("challenger=c", "algorithm=multiclass", "classes=-1,1", "eta=1");
        assertThat(model.challengers().find("c").model().pipeline().comparator())
                .isNull();
        model.promote(Map.of("challenger", "c"));
        assertThat(model.pipeline().settings().isDefault(Settings.COMPARATOR)).isTrue();
        learn(100, 200);

        model.promote(Map.of("challenger", "previous"));

        for (int k = 0; k < 200; k++) {
            learn(plain, k);
        }
        assertThat(model.pipeline().settings()).isEqualTo(plain.pipeline().settings());
        assertThat(model.pipeline().comparator().updates())
                .isEqualTo(plain.pipeline().comparator().updates())
                .isPositive();
        assertThat(bits(model.current())).isEqualTo(bits(plain.current()));
    }

    /** A trial that started again was once recognised by a smaller count only, which it may have passed already. */
    @Test
    void shouldNumberItsTrialsByTheLabelledExamplesOfTheModel() {
        learn(0, 10);
        challenge("challenger=c");
        challenge("challenger=d");
        assertThat(model.challengers().find("c").trialStart()).isEqualTo(10);
        learn(10, 30);
        model.promote(Map.of("challenger", "d"));

        assertThat(model.challengers().find("c").trialStart()).isEqualTo(30);
        assertThat(model.challengers().find(Challenger.PREVIOUS).trialStart()).isEqualTo(30);
        assertThat(model.counts().totals().labelled()).isEqualTo(30);
        assertThat(model.counts().ofWeights().counts().labelled()).isEqualTo(20);
    }

    @Test
    void shouldEndAllWithTheModel() {
        challenge("challenger=c");
        challenge("challenger=d");

        model.delete();

        assertThat(model.challengers().all()).isEmpty();
        assertThat(observed.takeEnded()).containsExactly(1L, 2L, 0L);
    }

    @Test
    void shouldEndWhereTheModelHasOtherFeatures() {
        challenge("challenger=c");
        learn(0, 10);

        model.reset(Map.of("hash.bits", "12"));

        assertThat(model.challengers().all()).isEmpty();
    }

    @Test
    void shouldNotLearnWhatTheModelRefuses() {
        challenge("challenger=c");
        learn(0, 10);
        Example example = Sample.dense(1, 1, 2).example();
        example.setLabel(Label.of(7));

        assertThatThrownBy(() -> model.use(example, 0, null, null)).isInstanceOf(RejectedException.class);

        assertThat(model.challengers().find("c").model().counts().totals().examples())
                .isEqualTo(10);
    }

    @Test
    void shouldReplaceAQuarantinedModelWithoutKeepingIt() {
        challenge("challenger=c");
        learn(0, 10);
        model.quarantine();
        assertThatThrownBy(() -> challenge("challenger=d", "from=live"))
                .hasMessage("from must be scratch for a quarantined model, got live");

        model.promote(Map.of("challenger", "c"));

        assertThat(model.state()).isEqualTo(ModelState.LIVE);
        assertThat(model.challengers().all()).isEmpty();
        assertThat(observed.takeEnded()).containsExactly(0L);
    }

    /** Labels that came after a promotion are of predictions by the former model. */
    @Test
    void shouldNotCompareExamplesThatAnotherModelHasPredicted() {
        challenge("challenger=c", "trial.warmup=0");
        learn(0, 10);
        Lane lane = new Lane(model);
        Example example = Sample.dense(1, 1, 2).example();
        example.setLabel(null);
        lane.predict(example, 10);
        model.promote(Map.of("challenger", "c"));
        Challenger previous = model.challengers().find(Challenger.PREVIOUS);
        long examples = previous.model().counts().totals().examples();

        lane.label(Sample.dense(1, 1, 2).example(), 11);

        assertThat(previous.compared()).isZero();
        // it has counted the example already
        assertThat(previous.model().counts().totals().examples()).isEqualTo(examples);
        assertThat(previous.model().counts().totals().labelled()).isEqualTo(11);
    }

    /** A challenger has no evidence; a former champion without it forgot the ids of its support vectors. */
    @Test
    void shouldKeepTheEvidenceOfTheFormerChampion() {
        model.configure(Map.of("algorithm", "kernel", "kernel", "rbf(g=1)", "explain", "3"));
        learn(0, 10);
        challenge("challenger=c", "algorithm=pa", "kernel=");

        model.promote(Map.of("challenger", "c"));

        Settings former =
                model.challengers().find(Challenger.PREVIOUS).model().pipeline().settings();
        assertThat(former.get(Settings.EXPLAIN)).isEqualTo(3);
        assertThat(former.get(Settings.DRIFT)).isEqualTo(DriftSettings.Detector.NONE);
    }

    @ParameterizedTest
    @CsvSource({"perceptron, arow", "arow, perceptron"})
    void shouldHaveTheSettingsOfTheModelThatItsLearnerUses(String first, String second) {
        model.configure(Map.of("algorithm", first, "explain", "3", "window.ms", "77", "auc.window", "9"));
        learn(0, 10);
        challenge("challenger=c", "algorithm=" + second);
        learn(10, 20);
        model.configure(Map.of("window.ms", "99"));

        model.promote(Map.of("challenger", "c"));

        Settings settings = model.pipeline().settings();
        assertThat(settings.get(Settings.WINDOW_MS)).isEqualTo(99);
        assertThat(settings.get(Settings.AUC_WINDOW)).isEqualTo(9);
        assertThat(settings.get(Settings.ALGORITHM)).hasToString(second);
        settings.requireUsedBy(model.pipeline().algorithm(), Settings.DEFAULTS);
        Settings former =
                model.challengers().find(Challenger.PREVIOUS).model().pipeline().settings();
        former.requireUsedBy(
                model.challengers().find(Challenger.PREVIOUS).model().pipeline().algorithm(), Settings.DEFAULTS);
    }
}
