package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LearningTopologyTest {
    @TempDir
    Path dir;

    private EngineDriver engine;

    @BeforeEach
    void start() {
        engine = new EngineDriver(dir);
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void shouldPredictBeforeItLearns() {
        engine.send("m", "{\"id\":\"1\",\"label\":-1,\"features\":[1,2]}", 5);
        engine.send("m", "{\"id\":\"2\",\"features\":[1,2]}", 6);

        List<GenericRecord> predictions = engine.events(Topic.PREDICTIONS);
        assertThat(predictions).hasSize(2);
        // w = 0: score 0 predicts +1, which is wrong
        assertThat(predictions.get(0).get("label")).isEqualTo(1);
        assertThat(predictions.get(0).get("score")).isEqualTo(0.0);
        assertThat(predictions.get(0).get("correct")).isEqualTo(false);
        assertThat(predictions.get(0).get("version")).isEqualTo(0L);
        // w = -(1, 2), bias -1: -(1 + 4) - 1
        assertThat(predictions.get(1).get("label")).isEqualTo(-1);
        assertThat(predictions.get(1).get("score")).isEqualTo(-6.0);
        assertThat(predictions.get(1).get("correct")).isNull();
        assertThat(predictions.get(1).get("version")).isEqualTo(1L);
        assertThat(predictions.get(1).get("seen")).isEqualTo(2L);
        assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
    }

    /** It was there until the next restart, and with it the answers to later commands. */
    @Test
    void shouldNotMakeAModelOfARefusedRecord() {
        engine.send("m", "{\"id\":\"1\",\"label\":7,\"features\":[1]}", 5);
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"eta\":-1}}", 6);
        engine.send("m", "{\"action\":\"FREEZE\"}", 7);

        assertThat(engine.reasons()).containsExactly("INVALID_LABEL", "INVALID_COMMAND", "INVALID_COMMAND");
        assertThat(engine.records(Topic.MODELS)).isEmpty();
    }
}
