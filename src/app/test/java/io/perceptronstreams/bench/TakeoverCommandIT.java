package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The times are reported; their values are not checked. */
@Tag("full")
final class TakeoverCommandIT {
    private static final String LOAD = " --partitions 4 --models 40 --rate 400 --settle 1 --heap 256m --json";

    private static JsonNode run(String arguments) throws Exception {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Main.run(
                new TakeoverCommand(), (arguments + LOAD).split(" ", -1), new PrintWriter(out), new PrintWriter(err));
        assertThat(exitCode).as(err.toString()).isZero();
        return new ObjectMapper().readTree(out.toString());
    }

    @Test
    void shouldMeasureKills() throws Exception {
        JsonNode report = run("--kills 2");
        assertThat(report.path("takeovers")).hasSize(2);
        assertThat(report.path("firstMedianSeconds").asDouble()).isPositive();
        assertThat(report.path("allWorstSeconds").asDouble())
                .isGreaterThanOrEqualTo(report.path("firstWorstSeconds").asDouble());
    }

    @Test
    void shouldMeasureAnEngineThatJoins() throws Exception {
        JsonNode joining = run("--join").path("joining");
        assertThat(joining.path("moved")).hasSize(2);
        assertThat(joining.path("kept")).hasSize(2);
        double longest = joining.path("moved").path(1).asDouble();
        assertThat(longest)
                .isPositive()
                .isLessThanOrEqualTo(joining.path("seconds").asDouble());
    }
}
