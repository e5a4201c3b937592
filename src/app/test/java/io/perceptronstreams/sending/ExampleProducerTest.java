package io.perceptronstreams.sending;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.client.Verdict;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.Label;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.format.ReadNotes;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ExampleProducerTest {
    private static final Schema SCHEMA = EventSchemas.schema("Example");
    private static final Schema LABEL = EventSchemas.schema("Label");
    private static final EventTimeCheck ANY_TIME = new EventTimeCheck(null, null, new ReadNotes(null), true);
    private static final DeclaredLabels NO_LABELS = new DeclaredLabels(null, "f", Duration.ZERO, line -> {});

    @TempDir
    Path directory;

    private final SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://production"));

    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    @Test
    void shouldSendEveryExampleUnderTheModelsName() throws IOException {
        long sent = produce("+1 1:0.5\n-1 2:1\n", 1, Long.MAX_VALUE);

        assertThat(sent).isEqualTo(2);
        EventReader<GenericRecord> reader = EventReader.generic(SCHEMA, registry);
        assertThat(producer.history()).allMatch(record -> new String(record.key(), StandardCharsets.UTF_8).equals("m"));
        assertThat(producer.history())
                .extracting(record -> reader.read(record.value()).toString())
                .containsExactly(
                        "{\"id\": \"f:1\", \"label\": 1, \"features\": {\"indices\": [1], \"values\": [0.5]}, \"weight\": 1.0}",
                        "{\"id\": \"f:2\", \"label\": -1, \"features\": {\"indices\": [2], \"values\": [1.0]}, \"weight\": 1.0}");
    }

    @Test
    void shouldSendEveryExampleAndLabelToEachModel() throws IOException {
        Path file = Files.writeString(directory.resolve("f.libsvm"), "+1 1:0.5\n-1 2:1\n");
        ExampleSender sender = sender(producer, "a", "b");
        try (ShutdownSignal stop = new ShutdownSignal()) {
            assertThat(producer(file, 1, 0, Long.MAX_VALUE, LabelDelay.parse("1ex"), "a", "b")
                            .send(sender, null, ANY_TIME, NO_LABELS, stop))
                    .isEqualTo(2);
        }

        EventReader<Example> examples = EventReader.of(Example.class, registry);
        EventReader<Label> labels = EventReader.of(Label.class, registry);
        for (String model : List.of("a", "b")) {
            List<byte[]> sent = producer.history().stream()
                    .filter(record -> new String(record.key(), StandardCharsets.UTF_8).equals(model))
                    .map(ProducerRecord::value)
                    .toList();
            assertThat(sent).as(model).hasSize(4);
            assertThat(examples.read(sent.get(0)).getId()).isEqualTo("f:1");
            assertThat(examples.read(sent.get(1)).getId()).isEqualTo("f:2");
            assertThat(labels.read(sent.get(2)).getExampleId()).isEqualTo("f:1");
            assertThat(labels.read(sent.get(3)).getExampleId()).isEqualTo("f:2");
        }
        assertThat(sender.receipts()).allSatisfy(receipt -> {
            assertThat(receipt.examples()).isEqualTo(2);
            assertThat(receipt.labels()).isEqualTo(2);
            // a label is counted beside its example
            assertThat(receipt.positions().count()).isEqualTo(4);
        });
    }

    // The examples of one model that its partition has not acknowledged must be sent again to all of them.
    @Test
    void shouldCountTheExamplesThatEveryModelHasGot() {
        MockProducer<byte[], byte[]> waiting =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        ExampleSender sender = sender(waiting, "a", "b");
        sender.send(new Example("e", 1, new DenseVector(List.of(1.0)), 1.0));
        waiting.completeNext();

        assertThat(sender.receipts())
                .extracting(ExampleSender.Receipt::examples)
                .containsExactly(1L, 0L);
        assertThat(sender.acknowledged()).isZero();
        waiting.completeNext();
        assertThat(sender.acknowledged()).isOne();
    }

    @Test
    void shouldRepeatTheFileUntilTheLimit() throws IOException {
        long sent = produce("+1 1:0.5\n-1 2:1\n", 9, 3);

        assertThat(sent).isEqualTo(3);
        assertThat(producer.history()).hasSize(3);
        assertThat(EventReader.generic(SCHEMA, registry)
                        .read(producer.history().get(2).value())
                        .get("id"))
                .hasToString("f:1#2");
    }

    @Test
    void shouldSayHowManyWereSentBeforeABrokenLine() {
        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> produce("+1 1:0.5\n-1 2:x\n+1 1:1\n", 1, Long.MAX_VALUE))
                .withMessage(
                        "f.libsvm:2: value must be a number, got 'x' (index 2); 1 examples before it were sent (when it"
                                + " is repaired, --skip 1 sends the rest)");
        assertThat(producer.history()).hasSize(1);
        assertThat(producer.flushed()).isTrue();
    }

    // After the repair of a line in the middle the rows before it were learned a second time.
    @ParameterizedTest
    @CsvSource({"0,9", "0,4", "3,9", "3,2", "5,1", "9,9"})
    void shouldSendWhatItHasCheckedWithoutReadingItAgain(long skipped, long limit) throws IOException {
        String text = "+1 1:1\n-1 1:2\n\n+1 1:3\n-1 1:4\n+1 1:5\n";
        produce(Files.writeString(directory.resolve("f.libsvm"), text), 1, skipped, limit, null);
        List<byte[]> expected =
                producer.history().stream().map(ProducerRecord::value).toList();
        producer.clear();
        Path file = Files.writeString(directory.resolve("f.libsvm"), text);
        ExampleProducer produce = producer(file, 1, skipped, limit, null, "m");
        for (long maxBytes : new long[] {1_000, 100}) {
            producer.clear();
            KeptExamples kept = new KeptExamples(new EventWriter(SCHEMA, registry.register("s", SCHEMA)), maxBytes);
            try (ShutdownSignal stop = new ShutdownSignal()) {
                produce.check(stop, ANY_TIME, kept);
                boolean isKept = maxBytes == 1_000 || expected.size() <= 1;
                assertThat(kept.isComplete()).isEqualTo(isKept);
                if (isKept) {
                    Files.writeString(file, "no example");
                }
                assertThat(produce.send(sender(producer, "m"), kept, ANY_TIME, NO_LABELS, stop))
                        .isEqualTo(expected.size());
            }
            assertThat(producer.history())
                    .extracting(ProducerRecord::value)
                    .usingRecursiveComparison()
                    .isEqualTo(expected);
            Files.writeString(file, text);
        }
    }

    @Test
    void shouldSendTheRestBehindSkippedExamples() throws IOException {
        produce(Files.writeString(directory.resolve("f.libsvm"), "+1 1:1\n\n-1 2:1\n+1 1:1\n"), 2, 2, 3, null);

        EventReader<GenericRecord> reader = EventReader.generic(SCHEMA, registry);
        assertThat(producer.history().stream()
                        .map(sent -> reader.read(sent.value()).get("id").toString()))
                .containsExactly("f:4", "f:1#2", "f:3#2");
    }

    // Of 500 examples before a broken line 100 labels were not sent: the examples waited for them until they expired.
    @Test
    void shouldSendTheLabelsOfTheExamplesBeforeABrokenLine() {
        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> produce("+1 1:0.5\n-1 2:1\n+1 1:x\n", 1, Long.MAX_VALUE, LabelDelay.parse("9ex")))
                .withMessage(
                        "f.libsvm:3: value must be a number, got 'x' (index 1);"
                                + " 2 examples and 2 labels before it were sent (when it is repaired, --skip 2 sends the rest)");
        assertThat(producer.history()).hasSize(4);
        assertThat(producer.flushed()).isTrue();
    }

    // The labels were not sent, and the message did not say that the examples were.
    @Test
    void shouldSendTheLabelsOfTheExamplesBeforeTheEndOfATruncatedFile() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write("+1 1:0.5\n-1 2:1\n".getBytes(StandardCharsets.UTF_8));
            gzip.flush();
        }
        // without the trailer of 8 bytes
        byte[] truncated = Arrays.copyOf(bytes.toByteArray(), bytes.size() - 8);
        Path file = Files.write(directory.resolve("f.libsvm.gz"), truncated);

        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> produce(file, 1, Long.MAX_VALUE, LabelDelay.parse("9ex")))
                .withMessageEndingWith(
                        "; 2 examples and 2 labels before it were sent (when it is repaired, --skip 2 sends"
                                + " the rest)");
        assertThat(producer.history()).hasSize(4);
    }

    @Test
    void shouldFailWhereTheBrokerDoesNotTakeAnExample() {
        MockProducer<byte[], byte[]> refusing =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        ExampleSender sender = sender(refusing, "m");
        sender.send(new Example("e", 1, new DenseVector(List.of(1.0)), 1.0));
        refusing.errorNext(new InvalidTimestampException("too early"));

        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(sender::finish)
                .withMessage("perceptron-examples must accept every example, got too early after 0 examples");
    }

    // A label of many tags ended the command in the middle, and the message named neither it nor what to do.
    @Test
    void shouldSendTheOthersWhereARecordIsTooLarge() {
        MockProducer<byte[], byte[]> refusing =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        ExampleSender sender = sender(refusing, "m");
        sender.sendLabel(new Label("a", 1, 1.0, null, null), null);
        sender.sendLabel(new Label("b17", List.of("x".repeat(200)), 1.0, null, null), null);
        refusing.completeNext();
        refusing.errorNext(new RecordTooLargeException("larger than 100"));
        sender.send(new Example("c", 1, new DenseVector(List.of(1.0)), 1.0));
        refusing.completeNext();

        assertThat(sender.finish()).isEqualTo(1);
        assertThat(sender.acknowledgedLabels()).isEqualTo(1);
        assertThat(sender.tooLarge())
                .isEqualTo(
                        "records must fit into perceptron-examples, got 1 too large, and sent the others; the first is"
                                + " 'b17' of 224 bytes: larger than 100 (cut it; or raise max.message.bytes of the topic and"
                                + " -D producer.max.request.size)");
        assertThat(sender(producer, "m").tooLarge()).isNull();
    }

    @Test
    void shouldPrintTheSummaryForPeopleAndMachines() {
        ExampleProducer.Summary summary = new ExampleProducer.Summary("m", "t", 1500, 0, 0.5, null);

        assertThat(summary.toText()).isEqualTo("sent 1,500 examples of m to t in 0.50 s, 3,000/s");
        assertThat(summary.toJson())
                .isEqualTo("{\"model\":\"m\",\"topic\":\"t\",\"examples\":1500,\"seconds\":0.500,\"rate\":3000.0}");
    }

    @Test
    void shouldNameTheOptionThatSendsTheRestWhereTheBrokersHaveGone() {
        Path file = directory.resolve("f.libsvm");

        String others = ", and may have others that were on their way";
        assertThat(producer(file, 1, 100, Long.MAX_VALUE, null, "m").acknowledged(17, 0))
                .isEqualTo("17 examples" + others + " (--skip 117 sends the rest, those on their way perhaps twice)");
        // some labels of the 17 would be left out
        assertThat(producer(file, 1, 0, Long.MAX_VALUE, LabelDelay.parse("100ex"), "m")
                        .acknowledged(17, 3))
                .isEqualTo("17 examples and 3 labels" + others);
        // it said 0 examples
        ExampleProducer ofLabels = new ExampleProducer(
                new ExampleSource(file.toString(), ExampleFormat.LIBSVM, LabelType.AUTO, null, null, null),
                List.of("m"),
                1,
                100,
                Long.MAX_VALUE,
                Double.POSITIVE_INFINITY,
                null,
                true,
                null,
                1,
                false);
        assertThat(ofLabels.acknowledged(0, 17))
                .isEqualTo("17 labels" + others + " (--skip 117 sends the rest, those on their way perhaps twice)");
    }

    private long produce(String text, int passes, long limit) throws IOException {
        return produce(text, passes, limit, null);
    }

    private long produce(String text, int passes, long limit, LabelDelay labelsAfter) throws IOException {
        return produce(Files.writeString(directory.resolve("f.libsvm"), text), passes, limit, labelsAfter);
    }

    private long produce(Path file, int passes, long limit, LabelDelay labelsAfter) throws IOException {
        return produce(file, passes, 0, limit, labelsAfter);
    }

    private long produce(Path file, int passes, long skipped, long limit, LabelDelay labelsAfter) throws IOException {
        try (ShutdownSignal stop = new ShutdownSignal()) {
            return producer(file, passes, skipped, limit, labelsAfter, "m")
                    .send(sender(producer, "m"), null, ANY_TIME, NO_LABELS, stop);
        }
    }

    private static ExampleProducer producer(
            Path file, int passes, long skipped, long limit, LabelDelay labelsAfter, String... models) {
        ExampleSource source =
                new ExampleSource(file.toString(), ExampleFormat.LIBSVM, LabelType.AUTO, null, null, null);
        return new ExampleProducer(
                source,
                List.of(models),
                passes,
                skipped,
                limit,
                Double.POSITIVE_INFINITY,
                labelsAfter,
                false,
                null,
                1,
                false);
    }

    // 146 of 300 labels were refused and the command said nothing of it.
    @Test
    void shouldReportRefusedExamplesWithTheCommandThatMendsThem() {
        DeadLetter letter = new DeadLetter(
                "INVALID_LABEL", "label must be …, got 0 (…; set negative.label=0 if 0 is right)", "t", 1L, 17L, null);
        DeadLetter other = new DeadLetter("SCORE_OVERFLOW", "score must be finite", "t", 1L, 18L, null);
        ExampleProducer.Summary summary = new ExampleProducer.Summary(
                "m",
                "t",
                1500,
                0,
                0.5,
                RefusalCounts.of(1500, 0, null, List.of(letter, other, letter), List.of(), null, false));

        assertThat(summary.toText().lines())
                .containsExactly(
                        "sent 1,500 examples of m to t in 0.50 s, 3,000/s",
                        "3 of 1,500 examples were refused: 2 INVALID_LABEL, 1 SCORE_OVERFLOW",
                        "  INVALID_LABEL at t-1@17: label must be …, got 0 (…; set negative.label=0 if 0 is right)",
                        "  SCORE_OVERFLOW at t-1@18: score must be finite",
                        "  perceptron models set m negative.label=0");
        assertThat(summary.toJson())
                .endsWith(",\"refused\":3,\"waiting\":0,\"reasons\":{\"INVALID_LABEL\":2,\"SCORE_OVERFLOW\":1}}");
    }

    @Test
    void shouldEndWithTheErrorRateBesideTheBaselines() {
        Verdict verdict = new Verdict(2000, 3, "a\u001b", 1260, 745L, 294L, null);
        ExampleProducer.Summary summary = new ExampleProducer.Summary(
                "m", "t", 2, 0, 0.5, RefusalCounts.of(2, 0, null, List.of(), List.of(), verdict, false));

        // all but 1,260 of 2,000 are another label;
        // 3 of 2,000 are 0.1499999999999999944 % in binary: 0.1 %, as on the page
        assertThat(summary.toText().lines())
                .containsExactly(
                        "sent 2 examples of m to t in 0.50 s, 4/s, none refused",
                        "2,000 labelled examples of m so far: 0.1 % wrong; always 'a\ufffd': 37.0 %; same as last: 14.7 %");
        assertThat(summary.toJson())
                .endsWith(
                        ",\"totals\":{\"compared\":2000,\"comparedErrors\":3,\"majorityErrors\":745,\"sameErrors\":294}}");
    }

    @Test
    void shouldNameWhatToTryWhereAPredictionWithoutFeaturesIsAsGood() {
        // the majority label is wrong 40 times, the last one 35 times
        assertThat(linesOf(new Verdict(100, 35, "a", 60, 41L, 35L, null), false))
                .containsExactly(
                        "100 labelled examples of m so far: 35.0 % wrong; always 'a': 40.0 %; same as last: 35.0 %",
                        "no better than a prediction without features; learners that vote, on what was sent:"
                                + " perceptron what-if m --portfolio (other causes: docs/bad-model.md)");
        assertThat(linesOf(new Verdict(100, 34, "a", 60, 41L, 35L, null), false))
                .hasSize(1);
        assertThat(linesOf(new Verdict(100, 40, "a", 60, 41L, 45L, null), false))
                .hasSize(2);
        // too few labels, a vote, no baselines
        assertThat(linesOf(new Verdict(99, 60, "a", 60, 41L, 35L, null), false)).hasSize(1);
        assertThat(linesOf(new Verdict(100, 35, "a", 60, 41L, 35L, null), true)).hasSize(1);
        assertThat(linesOf(new Verdict(100, 99, null, 0, null, null, null), false))
                .hasSize(1);
    }

    private static List<String> linesOf(Verdict verdict, boolean hasVote) {
        return RefusalCounts.of(2, 0, null, List.of(), List.of(), verdict, hasVote)
                .toLines("m");
    }

    @Test
    void shouldKnowTheLastPositionThatIsNotRefused() {
        SentPositions sent = new SentPositions();
        for (long offset : new long[] {5, 6, 20, 21}) {
            sent.add(1, offset);
        }

        assertThat(sent.lastExcept(1, offset -> offset == 6)).isEqualTo(21);
        assertThat(sent.lastExcept(1, offset -> offset >= 20)).isEqualTo(6);
        assertThat(sent.lastExcept(1, offset -> true)).isEqualTo(-1);
        assertThat(sent.lastExcept(0, offset -> false)).isEqualTo(-1);
    }

    // Labels whose ids match nothing waited for ever where event times are old, and nothing said so.
    @Test
    void shouldSayHowManyLabelsWaitForTheirExamples() {
        ModelStatus status = Events.filled(ModelStatus.class);
        status.setPendingLabels(1_200L);
        status.setSettings(Map.of("await.examples.ms", "60000"));
        RefusalCounts counts = RefusalCounts.of(1_500, 0, null, List.of(), List.of(), null, false)
                .with(RefusalCounts.WaitingLabels.of(status));
        ExampleProducer.Summary summary = new ExampleProducer.Summary("m", "t", 0, 1_500, 0.5, counts);

        assertThat(summary.toText().lines())
                .containsExactly(
                        "sent 0 examples and 1,500 labels of m to t in 0.50 s, 3,000/s, none refused",
                        "1,200 labels wait for examples with their ids, which have not come: for await.examples.ms=60000 of"
                                + " event time, which the model's examples and labels move, or perceptron labels expire m;"
                                + " then they are refused");
        assertThat(summary.toJson()).endsWith(",\"reasons\":{},\"pendingLabels\":1200}");
        status.setPendingLabels(0L);
        assertThat(RefusalCounts.WaitingLabels.of(status)).isEqualTo(RefusalCounts.WaitingLabels.NONE);
    }

    @Test
    void shouldPrintAdvice() {
        Alert alert = Events.filled(Alert.class);
        alert.setAdvice("SCALE");
        alert.setMessage("sizes differ (perceptron models set m scale=standard\u001b[2J)");
        ExampleProducer.Summary summary = new ExampleProducer.Summary(
                "m", "t", 2, 0, 0.5, RefusalCounts.of(2, 0, null, List.of(), List.of(alert), null, false));

        assertThat(summary.toText().lines())
                .containsExactly(
                        "sent 2 examples of m to t in 0.50 s, 4/s, none refused",
                        "advice: sizes differ (perceptron models set m scale=standard\ufffd[2J)");
        assertThat(summary.toJson()).endsWith(",\"refused\":0,\"waiting\":0,\"reasons\":{},\"advice\":[\"SCALE\"]}");
    }

    @Test
    void shouldSayWhatIsNotKnown() {
        assertThat(new ExampleProducer.Summary(
                                "m", "t", 2, 0, 0.5, RefusalCounts.of(2, 0, null, List.of(), List.of(), null, false))
                        .toText())
                .endsWith("/s, none refused");
        ExampleProducer.Summary summary =
                new ExampleProducer.Summary("m", "t", 2, 0, 0.5, RefusalCounts.unknown(2, "no engine is running"));
        assertThat(summary.toText())
                .endsWith("not known yet whether 2 of 2 examples are refused: no engine is running (perceptron watch"
                        + " dead-letters --model m --from-beginning shows them)");
        assertThat(summary.toJson()).endsWith(",\"refused\":null,\"waiting\":2,\"reasons\":{}}");
    }

    @Test
    void shouldKnowThePositionsOfWhatItHasSent() {
        SentPositions sent = new SentPositions();
        for (long offset : new long[] {5, 6, 7, 20, 21}) {
            sent.add(1, offset);
        }

        assertThat(sent.contains(1, 6)).isTrue();
        assertThat(sent.contains(1, 8)).isFalse();
        assertThat(sent.contains(1, 4)).isFalse();
        assertThat(sent.contains(0, 6)).isFalse();
        assertThat(sent.count()).isEqualTo(5);
        assertThat(sent.countBehind(Map.of(0, 100L, 1, 7L))).isEqualTo(3);
        assertThat(sent.countBehind(Map.of(1, 22L))).isZero();
    }

    @Test
    void shouldCountTheExamplesOfRecordsThatHaveSeveral() {
        SentPositions sent = new SentPositions();
        sent.add(0, 5, 100);
        sent.add(0, 6, 40);
        sent.add(1, 9, 1);

        assertThat(sent.count()).isEqualTo(141);
        assertThat(sent.countBehind(Map.of(0, 6L, 1, 9L))).isEqualTo(41);
        assertThat(sent.examples(0, 5)).isEqualTo(100);
        assertThat(sent.examples(1, 9)).isOne();
    }

    private List<List<Example>> sentInBatches(int size, List<Example> examples, List<Long> times) {
        ExampleSender sender = batchSender(size);
        for (int k = 0; k < examples.size(); k++) {
            sender.send(examples.get(k), times.get(k));
        }
        assertThat(sender.finish()).isEqualTo(examples.size());
        assertThat(sender.receipts().get(0).positions().count()).isEqualTo(examples.size());
        EventReader<Example> reader = EventReader.of(Example.class, registry);
        return producer.history().stream()
                .map(each -> reader.readAll(each.value()))
                .toList();
    }

    private ExampleSender batchSender(int size) {
        Schema schema = EventSchemas.schema("ExampleBatch");
        return new ExampleSender(
                producer,
                "perceptron-examples",
                List.of("m"),
                new EventWriter(SCHEMA, registry.register("s", SCHEMA)),
                null,
                size,
                new EventWriter(schema, registry.register("b", schema)));
    }

    private static Example named(String id, int features) {
        return Example.newBuilder()
                .setId(id)
                .setFeatures(new DenseVector(Collections.nCopies(features, 0.5)))
                .build();
    }

    @Test
    void shouldSendExamplesOfTheSameTimeInOneRecord() {
        List<Example> examples = new ArrayList<>();
        for (int k = 0; k < 7; k++) {
            examples.add(named("" + k, 2));
        }
        assertThat(sentInBatches(3, examples, Arrays.asList(null, null, null, null, 5L, 5L, 6L)))
                .containsExactly(
                        examples.subList(0, 3), examples.subList(3, 4), examples.subList(4, 6), examples.subList(6, 7));
        assertThat(producer.history()).extracting(ProducerRecord::timestamp).containsExactly(null, null, 5L, 6L);
    }

    @Test
    void shouldSendLargeExamplesInMoreRecords() {
        List<Example> examples = new ArrayList<>();
        for (int k = 0; k < 8; k++) {
            examples.add(named("" + k, 40_000));
        }
        assertThat(sentInBatches(100, examples, Collections.nCopies(8, null)))
                .extracting(List::size)
                .containsExactly(2, 2, 2, 2);
    }

    // 1,000 examples were encoded, and then found to be too large for a record.
    @Test
    void shouldSendARecordBeforeItIsTooLarge() {
        ExampleSender sender = batchSender(1_000);
        for (int k = 0; k < 3; k++) {
            sender.send(named("" + k, 40_000));
        }

        assertThat(producer.history())
                .singleElement()
                .satisfies(record -> assertThat(record.value()).hasSizeBetween(640_000, 900_000));
    }

    // The examples of a pipe waited until there were N, and a signal dropped them.
    @Test
    void shouldSendExamplesThatHaveWaited() {
        ExampleSender sender = batchSender(100);
        sender.sendOld();
        sender.send(named("a", 2));
        sender.send(named("b", 2));
        sender.sendOld();
        assertThat(producer.history()).isEmpty();
        sender.sendOld();
        assertThat(producer.history()).hasSize(1);
        assertThat(sender.acknowledged()).isEqualTo(2);

        sender.send(named("c", 2));
        sender.sendGathered();
        sender.send(named("d", 2));
        sender.sendOld();
        assertThat(producer.history()).hasSize(2);
        assertThat(sender.finish()).isEqualTo(4);
    }

    private static ModelStatus status(long offset, StatusCause cause) {
        ModelStatus status = Events.filled(ModelStatus.class);
        status.setPartition(0);
        status.setOffset(offset);
        status.setCause(cause.name());
        return status;
    }

    private static DeadLetter refused(long offset, Long index) {
        return new DeadLetter("INVALID_LABEL", "m", "t", 0L, offset, index == null ? null : List.of(index.intValue()));
    }

    // The verdict of a file of one record was that of its first example.
    @Test
    void shouldNotTakeTheStatusOfAnExampleInTheMiddleOfARecord() {
        SentPositions sent = new SentPositions();
        sent.add(0, 5, 100);
        RefusalCheck.FirstComplete complete = new RefusalCheck.FirstComplete(sent, List.of());

        assertThat(complete.add(status(4, StatusCause.TIME))).isFalse();
        assertThat(complete.latest()).isNull();
        assertThat(complete.add(status(5, StatusCause.FIRST_EXAMPLE))).isFalse();
        assertThat(complete.add(status(5, StatusCause.TIME))).isFalse();
        assertThat(complete.latest().getCause()).isEqualTo("TIME");
        assertThat(complete.add(status(5, StatusCause.IDLE))).isTrue();
        assertThat(complete.add(status(6, StatusCause.TIME))).isTrue();

        sent.add(0, 7, 1);
        assertThat(new RefusalCheck.FirstComplete(sent, List.of()).add(status(7, StatusCause.TIME)))
                .isTrue();
    }

    // The status of a record of which each example was refused alone was waited for until the time-out.
    @Test
    void shouldNotWaitForTheStatusOfARecordOfRefusedExamples() {
        SentPositions sent = new SentPositions();
        sent.add(0, 5, 2);
        sent.add(0, 6, 2);
        sent.add(0, 7, 2);
        // an example of the record before is used
        List<DeadLetter> refused = List.of(refused(6, 1L), refused(7, 0L), refused(7, 1L));

        RefusalCheck.FirstComplete complete = new RefusalCheck.FirstComplete(sent, refused);
        assertThat(complete.add(status(5, StatusCause.IDLE))).isFalse();
        assertThat(complete.add(status(6, StatusCause.IDLE))).isTrue();
    }

    // Where others of its examples still waited, the advice for the first champion was shown after a promotion.
    @Test
    void shouldShowTheAdviceForTheModelOfItsLastStatus() {
        Alert alert = Events.filled(Alert.class);
        alert.setAdvice("SCALE");
        alert.setCommand("perceptron models set m scale=standard");
        alert.setEpoch(0L);
        alert.setPartition(0);
        alert.setOffset(5);
        List<ConsumerRecord<byte[], byte[]>> alerts = List.of(event("Alert", "m", alert));
        SentPositions sent = new SentPositions();
        sent.add(0, 5, 1);
        ConsumerRecord<byte[], byte[]> first = event("ModelStatus", "m", ofEpoch(0));
        ConsumerRecord<byte[], byte[]> promoted = event("ModelStatus", "m", ofEpoch(3));
        ConsumerRecord<byte[], byte[]> ofOther = event("ModelStatus", "other", ofEpoch(3));

        assertThat(RefusalCheck.advice(alerts, List.of(), "m", sent, registry)).hasSize(1);
        assertThat(RefusalCheck.advice(alerts, List.of(first, ofOther), "m", sent, registry))
                .hasSize(1);
        assertThat(RefusalCheck.advice(alerts, List.of(first, promoted), "m", sent, registry))
                .isEmpty();
    }

    private static ModelStatus ofEpoch(long epoch) {
        ModelStatus status = status(9, StatusCause.TIME);
        status.setEpoch(epoch);
        status.setSettings(Map.of());
        status.setChallengers(List.of());
        return status;
    }

    private ConsumerRecord<byte[], byte[]> event(String name, String model, SpecificRecord event) {
        Schema schema = EventSchemas.schema(name);
        return Events.record(name, 0, model, new EventWriter(schema, registry.register(name, schema)).write(event));
    }

    private ExampleSender sender(MockProducer<byte[], byte[]> target, String... models) {
        return new ExampleSender(
                target,
                "perceptron-examples",
                List.of(models),
                new EventWriter(SCHEMA, registry.register("s", SCHEMA)),
                new EventWriter(LABEL, registry.register("l", LABEL)));
    }
}
