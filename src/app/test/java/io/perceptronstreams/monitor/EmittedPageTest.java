package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EmittedStory;
import io.perceptronstreams.topology.EmittedStory.Joined;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.IndexedRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Page and API show what was emitted, and no rate above 1, whatever weights predict. */
final class EmittedPageTest {
    @TempDir
    Path dir;

    @Test
    void shouldShowWhatWasEmittedWhateverWeightsPredict() {
        try (EmittedStory story = new EmittedStory(dir, false)) {
            story.tell(EmittedPageTest::check);
        }
    }

    private static void check(String step, EmittedStory story) {
        DashboardState state = new DashboardState();
        add(state, story.events(Topic.MODELS, ModelStatus.class));
        add(state, story.events(Topic.COUNTS, MistakeCount.class));
        Joined joined = story.join();
        JsonNode details = state.details(EmittedStory.MODEL).orElseThrow();
        assertThat(details.get("examples").asLong())
                .as("examples after %s", step)
                .isEqualTo(joined.examples());
        assertThat(details.get("errors").asLong()).as("errors after %s", step).isEqualTo(joined.errors());
        assertThat(details.get("errorRate").asDouble())
                .as("errorRate after %s", step)
                .isEqualTo((double) joined.errors() / joined.labelled());
        assertThat(details.get("metrics").get("comparedErrors").asLong())
                .as("verdict after %s", step)
                .isEqualTo(joined.errors());
        var history = state.history(EmittedStory.MODEL).orElseThrow();
        List<ObjectNode> windows = new ArrayList<>(history.points());
        if (history.open() != null) {
            windows.add(history.open());
        }
        long errors = windows.stream()
                .filter(each -> each.get("countsSince").asLong()
                        == details.get("countsSince").asLong())
                .mapToLong(each -> each.get("errors").asLong())
                .sum();
        assertThat(errors).as("errors in windows after %s", step).isEqualTo(joined.errors());
        checkTrials(step, history.trials());
    }

    private static void add(DashboardState state, List<? extends IndexedRecord> events) {
        for (int k = 0; k < events.size(); k++) {
            state.add(new Event<>(0, k, k, EmittedStory.MODEL, events.get(k)));
        }
    }

    /** "a trial that starts again is seen only when its count falls": 36 to 66 errors in 62 to 86 compared examples. */
    private static void checkTrials(String step, List<TrialHistory.TrialPoint> trials) {
        Map<String, TrialHistory.TrialPoint> last = new HashMap<>();
        for (TrialHistory.TrialPoint now : trials) {
            TrialHistory.TrialPoint before = last.put(now.challenger(), now);
            if (before != null
                    && before.epoch() == now.epoch()
                    && before.trialStart().equals(now.trialStart())) {
                assertThat(now.errors() - before.errors())
                        .as("errors of %s in a part of its trial after %s", now.challenger(), step)
                        .isBetween(0L, now.compared() - before.compared());
            }
        }
    }
}
