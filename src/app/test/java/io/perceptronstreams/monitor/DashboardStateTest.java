package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.access.ModelPattern;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.ConfusionMatrix;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contents of the dashboard for fabricated events. */
final class DashboardStateTest {
    private final DashboardState state = new DashboardState();

    @Test
    void shouldShowTheTotalsOfTheLastStatus() {
        state.add(Fabricated.status("m", 1, Map.of("cause", "WINDOW", "examples", 10L, "labelled", 8L, "errors", 2L)));

        JsonNode row = summary("m");
        assertThat(row.get("examples").asLong()).isEqualTo(10);
        assertThat(row.get("errorRate").asDouble()).isEqualTo(0.25);
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE", "EXPIRED"})
    void shouldShowThatAModelIsDeletedAndWhy(String cause) {
        state.add(Fabricated.status("m", 1, Map.of("examples", 10L)));
        state.add(Fabricated.mistake("m", 1, "a", "b"));
        state.add(Fabricated.status("m", 9, Map.of("cause", cause, "state", "DELETED", "epoch", 1L)));

        assertThat(summary("m").get("state").asText()).isEqualTo("DELETED");
        assertThat(state.latest(Topic.MISTAKES, "m", ModelPattern.ALL, 10)).isEmpty();
        assertThat(summary("m").get("changes").findValuesAsText("kind")).endsWith(cause);
    }

    /** "299 of all 300 were right" was once made of the labelled examples of a mistake and the errors of a status. */
    @Test
    void shouldTakeAllTotalsFromOneStatus() {
        state.add(Fabricated.status("m", 900, Map.of("examples", 10L, "labelled", 8L, "errors", 2L)));
        state.add(Fabricated.mistake("m", 0, 300));
        state.add(Fabricated.count("m", 1, 300, 300));

        JsonNode row = summary("m");
        assertThat(List.of(
                        row.get("examples").asLong(),
                        row.get("labelled").asLong(),
                        row.get("errors").asLong()))
                .containsExactly(10L, 8L, 2L);
        assertThat(row.get("errorRate").asDouble()).isEqualTo(0.25);
        assertThat(row.get("timestamp").asLong()).isEqualTo(900);
        // the last millisecond of the window
        assertThat(row.get("lastActive").asLong()).isEqualTo(9_999);
    }

    @Test
    void shouldTakeTheTimeOfTheNewestExampleAndNotThatOfACommand() {
        state.add(Fabricated.status("m", 900_000, Map.of("cause", "CONFIGURE")));
        assertThat(summary("m").get("lastActive").isNull()).isTrue();

        state.add(Fabricated.status("m", 910_000, Map.of("cause", "SNAPSHOT", "examples", 7L, "lastExample", 4_000L)));
        assertThat(summary("m").get("lastActive").asLong()).isEqualTo(4_000);
    }

    /** Totals need no joining: with many statuses every second one is dropped, and the first and the last stay. */
    @Test
    void shouldKeepTheCourseOfATrialInBoundedMemory() {
        for (long k = 1; k <= 5_000; k++) {
            state.add(Fabricated.status("m", k, trial(k, 0)));
        }

        List<TrialHistory.TrialPoint> trials = state.history("m").orElseThrow().trials();
        assertThat(trials).hasSizeBetween(150, 300);
        assertThat(trials.get(0).labelled()).isEqualTo(1);
        assertThat(trials.get(trials.size() - 1).compared()).isEqualTo(5_000);
    }

    @Test
    void shouldBeginTheCourseOfATrialWithEachEpoch() {
        state.add(Fabricated.status("m", 1, trial(10, 0)));
        state.add(Fabricated.status("m", 2, trial(20, 0)));
        state.add(Fabricated.status("m", 3, trial(20, 0)));
        assertThat(state.history("m").orElseThrow().trials()).hasSize(2);

        state.add(Fabricated.status("m", 4, trial(5, 1)));
        assertThat(state.history("m").orElseThrow().trials()).hasSize(1);
        state.add(Fabricated.status("m", 5, Map.of("epoch", 1L, "labelled", 9L)));
        assertThat(state.history("m").orElseThrow().trials()).isEmpty();
    }

    private static Map<String, Object> trial(long labelled, long epoch) {
        ChallengerStatus challenger =
                Fabricated.event(ChallengerStatus.class, Map.of("name", "next", "labelled", labelled));
        return Map.of("labelled", labelled, "epoch", epoch, "challengers", List.of(challenger));
    }

    @Test
    void shouldCountTheDeadLettersOfEachModel() {
        for (String key : List.of("m", "nobody", "m")) {
            state.add(letter(key));
        }
        state.add(letter(null));
        state.add(Fabricated.status("m", 1, Map.of()));
        state.add(Fabricated.status("other", 1, Map.of()));

        assertThat(summary("m").get("deadLetters").asLong()).isEqualTo(2);
        assertThat(summary("other").get("deadLetters").asLong()).isZero();
        assertThat(state.size()).as("a key is not a model").isEqualTo(2);
        assertThat(state.totals(ModelPattern.ALL).deadLetters()).isEqualTo(4);
    }

    @Test
    void shouldForgetTheDeadLettersOfTheKeyThatWasSilentForLongest() {
        state.add(letter("kept"));
        state.add(letter("silent"));
        state.add(letter("kept"));
        for (int k = 1; k < DashboardState.MAX_MODELS; k++) {
            state.add(letter("k" + k));
        }
        for (String model : List.of("kept", "silent")) {
            state.add(Fabricated.status(model, 1, Map.of()));
        }

        assertThat(summary("kept").get("deadLetters").asLong()).isEqualTo(2);
        assertThat(summary("silent").get("deadLetters").asLong()).isZero();
    }

    private static DeadLetterView letter(String key) {
        return new DeadLetterView(key, 0, 0, 1, "R", "why", "t", 0L, 1L, 2);
    }

    @Test
    void shouldForgetMistakesOfAnEpochThatIsOver() {
        state.add(Fabricated.status("m", 1, Map.of()));
        state.add(Fabricated.mistake("m", 100, "a", "b"));
        state.add(Fabricated.status("m", 200, Map.of("epoch", 1L, "cause", "RESET")));
        // read later, for it lies in another topic
        state.add(Fabricated.mistakeOfEpoch("m", 250, 0));
        // the same examples again: their time is before that of the command
        state.add(Fabricated.mistakeOfEpoch("m", 50, 1));

        assertThat(state.latest(Topic.MISTAKES, "m", ModelPattern.ALL, 10))
                .extracting(Event::timestamp)
                .containsExactly(50L);
    }

    /** Mistakes of the epoch before were taken for those of a later one, and those of the present one dropped. */
    @Test
    void shouldKeepTheMistakesOfALowerEpochThatWasPromoted() {
        state.add(Fabricated.status("m", 1, Map.of("epoch", 1L, "cause", "PROMOTED")));
        state.add(Fabricated.status("m", 200, Map.of("cause", "PROMOTED")));
        state.add(Fabricated.mistakeOfEpoch("m", 250, 0));
        // read later, for it lies in another topic
        state.add(Fabricated.mistakeOfEpoch("m", 150, 1));
        state.add(Fabricated.mistakeOfEpoch("m", 260, 0));

        assertThat(state.latest(Topic.MISTAKES, "m", ModelPattern.ALL, 10))
                .extracting(Event::timestamp)
                .containsExactly(260L, 250L);
    }

    /** "6 promoted at 2,850" came before "7 trial at 2,850", whose text says why. */
    @Test
    void shouldShowATrialBeforeThePromotionThatFollows() {
        Map<String, Object> place = Map.of("offset", 50L, "epoch", 1L);
        state.add(Fabricated.status("m", 1, Map.of("cause", "FIRST_EXAMPLE")));
        state.add(new Event<>(0, 2, 100, "m", Fabricated.event(ModelStatus.class, with(place, "cause", "PROMOTED"))));
        state.add(new Event<>(0, 1, 100, "m", Fabricated.event(Alert.class, with(place, "kind", "TRIAL"))));
        state.add(new Event<>(0, 2, 100, "m", Fabricated.event(Alert.class, with(place, "kind", "ADVICE"))));

        assertThat(state.history("m").orElseThrow().marks())
                .extracting(ModelView.Mark::kind)
                .containsExactly("FIRST_EXAMPLE", "TRIAL", "PROMOTED", "ADVICE");
    }

    private static Map<String, Object> with(Map<String, Object> fields, String name, Object value) {
        Map<String, Object> all = new HashMap<>(fields);
        all.put(name, value);
        return all;
    }

    @Test
    void shouldKeepMistakesOfAnEpochWhoseStatusIsReadLater() {
        state.add(Fabricated.status("m", 1, Map.of()));
        state.add(Fabricated.mistakeOfEpoch("m", 100, 0));
        state.add(Fabricated.mistakeOfEpoch("m", 50, 1));
        state.add(Fabricated.status("m", 200, Map.of("epoch", 1L, "cause", "RESET")));
        state.add(Fabricated.mistakeOfEpoch("m", 60, 1));

        assertThat(state.latest(Topic.MISTAKES, "m", ModelPattern.ALL, 10))
                .extracting(Event::timestamp)
                .containsExactly(60L, 50L);
    }

    /** After a reset to the earliest offset, epochs start at 0 again. */
    @Test
    void shouldShowALowerEpochThatComesLater() {
        state.add(Fabricated.status("m", 1, Map.of("epoch", 5L, "examples", 100L)));
        state.add(Fabricated.status("m", 2, Map.of("epoch", 0L, "examples", 3L)));

        assertThat(summary("m").get("examples").asLong()).isEqualTo(3);
        assertThat(summary("m").get("epoch").asLong()).isZero();
    }

    @Test
    void shouldCountAModelOnceHoweverOftenItWasDropped() {
        for (int round = 0; round < 3; round++) {
            for (int k = 0; k <= DashboardState.MAX_MODELS; k++) {
                state.add(Fabricated.status("m" + k, 1, Map.of()));
            }
        }

        assertThat(state.droppedModels()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "ALERTS, MISTAKES, MODELS",
        "MISTAKES, MODELS, ALERTS",
        "MODELS, ALERTS, MISTAKES",
        "MODELS, MISTAKES, ALERTS"
    })
    void shouldKeepTheMistakesBeforeTheLastAlarmInWhateverOrderTheTopicsAreRead(
            Topic first, Topic second, Topic third) {
        state.add(alert(50, "an older one"));
        for (Topic topic : List.of(first, second, third)) {
            switch (topic) {
                case ALERTS -> state.add(alert(100, "the last one"));
                case MODELS -> state.add(Fabricated.status("m", 100, Map.of("epoch", 1L, "cause", "DRIFT")));
                default -> List.of(80L, 100L, 120L).forEach(at -> state.add(Fabricated.mistake("m", at, "a", "b")));
            }
        }

        JsonNode alarm = summary("m").get("alarm");
        assertThat(alarm.get("message").asText()).isEqualTo("the last one");
        assertThat(alarm.get("mistakes").findValuesAsText("timestamp")).containsExactly("100", "80");
    }

    @Test
    void shouldKeepTheLatestMistakesBeforeAnAlarmOnly() {
        state.add(alert(100, "now"));
        for (long at = 0; at <= 200; at++) {
            state.add(Fabricated.mistake("m", at, "a", "b"));
        }

        assertThat(summary("m").get("alarm").get("mistakes").findValuesAsText("timestamp"))
                .hasSize(20)
                .startsWith("100", "99")
                .endsWith("81");
        assertThat(summary("m").get("alarm").get("kind").asText()).isEqualTo("DRIFT");
    }

    /** Of a file that is sent at once, mistakes after the alarm have its time, too. */
    @Test
    void shouldTellMistakesBeforeAnAlarmByTheirExamples() {
        Map<String, Object> fields = Map.of("kind", "DRIFT", "message", "now", "epoch", 2L, "labelled", 12L);
        state.add(new Event<>(0, 0, 100, "m", Fabricated.event(Alert.class, fields)));
        for (long labelled = 10; labelled <= 14; labelled++) {
            Mistake mistake = Fabricated.mistakeValue("e" + labelled, labelled);
            mistake.setEpoch(2L);
            state.add(new Event<>(0, labelled, 100, "m", mistake));
        }

        assertThat(summary("m").get("alarm").get("mistakes").findValuesAsText("labelled"))
                .containsExactly("12", "11", "10");
    }

    private static Event<Alert> alert(long timestamp, String message) {
        return Fabricated.alert("m", timestamp, Map.of("kind", "DRIFT", "message", message));
    }

    @Test
    void shouldShowTheConfusionMatrixOfTheLastStatus() {
        assertThat(matrix("m", null)).isNull();

        ConfusionMatrix two = matrix("m", Fabricated.confusion(List.of("a", "b"), 0, 5, 1, 2, 7));
        assertThat(two.getLabels()).containsExactly("a", "b");
        assertThat(two.getCounts()).containsExactly(5L, 1L, 2L, 7L);
        assertThat(summary("m").get("confusion").toString())
                .isEqualTo("{\"labels\":[\"a\",\"b\"],\"counts\":[5,1,2,7],\"otherErrors\":0}");

        // the last row and column are those of all other labels
        assertThat(matrix("m", Fabricated.confusion(List.of("a"), 3, 5, 1, 2, 7)))
                .isNotNull();
        assertThat(matrix("m", Fabricated.confusion(List.of("a"), 3, 5, 1, 2))).isNull();
    }

    @Test
    void shouldKeepSmallMatricesOnlyOfVeryManyModels() {
        Object two = Fabricated.confusion(List.of("a", "b"), 0, 5, 1, 2, 7);
        Object large = Fabricated.confusion(
                LongStream.range(0, 32).mapToObj(Long::toString).toList(),
                0,
                LongStream.range(0, 1_024).toArray());
        assertThat(matrix("large", large)).isNotNull();
        assertThat(matrix("small", two)).isNotNull();

        // 4,096 models: 488 counts each
        for (int k = 0; k < 2_100; k++) {
            assertThat(matrix("m" + k, two)).isNotNull();
        }
        assertThat(state.status("large").orElseThrow().getConfusion()).isNull();
        assertThat(state.status("small").orElseThrow().getConfusion()).isNotNull();
        assertThat(matrix("large", large)).isNull();
    }

    private ConfusionMatrix matrix(String model, Object confusion) {
        Map<String, Object> fields = new TreeMap<>();
        fields.put("confusion", confusion);
        state.add(Fabricated.status(model, 1, fields));
        return state.status(model).orElseThrow().getConfusion();
    }

    @Test
    void shouldShowLabelsThatComeApartFromTheirExamples() {
        state.add(Fabricated.status("m", 1, Map.of("examples", 5L)));
        assertThat(summary("m").get("pending").asLong()).isZero();
        assertThat(summary("m").get("labelledShare").isNull()).isTrue();

        Map<String, Object> fields = new TreeMap<>();
        fields.putAll(Map.of("pending", 7L, "late", 3L, "unlabelled", 2L, "defaulted", 1L, "duplicates", 4L));
        fields.putAll(Map.of("streamTime", 5_000L, "oldestPending", 2_000L, "nextDue", 12_000L));
        fields.put("labelDelays", List.of(0L, 1L, 0L, 2L));
        state.add(Fabricated.status("m", 3, fields));
        assertThat(summary("m").toString())
                .contains(
                        "\"pending\":7,\"pendingLabels\":null,\"unlabelled\":2,\"defaulted\":1,\"late\":3,\"duplicates\":4,")
                .contains("\"streamTime\":5000,\"oldestPending\":2000,\"nextDue\":12000,")
                .contains("\"labelledShare\":0.5,\"pendingAgeMs\":3000,")
                .contains("\"delays\":[{\"upToMs\":1,\"labels\":0},{\"upToMs\":3,\"labels\":1},"
                        + "{\"upToMs\":10,\"labels\":0},{\"upToMs\":30,\"labels\":2}]");

        // a newer engine may have more buckets
        fields.put("labelDelays", Collections.nCopies(40, 1L));
        state.add(Fabricated.status("m", 4, fields));
        assertThat(summary("m").get("delays")).hasSize(21);
        assertThat(summary("m").get("delays").get(20).toString()).isEqualTo("{\"upToMs\":null,\"labels\":1}");
    }

    @Test
    void shouldShowMetricsByClassBesideTheBaselines() {
        state.add(Fabricated.status("m", 1, Map.of()));
        assertThat(summary("m").get("metrics").isNull()).isTrue();

        state.add(Fabricated.status("m", 2, Map.of("metrics", Fabricated.metrics())));
        JsonNode classes = summary("m").get("metrics").get("classes");
        assertThat(classes.get(0).toString())
                .isEqualTo("{\"label\":\"ham\",\"examples\":90,\"predicted\":80,\"correct\":75,\"precision\":"
                        + 75 / 80.0 + ",\"recall\":" + 75 / 90.0 + ",\"f1\":" + 150 / 170.0 + "}");
        assertThat(classes.get(1).get("label").isNull()).isTrue();
        assertThat(summary("m").get("metrics").toString())
                .contains("\"compared\":100,\"comparedErrors\":20,\"majorityErrors\":10,\"sameErrors\":40,");
    }

    @Test
    void shouldTellWhichSettingsACommandChanged() {
        state.add(
                Fabricated.status("m", 1, Map.of("cause", "CONFIGURE", "settings", Map.of("h", "0.0", "eta", "1.0"))));
        state.add(
                Fabricated.status("m", 2, Map.of("cause", "CONFIGURE", "settings", Map.of("h", "1.0", "eta", "1.0"))));
        state.add(Fabricated.status("m", 3, Map.of("cause", "WINDOW", "settings", Map.of("h", "1.0", "eta", "1.0"))));

        assertThat(summary("m").get("changes").findValues("changed"))
                .extracting(JsonNode::toString)
                .hasSize(2)
                .contains("{\"h\":\"1.0\"}");
    }

    @Test
    void shouldGiveTheMarginCertificateOfTheStatus() {
        state.add(Fabricated.status("holds", 1, Map.of("gammaUpperBound", 0.5)));
        state.add(Fabricated.status("other", 1, Map.of()));

        assertThat(summary("holds").get("gammaUpperBound").asDouble()).isEqualTo(0.5);
        assertThat(summary("other").get("gammaUpperBound").isNull()).isTrue();
    }

    @Test
    void shouldBoundAllUpdatesByThoseBeforeThePinAndTheComparatorsBound() {
        state.add(Fabricated.comparing("m", 50, 20, 100.5));

        // 50 updates, of which 20 since the pin
        assertThat(summary("m").get("updateBound").asDouble()).isEqualTo(130.5);
    }

    @Test
    void shouldTakeStatusesOfTimeThatWentByForNoChange() {
        state.add(Fabricated.status("m", 1, Map.of("cause", "CONFIGURE")));
        state.add(Fabricated.status("m", 2, Map.of("cause", "TIME")));
        state.add(Fabricated.status("m", 3, Map.of("cause", "WINDOW")));

        assertThat(summary("m").get("changes").findValuesAsText("kind")).containsExactly("CONFIGURE");
        assertThat(state.history("m").orElseThrow().marks()).hasSize(1);
    }

    /** After a restart a snapshot was number 3, an advice and an alarm of five seconds before it 4 and 5. */
    @Test
    void shouldMarkInTheOrderOfTimeWhicheverTopicIsReadFirst() {
        List<Runnable> events = new ArrayList<>();
        for (int k = 0; k < 40; k++) {
            Map<String, Object> status = Map.of("cause", "SNAPSHOT", "offset", 2L * k);
            Map<String, Object> alert = Map.of("kind", "ADVICE", "message", "a" + k, "offset", 2L * k);
            int time = 10 * k;
            int number = k;
            events.add(() -> state.add(new Event<>(0, number, time, "m", Fabricated.event(ModelStatus.class, status))));
            events.add(() -> state.add(new Event<>(0, number, time, "m", Fabricated.event(Alert.class, alert))));
        }
        // all statuses, then all alerts
        for (int k = 0; k < 80; k += 2) {
            events.get(k).run();
        }
        for (int k = 1; k < 80; k += 2) {
            events.get(k).run();
        }

        List<ModelView.Mark> marks = state.history("m").orElseThrow().marks();
        assertThat(marks).hasSize(50);
        assertThat(state.history("m").orElseThrow().droppedMarks()).isEqualTo(30);
        for (int k = 0; k < 50; k++) {
            // the last 50 of 80, a status before the alert of the same record
            assertThat(marks.get(k).timestamp()).isEqualTo(10L * ((30 + k) / 2));
            assertThat(marks.get(k).kind()).isEqualTo(k % 2 == 0 ? "SNAPSHOT" : "ADVICE");
        }
    }

    @Test
    void shouldShowTheLatestAlertsOfAllPartitionsByTheirTime() {
        for (int partition = 0; partition < 2; partition++) {
            for (int k = 0; k < 3; k++) {
                long time = 10L * k + 5L * partition;
                state.add(new Event<>(
                        partition, k, time, "m" + partition, Fabricated.event(Alert.class, Map.of("kind", "DRIFT"))));
            }
        }
        assertThat(state.latest(Topic.ALERTS, null, ModelPattern.ALL, 4))
                .extracting(Event::timestamp)
                .containsExactly(25L, 20L, 15L, 10L);
    }

    @Test
    void shouldMarkCommandsAsChangesAndFaultsAsAlerts() {
        // an imported comparator was once drawn as an alert
        long time = 1;
        for (String cause :
                List.of("CONFIGURE", "COMPARATOR", "EXPIRED", "A_CAUSE_OF_A_LATER_VERSION", "QUARANTINED")) {
            state.add(Fabricated.status("m", time++, Map.of("cause", cause)));
        }

        assertThat(state.history("m").orElseThrow().marks())
                .extracting(ModelView.Mark::isAlert)
                .containsExactly(false, false, false, false, true);
    }

    @Test
    void shouldDropTheModelThatWasSilentForLongestAlthoughItIsLookedAt() {
        for (int k = 0; k < DashboardState.MAX_MODELS; k++) {
            state.add(Fabricated.status("m" + k, 1, Map.of()));
        }
        state.add(Fabricated.mistake("m0", 0, 7));
        assertThat(state.details("m1")).isPresent();
        state.add(Fabricated.status("one more", 1, Map.of()));

        assertThat(state.size()).isEqualTo(DashboardState.MAX_MODELS);
        assertThat(state.droppedModels()).isEqualTo(1);
        assertThat(state.details("m0")).isPresent();
        assertThat(state.details("m1")).isEmpty();
    }

    @Test
    @Tag("full")
    void shouldStayInBoundedMemoryWithManyModelsAndMistakes() {
        // 100,000 models and a million mistakes with ids of their own would take a gigabyte and more
        for (int k = 0; k < 100_000; k++) {
            state.add(Fabricated.status("m" + k, 1, Map.of("settings", Map.of("h", "0.0"))));
            state.add(Fabricated.count("m" + k, 1, 1, 1));
        }
        for (int k = 0; k < 1_000_000; k++) {
            state.add(Fabricated.mistake("m" + k % 20_000, 0, k));
        }

        List<Event<?>> held = new ArrayList<>(state.latest(Topic.MISTAKES, null, ModelPattern.ALL, Integer.MAX_VALUE));
        assertThat(held).hasSize(DashboardState.MAX_LATEST);
        state.statuses()
                .keySet()
                .forEach(name -> held.addAll(state.latest(Topic.MISTAKES, name, ModelPattern.ALL, Integer.MAX_VALUE)));
        assertThat(held)
                .hasSizeLessThanOrEqualTo(
                        DashboardState.MAX_MISTAKES + DashboardState.MAX_MODELS + DashboardState.MAX_LATEST);
        int points = state.statuses().keySet().stream()
                .mapToInt(name -> state.history(name).orElseThrow().points().size())
                .sum();
        assertThat(points).isLessThanOrEqualTo(DashboardState.MAX_POINTS);
        assertThat(state.size()).isEqualTo(DashboardState.MAX_MODELS);
    }

    @Test
    void shouldGiveBackHistoryAndMistakesWhenMoreModelsShareThem() {
        for (int k = 0; k < 1_000; k++) {
            state.add(Fabricated.mistake("old", 0, k));
            state.add(Fabricated.count("old", k + 1, 1, k + 1));
        }
        assertThat(state.latest(Topic.MISTAKES, "old", ModelPattern.ALL, 1_000)).hasSize(200);
        for (int k = 0; k < 5_000; k++) {
            state.add(new Event<>(0, k, k, "m" + k, Fabricated.event(Alert.class, Map.of())));
        }

        // 5,001 models share what there is as 8,192 would
        assertThat(state.latest(Topic.MISTAKES, "old", ModelPattern.ALL, 1_000)).hasSize(2);
        assertThat(state.history("old").orElseThrow().points()).hasSizeLessThanOrEqualTo(200_000 / 8_192);
        assertThat(state.history("old").orElseThrow().points().stream()
                        .mapToLong(point -> point.get("examples").asLong())
                        .sum())
                .isEqualTo(1_000);
    }

    @Test
    void shouldCountDeadLettersByABoundedNumberOfReasons() {
        for (int k = 0; k < 1_000; k++) {
            state.add(new DeadLetterView("m", 0, k, 1, "R" + k, "why", "t", 0L, 1L, 2));
        }

        DashboardState.DeadLetters letters = state.deadLetters(ModelPattern.ALL, 3);
        assertThat(letters.total()).isEqualTo(1_000);
        assertThat(letters.byReason()).hasSize(DashboardState.MAX_REASONS + 1).containsEntry("other", 936L);
        assertThat(letters.latest()).extracting(DeadLetterView::offset).containsExactly(999L, 998L, 997L);
    }

    private JsonNode summary(String model) {
        try {
            return new ObjectMapper()
                    .readTree(state.details(model).orElseThrow().toString());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldCountTheCausesOfFewerMistakesOfEachIfThereAreManyModels() {
        for (int k = 0; k < 1_200; k++) {
            state.add(Fabricated.mistake("m", 0, k));
        }
        assertThat(counted()).isEqualTo(1_000);
        for (int k = 0; k < 99; k++) {
            state.add(Fabricated.mistake("other" + k, 0, 2_000 + k));
        }
        // 50,000 shared by 128
        assertThat(counted()).isEqualTo(390);
        state.add(Fabricated.mistake("m", 0, 3_000));
        assertThat(counted()).isEqualTo(390);
    }

    private int counted() {
        return state.causes("m", MistakeCauses.Key.PAIR, 1).orElseThrow().mistakes();
    }
}
