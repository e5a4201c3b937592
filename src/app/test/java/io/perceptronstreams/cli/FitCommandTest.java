package io.perceptronstreams.cli;

import static io.perceptronstreams.cli.FitRun.WDBC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.WeightsFile;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.fit.ExampleLoader;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.model.Portfolio;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineDriver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Passes, weights and refusals of {@code fit}. */
final class FitCommandTest {
    @RegisterExtension
    final FitRun run = new FitRun();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "h=1 | {\"h\":\"1\"}",
                "algorithm=multiclass h=0.5 | {\"algorithm\":\"multiclass\",\"h\":\"0.5\"}",
                "drift=page-hinkley drift.threshold=1 drift.action=reset |"
                        + " {\"drift\":\"page-hinkley\",\"drift.threshold\":\"1\",\"drift.action\":\"reset\"}",
                "scale=standard predict=averaged | {\"scale\":\"standard\",\"predict\":\"averaged\"}",
                "scale=unit-norm survival.start=0 hash.bits=9 |"
                        + " {\"scale\":\"unit-norm\",\"survival.start\":\"0\",\"hash.bits\":\"9\"}"
            })
    void shouldComeInOnePassToTheBitsOfTheEngine(String set, String settings) throws IOException {
        StringBuilder sets = new StringBuilder();
        for (String each : set.split(" ", -1)) {
            sets.append(" --set ").append(each);
        }
        run.fit(WDBC + sets + " --epochs 1");

        GenericRecord published;
        try (EngineDriver engine = new EngineDriver(run.path("engine"))) {
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}", 0);
            EventWriter writer = new EventWriter(EventSchemas.schema("Example"), engine.id("Example"));
            ExampleSource source = new ExampleSource(
                    "src/app/main/resources/demo/wdbc.csv", ExampleFormat.CSV, LabelType.AUTO, "diagnosis", "id", null);
            try (ExampleReader reader = source.open(1)) {
                long time = 0;
                for (GenericRecord next = reader.next(); next != null; next = reader.next()) {
                    engine.send("m".getBytes(StandardCharsets.UTF_8), writer.write(next), time += 500);
                }
            }
            engine.send("m", "{\"action\":\"SNAPSHOT\"}", 1);
            published = engine.events(Topic.WEIGHTS).get(0);
        }
        GenericRecord fitted = run.weights();
        for (String field : List.of(
                "updates", "examples", "labelled", "mistakes", "algorithm", "settings", "vectors", "state", "chunks")) {
            assertThat(text(fitted.get(field))).as(field).isEqualTo(text(published.get(field)));
        }
    }

    @Test
    void shouldSayHowGoodProbabilitiesAndSetsWereWhereTheyAreOn() throws IOException {
        String settings = WDBC + " --set calibrate=platt --set coverage=0.9 --epochs 1";

        assertThat(run.fit(settings))
                .containsPattern(
                        "passes: probabilities of 569 labelled examples: Brier score 0\\.1\\d{3}, log loss 0\\.")
                .containsPattern("passes: 569 sets of labels: \\d\\d\\.\\d\\d % have the true one, mean size [01]\\.");
        assertThat(run.fit(WDBC + " --epochs 1")).doesNotContain("probabilities");
        run.fit(settings + " --json");
        JsonNode forecasts = run.objects().stream()
                .filter(each -> each.has("forecasts"))
                .findAny()
                .orElseThrow()
                .get("forecasts");
        assertThat(forecasts.get("labelled").asLong()).isEqualTo(569);
        assertThat(forecasts.get("sets").asLong()).isEqualTo(569);
        // 56.9 sets may miss, and 0.25·(569·0.1 - misses) is within 2·9.21 + 0.25
        assertThat(forecasts.get("covered").asLong()).isBetween(569 - 57 - 75L, 569 - 57 + 75L);
        assertThat(forecasts.get("ranges").get(0).get("examples").asLong()).isPositive();
    }

    // The exclusive or of two columns: only their cross separates it.
    @Test
    void shouldLearnWithCrosses() throws IOException {
        StringBuilder rows = new StringBuilder("user^name,item^name,label\n");
        for (int k = 0; k < 40; k++) {
            rows.append(k % 2 == 0 ? "ann" : "bob")
                    .append(k / 2 % 2 == 0 ? ",tea," : ",rum,")
                    .append(k % 2 == k / 2 % 2 ? 1 : -1)
                    .append("\n");
        }
        Path file = run.file("xor.csv", rows);
        assertThat(run.fit(file + " --epochs 50 --test " + file)).contains("maximum number of passes reached");
        assertThat(run.fit(file + " --epochs 50 --set crosses=user*item --test " + file))
                .containsPattern("pass \\d+ made no update");
        assertThat(text(run.weights().get("settings"))).contains("crosses=item*user");
    }

    /**
     * In the first pass the first label is wrong, before which the score is 0. Before it there is no last label, and
     * every later one differs from the last. Half of the labels are -1, of which the row is the first of two equally
     * common ones.
     */
    @Test
    void shouldEndWithTheErrorRateOfTheLastPassBesideTheBaselines() throws IOException {
        Path file = run.file("runs.libsvm", "-1 1:-1.5\n+1 1:2\n".repeat(50));

        assertThat(run.fit(file + " --epochs 1"))
                .endsWith("\npass 1: 1.0 % wrong; always '-1': 50.0 %; same as last: 100.0 %\n");
        assertThat(run.fit(file + " --epochs 9"))
                .endsWith("\npass 2: 0.0 % wrong; always '-1': 50.0 %; same as last: 100.0 %\n");
        run.fit(file + " --epochs 9 --json");
        assertThat(run.objects().get(2).get("lastPass"))
                .hasToString("{\"compared\":100,\"comparedErrors\":0,\"majorityErrors\":50,\"sameErrors\":100}");
        run.fit(file + " --epochs 9 --test " + file);
        // before the first label of the test file there is none
        assertThat(run.output()).endsWith("\ntest: 0.0 % wrong; always '-1': 50.0 %; same as last: 100.0 %\n");
    }

    /** Doubles are written in full. */
    private static String text(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<String, String> sorted = new TreeMap<>();
            map.forEach((key, each) -> sorted.put(key.toString(), each.toString()));
            return sorted.toString();
        }
        return value.toString();
    }

    @Test
    void shouldPrintTheObjectsOfAPassAndOfTheTest() throws IOException {
        run.fit(WDBC + " --set scale=standard --epochs 2 --json --test src/app/main/resources/demo/wdbc.csv");

        List<JsonNode> objects = run.objects();
        assertThat(objects).hasSize(3);
        List<String> names = new ArrayList<>();
        objects.get(0).fieldNames().forEachRemaining(names::add);
        assertThat(names)
                .containsExactly(
                        "pass", "examples", "updates", "mistakes", "marginMistakes", "errors", "loss", "testErrors");
        assertThat(objects.get(1).get("pass").asInt()).isEqualTo(2);
        assertThat(objects.get(1).get("examples").asInt()).isEqualTo(569);
        assertThat(objects.get(2).get("testErrors").get("last").isIntegralNumber())
                .isTrue();
        assertThat(objects.get(2).get("testErrors").get("averaged").isIntegralNumber())
                .isTrue();
        assertThat(objects.get(2).get("testExamples").asInt()).isEqualTo(569);
        // the scaling changes in each pass
        assertThat(objects.get(2).at("/theory/margin").isNull()).isTrue();
    }

    /** Weights are of one learner, the errors of the passes those of the vote. */
    @Test
    void shouldWriteTheMemberOfAPortfolioThatLeads() throws IOException {
        run.fit(WDBC + " --portfolio --epochs 1 --json");

        List<JsonNode> objects = run.objects();
        JsonNode members = objects.get(1).get("portfolio");
        assertThat(members)
                .extracting(each -> each.get("member").asText())
                .containsExactly("scw", "adagrad", "normalised", "perceptron");
        double shares = 0;
        JsonNode leader = null;
        for (JsonNode each : members) {
            shares += each.get("vote").asDouble();
            assertThat(each.get("labelled").asInt()).isEqualTo(569);
            leader = each.get("isWritten").asBoolean() ? each : leader;
        }
        assertThat(shares).isCloseTo(1, within(1e-9));
        for (JsonNode each : members) {
            assertThat(each.get("vote").asDouble())
                    .isLessThanOrEqualTo(leader.get("vote").asDouble());
        }
        Map<String, String> settings =
                Portfolio.members().get(leader.get("member").asText());
        assertThat(WeightsFile.readModel(run.path("w")).pipeline().given().toMap())
                .containsAllEntriesOf(settings);
        // alone, with the settings of the member
        int errors = leader.get("errors").asInt();
        run.fit(WDBC + " --epochs 1 --json"
                + settings.entrySet().stream()
                        .map(each -> " --set " + each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining()));
        assertThat(run.objects().get(0).get("errors").asInt()).isEqualTo(errors);
        assertThat(objects.get(0).get("errors").asInt()).isLessThanOrEqualTo(errors + 5);
    }

    @Test
    void shouldBeAdaptiveByDefault() throws IOException {
        run.fitByDefault(WDBC + " --epochs 1 --json");
        JsonNode byDefault = run.result();

        run.fitByDefault(WDBC + " --epochs 1 --json --set algorithm=sgd --set rate=adagrad --set scale=standard"
                + " --set implicit=true --set stacked=true --set drift=adwin --set drift.action=reset");

        assertThat(run.result()).isEqualTo(byDefault);
    }

    @Test
    void shouldStopAfterAPassWithoutUpdate() throws IOException {
        Path file = run.file("and.libsvm", "+1 1:1 2:1\n-1 1:1\n-1 2:1\n-1 3:1\n");
        run.fit(file + " --json --epochs 100");

        List<JsonNode> objects = run.objects();
        JsonNode theory = objects.remove(objects.size() - 1).get("theory");
        assertThat(objects.get(objects.size() - 1).get("updates").asInt()).isZero();
        assertThat(objects).hasSizeLessThan(100);
        assertThat(theory.get("margin").asDouble()).isPositive();
        for (JsonNode pass : objects.subList(0, objects.size() - 1)) {
            assertThat(pass.get("updates").asInt()).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"shuffled", "random"})
    void shouldComeToTheSameBitsFromTheSameSeedOnly(String order) throws IOException {
        String fit = WDBC + " --set scale=unit-norm --epochs 3 --order " + order;
        run.fit(fit + " --seed 5");
        String first = Files.readString(run.path("w"));
        run.fit(fit + " --seed 5");
        assertThat(run.path("w")).hasContent(first);

        run.fit(fit + " --seed 6");
        assertThat(Files.readString(run.path("w"))).isNotEqualTo(first);
    }

    @Test
    void shouldWriteTheSameChunksAsAvroAndAsJson() throws IOException {
        run.fit(WDBC);
        run.run("fit " + WDBC + " --set algorithm=auto -o " + run.path("w.avro"));

        assertThat(FitRun.read(run.path("w.avro"))).isEqualTo(FitRun.read(run.path("w")));
    }

    // 0 stopped the command, and True made a multiclass model
    @ParameterizedTest
    @CsvSource({"0,1", "0.0,1.0", "False,True"})
    void shouldTakeOrdinaryLabelsWithoutOptions(String negative, String positive) throws IOException {
        Path file = run.file("zo.csv", "label,x\n" + positive + ",2\n" + negative + ",-1\n" + positive + ",1\n");

        run.fit(file + " --test " + file);

        GenericRecord weights = run.weights();
        assertThat(weights.get("algorithm")).hasToString("perceptron");
        assertThat(((Map<?, ?>) weights.get("settings")).get("negative.label")).hasToString("auto:0");
    }

    /** Files of other programs, computed by a perceptron in Python. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '"',
            value = {
                // importance 0 is predicted and not learned: 3 updates; score 1 of the third line is the error
                "a.vw ~ 1 1 a|w offer now\\n-1 0 b|w meeting offer\\n-1 1 c|w meeting today\\n1 2 d|w offer today ~"
                        + " '' ~ 3 ~ 1 ~ bias 2, w^offer 3, w^now 1, w^meeting -1, w^today 1",
                // x = (2.46, 1.31) - (-1.52, 1.31) - (0.09, -1.99) for class 0
                "a.libsvm ~ 0 1:2.46 2:1.31\\n1 1:-1.52 2:1.31\\n2 1:0.09 2:-1.99\\n0 1:2.12 2:1.19 ~"
                        + " --set algorithm=multiclass ~ 3 ~ 3 ~ 0/bias -1, 0/1 3.89, 0/2 1.99, 1/bias 1, 1/1 -1.52, 1/2 1.31, 2/bias 1, 2/1 0.09, 2/2 -1.99",
                // indices of a file count as they are, those of an array from 0: three times the same examples, with
                // scores
                // 0 and 1 - 9 - 1, both wrong
                "a.libsvm ~ -1 1:-1 2:3\\n+1 1:1 2:3 ~ '' ~ 2 ~ 2 ~ 1 2",
                "a.jsonl ~ {\"label\":-1,\"features\":{\"indices\":[1,2],\"values\":[-1,3]}}\\n"
                        + "{\"label\":1,\"features\":[0,1,3]} ~ '' ~ 2 ~ 2 ~ 1 2",
                "a.json ~ [{\"label\":-1,\"features\":[0,-1,3]},\\n {\"label\":1,\"features\":[0,1,3]}] ~ '' ~ 2 ~ 2 ~ 1 2"
            })
    void shouldLearnFilesOfOtherProgramsAsTheyAreMeant(
            String name, String text, String options, long updates, long errors, String weights) throws IOException {
        Path file = run.file(name, text.replace("\\n", "\n") + "\n");

        run.fit(file + " --epochs 1" + (options.length() > 2 ? " " + options : ""));

        run.assertLearned(updates, errors, weights);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "+1 1:1\\n-1 x:1 | bad.libsvm:2: ",
                "+1 1:1\\n-1 2:1e999 | bad.libsvm:2: ",
                "+1 1:1\\n3 2:1 | bad.libsvm, example 2 (line 2): label must be the int -1, 0 or 1, got 3 (if the labels are"
                        + " 1 and 3, --set labels=1,3; if there are more, --label-type string, or --set algorithm=multiclass)",
                "'' | file must have at least one example, got none from "
            })
    void shouldStopAtABadExampleAndSayWhere(String text, String message) throws IOException {
        Path file = run.file("bad.libsvm", text.replace("\\n", "\n"));

        assertThat(run.refusal(file.toString()).lines())
                .singleElement()
                .asString()
                .contains(message);
        assertThat(run.path("w")).doesNotExist();
    }

    /** Weights replace a file by another one, so that training was once lost here. */
    @Test
    void shouldRefuseAFileInADirectoryThatCannotBeWritten() throws IOException {
        Path folder = Files.createDirectory(run.path("folder"));
        Path weights = Files.createFile(folder.resolve("w"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
        // root may write everywhere
        assumeThat(Files.isWritable(folder)).isFalse();

        assertThat(run.refusal(WDBC + " --output " + weights))
                .contains("in a directory that can be, got '" + weights + "'");
        assertThat(run.output()).isEmpty();
    }

    @Test
    void shouldSayThatTheFileIsTooLargeForTheMemory() {
        ExampleSource source = new ExampleSource(
                "src/app/main/resources/demo/wdbc.csv", ExampleFormat.CSV, LabelType.AUTO, "diagnosis", "id", null);
        ExampleLoader loader = new ExampleLoader(new FeatureHasher(18), 100_000);

        assertThatThrownBy(() -> loader.load(source, count -> true))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("examples must fit into")
                .hasMessageContaining("PERCEPTRON_OPTS");
    }

    /** Each of the two files could once take the whole limit. */
    @Test
    void shouldLimitTheMemoryOfAllFilesTogether() throws IOException {
        ExampleSource source = new ExampleSource(
                "src/app/main/resources/demo/wdbc.csv", ExampleFormat.CSV, LabelType.AUTO, "diagnosis", "id", null);
        FeatureHasher hasher = new FeatureHasher(18);
        long bytes = new ExampleLoader(hasher).load(source, count -> true).heapBytes();
        ExampleLoader loader = new ExampleLoader(hasher, bytes * 3 / 2);
        loader.load(source, count -> true);

        assertThatThrownBy(() -> loader.load(source, count -> true))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("examples must fit into");
    }
}
