package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands and imports with {@code settings.bounds}. */
class SettingsBoundsTest {
    private static final String BOUNDS = "blocks.max<=200000,snapshot.every>=1000,h<=2";

    @TempDir
    Path dir;

    @ParameterizedTest
    @CsvSource({
        "blocks.max, 200000, true",
        "blocks.max, 200001, false",
        "blocks.max, 16777216, false",
        "snapshot.every, 0, true",
        "snapshot.every, 1, false",
        "snapshot.every, 1000, true",
        "h, 2.0, true",
        "h, 2.5, false",
        "eta, 1000, true"
    })
    void shouldRefuseASettingThatIsOutOfBounds(String name, String value, boolean isAllowed) {
        String settings = "{\"" + name + "\":\"" + value + "\"}";
        try (EngineDriver engine = new EngineDriver(dir, Map.of("settings.bounds", BOUNDS), 1)) {
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}", 1);
            engine.send("*", "{\"action\":\"DEFAULTS\",\"settings\":" + settings + "}", 1);
            List<String> reasons = engine.reasons();
            assertThat(reasons.isEmpty()).isEqualTo(isAllowed);
            assertThat(reasons).allMatch("NOT_AUTHORISED"::equals).hasSize(isAllowed ? 0 : 2);
        }
    }

    /** Its challengers were begun by the engine, and had settings that no command could have set. */
    @ParameterizedTest
    @CsvSource({"c>=0.5, false", "average.halflife<=100, false", "c>=0.1, true"})
    void shouldRefuseAPortfolioWithAMemberThatIsOutOfBounds(String bounds, boolean isAllowed) {
        try (EngineDriver engine = new EngineDriver(dir, Map.of("settings.bounds", bounds), 1)) {
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"portfolio\":\"true\"}}", 1);
            engine.send("n", "{\"action\":\"CONFIGURE\",\"settings\":{\"portfolio\":\"false\"}}", 1);
            assertThat(engine.reasons()).hasSize(isAllowed ? 0 : 1).allMatch("NOT_AUTHORISED"::equals);
            assertThat(engine.messages())
                    .allMatch(each -> each.matches("a command must set .* in this engine \\(settings.bounds\\), got"
                            + " (0.1|200) by the challenger (scaled-average|average) of portfolio=true"));
        }
    }

    @Test
    void shouldRefuseAnImportThatIsOutOfBounds() {
        String chunk = BadRecords.QUARANTINE[0].replace("\"settings\":{}", "\"settings\":{\"blocks.max\":\"300000\"}");
        try (EngineDriver engine = new EngineDriver(dir, Map.of("settings.bounds", BOUNDS), 1)) {
            engine.send("m", chunk, 1);
            assertThat(engine.reasons()).containsExactly("NOT_AUTHORISED");
            assertThat(engine.records(Topic.MODELS)).isEmpty();
        }
    }

    @Test
    void shouldRepeatTheDecisionsOfTheFirstPassInAReplay() {
        String first = "{\"action\":\"CONFIGURE\",\"settings\":{\"blocks.max\":\"150000\"}}";
        String second = "{\"action\":\"CONFIGURE\",\"settings\":{\"blocks.max\":\"250000\"}}";
        try (KillableTask task = new KillableTask(dir, Map.of("settings.bounds", BOUNDS), 1, any -> any)) {
            for (int k = 0; k < 4; k++) {
                task.add("m", k % 2 == 0 ? first : second);
            }
            task.start();
            task.steps(2);
            task.commit();
            task.kill();
            task.set("settings.bounds", "");
            task.start();
            task.steps(2);
            task.commit();
            assertThat(task.replayed).isEqualTo(2);
            assertThat(task.events(Topic.MODELS))
                    .extracting(each -> each.get("settings").toString().contains("250000"))
                    // refused by the first pass, allowed without bounds
                    .containsExactly(false, false, true);
            task.kill();
            task.set("settings.bounds", BOUNDS);
            task.add("m", "{\"action\":\"SNAPSHOT\"}");
            task.start();
            task.step();
            task.commit();
            assertThat(task.events(Topic.MODELS))
                    .last()
                    .extracting(each -> each.get("settings").toString())
                    .asString()
                    .as("still the setting of the first pass")
                    .contains("250000");
        }
    }
}
