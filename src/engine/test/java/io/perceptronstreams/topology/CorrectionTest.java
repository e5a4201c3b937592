package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.evaluation.Reliability;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.labels.Corrections.Agreement;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.probability.Calibration;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels that disagree or change; {@link KillReplayTest} mixes and kills. */
@ExtendWith(EngineExtension.class)
class CorrectionTest {
    private static final String SOURCES = "\"labels.sources\":\"review>chargeback>user\"";

    private final EngineDriver engine;

    CorrectionTest(EngineDriver engine) {
        this.engine = engine;
    }

    private Model model() {
        return engine.model("m");
    }

    private Counts totals() {
        return model().counts().totals();
    }

    private void configure(String settings) {
        // with algorithm=auto there is no prediction before the first label
        String algorithm = settings.contains("algorithm") ? "" : "\"algorithm\":\"perceptron\",";
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{" + algorithm + settings + "}}", 0);
        assertThat(engine.messages()).isEmpty();
    }

    private void example(String id, String features, long time) {
        engine.send("m", "{\"id\":\"" + id + "\",\"features\":[" + features + "]}", time);
    }

    private void label(String id, Object label, String source, long time) {
        String said = source == null ? "" : ",\"source\":\"" + source + "\"";
        engine.send("m", "{\"exampleId\":\"" + id + "\",\"label\":" + label + said + "}", time);
    }

    private GenericRecord mistake() {
        List<GenericRecord> all = engine.events(Topic.MISTAKES);
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private Agreement agreement(String truth, String other) {
        return model().corrections().agreements().stream()
                .filter(each -> each.truth().equals(truth) && each.other().equals(other))
                .findFirst()
                .orElseThrow();
    }

    /*
     * Without a bias, of the weights (0, 0): score 0 emits +1. user: -1 is a mistake, w = -(1, 0). review: +1 has score
     * -1, a mistake, w = (0, 0) again; the emitted +1 is right now. The second label of review is another one: its
     * score is 0, a mistake for -1, w = (-1, 0), and the emitted +1 is wrong. user agrees with it, but is weaker.
     */
    @Test
    void shouldLearnALabelOfAStrongerSourceAndCorrectTheFigures() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"bias\":false");
        example("a", "1,0", 10);
        label("a", -1, "user", 20);
        GenericRecord first = mistake();
        assertThat(first.get("source")).hasToString("user");
        assertThat(first.get("corrects")).isNull();
        assertThat(totals().errors()).isEqualTo(1);

        label("a", 1, "review", 30);
        GenericRecord second = mistake();
        assertThat(second.get("kind")).hasToString("MISTAKE");
        assertThat(second.get("source")).hasToString("review");
        // the record of the first label, after command and example
        assertThat(second.get("corrects")).isEqualTo(2L);
        assertThat(second.get("replaced")).hasToString("-1");
        assertThat(second.get("errorChange")).isEqualTo(-1);
        assertThat(second.get("predicted")).isEqualTo(1);
        assertThat(second.get("labelText")).hasToString("1");
        assertThat(second.get("delayMs")).isEqualTo(20L);
        assertThat(second.get("updates")).isEqualTo(2L);
        assertThat(totals().errors()).isZero();
        assertThat(totals().labelled()).isEqualTo(1);
        assertThat(model().pipeline().learner().weightNorm()).isZero();

        label("a", -1, "review", 40);
        GenericRecord third = mistake();
        assertThat(third.get("corrects")).isEqualTo(3L);
        assertThat(third.get("errorChange")).isEqualTo(1);
        assertThat(totals().errors()).isEqualTo(1);
        assertThat(model().pipeline().learner().weightNorm()).isEqualTo(1);

        label("a", -1, "user", 50);
        label("a", 1, "chargeback", 60);
        assertThat(engine.events(Topic.MISTAKES)).isEmpty();
        assertThat(engine.messages()).isEmpty();
        assertThat(totals().errors()).isEqualTo(1);
        assertThat(model().corrections().corrections()).isEqualTo(2);
        assertThat(model().corrections().outstanding()).isZero();
        assertThat(model().corrections().agreements())
                .containsExactly(
                        new Agreement("review", "chargeback", 0, 1),
                        new Agreement("review", "user", 1, 0),
                        new Agreement("user", "review", 0, 1));
        assertThat(model().counts().confusion().count(0, 1)).isEqualTo(1);
        assertThat(model().counts().confusion().count(1, 1)).isZero();
    }

    /** The first example has no prediction: a mistake for each label. */
    @Test
    void shouldCorrectTheLabelOfAnExampleWithoutAPrediction() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"algorithm\":\"multiclass\"");
        example("a", "1,0", 10);
        label("a", "\"x\"", "user", 20);
        assertThat(mistake().get("predicted")).isNull();

        label("a", "\"y\"", "review", 30);

        assertThat(engine.messages()).isEmpty();
        assertThat(mistake().get("errorChange")).isEqualTo(0);
        assertThat(totals().labelled()).isEqualTo(1);
        assertThat(totals().errors()).isEqualTo(1);
        assertThat(model().counts().confusion().names()).containsExactly("x", "y");
        assertThat(model().counts().confusion().examples()).isZero();
    }

    /** A verdict about a frozen model takes effect with the next example that is learned. */
    @Test
    void shouldNotPromoteAfterAThawBecauseOfALabelThatAgrees() {
        configure(SOURCES + ",\"await.labels.ms\":100000,\"corrections.ms\":100000");
        example("a", "1,0", 10);
        label("a", -1, "user", 11);
        engine.send(
                "m",
                "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"c\",\"trial.promote\":\"auto\",\"trial.warmup\":\"0\","
                        + "\"trial.round\":\"1\",\"trial.alpha\":\"0.6\"}}",
                12);
        assertThat(engine.messages()).isEmpty();
        engine.send("m", "{\"action\":\"FREEZE\",\"settings\":{}}", 13);
        for (int k = 0; k < 100; k++) {
            engine.send("m", "{\"id\":\"" + k + "\",\"label\":1,\"features\":[1,0]}", 20 + k);
        }
        assertThat(model().challengers().find("c").trial().verdict()).isEqualTo(Trial.Verdict.BETTER);
        engine.send("m", "{\"action\":\"THAW\",\"settings\":{}}", 2_000);
        label("a", -1, "review", 2_001);
        assertThat(agreement("user", "review").agreed()).isEqualTo(1);
        assertThat(model().challengers().find("c")).isNotNull();
        engine.send("m", "{\"id\":\"b\",\"label\":1,\"features\":[1,0]}", 2_002);
        assertThat(model().challengers().find("c")).isNull();
        assertThat(model().challengers().find(Challenger.PREVIOUS)).isNotNull();
    }

    /** The correction reset the model for the alarm of an example before it, unless it had been loaded since. */
    @Test
    void shouldNotResetAModelBecauseOfAnAlarmWhileItWasFrozen() {
        configure(SOURCES + ",\"await.labels.ms\":100000,\"drift\":\"adwin\",\"drift.action\":\"reset\"");
        example("a", "1,0", 10);
        label("a", 1, "user", 20);
        for (int k = 0; k < 100; k++) {
            engine.send("m", "{\"id\":\"right" + k + "\",\"features\":[1,0],\"label\":1}", 30);
        }
        engine.send("m", "{\"action\":\"FREEZE\",\"settings\":{}}", 40);
        engine.events(Topic.ALERTS);
        int wrong = 0;
        do {
            engine.send("m", "{\"id\":\"wrong" + wrong++ + "\",\"features\":[1,0],\"label\":-1}", 50);
        } while (engine.events(Topic.ALERTS).stream()
                .noneMatch(each -> each.get("kind").toString().equals("DRIFT")));
        assertThat(model().drift().alarm()).isNotNull();
        engine.send("m", "{\"action\":\"THAW\",\"settings\":{}}", 60);

        label("a", -1, "review", 70);

        assertThat(model().corrections().corrections()).isEqualTo(1);
        assertThat(model().current().epoch()).isZero();
    }

    /** It ended with the next example, unless the model had been loaded since: what it cannot use is not stored. */
    @Test
    void shouldEndAShadowThatCannotUseACorrectionAtOnce() {
        configure(SOURCES + ",\"await.labels.ms\":100000,\"drift\":\"adwin\",\"drift.action\":\"shadow\"");
        Random random = new Random(1);
        boolean areOfOneMind = true;
        for (int k = 0; areOfOneMind; k++) {
            assertThat(k).isLessThan(100_000);
            // alarms come where right labels are followed by any
            boolean isAny = k / 300 % 2 == 1;
            String label = isAny && random.nextBoolean() ? "-1" : "1";
            String features = isAny ? 3 * random.nextGaussian() + ",1" : "1,0";
            engine.send("m", "{\"id\":\"" + k + "\",\"features\":[" + features + "],\"label\":" + label + "}", 50);
            Challenger shadow = model().challengers().find(Challenger.DRIFT);
            // of the correction below only the shadow makes an update, by 1e308
            areOfOneMind = shadow == null || score(model().current()) > -3 || score(shadow.model()) < 0;
        }
        example("a", "1,0", 60);
        label("a", 1, "user", 61);
        engine.send("m", "{\"exampleId\":\"a\",\"label\":-1,\"source\":\"review\",\"weight\":1e308}", 62);

        assertThat(engine.messages()).isEmpty();
        assertThat(model().corrections().corrections()).isEqualTo(1);
        assertThat(model().challengers().find(Challenger.DRIFT)).isNull();
    }

    private static double score(EpochModel model) {
        FeatureVector x = new FeatureVector().resetDense();
        x.append(1);
        x.append(0);
        Example example = new Example();
        example.setFeatures(x);
        return model.evaluate(example).predictedScore();
    }

    // Of the true label after the wait the model knew that it was too late, and kept the wrong lesson.
    @ParameterizedTest
    @ValueSource(strings = {"", SOURCES + ","})
    void shouldCorrectADefaultByTheTrueLabelAfterTheWait(String sources) {
        configure(sources + "\"await.labels.ms\":100,\"label.default\":\"-1\",\"corrections.ms\":1000,\"bias\":false");
        example("a", "1,0", 10);
        example("b", "1,0", 200);
        assertThat(totals().of(Counter.DEFAULTED)).isEqualTo(1);
        assertThat(totals().errors()).isEqualTo(1);
        assertThat(engine.events(Topic.MISTAKES)).hasSize(1);
        label("a", 1, null, 210);
        GenericRecord corrected = mistake();
        assertThat(corrected.get("errorChange")).isEqualTo(-1);
        // learned before the record at offset 2 was used
        assertThat(corrected.get("corrects")).isEqualTo(1L);
        assertThat(totals().errors()).isZero();
        assertThat(agreement("default", "")).isEqualTo(new Agreement("default", "", 0, 1));
        assertThat(model().late().state().delays()).isNotEmpty();

        label("a", -1, null, 220);
        assertThat(engine.messages())
                .containsExactly("an example must have one label, got a second one (the first counts)");
        example("c", "1,0", 2000);
        label("b", 1, null, 2001);
        // the time for corrections was over
        label("a", -1, sources.isEmpty() ? null : "review", 2002);
        label("c", 1, null, 2003);
        example("d", "1,0", 4000);
        label("c", 1, null, 4001);
        assertThat(engine.reasons())
                .containsExactly(
                        sources.isEmpty()
                                ? List.of("DUPLICATE_LABEL", "DUPLICATE_LABEL").toArray(String[]::new)
                                : List.of("LABEL_TOO_LATE", "LABEL_TOO_LATE").toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({"learn, 2, 0", "count, 1, 0", "repair, 1, 1"})
    void shouldChangeFiguresInEachWayAndWeightsOnlyByLearning(String corrections, long updates, long outstanding) {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"corrections\":\"" + corrections + "\"");
        example("a", "1,0", 10);
        label("a", -1, "user", 20);
        label("a", 1, "review", 30);
        assertThat(totals().errors()).isZero();
        assertThat(model().current().version()).isEqualTo(updates);
        assertThat(model().corrections().outstanding()).isEqualTo(outstanding);
        engine.send("m", "{\"action\":\"RESET\"}", 40);
        assertThat(model().corrections().corrections()).isZero();
        assertThat(model().corrections().outstanding()).isZero();
        // its label was counted before the reset: no figure has it, and the weights have learned nothing yet
        label("a", -1, "review", 50);
        assertThat(totals().errors()).isZero();
        assertThat(totals().labelled()).isZero();
        assertThat(model().current().version()).isZero();
        assertThat(model().corrections().corrections()).isEqualTo(1);
        assertThat(engine.messages()).isEmpty();
    }

    @Test
    void shouldCorrectAnExampleWithItsOwnLabelAndOneWhoseLabelCameFirst() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"await.examples.ms\":1000,\"corrections\":\"count\"");
        engine.send("m", "{\"id\":\"a\",\"label\":-1,\"features\":[1]}", 10);
        label("a", -1, null, 11);
        assertThat(engine.reasons()).containsExactly("DUPLICATE_LABEL");
        label("a", 1, "user", 12);
        assertThat(mistakes()).isEqualTo("null, 1");
        // before their example: of two labels the stronger one stays
        label("b", 1, "user", 20);
        label("b", -1, "review", 21);
        label("b", 1, "chargeback", 22);
        example("b", "-1", 23);
        assertThat(totals().labelled()).isEqualTo(2);
        assertThat(agreement("user", "review").disagreed()).isEqualTo(1);
        assertThat(agreement("review", "chargeback").disagreed()).isEqualTo(1);
        label("b", 1, "review", 24);
        // an example with a label, after a stronger one
        label("c", 1, "review", 30);
        engine.send("m", "{\"id\":\"c\",\"label\":-1,\"features\":[1]}", 31);
        assertThat(model().corrections().corrections()).isEqualTo(3);
        label("c", -1, "user", 32);
        assertThat(agreement("review", "user").disagreed()).isEqualTo(1);
        assertThat(engine.messages()).isEmpty();
    }

    private String mistakes() {
        StringBuilder text = new StringBuilder();
        for (GenericRecord each : engine.events(Topic.MISTAKES)) {
            text.append(text.length() == 0 ? "" : ", ").append(each.get("corrects"));
        }
        return text.toString();
    }

    @Test
    void shouldRefuseWhatCannotBeACorrectionAndLoseNothing() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"await.examples.ms\":0,\"labels\":\"no,yes\"");
        example("a", "1,0", 10);
        label("a", "\"no\"", "user", 20);
        engine.send("m", "{\"id\":\"d\",\"features\":[1,0]}", 21);
        label("a", "\"yes\"", "rewiew", 22);
        label("a", "\"maybe\"", "review", 23);
        label("a", 7, "review", 24);
        label("a", "[\"yes\"]", "review", 25);
        label("unknown", "\"yes\"", "review", 26);
        engine.send("m", "{\"exampleId\":\"a\",\"label\":\"yes\",\"source\":\"review\",\"knowableAt\":28}", 27);
        engine.send("m", "{\"exampleId\":\"a\",\"label\":\"yes\",\"source\":\"review\",\"weight\":1e308}", 28);
        engine.send("m", "{\"exampleId\":\"a\",\"label\":\"yes\",\"source\":\"review\",\"weight\":0}", 29);
        label("a", "\"no\"", "user", 30);
        label("a", "\"no\"", "x".repeat(41), 31);
        assertThat(engine.reasons())
                .containsExactly(
                        "INVALID_SOURCE",
                        "INVALID_LABEL",
                        "INVALID_LABEL",
                        "INVALID_LABEL",
                        "LABEL_WITHOUT_EXAMPLE",
                        "INVALID_SOURCE",
                        "SCORE_OVERFLOW",
                        "INVALID_WEIGHT",
                        "DUPLICATE_LABEL",
                        "INVALID_SOURCE");
        assertThat(model().corrections().corrections()).isZero();
        assertThat(model().corrections().agreements()).isEmpty();
        label("a", "\"yes\"", "review", 32);
        label("a", "\"no\"", "review", 33);
        assertThat(model().corrections().corrections()).isEqualTo(2);
        // an example that was never labelled has its first label, out of order
        label("d", "\"yes\"", "chargeback", 12);
        assertThat(totals().labelled()).isEqualTo(2);
        assertThat(engine.messages()).isEmpty();
    }

    @Test
    void shouldKeepTheLabelThatWaitsIfAStrongerOneIsTooLarge() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"await.examples.ms\":1000");
        label("a", -1, "user", 10);
        String blanks = " ".repeat(300_000);
        engine.send("m", "{\"exampleId\":\"a\"," + blanks + "\"label\":1,\"source\":\"review\"}", 11);
        assertThat(engine.reasons()).containsExactly("PENDING_FULL");
        assertThat(model().corrections().isEmpty()).isTrue();
        assertThat(model().late().waitingLabels()).isEqualTo(1);
        example("a", "1,0", 12);
        assertThat(totals().labelled()).isEqualTo(1);
    }

    // The first record of the model has more examples, whose times tell that the label of the first one is out.
    @Test
    void shouldCorrectADefaultThatWasLearnedInTheMiddleOfTheFirstRecord() {
        engine.send(
                "*",
                "{\"action\":\"DEFAULTS\",\"settings\":{\"algorithm\":\"perceptron\",\"await.labels.ms\":100,"
                        + "\"label.default\":\"-1\",\"corrections.ms\":1000,\"bias\":false}}",
                0);
        engine.send(
                "m",
                "[{\"id\":\"a\",\"timestamp\":10,\"features\":[1,0]},{\"id\":\"b\",\"timestamp\":200,\"features\":[1,0]}]",
                200);
        assertThat(engine.messages()).isEmpty();
        assertThat(totals().of(Counter.DEFAULTED)).isEqualTo(1);
        assertThat(totals().errors()).isEqualTo(1);
        label("a", 1, null, 210);
        assertThat(engine.messages()).isEmpty();
        assertThat(totals().errors()).isZero();
        assertThat(model().counts().confusion().count(1, 1)).isEqualTo(1);
    }

    @Test
    void shouldRefuseALabelThatTheModelCannotHaveAlsoOfAWeakerSource() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"algorithm\":\"multiclass\",\"classes\":\"a,b,c\"");
        example("a", "1,0", 10);
        label("a", "\"b\"", "review", 20);
        label("a", "\"d\"", "user", 21);
        label("a", "[\"b\"]", "user", 22);
        assertThat(engine.reasons()).containsExactly("INVALID_LABEL", "INVALID_LABEL");
        assertThat(model().corrections().isEmpty()).isTrue();
        label("a", "\"c\"", "user", 23);
        assertThat(engine.reasons()).isEmpty();
        assertThat(agreement("review", "user").disagreed()).isEqualTo(1);
    }

    // The multiclass model knows the labels of two classes by their names, of which 1 is none.
    @Test
    void shouldCorrectLabelsThatHadOtherNamesBeforeAPromotion() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"corrections\":\"count\"");
        engine.send("m", "{\"id\":\"a\",\"label\":0,\"features\":[1,0]}", 10);
        engine.send("m", "{\"id\":\"b\",\"label\":1,\"features\":[1,0]}", 11);
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"labels\":\"false,true\"}}", 12);
        engine.send(
                "m",
                "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"c\",\"algorithm\":\"multiclass\",\"labels\":\"\"}}",
                13);
        engine.send("m", "{\"id\":\"c\",\"label\":\"true\",\"features\":[1,0]}", 14);
        engine.send("m", "{\"action\":\"PROMOTE\",\"settings\":{\"challenger\":\"c\"}}", 15);
        assertThat(engine.messages()).isEmpty();
        label("b", "\"false\"", "review", 20);
        label("a", "\"other\"", "review", 21);
        label("c", "\"new\"", "review", 22);
        assertThat(engine.messages()).isEmpty();
        assertThat(model().corrections().corrections()).isEqualTo(3);
        List<String> names = model().counts().confusion().names();
        assertThat(names).contains("false", "true", "new");
        assertThat(model().counts().confusion().examples()).isEqualTo(3);
        engine.reload();
        assertThat(model().counts().confusion().names()).isEqualTo(names);
        assertThat(model().counts().confusion().examples()).isEqualTo(3);
    }

    /*
     * Without a bias: of (0, 0) a emits +1, -1 is a mistake, w = (-1, 0). The imported weights are the same and have
     * learned another example: review's +1 is a mistake of theirs, w = (0, 0), and the emitted +1 is right now.
     */
    @Test
    void shouldCorrectAnExampleOfTheWeightsBeforeAnImport() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"bias\":false");
        example("a", "1,0", 10);
        label("a", -1, "user", 20);
        engine.events(Topic.WEIGHTS);
        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 21);
        engine.send("m", engine.encode(engine.events(Topic.WEIGHTS).get(0)), 22);
        engine.events(Topic.MISTAKES);
        assertThat(model().current().epoch()).isEqualTo(1);
        assertThat(totals().errors()).isEqualTo(1);

        engine.reload();
        label("a", 1, "review", 30);
        assertThat(engine.messages()).isEmpty();
        assertThat(mistake().get("errorChange")).isEqualTo(-1);
        assertThat(totals().errors()).isZero();
        assertThat(totals().labelled()).isEqualTo(1);
        assertThat(model().corrections().corrections()).isEqualTo(1);
        assertThat(agreement("user", "review").disagreed()).isEqualTo(1);
        assertThat(model().pipeline().learner().weightNorm()).isZero();
    }

    /** A model made of another one's weights has not emitted what the other one has. */
    @Test
    void shouldNotCorrectTheExamplesOfTheModelThatWasExported() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"await.examples.ms\":0,\"bias\":false");
        example("a", "1,0", 10);
        label("a", -1, "user", 20);
        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 21);
        engine.send("other", engine.encode(engine.events(Topic.WEIGHTS).get(0)), 22);
        engine.events(Topic.MISTAKES);

        Model other = engine.model("other");
        engine.send("other", "{\"exampleId\":\"a\",\"label\":1,\"source\":\"review\"}", 30);
        assertThat(engine.reasons()).containsExactly("LABEL_WITHOUT_EXAMPLE");
        assertThat(engine.events(Topic.MISTAKES)).isEmpty();
        assertThat(other.corrections().isEmpty()).isTrue();
        assertThat(other.counts().totals().labelled()).isZero();
        assertThat(other.pipeline().learner().weightNorm()).isEqualTo(1);
        assertThat(other.pipeline().settings().get(Settings.LABELS_SOURCES))
                .isEqualTo(model().pipeline().settings().get(Settings.LABELS_SOURCES));
    }

    // A frozen model has compared the label before it knew which labels it has.
    @Test
    void shouldCorrectALabelThatCameBeforeTheAlgorithmWasDecided() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"algorithm\":\"auto\"");
        engine.send("m", "{\"action\":\"FREEZE\"}", 1);
        engine.send("m", "{\"id\":\"a\",\"label\":\"x\",\"features\":[1,0]}", 10);
        engine.send("m", "{\"action\":\"THAW\"}", 11);
        for (String label : List.of("u", "v", "w")) {
            engine.send("m", "{\"id\":\"" + label + "\",\"label\":\"" + label + "\",\"features\":[0,1]}", 12);
        }
        assertThat(engine.messages()).isEmpty();
        long errors = totals().errors();
        label("a", "\"y\"", "review", 20);
        assertThat(engine.messages()).isEmpty();
        assertThat(model().corrections().corrections()).isEqualTo(1);
        assertThat(totals().errors()).isEqualTo(errors);
        engine.reload();
        assertThat(totals().errors()).isEqualTo(errors);
        assertThat(model().counts().metrics().compared()).isEqualTo(3);
    }

    @Test
    void shouldNotKeepALabelThatIsTooLongForARecordOfTheStore() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"algorithm\":\"sequence\",\"corrections\":\"count\"");
        int tokens = 100;
        String words = String.join(",", Collections.nCopies(tokens, "[\"w\"]"));
        engine.send("m", "{\"id\":\"a\",\"features\":{\"tokens\":[" + words + "]}}", 10);
        label("a", "[" + String.join(",", Collections.nCopies(tokens, "\"A\"")) + "]", "user", 11);
        assertThat(engine.messages()).isEmpty();
        assertThat(model().late().settledCount()).isEqualTo(1);
        String longTag = '"' + "B".repeat(250) + '"';
        label("a", "[" + String.join(",", Collections.nCopies(tokens, longTag)) + "]", "review", 12);
        assertThat(engine.messages()).isEmpty();
        assertThat(model().corrections().corrections()).isEqualTo(1);
        assertThat(model().late().settledCount()).isZero();
        label("a", "[" + String.join(",", Collections.nCopies(tokens, "\"A\"")) + "]", "review", 13);
        assertThat(engine.reasons()).containsExactly("LABEL_TOO_LATE");
    }

    private double movedSets() {
        return model().current().calibrationNumbers().get(Calibration.NUMBERS - 3);
    }

    private List<String> predictedSet() {
        List<String> set = new ArrayList<>();
        ((List<?>) engine.events(Topic.PREDICTIONS).get(0).get("labelSet")).forEach(each -> set.add(each.toString()));
        return set;
    }

    private static double step(boolean isCovered) {
        return isCovered ? 0.25 * (0.8 - 1) : 0.25 * 0.8;
    }

    // A label of a class that was unknown at the prediction makes no step. A correction by one that was known when it
    // came moved the sets by the difference to a step that was never made, and left them there when it was taken back.
    @Test
    void shouldMoveSetsByTheStepsOfLabelsThatWereKnownAtThePrediction() {
        configure(SOURCES
                + ",\"await.labels.ms\":1000,\"algorithm\":\"multiclass\",\"calibrate\":\"platt\",\"coverage\":0.8"
                + ",\"corrections\":\"count\"");
        for (int k = 0; k < 10; k++) {
            example("e" + k, "1,0", 10 + k);
            label("e" + k, k % 2 == 0 ? "\"a\"" : "\"b\"", "user", 10 + k);
        }
        var unused = engine.events(Topic.PREDICTIONS);
        example("x", "0,1", 30);
        List<String> ofX = predictedSet();
        example("y", "0,1", 30);
        List<String> ofY = predictedSet();
        double before = movedSets();
        label("x", "\"new\"", "user", 31);
        assertThat(movedSets()).isEqualTo(before);

        // the same class is known now, but was not when y was predicted
        label("y", "\"new\"", "user", 32);
        assertThat(movedSets()).isEqualTo(before);

        label("x", "\"a\"", "review", 33);
        double ofA = movedSets();
        assertThat(ofA - before).isCloseTo(step(ofX.contains("a")), within(0x1p-20));
        label("x", "\"new\"", "review", 34);
        assertThat(movedSets()).isEqualTo(before);
        label("x", "\"b\"", "review", 35);
        assertThat(movedSets() - before).isCloseTo(step(ofX.contains("b")), within(0x1p-20));
        label("x", "\"a\"", "review", 36);
        assertThat(movedSets()).isEqualTo(ofA);

        label("y", "\"b\"", "review", 37);
        assertThat(movedSets() - ofA).isCloseTo(step(ofY.contains("b")), within(0x1p-20));
        assertThat(engine.messages()).isEmpty();
    }

    @Test
    void shouldLetTheOldestLeaveWhereTooManyCouldBeCorrected() {
        configure(SOURCES + ",\"await.labels.ms\":1000,\"await.labels.max\":2");
        for (int k = 0; k < 4; k++) {
            example("" + k, "1,0", 10 + k);
            label("" + k, -1, "user", 20 + k);
        }
        assertThat(engine.messages()).isEmpty();
        assertThat(model().late().settledCount()).isEqualTo(2);
        assertThat(model().corrections().leftEarly()).isEqualTo(2);
        engine.reload();
        label("0", 1, "review", 30);
        label("2", 1, "review", 31);
        label("3", 1, "review", 32);
        assertThat(engine.reasons()).containsExactly("LABEL_TOO_LATE");
        assertThat(model().corrections().corrections()).isEqualTo(2);
        engine.reload();
        example("z", "1,0", 1040);
        assertThat(model().late().settledCount()).isZero();
        label("3", 1, "review", 1041);
        assertThat(engine.reasons()).containsExactly("LABEL_TOO_LATE");
    }

    @Test
    void shouldKeepAFrozenModelsWeightsAndRefuseAQuarantinedOnesCorrections() {
        configure(SOURCES + ",\"await.labels.ms\":1000");
        example("a", "1,0", 10);
        label("a", -1, "user", 20);
        engine.send("m", "{\"action\":\"FREEZE\"}", 21);
        label("a", 1, "review", 30);
        assertThat(totals().errors()).isZero();
        assertThat(model().current().version()).isEqualTo(1);
        model().quarantine();
        label("a", -1, "review", 40);
        assertThat(engine.reasons()).containsExactly("MODEL_QUARANTINED");
        assertThat(model().state()).isEqualTo(ModelState.QUARANTINED);
        assertThat(totals().errors()).isZero();
        engine.send("m", "{\"action\":\"DELETE\"}", 50);
        assertThat(model().late().settledCount()).isZero();
        assertThat(model().corrections().isEmpty()).isTrue();
    }

    // The reason was LATE_LABEL, whose message asked for another setting, where the model does not wait for labels.
    @ParameterizedTest
    @ValueSource(strings = {"", "\"await.labels.ms\":1000,\"await.examples.ms\":0,"})
    void shouldRefuseACorrectionThatComesTooLate(String awaited) {
        configure(awaited + SOURCES + ",\"corrections.ms\":100");
        engine.send("m", "{\"id\":\"a\",\"label\":1,\"features\":[1,0]}", 10);
        label("a", -1, "review", 110);
        assertThat(engine.messages()).isEmpty();
        assertThat(model().corrections().corrections()).isEqualTo(1);
        engine.send("m", "{\"id\":\"b\",\"label\":1,\"features\":[1,0]}", 150);
        engine.reload();
        label("a", 1, "review", 151);
        assertThat(engine.messages()).singleElement().asString().contains("corrections.ms = 100");
        label("a", 1, "review", 152);
        assertThat(engine.reasons()).containsExactly("LABEL_TOO_LATE");
        // of an example that has never come
        label("c", 1, "review", 153);
        assertThat(engine.reasons()).containsExactly(awaited.isEmpty() ? "LATE_LABEL" : "LABEL_WITHOUT_EXAMPLE");
    }

    // A model without these settings is what it was: a source is part of the events only.
    @Test
    void shouldLetTheFirstLabelCountWhereNoSourcesAreSet() {
        configure("\"await.labels.ms\":1000");
        example("a", "1,0", 10);
        label("a", -1, "review", 20);
        assertThat(mistake().get("source")).hasToString("review");
        label("a", 1, "review", 30);
        assertThat(engine.reasons()).containsExactly("DUPLICATE_LABEL");
        assertThat(model().late().settledCount()).isZero();
    }

    /** What was emitted for an example, and the strongest label so far. */
    private static final class Said {
        private final GenericRecord prediction;
        private final long sent;
        private String truth;
        private int strength = 1;

        private Said(GenericRecord prediction, long sent, String own) {
            this.prediction = prediction;
            this.sent = sent;
            this.truth = own;
        }

        /** Returns true if it corrects the truth. */
        private boolean hear(String label, int itsStrength) {
            boolean isDifferent = truth != null && !truth.equals(label);
            if (truth != null && itsStrength < strength) {
                return false;
            }
            truth = label;
            strength = itsStrength;
            return isDifferent;
        }
    }

    /** Sums over what was emitted and the truths of now, counted apart from the engine. */
    private final class Recount {
        private final Map<String, Said> all = new LinkedHashMap<>();

        private void learnDefaults(long before, String label) {
            for (Said said : all.values()) {
                if (said.truth == null && said.sent < before) {
                    said.truth = label;
                    said.strength = 0;
                }
            }
        }

        private boolean isRight(Said said) {
            return said.truth.equals(String.valueOf(said.prediction.get("labelText")));
        }

        private void check(String positive) {
            Map<String, Long> cells = new TreeMap<>();
            long[] sums = new long[9];
            long[][] bins = new long[Reliability.BINS][3];
            for (Said said : all.values()) {
                if (said.truth == null) {
                    continue;
                }
                boolean isRight = isRight(said);
                sums[0]++;
                sums[1] += isRight ? 0 : 1;
                GenericRecord shown = said.prediction;
                if (shown.get("label") != null) {
                    cells.merge(said.truth + " " + shown.get("labelText"), 1L, Long::sum);
                }
                if (shown.get("probability") != null) {
                    long p = Math.round(1e6 * (double) shown.get("probability"));
                    long ofEvent = isRight ? p : 1_000_000 - p;
                    sums[2]++;
                    sums[3] += ((1_000_000 - ofEvent) * (1_000_000 - ofEvent) + 500_000) / 1_000_000;
                    sums[4] += Math.round(-1e6 * StrictMath.log(ofEvent / 1e6));
                    boolean isNegative = positive != null
                            && !positive.equals(shown.get("labelText").toString());
                    long of = isNegative ? 1_000_000 - p : p;
                    int bin = (int) Math.min(9, of * 10 / 1_000_000);
                    bins[bin][0]++;
                    bins[bin][1] += isRight != isNegative ? 1 : 0;
                }
                if (shown.get("labelSet") != null) {
                    sums[5]++;
                    sums[6] += ((List<?>) shown.get("labelSet"))
                                    .stream().anyMatch(each -> each.toString().equals(said.truth))
                            ? 1
                            : 0;
                }
                if (shown.get("decision") != null) {
                    boolean isAlert =
                            shown.get("decision").toString().equals(positive) && !(boolean) shown.get("withheld");
                    boolean isTrue = said.truth.equals(positive);
                    sums[7] += isAlert && !isTrue ? 1 : 0;
                    sums[8] += !isAlert && isTrue ? 1 : 0;
                }
            }
            Counts totals = totals();
            assertThat(totals.labelled()).isEqualTo(sums[0]);
            assertThat(totals.errors()).isEqualTo(sums[1]);
            assertThat(totals.of(Counter.PROBABILITIES)).isEqualTo(sums[2]);
            assertThat(totals.of(Counter.SQUARED_MILLIONTHS)).isEqualTo(sums[3]);
            assertThat(totals.of(Counter.LOG_LOSS_MILLIONTHS)).isEqualTo(sums[4]);
            assertThat(totals.of(Counter.SETS)).isEqualTo(sums[5]);
            assertThat(totals.of(Counter.COVERED)).isEqualTo(sums[6]);
            assertThat(model().decisions().falseAlarms()).isEqualTo(sums[7]);
            assertThat(model().decisions().misses()).isEqualTo(sums[8]);
            List<String> expected = new ArrayList<>();
            for (long[] bin : bins) {
                if (bin[0] > 0) {
                    expected.add(bin[0] + " " + bin[1]);
                }
            }
            assertThat(model().counts().reliability())
                    .extracting(each -> each.examples() + " " + Math.round(each.rate() * each.examples()))
                    .isEqualTo(expected);
            checkCells(cells);
        }

        private void checkCells(Map<String, Long> cells) {
            var matrix = model().counts().confusion();
            List<String> labels = matrix.labels(model().pipeline().settings());
            Map<String, Long> counted = new TreeMap<>();
            for (int row = 0; row < labels.size(); row++) {
                for (int column = 0; column < labels.size(); column++) {
                    if (matrix.count(row, column) > 0) {
                        counted.put(labels.get(row) + " " + labels.get(column), matrix.count(row, column));
                    }
                }
            }
            assertThat(counted).isEqualTo(cells);
        }
    }

    private static final List<String> STRENGTHS = List.of("user", "chargeback", "review");

    @SeededTest
    void shouldCountAsIfTheStrongestLabelHadComeFirst(long seed) {
        Random random = new Random(seed);
        boolean isTwo = random.nextBoolean();
        List<String> labels = isTwo ? List.of("no", "yes") : List.of("a", "b", "c", "d");
        String corrections = List.of("learn", "count", "repair").get(random.nextInt(3));
        boolean hasDefault = random.nextBoolean();
        configure("\"algorithm\":\"auto\"," + SOURCES
                + ",\"await.labels.ms\":3000,\"corrections.ms\":100000,\"calibrate\":\"platt\","
                + "\"coverage\":0.8,\"corrections\":\"" + corrections + "\",\"dedupe.last\":5,\"auc.window\":40"
                + (isTwo ? ",\"labels\":\"no,yes\",\"threshold\":\"cost:1:3\",\"alerts.max\":\"70/hour\"" : "")
                + (hasDefault ? ",\"label.default\":\"" + labels.get(0) + "\"" : "")
                + (random.nextBoolean() ? ",\"window.examples\":25" : "")
                + (random.nextInt(3) == 0 ? ",\"portfolio\":true" : ""));
        Recount recount = new Recount();
        List<String> ids = new ArrayList<>();
        long time = 1000;
        long corrected = 0;
        for (int k = 0; k < 700; k++) {
            time += random.nextInt(30);
            if (k == 350) {
                engine.send(
                        "m", "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"c\",\"eta\":\"0.5\"}}", time);
            }
            if (k == 500 && random.nextBoolean()) {
                engine.send("m", "{\"action\":\"PROMOTE\",\"settings\":{\"challenger\":\"c\"}}", time);
            }
            if (random.nextInt(40) == 0) {
                engine.reload();
            }
            // before a record is used
            if (hasDefault) {
                recount.learnDefaults(time - 3000, labels.get(0));
            }
            var unused = engine.messages();
            if (ids.isEmpty() || random.nextInt(3) == 0) {
                String id = "e" + k;
                ids.add(id);
                int kind = random.nextInt(labels.size());
                String own = random.nextInt(5) == 0 ? labels.get(random.nextInt(labels.size())) : null;
                String features = (kind + random.nextGaussian()) + "," + (kind % 2 + random.nextGaussian() / 2);
                String given = own == null ? "" : "\"label\":\"" + own + "\",";
                engine.send("m", "{\"id\":\"" + id + "\"," + given + "\"features\":[" + features + "]}", time);
                List<GenericRecord> shown = engine.events(Topic.PREDICTIONS);
                assertThat(shown).hasSize(1);
                recount.all.put(id, new Said(shown.get(0), time, own));
            } else {
                Said said = recount.all.get(ids.get(Math.max(0, ids.size() - 1 - random.nextInt(30))));
                String source = random.nextInt(4) == 0 ? null : STRENGTHS.get(random.nextInt(3));
                String label = labels.get(random.nextInt(labels.size()));
                label(said.prediction.get("exampleId").toString(), '"' + label + '"', source, time);
                int strength = source == null ? 1 : 2 + STRENGTHS.indexOf(source);
                if (engine.messages().isEmpty()) {
                    corrected += said.hear(label, strength) ? 1 : 0;
                }
            }
        }
        assertThat(corrected).isPositive();
        assertThat(model().corrections().corrections()).isEqualTo(corrected);
        assertThat(model().corrections().outstanding()).isEqualTo(corrections.equals("repair") ? corrected : 0);
        recount.check(isTwo ? "yes" : null);
    }
}
