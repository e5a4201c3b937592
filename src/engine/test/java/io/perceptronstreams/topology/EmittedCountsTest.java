package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EmittedStory.Joined;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Once a promotion gave the model the counts of the challenger: 537 errors were shown where 656 of the predictions that
 * were sent were wrong.
 */
final class EmittedCountsTest {
    @TempDir
    Path dir;

    @ParameterizedTest(name = "late labels: {0}")
    @ValueSource(booleans = {false, true})
    void shouldCountWhatWasEmittedWhateverWeightsPredict(boolean isLate) {
        try (EmittedStory story = new EmittedStory(dir, isLate)) {
            story.tell(this::check);
        }
    }

    // snapshots once followed the sum of the updates of both models, which is that of no weights
    @Test
    void shouldPublishSnapshotsByTheUpdatesOfThePresentWeights() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            // each example is a margin mistake, and so an update
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":1000,\"snapshot.every\":4}}", 1);
            learn(engine, 1, 2);
            engine.send("m", "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"x\",\"eta\":2}}", 2);
            learn(engine, 3, 5);
            engine.send("m", "{\"action\":\"PROMOTE\",\"settings\":{\"challenger\":\"x\"}}", 5);
            assertThat(updates(engine)).containsExactly(4L);

            // the challenger has 3
            learn(engine, 6, 10);

            assertThat(updates(engine)).containsExactly(4L, 8L);
        }
    }

    private static void learn(EngineDriver engine, int from, int to) {
        for (int k = from; k <= to; k++) {
            engine.send("m", "{\"label\":" + (k % 2 == 0 ? 1 : -1) + ",\"features\":[" + k + ",1]}", k);
        }
    }

    private static List<Object> updates(EngineDriver engine) {
        return engine.events(Topic.WEIGHTS).stream()
                .map(each -> each.get("updates"))
                .toList();
    }

    private void check(String step, EmittedStory story) {
        Joined joined = story.join();
        GenericRecord status = story.status();
        assertThat(status.get("examples")).as("examples after %s", step).isEqualTo(joined.examples());
        assertThat(status.get("labelled")).as("labelled after %s", step).isEqualTo(joined.labelled());
        assertThat(status.get("errors")).as("errors after %s", step).isEqualTo(joined.errors());
        assertThat(status.get("mistakes")).as("mistakes after %s", step).isEqualTo(joined.mistakes());
        assertThat(cells((GenericRecord) status.get("confusion")))
                .as("confusion matrix after %s", step)
                .isEqualTo(joined.cells());
        GenericRecord metrics = (GenericRecord) status.get("metrics");
        assertThat(List.of(
                        metrics.get("compared"),
                        metrics.get("comparedErrors"),
                        metrics.get("majorityErrors"),
                        metrics.get("sameErrors")))
                .as("errors beside baselines after %s", step)
                .isEqualTo(List.of(joined.labelled(), joined.errors(), joined.majorityErrors(), joined.sameErrors()));
        checkCounts(step, story, joined);
        checkMistakes(step, story);
        checkWeights(step, status);
    }

    private static Map<String, Long> cells(GenericRecord matrix) {
        List<?> labels = (List<?>) matrix.get("labels");
        List<?> counts = (List<?>) matrix.get("counts");
        Map<String, Long> cells = new TreeMap<>();
        for (int row = 0; row < labels.size(); row++) {
            for (int column = 0; column < labels.size(); column++) {
                long count = (Long) counts.get(row * labels.size() + column);
                if (count > 0) {
                    cells.put(labels.get(row) + " as " + labels.get(column), count);
                }
            }
        }
        return cells;
    }

    /** Windows add up to the totals, in their order. */
    private static void checkCounts(String step, EmittedStory story, Joined joined) {
        long errors = 0;
        long labelled = 0;
        long baseline = 0;
        for (GenericRecord count : story.counts()) {
            errors += (Long) count.get("errors");
            labelled += (Long) count.get("labelled");
            GenericRecord metrics = (GenericRecord) count.get("metrics");
            baseline += metrics == null ? 0 : (Long) metrics.get("sameErrors");
            assertThat(count.get("totalErrors"))
                    .as("totalErrors after %s", step)
                    .isEqualTo(errors);
            assertThat(count.get("totalLabelled"))
                    .as("totalLabelled after %s", step)
                    .isEqualTo(labelled);
            GenericRecord total = (GenericRecord) count.get("totalMetrics");
            assertThat(total == null ? 0L : total.get("sameErrors"))
                    .as("errors of a baseline after %s", step)
                    .isEqualTo(baseline);
            assertThat(count.get("countsSince")).isEqualTo(story.status().get("countsSince"));
        }
        assertThat(errors).as("errors in windows after %s", step).isBetween(1L, joined.errors());
        assertThat(labelled)
                .as("labelled in windows after %s", step)
                .isBetween(joined.labelled() * 3 / 4, joined.labelled());
    }

    private static void checkMistakes(String step, EmittedStory story) {
        long mistakes = 0;
        for (GenericRecord mistake : story.mistakes()) {
            mistakes += mistake.get("kind").toString().equals("MISTAKE") ? 1 : 0;
            assertThat(mistake.get("mistakes"))
                    .as("mistakes of a mistake after %s", step)
                    .isEqualTo(mistakes);
        }
    }

    /** The present weights have counts of their own after every step with other weights, and none before. */
    private static void checkWeights(String step, GenericRecord status) {
        GenericRecord ofWeights = (GenericRecord) status.get("ofWeights");
        if (step.equals("the first weights") || step.equals("a reset")) {
            assertThat(ofWeights).as("ofWeights after %s", step).isNull();
            return;
        }
        assertThat(ofWeights).as("ofWeights after %s", step).isNotNull();
        assertThat((long) ofWeights.get("mistakes")).isLessThanOrEqualTo((long) ofWeights.get("labelled"));
        // a perceptron and its kin make an update with each mistake at least
        assertThat((long) status.get("updates")).isGreaterThanOrEqualTo((long) ofWeights.get("mistakes"));
    }
}
