package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.model.ReferenceResults;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Compares {@code fit} with the shared two-class reference results; skipped if they are missing. */
final class FitGoldenTest {
    private static final Set<String> TWO_CLASS = Set.of("perceptron", "margin-open", "margin-closed", "hinge");

    @RegisterExtension
    final FitRun run = new FitRun();

    @TestFactory
    Stream<DynamicTest> shouldCountAsTheReferenceDoes() throws IOException {
        return ReferenceResults.tests(6, FitGoldenTest::isComparable, this::check, "breast-cancer", "sms-spam");
    }

    /** Whether training ends as {@code fit} does: the other results continue after a pass without update. */
    private static boolean isComparable(ReferenceResults.Entry entry) {
        JsonNode params = entry.json().get("params");
        return TWO_CLASS.contains(entry.algorithm())
                && (params.path("until_clean").asBoolean()
                        || params.path("epochs").asInt() == 1);
    }

    private void check(ReferenceResults.Entry of) throws IOException {
        JsonNode entry = of.json();
        JsonNode params = entry.get("params");
        run.fit(of.train() + " --json --epochs " + params.get("epochs").asText()
                + " --set h=" + params.get("h").asText()
                + " --set h.inclusive=" + params.get("tie").asText().equals("update")
                + " --set eta=" + params.get("eta").asText()
                + " --set bias=" + entry.path("bias").asBoolean()
                + " --set scale=" + (entry.path("normalised").asBoolean() ? "unit-norm" : "none")
                + (of.test() == null ? "" : " --test " + of.test()));
        List<JsonNode> objects = run.objects();

        JsonNode expected = entry.get("result");
        JsonNode last = objects.remove(objects.size() - 1);
        checkTheory(last.get("theory"), expected);
        if (of.test() != null) {
            JsonNode errors = last.get("testErrors");
            assertThat(errors.get("last")).isEqualTo(expected.at("/test_errors/last"));
            assertThat(errors.get("averaged")).isEqualTo(expected.at("/test_errors/averaged_c1"));
        }
        assertThat(objects.stream().map(pass -> pass.get("updates").asLong()).toList())
                .isEqualTo(ReferenceResults.longs(expected.get("updates_by_epoch")));
        assertThat(sum(objects, "mistakes")).isEqualTo(expected.get("mistakes").asLong());
        assertThat(sum(objects, "marginMistakes"))
                .isEqualTo(expected.get("margin_mistakes").asLong());
        assertThat(sum(objects, "examples"))
                .isEqualTo(expected.get("examples_seen").asLong());
        assertThat(sum(objects, "errors"))
                .isEqualTo(expected.at("/errors_online/last").asLong());
    }

    /** The reference contains a margin only if the final weights separate the training set. */
    private static void checkTheory(JsonNode theory, JsonNode expected) {
        assertThat(theory.get("radius").asDouble())
                .isCloseTo(expected.get("radius").asDouble(), withinPercentage(1e-10));
        JsonNode separation = expected.path("separation");
        if (separation.isObject()) {
            assertThat(theory.get("margin").asDouble())
                    .isCloseTo(separation.get("margin").asDouble(), withinPercentage(1e-10));
            assertThat(theory.get("gammaLowerBound")).isEqualTo(theory.get("margin"));
        } else {
            assertThat(theory.get("gammaLowerBound").isNull()).isTrue();
        }
    }

    private static long sum(List<JsonNode> passes, String field) {
        return passes.stream().mapToLong(pass -> pass.get(field).asLong()).sum();
    }
}
