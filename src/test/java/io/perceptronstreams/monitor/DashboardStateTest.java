package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.serde.MistakeCauses;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
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

        ModelView.Summary row = summary("m");
        assertThat(row.examples()).isEqualTo(10);
        assertThat(row.errorRate()).isEqualTo(0.25);
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE", "EXPIRED"})
    void shouldShowThatAModelIsDeletedAndWhy(String cause) {
        state.add(Fabricated.status("m", 1, Map.of("examples", 10L)));
        state.add(Fabricated.mistake("m", 1, "a", "b"));
        state.add(Fabricated.status("m", 9, Map.of("cause", cause, "state", "DELETED", "epoch", 1L)));

        assertThat(summary("m").state()).isEqualTo("DELETED");
        assertThat(state.latest(Topic.MISTAKES, "m", 10)).isEmpty();
        assertThat(state.details("m").orElseThrow().changes())
                .extracting(ModelView.Change::cause)
                .endsWith(cause);
    }

    /** "299 of all 300 were right" was once made of the labelled examples of a mistake and the errors of a status. */
    @Test
    void shouldTakeAllTotalsFromOneStatus() {
        state.add(Fabricated.status("m", 900, Map.of("examples", 10L, "labelled", 8L, "errors", 2L)));
        state.add(Fabricated.mistake("m", 0, 300));
        state.add(Fabricated.count("m", 1, 300, 300));

        ModelView.Summary row = summary("m");
        assertThat(List.of(row.examples(), row.labelled(), row.errors())).containsExactly(10L, 8L, 2L);
        assertThat(row.errorRate()).isEqualTo(0.25);
        assertThat(row.asOf()).isEqualTo(900);
        assertThat(row.lastActive()).isEqualTo(10_000);
    }

    @Test
    void shouldCountTheDeadLettersOfEachModel() {
        for (String key : List.of("m", "nobody", "m")) {
            state.add(letter(key));
        }
        state.add(letter(null));
        state.add(Fabricated.status("m", 1, Map.of()));
        state.add(Fabricated.status("other", 1, Map.of()));

        assertThat(summary("m").deadLetters()).isEqualTo(2);
        assertThat(summary("other").deadLetters()).isZero();
        assertThat(state.size()).as("a key is not a model").isEqualTo(2);
        assertThat(state.deadLetterCount()).isEqualTo(4);
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

        assertThat(summary("kept").deadLetters()).isEqualTo(2);
        assertThat(summary("silent").deadLetters()).isZero();
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

        assertThat(state.latest(Topic.MISTAKES, "m", 10))
                .extracting(Event::timestamp)
                .containsExactly(50L);
    }

    @Test
    void shouldKeepMistakesOfAnEpochWhoseStatusIsReadLater() {
        state.add(Fabricated.status("m", 1, Map.of()));
        state.add(Fabricated.mistakeOfEpoch("m", 100, 0));
        state.add(Fabricated.mistakeOfEpoch("m", 50, 1));
        state.add(Fabricated.status("m", 200, Map.of("epoch", 1L, "cause", "RESET")));
        state.add(Fabricated.mistakeOfEpoch("m", 60, 1));

        assertThat(state.latest(Topic.MISTAKES, "m", 10))
                .extracting(Event::timestamp)
                .containsExactly(60L, 50L);
    }

    /** After a reset to the earliest offset, epochs start at 0 again. */
    @Test
    void shouldShowALowerEpochThatComesLater() {
        state.add(Fabricated.status("m", 1, Map.of("epoch", 5L, "examples", 100L)));
        state.add(Fabricated.status("m", 2, Map.of("epoch", 0L, "examples", 3L)));

        assertThat(summary("m").examples()).isEqualTo(3);
        assertThat(summary("m").epoch()).isZero();
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

    @Test
    void shouldDropTheModelWhoseLastEventIsOldestAlthoughItIsLookedAt() {
        for (int k = 0; k < DashboardState.MAX_MODELS; k++) {
            state.add(Fabricated.status("m" + k, 1, Map.of()));
        }
        state.add(Fabricated.mistake("m0", 0, 0));
        assertThat(state.details("m1")).isPresent();
        state.add(Fabricated.status("another", 1, Map.of()));

        assertThat(state.details("m0")).isPresent();
        assertThat(state.details("m1")).isEmpty();
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

        LastAlarm.View alarm = state.details("m").orElseThrow().alarm();
        assertThat(alarm.text()).isEqualTo("the last one");
        assertThat(alarm.mistakes()).extracting(Event::timestamp).containsExactly(100L, 80L);
    }

    @Test
    void shouldKeepTheLatestMistakesBeforeAnAlarmOnly() {
        state.add(alert(100, "now"));
        for (long at = 0; at <= 200; at++) {
            state.add(Fabricated.mistake("m", at, "a", "b"));
        }

        assertThat(state.details("m").orElseThrow().alarm().mistakes())
                .hasSize(20)
                .extracting(Event::timestamp)
                .startsWith(100L, 99L)
                .endsWith(81L);
        assertThat(state.details("m").orElseThrow().alarm().kind()).isEqualTo("DRIFT");
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

        assertThat(state.details("m").orElseThrow().alarm().mistakes())
                .extracting(each -> each.value().getLabelled())
                .containsExactly(12L, 11L, 10L);
    }

    private static Event<Alert> alert(long timestamp, String message) {
        return new Event<>(
                0,
                timestamp,
                timestamp,
                "m",
                Fabricated.event(Alert.class, Map.of("kind", "DRIFT", "message", message)));
    }

    @Test
    void shouldShowTheConfusionMatrixOfTheLastStatus() {
        assertThat(matrix("m", null)).isNull();

        Confusion two = matrix("m", Fabricated.confusion(List.of("a", "b"), 0, 5, 1, 2, 7));
        assertThat(two.labels()).containsExactly("a", "b");
        assertThat(two.hasOther()).isFalse();
        assertThat(two.counts()).containsExactly(new long[] {5, 1}, new long[] {2, 7});

        Confusion more = matrix("m", Fabricated.confusion(List.of("a"), 3, 5, 1, 2, 7));
        assertThat(more.hasOther()).isTrue();
        assertThat(more.otherErrors()).isEqualTo(3);
        assertThat(more.counts()).containsExactly(new long[] {5, 1}, new long[] {2, 7});
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
        assertThat(state.details("large").orElseThrow().confusionMatrix()).isNull();
        assertThat(state.details("small").orElseThrow().confusionMatrix()).isNotNull();
        assertThat(matrix("large", large)).isNull();
    }

    private Confusion matrix(String model, Object confusion) {
        Map<String, Object> fields = new TreeMap<>();
        fields.put("confusion", confusion);
        state.add(Fabricated.status(model, 1, fields));
        return state.details(model).orElseThrow().confusionMatrix();
    }

    @Test
    void shouldShowLabelsThatComeApartFromTheirExamples() {
        state.add(Fabricated.status("m", 1, Map.of("examples", 5L)));
        assertThat(state.details("m").orElseThrow().labels()).isNull();

        Map<String, Object> counts =
                Map.of("pending", 7L, "late", 3L, "unlabelled", 2L, "defaulted", 1L, "duplicates", 4L);
        state.add(Fabricated.status("m", 2, counts));
        assertThat(state.details("m").orElseThrow().labels())
                .as("by an engine that did not count delays")
                .isEqualTo(new LabelsView(7, 3, 2, 1, 4, 0.5, null, null, null, null, List.of()));

        Map<String, Object> times = new TreeMap<>(counts);
        times.putAll(Map.of("streamTime", 5_000L, "oldestPending", 2_000L, "nextDue", 12_000L));
        times.put("labelDelays", List.of(0L, 1L, 0L, 2L));
        state.add(Fabricated.status("m", 3, times));
        LabelsView labels = state.details("m").orElseThrow().labels();
        assertThat(labels)
                .isEqualTo(new LabelsView(
                        7,
                        3,
                        2,
                        1,
                        4,
                        0.5,
                        5_000L,
                        2_000L,
                        3_000L,
                        12_000L,
                        List.of(
                                new LabelsView.Bucket(1L, 0),
                                new LabelsView.Bucket(3L, 1),
                                new LabelsView.Bucket(10L, 0),
                                new LabelsView.Bucket(30L, 2))));

        // a newer engine may have more buckets
        times.put("labelDelays", Collections.nCopies(40, 1L));
        state.add(Fabricated.status("m", 4, times));
        assertThat(state.details("m").orElseThrow().labels().delays())
                .hasSize(21)
                .last()
                .isEqualTo(new LabelsView.Bucket(null, 1));
    }

    @Test
    void shouldShowMetricsByClassBesideTheBaselines() {
        state.add(Fabricated.status("m", 1, Map.of()));
        assertThat(state.details("m").orElseThrow().metrics()).isNull();

        state.add(Fabricated.status("m", 2, Map.of("metrics", Fabricated.metrics())));
        MetricsView.ClassRow ham = new MetricsView.ClassRow("ham", 90, 80, 75, 75 / 80.0, 75 / 90.0, 150 / 170.0);
        MetricsView.ClassRow other = new MetricsView.ClassRow(null, 10, 20, 5, 0.25, 0.5, 10 / 30.0);
        assertThat(state.details("m").orElseThrow().metrics())
                .isEqualTo(new MetricsView(List.of(ham, other), 0.5, null, 0.25, 100, 20, 10, 40, -1.0, 0.5, 0.75));
    }

    @Test
    void shouldTellWhichSettingsACommandChanged() {
        state.add(
                Fabricated.status("m", 1, Map.of("cause", "CONFIGURE", "settings", Map.of("h", "0.0", "eta", "1.0"))));
        state.add(
                Fabricated.status("m", 2, Map.of("cause", "CONFIGURE", "settings", Map.of("h", "1.0", "eta", "1.0"))));
        state.add(Fabricated.status("m", 3, Map.of("cause", "WINDOW", "settings", Map.of("h", "1.0", "eta", "1.0"))));

        assertThat(state.details("m").orElseThrow().changes())
                .extracting(ModelView.Change::changed)
                .containsExactly(Map.of("h", "0.0", "eta", "1.0"), Map.of("h", "1.0"));
    }

    @Test
    void shouldGiveTheMarginCertificateOfTheStatus() {
        state.add(Fabricated.status("holds", 1, Map.of("gammaUpperBound", 0.5)));
        state.add(Fabricated.status("other", 1, Map.of()));

        assertThat(summary("holds").gammaUpperBound()).isEqualTo(0.5);
        assertThat(summary("other").gammaUpperBound()).isNull();
    }

    @Test
    void shouldBoundAllUpdatesByThoseBeforeThePinAndTheComparatorsBound() {
        state.add(Fabricated.comparing("m", 50, 20, 100.5));

        // 50 updates, of which 20 since the pin
        assertThat(state.details("m").orElseThrow().comparator())
                .isEqualTo(new ModelView.Comparator(0, 20, 0.0, 0.0, 100.5, 130.5));
    }

    @Test
    void shouldTakeStatusesOfTimeThatWentByForNoChange() {
        state.add(Fabricated.status("m", 1, Map.of("cause", "CONFIGURE")));
        state.add(Fabricated.status("m", 2, Map.of("cause", "TIME")));
        state.add(Fabricated.status("m", 3, Map.of("cause", "WINDOW")));

        assertThat(state.details("m").orElseThrow().changes())
                .extracting(ModelView.Change::cause)
                .containsExactly("CONFIGURE");
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
        assertThat(state.latest(Topic.ALERTS, null, 4))
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
    void shouldDropTheModelThatWasSilentForLongest() {
        for (int k = 0; k < DashboardState.MAX_MODELS; k++) {
            state.add(Fabricated.status("m" + k, 1, Map.of()));
        }
        state.add(Fabricated.mistake("m0", 0, 7));
        state.add(Fabricated.status("one more", 1, Map.of()));

        assertThat(state.size()).isEqualTo(DashboardState.MAX_MODELS);
        assertThat(state.droppedModels()).isEqualTo(1);
        assertThat(state.details("m0")).isPresent();
        assertThat(state.details("m1")).isEmpty();
    }

    @Test
    void shouldStayInBoundedMemoryWithManyModelsAndMistakes() {
        // 100,000 models and a million mistakes with ids of their own would take a gigabyte and more
        for (int k = 0; k < 100_000; k++) {
            state.add(Fabricated.status("m" + k, 1, Map.of("settings", Map.of("h", "0.0"))));
            state.add(Fabricated.count("m" + k, 1, 1, 1));
        }
        for (int k = 0; k < 1_000_000; k++) {
            state.add(Fabricated.mistake("m" + k % 20_000, 0, k));
        }

        List<Event<?>> held = new ArrayList<>(state.latest(Topic.MISTAKES, null, Integer.MAX_VALUE));
        assertThat(held).hasSize(DashboardState.MAX_LATEST);
        state.summaries().forEach(row -> held.addAll(state.latest(Topic.MISTAKES, row.name(), Integer.MAX_VALUE)));
        assertThat(held)
                .hasSizeLessThanOrEqualTo(
                        DashboardState.MAX_MISTAKES + DashboardState.MAX_MODELS + DashboardState.MAX_LATEST);
        int points = state.summaries().stream()
                .mapToInt(
                        row -> state.history(row.name()).orElseThrow().points().size())
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
        assertThat(state.latest(Topic.MISTAKES, "old", 1_000)).hasSize(200);
        for (int k = 0; k < 5_000; k++) {
            state.add(new Event<>(0, k, k, "m" + k, Fabricated.event(Alert.class, Map.of())));
        }

        // 5,001 models share what there is as 8,192 would
        assertThat(state.latest(Topic.MISTAKES, "old", 1_000)).hasSize(2);
        assertThat(state.history("old").orElseThrow().points()).hasSizeLessThanOrEqualTo(200_000 / 8_192);
        assertThat(state.history("old").orElseThrow().points().stream()
                        .mapToLong(History.Point::examples)
                        .sum())
                .isEqualTo(1_000);
    }

    @Test
    void shouldCountDeadLettersByABoundedNumberOfReasons() {
        for (int k = 0; k < 1_000; k++) {
            state.add(new DeadLetterView("m", 0, k, 1, "R" + k, "why", "t", 0L, 1L, 2));
        }

        DashboardState.DeadLetters letters = state.deadLetters(3);
        assertThat(letters.total()).isEqualTo(1_000);
        assertThat(letters.byReason()).hasSize(DashboardState.MAX_REASONS + 1).containsEntry("other", 936L);
        assertThat(letters.latest()).extracting(DeadLetterView::offset).containsExactly(999L, 998L, 997L);
    }

    private ModelView.Summary summary(String model) {
        return state.details(model).orElseThrow().summary();
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
