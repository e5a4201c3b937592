package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.demo.DemoStream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DemoCommandIT {
    private final Commands commands = new Commands();

    @Test
    void shouldPrintARowAtEachPowerOfTwoAndASummaryBesideTheBound() {
        String out = commands.output("demo --examples 600 --rate 0 --seed 7");

        List<List<String>> rows = out.lines()
                .map(line -> Arrays.asList(line.strip().split("\\s+")))
                .toList();
        for (String stream : DemoStream.NAMES) {
            assertThat(rows.stream()
                            .filter(row -> row.size() == 6 && row.get(0).equals(stream))
                            .map(row -> row.get(1)))
                    .containsExactly("1", "2", "4", "8", "16", "32", "64", "128", "256", "512");
        }
        String[] summary = out.split("separable: ", -1);
        long mistakes = Long.parseLong(summary[1].split(" ", 2)[0].replace(",", ""));
        // the bound for R = 1 and the generated margin
        assertThat(mistakes).isBetween(1L, Math.round(1 / (DemoStream.MARGIN * DemoStream.MARGIN)));
        assertThat(summary[1]).contains("in 600 examples").contains("(R/gamma)^2 = 400");
        assertThat(out).contains("rounds of 569");
        // the third stream changes for the first time later
        assertThat(out).doesNotContain("drifting");
    }

    @Test
    void shouldTellWhereThePageIsAlsoWhereItsPortIsInUse() throws IOException {
        try (ServerSocket occupied = occupy()) {
            assertThat(occupied.isBound()).isTrue();
            commands.output("demo --examples 20 --rate 0");
        }

        assertThat(commands.errors()).contains("Port 8080 is in use");
        String address = "Watch it learn: http://127.0.0.1:";
        assertThat(commands.errors().lines().filter(line -> line.startsWith(address)))
                .singleElement()
                .asString()
                .doesNotContain(":8080/")
                .matches(".*:\\d+/");
    }

    /** The port may already be in use. */
    private static ServerSocket occupy() throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 8080));
        } catch (BindException e) {
            socket.bind(null);
        }
        return socket;
    }

    @Test
    @Tag("full")
    void shouldNoticeThatTheThirdStreamChanged() {
        // the third stream gets a tenth of them: one change
        int examples = 10 * (DemoStream.PERIOD + 500);
        String out = commands.output("demo --examples " + examples + " --rate 0");
        assertThat(out.lines().filter(line -> line.startsWith("drifting ")))
                .singleElement()
                .asString()
                .contains("▲ the error rate has risen from 0.0")
                .contains("the model is reset");
        assertThat(out).contains("drifting:  its hyperplane changes every 4,000 examples; alarms: 1");
    }

    @Test
    void shouldRefuseToStopBeforeTheFirstExample() {
        assertThat(commands.failure(2, "demo --examples 0").lines())
                .singleElement()
                .asString()
                .contains("--examples must be at least 1");
    }
}
