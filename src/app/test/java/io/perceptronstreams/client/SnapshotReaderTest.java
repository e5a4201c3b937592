package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.event.WeightVector;
import io.perceptronstreams.event.WeightsSnapshot;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SnapshotReaderTest {
    private final SnapshotReader reader = new SnapshotReader();

    @Test
    void shouldPutTheChunksOfASnapshotTogether() {
        reader.put("m/1", chunk(0, 5, 1, 2, 300, 0.5));
        reader.put("m", chunk(0, 5, 0, 2, 7, -2.0));

        assertThat(json())
                .isEqualTo(
                        "{\"model\":\"m\",\"epoch\":0,\"updates\":5,\"examples\":50,\"labelled\":40,\"mistakes\":30,"
                                + "\"bias\":0.1,\"weights\":{\"7\":-2.0,\"300\":0.5},\"averagedBias\":0.2,\"averaged\":{\"7\":-1.0,\"300\":0.25}}");
    }

    @Test
    void shouldTakeTheNewestVersion() {
        reader.put("m/1", chunk(0, 5, 1, 2, 300, 0.5));
        reader.put("m", chunk(0, 6, 0, 1, 7, 3.0));

        assertThat(json()).contains("\"updates\":6", "\"weights\":{\"7\":3.0}");
    }

    @Test
    void shouldPreferANewEpochWithFewerUpdates() {
        reader.put("m/1", chunk(0, 90, 1, 2, 300, 0.5));
        reader.put("m", chunk(1, 2, 0, 1, 7, 3.0));

        assertThat(json()).contains("\"epoch\":1,\"updates\":2");
    }

    @Test
    void shouldIgnoreANewerSnapshotThatLacksChunks() {
        reader.put("m", chunk(0, 5, 0, 1, 7, 3.0));
        reader.put("m/1", chunk(0, 6, 1, 3, 300, 0.5));
        reader.put("m/2", chunk(0, 6, 2, 3, 500, 0.5));

        assertThat(json()).contains("\"updates\":5");
    }

    @Test
    void shouldForgetWhatATombstoneRemoves() {
        reader.put("m", chunk(0, 5, 0, 1, 7, 3.0));
        reader.put("m", null);

        assertThat(reader.newest()).isEmpty();
    }

    @Test
    void shouldLeaveZerosOutButKeepTheOtherVectorsValue() {
        WeightsSnapshot chunk = chunk(0, 5, 0, 1, 7, 0.0);
        chunk.getVectors().get(0).setAveraged(List.of(0.75));
        reader.put("m", chunk);

        assertThat(json()).contains("\"weights\":{},", "\"averaged\":{\"7\":0.75}");
    }

    @Test
    void shouldShowTheLargestInAbsoluteValue() {
        reader.put("m", chunk(0, 5, 0, 3, 7, 1.0));
        reader.put("m/1", chunk(0, 5, 1, 3, 8, -3.0));
        reader.put("m/2", chunk(0, 5, 2, 3, 9, 2.0));
        StringWriter text = new StringWriter();

        reader.newest().orElseThrow().writeText("m", 2, new PrintWriter(text));

        assertThat(text.toString().lines().skip(3).map(String::strip))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("8 "),
                        line -> assertThat(line).startsWith("9 "));
        assertThat(json(2)).contains("\"weights\":{\"8\":-3.0,\"9\":2.0}");
    }

    /** The largest last values were once chosen, and then their averages written. */
    @Test
    void shouldExportTheLargestOfTheValuesThatItWrites() throws IOException {
        WeightsSnapshot average = chunk(0, 5, 0, 2, 7, 1.0);
        average.getVectors().get(0).setAveraged(List.of(9.0));
        WeightsSnapshot last = chunk(0, 5, 1, 2, 8, 3.0);
        for (String predict : List.of("averaged", "last")) {
            average.setSettings(Map.of("predict", predict));
            StringWriter text = new StringWriter();

            new WeightsExport("m", List.of(average, last), 1).write(WeightsExport.Format.VW, new PrintWriter(text));

            assertThat(text.toString().lines()).last().isEqualTo(predict.equals("averaged") ? ":7:9.0" : ":8:3.0");
        }
    }

    private String json() {
        return json(Integer.MAX_VALUE);
    }

    private String json(int top) {
        StringWriter text = new StringWriter();
        reader.newest().orElseThrow().top(top).writeJson("m", new PrintWriter(text));
        return text.toString().strip();
    }

    private static WeightsSnapshot chunk(long epoch, long updates, int chunk, int chunks, int index, double weight) {
        return WeightsSnapshot.newBuilder(Events.filled(WeightsSnapshot.class))
                .setEpoch(epoch)
                .setUpdates(updates)
                .setPartition(0)
                .setOffset(100 * epoch + updates)
                .setChunk(chunk)
                .setChunks(chunks)
                .setExamples(50)
                .setLabelled(40)
                .setMistakes(30)
                .setAlgorithm("perceptron")
                .setSettings(Map.of())
                .setFeatureNames(List.of())
                .setVectors(
                        List.of(new WeightVector("", 0.1, 0.2, List.of(index), List.of(weight), List.of(weight / 2))))
                .build();
    }
}
