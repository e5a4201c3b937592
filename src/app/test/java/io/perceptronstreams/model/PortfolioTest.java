package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A model that finds its settings itself, and the same challengers by a command. */
class PortfolioTest {
    private final Model model = new Model();
    private final Random random = new Random(1);

    /** An example of two features, of which the first decides. */
    private Example next(String label) {
        Example example = new Example();
        double x = random.nextGaussian();
        example.setFeatures(new FeatureVector().resetDense());
        FeatureVector vector = (FeatureVector) example.features();
        vector.append(x);
        vector.append(random.nextGaussian());
        example.setLabel(label != null ? Label.parse(label) : x > 0 ? Label.PLUS_ONE : Label.MINUS_ONE);
        return example;
    }

    private StatusCause process(Example example) {
        model.use(example, 0, null, null);
        return model.adapt();
    }

    private List<String> challengers() {
        return model.challengers().all().stream().map(Challenger::name).toList();
    }

    private static Map<String, String> portfolio() {
        return Map.of("portfolio", "true");
    }

    @Test
    void shouldBeginWithTheFirstLabel() {
        model.configure(portfolio());
        Example unlabelled = next(null);
        unlabelled.setLabel(null);

        assertThat(process(unlabelled)).isNull();
        assertThat(process(next(null))).isEqualTo(StatusCause.CHALLENGED);
        assertThat(model.pipeline().given())
                .hasToString("{algorithm=scw, scale=standard, drift=adwin, drift.action=reset, portfolio=true}");
        assertThat(challengers()).containsExactly("adagrad", "normalised", "perceptron");
        // they have learned it, too, and so have the statistics of the model
        assertThat(members()).allMatch(each -> each.counts().totals().labelled() == 1);
        assertThat(sharing()).isEqualTo(1);
        assertThat(process(next(null))).isNull();
        assertThat(challengers()).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({"auc.window, 500, red", "negative.label, 0, red", "classes.max, 50,", "drift.threshold, 3.0,"})
    void shouldRefuseAFirstLabelThatSettingsOfTheModelDoNotFit(String setting, String value, String label) {
        model.configure(Map.of("portfolio", "true", setting, value));
        Example unlabelled = next(null);
        unlabelled.setLabel(null);
        assertThat(process(unlabelled)).isNull();

        assertThatThrownBy(() -> process(next(label)))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining(setting)
                .hasMessageContaining("or portfolio=false");
        assertThat(model.pipeline().given()).hasToString("{" + setting + "=" + value + ", portfolio=true}");
    }

    private static List<Model> models(List<String> settings) {
        List<Model> models = new ArrayList<>();
        for (String each : settings) {
            Model one = new Model();
            one.configure(StreamErrors.changes(each));
            models.add(one);
        }
        return models;
    }

    /**
     * Members that learn alone, and a vote from its definition: sums over all earlier labels instead of a recursion.
     */
    @SeededTest
    void shouldPredictByAVoteOfModelsThatLearnAlone(long seed) {
        List<String> settings = List.of(
                "algorithm=scw scale=standard drift=adwin drift.action=reset",
                "algorithm=sgd rate=adagrad scale=standard implicit=true stacked=true",
                "algorithm=sgd rate=adagrad normalised=true",
                "algorithm=perceptron predict=averaged average.halflife=100");
        List<Model> alone = models(settings);
        model.configure(portfolio());
        StreamGenerators.Stream stream = StreamKinds.all().get("runs").apply(seed);
        List<boolean[]> wrong = new ArrayList<>();
        Example example = new Example();
        long errors = 0;
        int others = 0;
        for (int k = 0; k < 3_000; k++) {
            stream.next(example);
            Label truth = k % 10 == 3 ? null : example.label();
            example.setLabel(truth);
            double[] weights = weights(wrong, alone.size());
            boolean[] isWrong = new boolean[alone.size()];
            double positive = 0;
            double all = 0;
            for (int member = 0; member < alone.size(); member++) {
                Outcome outcome = alone.get(member).use(copy(example), k, null, null);
                positive += Label.PLUS_ONE.equals(outcome.predicted()) ? weights[member] : 0;
                all += weights[member];
                isWrong[member] = outcome.isError();
                alone.get(member).adapt();
            }
            Outcome voted = model.use(copy(example), k, null, null);
            errors += voted.isError() ? 1 : 0;
            if (k > 0) {
                String where = "seed " + seed + ", example " + k;
                double score = 2 * positive / all - 1;
                // equal sums differ by how they are rounded
                boolean isTie = Math.abs(score) < 1e-9;
                Label label = isTie ? voted.predicted() : score > 0 ? Label.PLUS_ONE : Label.MINUS_ONE;
                assertThat(voted.predicted()).as(where).isEqualTo(label);
                assertThat(voted.predictedScore()).as(where).isCloseTo(score, within(1e-9));
                assertThat(voted.isError()).as(where).isEqualTo(truth != null && !truth.equals(label));
                assertThat(voted.kind())
                        .as(where)
                        .isEqualTo(voted.isError() ? Outcome.Kind.MISTAKE : Outcome.Kind.CORRECT);
                assertThat(voted.margin())
                        .as(where)
                        .isEqualTo(
                                truth == null
                                        ? 0
                                        : voted.isError() ? -Math.abs(voted.score()) : Math.abs(voted.score()));
                others += truth != null && voted.isError() != isWrong[0] ? 1 : 0;
                if (truth != null) {
                    wrong.add(isWrong);
                }
            }
            model.adapt();
        }
        assertThat(others)
                .as("labels that the first member alone would not have emitted")
                .isPositive();
        assertThat(model.counts().totals().errors()).isEqualTo(errors);
        assertThat(model.counts().totals().examples()).isEqualTo(3_000);
        assertThat(model.counts().ofWeights().counts().errors())
                .isEqualTo(alone.get(0).counts().ofWeights().counts().errors());
        for (int member = 0; member < alone.size(); member++) {
            assertThat(Bits.of(members().get(member).pipeline().learner()))
                    .isEqualTo(Bits.of(alone.get(member).pipeline().learner()));
        }
        double shares = model.challengers().championShare();
        for (Challenger each : model.challengers().all()) {
            shares += model.challengers().share(each);
        }
        assertThat(shares).isCloseTo(1, within(1e-12));
    }

    /** A label has the weights of all members that predict it, and may win with less than half of them. */
    @SeededTest
    void shouldPredictByAVoteOfModelsOfSeveralClassesThatLearnAlone(long seed) {
        List<String> settings = List.of(
                "algorithm=multiclass-pa predict=averaged average.halflife=200 drift=adwin drift.action=reset",
                "algorithm=multiclass-pa",
                "algorithm=multiclass-pa c=0.1 predict=averaged average.halflife=1000 scale=standard",
                "algorithm=multiclass-pa c=0.1 scale=standard");
        List<Model> alone = models(settings);
        model.configure(portfolio());
        Random stream = new Random(seed);
        List<boolean[]> wrong = new ArrayList<>();
        int minorities = 0;
        for (int k = 0; k < 1_200; k++) {
            Example example = ofClasses(stream);
            Label truth = k % 10 == 3 ? null : example.label();
            example.setLabel(truth);
            double[] weights = weights(wrong, alone.size());
            boolean[] isWrong = new boolean[alone.size()];
            Map<Label, Double> votes = new HashMap<>();
            for (int member = 0; member < alone.size(); member++) {
                Outcome outcome = alone.get(member).use(copy(example), k, null, null);
                if (k > 0) {
                    votes.merge(outcome.predicted(), weights[member], Double::sum);
                }
                isWrong[member] = outcome.isError();
                alone.get(member).adapt();
            }
            Outcome voted = model.use(copy(example), k, null, null);
            if (k > 0) {
                String where = "seed " + seed + ", example " + k;
                double most = Collections.max(votes.values());
                double share = most / Arrays.stream(weights).sum();
                // of equal sums any, as they differ by how they are rounded
                assertThat(votes.get(voted.predicted())).as(where).isCloseTo(most, within(1e-9 * most));
                assertThat(voted.predictedScore()).as(where).isCloseTo(share, within(1e-9));
                assertThat(voted.isError()).as(where).isEqualTo(truth != null && !truth.equals(voted.predicted()));
                minorities += share < 0.5 ? 1 : 0;
                if (truth != null) {
                    wrong.add(isWrong);
                }
            }
            model.adapt();
        }
        assertThat(minorities).as("labels that win with less than half").isPositive();
        for (int member = 0; member < alone.size(); member++) {
            assertThat(Bits.of(members().get(member).pipeline().learner()))
                    .isEqualTo(Bits.of(alone.get(member).pipeline().learner()));
        }
    }

    /** An example of four classes, of which the largest of four noisy features decides; a fifth one has large units. */
    private static Example ofClasses(Random stream) {
        Example example = new Example();
        FeatureVector vector = new FeatureVector().resetDense();
        int best = 0;
        double largest = Double.NEGATIVE_INFINITY;
        for (int k = 0; k < 4; k++) {
            double x = stream.nextGaussian();
            double noisy = x + 0.5 * stream.nextGaussian();
            vector.append(x);
            best = noisy > largest ? k : best;
            largest = Math.max(noisy, largest);
        }
        vector.append(10 * stream.nextGaussian());
        example.setFeatures(vector);
        example.setLabel(new Label.ClassName("abcd".substring(best, best + 1)));
        return example;
    }

    /** 0.8^(errors, each of which is worth half after 1,000 further labels). */
    private static double[] weights(List<boolean[]> wrong, int members) {
        double[] weights = new double[members];
        for (int member = 0; member < members; member++) {
            double errors = 0;
            for (int k = 0; k < wrong.size(); k++) {
                errors += wrong.get(k)[member] ? Math.pow(2, -(wrong.size() - 1 - k) / 1_000.0) : 0;
            }
            weights[member] = Math.pow(0.8, errors);
        }
        return weights;
    }

    /** The first example is predicted before there is a vote. */
    @Test
    void shouldEvaluateAsItPredicts() {
        model.configure(portfolio());
        for (int k = 0; k < 300; k++) {
            Example example = next(k % 7 == 0 ? "1" : null);
            Outcome evaluated = model.evaluate(copy(example));
            List<Object> asked = Bits.of(evaluated);
            List<Object> used = Bits.of(model.use(example, 0, null, null));
            if (k > 0) {
                // all but whether the weights were changed
                assertThat(asked.subList(0, asked.size() - 1)).isEqualTo(used.subList(0, used.size() - 1));
            }
            model.adapt();
        }
        assertThat(model.challengers().isVoting()).isTrue();
    }

    @Test
    void shouldEndTheVoteWhereTheModelIsToPredictAlone() {
        for (String end : List.of("promote", "import", "false", "withdraw", "reset")) {
            Model voting = new Model();
            voting.configure(portfolio());
            for (int k = 0; k < 50; k++) {
                voting.use(next(null), 0, null, null);
                voting.adapt();
            }
            assertThat(voting.challengers().isVoting()).isTrue();
            switch (end) {
                case "promote" -> voting.promote(Map.of("challenger", "perceptron"));
                case "import" -> voting.replaceWith(new Model(voting.current().copy(0)));
                case "false" -> voting.configure(Map.of("portfolio", "false"));
                case "withdraw" ->
                    List.of("adagrad", "normalised", "perceptron")
                            .forEach(each -> voting.withdraw(Map.of("challenger", each)));
                default -> voting.reset(Map.of());
            }

            assertThat(voting.challengers().isVoting()).as(end).isFalse();
            assertThat(voting.challengers().championShare()).as(end).isNull();
            Example example = next(null);
            double own = voting.current().evaluate(copy(example)).predictedScore();
            assertThat(voting.use(example, 0, null, null).predictedScore())
                    .as(end)
                    .isEqualTo(own);
        }
    }

    /** What predicts stays what it was: weights, members and their standing. */
    @Test
    void shouldNotChangeTheVoteOfAFrozenModel() {
        model.configure(portfolio());
        for (int k = 0; k < 50; k++) {
            process(next(null));
        }
        Example probe = next(null);
        List<Object> before = Bits.of(model.evaluate(copy(probe)));
        model.freeze(true);
        for (int k = 0; k < 50; k++) {
            Example wrong = next(null);
            wrong.setLabel(wrong.label().equals(Label.PLUS_ONE) ? Label.MINUS_ONE : Label.PLUS_ONE);
            process(wrong);
        }
        assertThat(Bits.of(model.evaluate(copy(probe)))).isEqualTo(before);
    }

    /** A label that comes late is compared with the label that the vote has emitted, and each member with its own. */
    @Test
    void shouldCompareLateLabelsWithWhatWasEmitted() {
        model.configure(portfolio());
        List<Example> waiting = new ArrayList<>();
        List<Waiting> then = new ArrayList<>();
        List<Label> emitted = new ArrayList<>();
        List<Label> own = new ArrayList<>();
        for (int k = 0; k < 400; k++) {
            Example example = next(random.nextInt(4) == 0 ? "1" : null);
            if (k < 20 || random.nextBoolean()) {
                process(example);
                continue;
            }
            Example unlabelled = copy(example);
            unlabelled.setLabel(null);
            own.add(model.current().evaluate(copy(unlabelled)).predicted());
            emitted.add(model.use(unlabelled, k, null, null).predicted());
            then.add(model.current()
                    .waiting(unlabelled, null, new InputRecord(null, k, k, k, false), 0, model.emittedByChallengers()));
            waiting.add(example);
            model.adapt();
        }
        long errors = model.counts().totals().errors();
        long ownErrors = model.counts().ofWeights().counts().errors();
        int different = 0;
        for (int k = 0; k < waiting.size(); k++) {
            Label truth = waiting.get(k).label();
            Outcome outcome = model.use(waiting.get(k), 1_000, then.get(k), Counts.Counter.LATE);
            assertThat(outcome.predicted()).isEqualTo(emitted.get(k));
            assertThat(outcome.isError()).isEqualTo(!truth.equals(emitted.get(k)));
            errors += outcome.isError() ? 1 : 0;
            ownErrors += truth.equals(own.get(k)) ? 0 : 1;
            different += emitted.get(k).equals(own.get(k)) ? 0 : 1;
            model.adapt();
        }
        assertThat(different).isPositive();
        assertThat(model.counts().totals().errors()).isEqualTo(errors);
        assertThat(model.counts().ofWeights().counts().errors()).isEqualTo(ownErrors);
        assertThat(model.counts().totals().labelled()).isEqualTo(400);
    }

    /** It has learned, and they have not. */
    @Test
    void shouldLetMembersVoteLittleThatBeginLater() {
        model.configure(Map.of("algorithm", "scw", "scale", "standard"));
        for (int k = 0; k < 100; k++) {
            process(next(null));
        }
        model.challenge(portfolio());

        assertThat(model.challengers().championShare()).isCloseTo(1 / (1 + 3 * Math.pow(0.8, 10)), within(1e-12));
        Example example = next(null);
        Label own = model.current().evaluate(copy(example)).predicted();
        assertThat(process(copy(example))).isNull();
        assertThat(model.current().outcome().predicted()).isEqualTo(own);
    }

    @Test
    void shouldKeepTheSettingsOfALearner() {
        model.configure(Map.of("portfolio", "true", "algorithm", "pa", "labels", "no,yes", "drift", "ddm"));

        assertThat(process(next("yes"))).isEqualTo(StatusCause.CHALLENGED);
        assertThat(model.pipeline().given()).hasToString("{algorithm=pa, labels=no,yes, drift=ddm, portfolio=true}");
        assertThat(challengers()).containsExactly("scw", "adagrad", "normalised", "perceptron");
        assertThat(model.challengers().find("adagrad").model().pipeline().given())
                .hasToString(
                        "{algorithm=sgd, labels=no,yes, scale=standard, rate=adagrad, implicit=true, stacked=true, portfolio=true}");
    }

    @Test
    void shouldChangeNothingIfTheFirstLabelIsRejected() {
        model.configure(portfolio());
        Example rejected = next("2");

        assertThatThrownBy(() -> model.use(rejected, 0, null, null)).isInstanceOf(RejectedException.class);
        assertThat(model.pipeline().given()).hasToString("{portfolio=true}");
        assertThat(model.drift().isOn()).isFalse();
        assertThat(model.challengers().all()).isEmpty();
        assertThat(process(next(null))).isEqualTo(StatusCause.CHALLENGED);
    }

    @Test
    void shouldHaveChallengersOfItsOwnForSeveralClasses() {
        model.configure(portfolio());

        assertThat(process(next("a"))).isEqualTo(StatusCause.CHALLENGED);
        assertThat(model.pipeline().given())
                .hasToString("{algorithm=multiclass-pa, predict=averaged, drift=adwin, drift.action=reset,"
                        + " average.halflife=200.0, portfolio=true}");
        assertThat(challengers()).containsExactly("last", "scaled-average", "scaled-last");
    }

    @Test
    void shouldBeginNoneForSequences() {
        model.configure(portfolio());
        Example sentence = new Example();
        Sequence tokens = new Sequence();
        tokens.clear();
        tokens.append().resetSparse().append(1, 1);
        sentence.setFeatures(tokens);
        sentence.setLabel(new Label.Tags(List.of("N")));

        assertThat(process(sentence)).isNull();
        assertThat(model.challengers().all()).isEmpty();
        assertThatThrownBy(() -> model.challenge(portfolio()))
                .hasMessage("a portfolio must be for a model with classes, got algorithm=sequence");
    }

    @Test
    void shouldForgetItsChallengersWithAReset() {
        model.configure(portfolio());
        process(next(null));
        long epoch = model.challengers().find("adagrad").model().epoch();

        model.reset(Map.of());
        assertThat(model.challengers().all()).isEmpty();
        assertThat(process(next(null))).isEqualTo(StatusCause.CHALLENGED);
        assertThat(model.challengers().find("adagrad").model().epoch()).isGreaterThan(epoch);
    }

    /** With a new trial after each reset, no challenger would be found better where the concept changes steadily. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGoOnWithTrialsAfterAResetByTheDetector(boolean hasPortfolio) {
        model.configure(
                hasPortfolio ? portfolio() : StreamErrors.changes("algorithm=scw drift=adwin drift.action=reset"));
        if (!hasPortfolio) {
            model.challenge(StreamErrors.changes("challenger=adagrad algorithm=sgd rate=adagrad trial.warmup=0"));
        }
        List<StatusCause> causes = new ArrayList<>();
        for (int k = 0; k < 400 || (k < 4_000 && !causes.contains(StatusCause.DRIFT)); k++) {
            Example example = next(null);
            if (k >= 400) {
                example.setLabel(example.label().equals(Label.PLUS_ONE) ? Label.MINUS_ONE : Label.PLUS_ONE);
            }
            StatusCause cause = process(example);
            if (cause != null) {
                causes.add(cause);
            }
        }

        assertThat(causes)
                .isEqualTo(
                        hasPortfolio ? List.of(StatusCause.CHALLENGED, StatusCause.DRIFT) : List.of(StatusCause.DRIFT));
        assertThat(model.challengers().find("adagrad").compared()).isGreaterThan(400);
        assertThat(process(next(null))).isNull();
    }

    /** The second promotion ended the first former champion, and each later one another member. */
    @Test
    void shouldLoseNoMemberByPromotions() {
        model.configure(Map.of("algorithm", "scw", "scale", "standard"));
        process(next(null));
        model.challenge(Map.of("portfolio", "true", "trial.promote", "manual"));

        model.promote(Map.of("challenger", "adagrad"));
        assertThat(challengers()).containsExactlyInAnyOrder("normalised", "perceptron", "previous");
        model.promote(Map.of("challenger", "perceptron"));
        assertThat(challengers()).containsExactlyInAnyOrder("scw", "normalised", "previous");
        model.promote(Map.of("challenger", "previous"));
        assertThat(challengers()).containsExactlyInAnyOrder("scw", "normalised", "previous");
        model.promote(Map.of("challenger", "normalised"));

        assertThat(challengers()).containsExactlyInAnyOrder("scw", "perceptron", "previous");
        assertThat(model.challengers().find("perceptron").model().pipeline().algorithm())
                .isEqualTo(Algorithm.PERCEPTRON);
        assertThat(model.challengers().find("previous").model().pipeline().algorithm())
                .isEqualTo(Algorithm.SGD);
        assertThat(process(next(null))).isNull();
    }

    /**
     * Examples that waited for their labels since before the first one were learned as signs: their features were in no
     * statistics.
     */
    @Test
    void shouldLearnExamplesFromBeforeTheFirstLabelWithTheirValues() {
        model.configure(portfolio());
        Observed observed = Observed.of(model);
        List<Example> early = new ArrayList<>();
        List<Waiting> waiting = new ArrayList<>();
        for (int k = 0; k < 5; k++) {
            early.add(next(null));
            Example unlabelled = copy(early.get(k));
            unlabelled.setLabel(null);
            model.use(unlabelled, k, null, null);
            InputRecord record = new InputRecord(null, k, k, k, false);
            waiting.add(model.current().waiting(unlabelled, null, record, 0, model.emittedByChallengers()));
        }
        Model alone = new Model();
        alone.configure(Map.of("algorithm", "scw", "scale", "standard"));

        for (int k = 0; k < 5; k++) {
            alone.use(copy(early.get(k)), 9, null, null);
            model.use(early.get(k), 9, waiting.get(k), Counts.Counter.LATE);
            assertThat(model.adapt()).isEqualTo(k == 0 ? StatusCause.CHALLENGED : null);
        }

        assertThat(Bits.of(model.pipeline().learner()))
                .isEqualTo(Bits.of(alone.pipeline().learner()));
        // in an epoch of its own, which has counted none of them
        assertThat(model.current().epoch()).isEqualTo(1);
        assertThat(model.counts().totals().examples()).isEqualTo(5);
        assertThat(observed.takeEnded()).containsExactly(0L);
        assertThat(observed.closed().counts().examples()).isEqualTo(5);
        assertThat(challengers()).containsExactly("adagrad", "normalised", "perceptron");
        assertThat(model.challengers().find("normalised").model().epoch()).isEqualTo(3);
    }

    @Test
    void shouldStayInItsEpochIfTheFirstLabelIsRejectedAfterOtherExamples() {
        model.configure(Map.of("portfolio", "true", "drift", "ddm"));
        Observed observed = Observed.of(model);
        Example unlabelled = next(null);
        unlabelled.setLabel(null);
        process(unlabelled);
        Example rejected = next("2");

        assertThatThrownBy(() -> model.use(rejected, 0, null, null)).isInstanceOf(RejectedException.class);

        assertThat(model.current().epoch()).isZero();
        assertThat(model.counts().totals().examples()).isEqualTo(1);
        assertThat(observed.takeEnded()).isEmpty();
        assertThat(observed.closed()).isNull();
        assertThat(process(next(null))).isEqualTo(StatusCause.CHALLENGED);
        assertThat(model.current().epoch()).isEqualTo(1);
    }

    /** The labels that came while it was frozen had decided nothing, but counted as its first. */
    @Test
    void shouldBeginAfterLabelsOfAFrozenModel() {
        model.configure(portfolio());
        Example unlabelled = next(null);
        unlabelled.setLabel(null);
        process(unlabelled);
        model.freeze(true);
        process(next(null));
        process(next(null));
        model.freeze(false);

        assertThat(process(next(null))).isEqualTo(StatusCause.CHALLENGED);
        assertThat(challengers()).containsExactly("adagrad", "normalised", "perceptron");
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.SCW);
    }

    /** A member beside the model: it learns the same examples with statistics of its own. */
    private record Own(EpochModel member, EpochModel alone) {
        static Own of(EpochModel member) {
            return new Own(member, member.copy(member.epoch()));
        }

        void use(Example example, boolean isLearning, int time, Waiting then) {
            boolean isSeen = then != null && then.isSeenIn(member.epoch());
            try {
                alone.precede(example, then);
                alone.use(
                        example,
                        isLearning,
                        time,
                        isSeen ? then.asSeenIn(member.epoch()) : null,
                        null,
                        false,
                        ModelListener.NONE);
                alone.follow(example, then);
            } catch (RejectedException e) {
                // the champion has thrown it, or the challenger has ended
            }
        }

        void check(String where) {
            assertThat(Bits.of(member.pipeline().vector(Pipeline.STATISTICS)))
                    .as(where)
                    .isEqualTo(Bits.of(alone.pipeline().vector(Pipeline.STATISTICS)));
            assertThat(Bits.of(member.pipeline().learner()))
                    .as(where)
                    .isEqualTo(Bits.of(alone.pipeline().learner()));
        }
    }

    private List<EpochModel> members() {
        List<EpochModel> members = new ArrayList<>(List.of(model.current()));
        model.challengers().all().forEach(each -> members.add(each.model()));
        return members;
    }

    private long sharing() {
        List<Pipeline> all = members().stream().map(EpochModel::pipeline).toList();
        return IntStream.range(0, all.size())
                .filter(k -> all.subList(0, k).stream().anyMatch(all.get(k)::sharesStatistics))
                .count();
    }

    /** The members have their statistics in common as long as these are the same. */
    @SeededTest
    void shouldTeachEachMemberAsAModelOfItsOwn(long seed) {
        Random events = new Random(seed);
        model.configure(Map.of("portfolio", "true", "await.labels.ms", "5000"));
        List<Example> waiting = new ArrayList<>();
        List<Waiting> then = new ArrayList<>();
        List<Own> owns = new ArrayList<>();
        long most = 0;
        for (int k = 0; k < 2_000; k++) {
            String where = "seed " + seed + ", step " + k;
            boolean isCommand = events.nextInt(50) == 0;
            if (isCommand || k % 10 == 0) {
                owns.forEach(each -> each.check(where));
            }
            if (isCommand) {
                command(events);
                owns.clear();
            }
            if (owns.isEmpty()) {
                members().forEach(each -> owns.add(Own.of(each)));
            }
            boolean isLate = !then.isEmpty() && events.nextInt(3) == 0;
            Waiting earlier = isLate ? then.remove(0) : null;
            Example example = isLate ? waiting.remove(0) : anything(events);
            Example used = copy(example);
            boolean isAwaited = !isLate && events.nextInt(3) == 0;
            if (isAwaited) {
                used.setLabel(null);
            }
            boolean isLive = model.state() == ModelState.LIVE;
            List<Challenger> challengers = model.challengers().all();
            for (int member = 0; member < owns.size(); member++) {
                // what predicts, or did, does not learn while the model is frozen
                boolean isPredicting = member == 0
                        || challengers.get(member - 1).options().isVoting()
                        || challengers.get(member - 1).name().equals(Challenger.PREVIOUS);
                owns.get(member).use(copy(used), isLive || !isPredicting, k, earlier);
            }
            try {
                model.use(used, k, earlier, null);
            } catch (RejectedException e) {
                owns.clear();
                continue;
            }
            List<EpochModel> present = members();
            owns.removeIf(each -> !present.contains(each.member));
            if (isAwaited) {
                InputRecord record = new InputRecord(null, k, k, k, false);
                waiting.add(example);
                Waiting last = model.waiting(used, null, record, 0);
                then.add(last);
                owns.forEach(each -> each.alone.await(last));
            }
            model.adapt();
            if (!members().equals(present)) {
                owns.forEach(each -> each.check(where));
                owns.clear();
            }
            most = Math.max(most, sharing());
        }
        assertThat(most).as("seed %d", seed).isGreaterThanOrEqualTo(1);
    }

    /**
     * The model has seen an example, but has learned nothing of it; its label comes when the challenger has the same
     * statistics: none.
     */
    @Test
    void shouldSeparateModelsOfWhichOneHasSeenAnExampleBefore() {
        model.configure(Map.of("algorithm", "scw", "scale", "standard", "await.labels.ms", "5000"));
        model.freeze(true);
        Example unlabelled = next(null);
        Example late = copy(unlabelled);
        unlabelled.setLabel(null);
        model.use(unlabelled, 0, null, null);
        InputRecord record = new InputRecord(null, 0, 0, 0, false);
        Waiting then = model.current().waiting(unlabelled, null, record, 0, model.emittedByChallengers());
        model.challenge(Map.of("challenger", "c", "c", "0.1"));
        model.freeze(false);
        assertThat(sharing()).isEqualTo(1);
        List<Own> owns = members().stream().map(Own::of).toList();

        owns.forEach(each -> each.use(copy(late), true, 1, then));
        model.use(late, 1, then, null);
        Example example = next(null);
        owns.forEach(each -> each.use(copy(example), true, 2, null));
        model.use(example, 2, null, null);

        assertThat(sharing()).isZero();
        owns.forEach(each -> each.check("after the label"));
    }

    @Test
    void shouldCountTheHeapOfCommonStatisticsOnce() {
        model.configure(portfolio());
        for (int k = 0; k < 50; k++) {
            process(next(null));
        }
        assertThat(sharing()).isEqualTo(1);
        long heap = model.heapBytes();
        long common = model.pipeline().statisticsHeapBytes();

        members().forEach(each -> each.pipeline().separateStatistics());

        long own = model.pipeline().statisticsHeapBytes();
        assertThat(own).isBetween(common / 2, common);
        assertThat(model.heapBytes()).isEqualTo(heap - common + 2 * own);
    }

    /** Does what a command does, or a load of the model. */
    private void command(Random events) {
        List<String> names = challengers();
        String event = List.of(
                        "reset", "import", "freeze", "thaw", "thaw", "promote", "promote", "load", "load", "scale")
                .get(events.nextInt(10));
        switch (event) {
            case "reset" -> model.reset(Map.of());
            case "import" -> {
                Model other = new Model(model.current().copy(0));
                model.replaceWith(other);
            }
            case "promote" -> {
                if (!names.isEmpty()) {
                    model.promote(Map.of("challenger", names.get(events.nextInt(names.size()))));
                }
            }
            case "load" -> model.shareStatistics();
            case "scale" -> model.reset(Map.of("scale", events.nextBoolean() ? "none" : "standard"));
            default -> model.freeze(event.equals("freeze"));
        }
    }

    /** An example of features in several blocks; some cannot be used by the model, or by a challenger. */
    private static Example anything(Random random) {
        Example example = new Example();
        example.setFeatures(new FeatureVector().resetSparse());
        FeatureVector vector = (FeatureVector) example.features();
        double sum = 0;
        for (int index = random.nextInt(9); index < 40; index += 1 + random.nextInt(9)) {
            double value = random.nextInt(4) == 0 ? 1 : index + random.nextGaussian();
            vector.append(100 * index, random.nextInt(2_000) == 0 ? 1e200 : value);
            sum += (value - index) * (index % 3 - 1);
        }
        example.setLabel(sum > 0 ? Label.PLUS_ONE : Label.MINUS_ONE);
        example.setWeight(random.nextInt(300) == 0 ? 1e300 : 1);
        return example;
    }

    private static Example copy(Example example) {
        Example copy = new Example();
        copy.setFeatures(new FeatureVector());
        ((FeatureVector) copy.features()).set((FeatureVector) example.features());
        copy.setLabel(example.label());
        copy.setWeight(example.weight());
        return copy;
    }

    @Test
    void shouldBeginByACommandWithOptionsOfTheTrials() {
        process(next(null));
        model.challenge(Map.of("portfolio", "true", "trial.promote", "manual", "trial.alpha", "0.01"));

        assertThat(challengers()).containsExactly("scw", "adagrad", "normalised", "perceptron");
        Challenger.Options options = model.challengers().find("scw").options();
        assertThat(options.isAutomatic()).isFalse();
        assertThat(options.trial().alpha()).isEqualTo(0.01);
        assertThat(options.trial().step()).isEqualTo(1);
        assertThat(options.trial().warmup()).isEqualTo(1_000);

        model.challenge(Map.of("portfolio", "true", "trial.growth", "square"));
        assertThat(model.challengers().find("scw").options().trial().step()).isEqualTo(10);
    }

    @Test
    void shouldRefuseACommandThatCannotBegin() {
        assertThatThrownBy(() -> model.challenge(portfolio()))
                .hasMessage("a portfolio must be for a model with classes, got algorithm=auto before the first label"
                        + " (set portfolio=true)");
        process(next(null));
        assertThatThrownBy(() -> model.challenge(Map.of("portfolio", "true", "eta", "2")))
                .hasMessage("the settings of a portfolio must be portfolio=true and options of its trials, got eta=2"
                        + " (challenge with a name and without portfolio)");
        model.challenge(Map.of("challenger", "mine", "eta", "2"));
        assertThatThrownBy(() -> model.challenge(portfolio()))
                .hasMessage("a model must have at most 4 challengers, got one more, 'scw', 'adagrad', 'normalised',"
                        + " 'perceptron' (withdraw one of mine)");
        assertThat(challengers()).containsExactly("mine");
    }

    @Test
    void shouldPromoteWhatSuitsAStreamIfItDoesNotVote() {
        model.configure(Map.of("algorithm", "scw", "scale", "standard"));
        StreamGenerators.Stream stream = StreamKinds.all().get("gradual").apply(2);
        Example example = new Example();
        List<StatusCause> causes = new ArrayList<>();
        for (int k = 0; k < 20_000; k++) {
            stream.next(example);
            causes.add(process(example));
            if (k == 10) {
                model.challenge(Map.of("portfolio", "true", "trial.promote", "auto", "trial.warmup", "0"));
            }
        }

        assertThat(causes).contains(StatusCause.PROMOTED);
        assertThat(model.pipeline().algorithm()).hasToString("sgd");
        assertThat(challengers()).contains("previous");
    }
}
