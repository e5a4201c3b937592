package io.perceptronstreams.topology;

import static io.perceptronstreams.topology.BadRecord.bytes;
import static io.perceptronstreams.topology.BadRecord.event;
import static io.perceptronstreams.topology.BadRecord.example;
import static io.perceptronstreams.topology.BadRecord.json;
import static io.perceptronstreams.topology.BadRecord.utf8;

import io.perceptronstreams.example.RejectReason;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The invalid records of {@link BadInputTest}. */
final class BadRecords {
    static final String GOOD = "{\"id\":\"1\",\"label\":1,\"features\":[1]}";

    /** A snapshot of a model with w = (1000) and a bias of 1, but |w|^2 = 2, and an example that shows it. */
    static final String[] QUARANTINE = {
        "{\"epoch\":0,\"updates\":1,\"partition\":0,\"offset\":1,\"chunk\":0,\"chunks\":1,\"examples\":1,\"labelled\":1,"
                + "\"mistakes\":1,\"algorithm\":\"perceptron\",\"settings\":{},\"vectors\":[],\"state\":{\"errors\":0,"
                + "\"marginMistakes\":0,\"hingeLoss\":0,\"numbers\":[\"1\",\"0\",\"1\",\"2\",\"2\",\"2\",\"1\"],\"names\":[],"
                + "\"blocks\":[{\"vector\":0,\"number\":0,\"length\":256,\"positions\":[0],\"values\":[1000]}]},"
                + "\"featureNames\":[]}",
        "{\"id\":\"1\",\"label\":-1,\"features\":[1]}"
    };

    private BadRecords() {}

    static Stream<BadRecord> all() {
        return Stream.of(
                        BadBytes.frames(),
                        BadBytes.lengths(),
                        BadBytes.vectors(),
                        BadStructures.all(),
                        labels(),
                        names(),
                        texts(),
                        commands(),
                        models())
                .flatMap(List::stream);
    }

    private static List<BadRecord> labels() {
        List<BadRecord> cases = new ArrayList<>();
        for (int label : new int[] {0, 2, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            cases.add(example("label " + label, RejectReason.INVALID_LABEL, Wire.label(label), Wire.dense(1), 1));
        }
        Wire.Body tags = out -> {
            out.writeIndex(3);
            out.writeLong(1);
            out.writeString("1");
            out.writeLong(0);
        };
        Wire.Body string = out -> {
            out.writeIndex(2);
            out.writeString("1");
        };
        cases.addAll(List.of(
                example("string label", RejectReason.INVALID_LABEL, string, Wire.dense(1), 1),
                example("tags", RejectReason.INVALID_LABEL, tags, Wire.dense(1), 1),
                json("a label that is not one of labels", RejectReason.INVALID_LABEL, exampleOf("\"label\":\"eggs\""))
                        .of("l", configure("labels", "ham,spam")),
                json("an int that labels does not spell", RejectReason.INVALID_LABEL, exampleOf("\"label\":1"))
                        .of("l", configure("labels", "ham,spam")),
                json("a class too many", RejectReason.MODEL_FULL, exampleOf("\"label\":\"b\""))
                        .of("m", configure("classes.max", "1"), exampleOf("\"label\":\"a\"")),
                json("an int that is a class too many", RejectReason.MODEL_FULL, exampleOf("\"label\":2"))
                        .of("m", configure("classes.max", "1"), exampleOf("\"label\":\"a\"")),
                json("a class without a name", RejectReason.INVALID_LABEL, exampleOf("\"label\":\"\""))
                        .withKey("m"),
                json("a class of too long a name", RejectReason.INVALID_LABEL, exampleOf(longLabel()))
                        .withKey("m"),
                json("a class of two lines", RejectReason.INVALID_LABEL, exampleOf("\"label\":\"a\\nb\""))
                        .withKey("m"),
                json("a label that is not one of classes", RejectReason.INVALID_LABEL, exampleOf("\"label\":\"c\""))
                        .of("m", configure("classes", "a,b")),
                json("tags for several classes", RejectReason.INVALID_LABEL, exampleOf("\"label\":[\"a\"]"))
                        .of("m", configure("classes", "a,b"), exampleOf("\"label\":\"a\"")),
                json(
                                "tokens for several classes",
                                RejectReason.UNSUPPORTED_FEATURES,
                                featuresOf("{\"tokens\":[[\"w=the\"]]}"))
                        .of("m", exampleOf("\"label\":\"a\"")),
                json("late label in JSON", RejectReason.LATE_LABEL, "{\"exampleId\":\"1\",\"label\":1}"),
                event("late label in Avro", RejectReason.LATE_LABEL, "Label", out -> {
                    out.writeString("1");
                    out.writeIndex(0);
                    out.writeInt(1);
                    out.writeDouble(1);
                    out.writeIndex(0);
                    out.writeIndex(0);
                }),
                event("label of no name as its source", RejectReason.INVALID_SOURCE, "Label", out -> {
                    out.writeString("1");
                    out.writeIndex(0);
                    out.writeInt(1);
                    out.writeDouble(1);
                    out.writeIndex(1);
                    out.writeString("a b");
                    out.writeIndex(0);
                }),
                json(
                                "label of an unknown source",
                                RejectReason.INVALID_SOURCE,
                                "{\"exampleId\":\"1\",\"label\":1,\"source\":\"nobody\"}")
                        .of(
                                "m",
                                configure("await.labels.ms", "9"),
                                configure("labels.sources", "review>user"),
                                "{\"id\":\"1\",\"label\":1,\"features\":[1]}"),
                json("late label without an id", RejectReason.INVALID_ID, "{\"exampleId\":\"\",\"label\":1}"),
                json(
                        "late label of weight 0",
                        RejectReason.INVALID_WEIGHT,
                        "{\"exampleId\":\"1\",\"label\":1,\"weight\":0}"),
                json("label of another model", RejectReason.LABEL_WITHOUT_EXAMPLE, "{\"exampleId\":\"1\",\"label\":1}")
                        .withKey("unknown"),
                json(
                                "label that nothing matches",
                                RejectReason.LABEL_WITHOUT_EXAMPLE,
                                "{\"exampleId\":\"1\",\"label\":1}")
                        .withTimestamp(1500)
                        .of("m", configure("await.labels.ms", "9"), configure("await.examples.ms", "0")),
                json("label of an expired example", RejectReason.LABEL_TOO_LATE, "{\"exampleId\":\"1\",\"label\":1}")
                        .withTimestamp(1500)
                        .of("m", configure("await.labels.ms", "9"), "{\"id\":\"1\",\"features\":[1]}"),
                json("second label", RejectReason.DUPLICATE_LABEL, "{\"exampleId\":\"1\",\"label\":1}")
                        .withTimestamp(1500)
                        .of("m", configure("await.labels.ms", "9"), "{\"id\":\"1\",\"label\":1,\"features\":[1]}"),
                json("second example", RejectReason.DUPLICATE_EXAMPLE, "{\"id\":\"1\",\"label\":1,\"features\":[1]}")
                        .withTimestamp(1500)
                        .of("m", configure("dedupe.last", "9"), "{\"id\":\"1\",\"label\":1,\"features\":[1]}"),
                json("one more that waits", RejectReason.PENDING_FULL, "{\"id\":\"2\",\"features\":[1]}")
                        .withTimestamp(1500)
                        .of(
                                "m",
                                configure("await.labels.ms", "9000"),
                                configure("await.labels.max", "1"),
                                "{\"id\":\"1\",\"features\":[1]}"),
                json(
                        "long id in JSON",
                        RejectReason.INVALID_ID,
                        "{\"id\":\"" + "é".repeat(513) + "\",\"features\":[]}"),
                bytes("long id", RejectReason.INVALID_ID, engine -> exampleWithId(engine, utf8("i".repeat(1025)))),
                bytes(
                        "id not UTF-8",
                        RejectReason.INVALID_ID,
                        engine -> exampleWithId(engine, new byte[] {'a', (byte) 0xc3})),
                bytes(
                        "id in overlong UTF-8",
                        RejectReason.INVALID_ID,
                        engine -> exampleWithId(engine, new byte[] {(byte) 0xc0, (byte) 0x80}))));
        return cases;
    }

    private static String longLabel() {
        return "\"label\":\"" + "n".repeat(257) + '"';
    }

    private static byte[] exampleWithId(EngineDriver engine, byte[] id) {
        return Wire.value(engine.id("Example"), out -> {
            out.writeBytes(id);
            Wire.label(1).write(out);
            Wire.dense(1).write(out);
            out.writeDouble(1);
        });
    }

    private static List<BadRecord> names() {
        return Stream.of("", "n".repeat(129), "n".repeat(10_240), "../x", "a/b", "a b", "é", "a\n", "a\0", "a\"")
                .map(name -> json("model name of " + name.length() + ": " + name, RejectReason.INVALID_MODEL_NAME, GOOD)
                        .withKey(name))
                .toList();
    }

    private static List<BadRecord> texts() {
        List<BadRecord> cases = new ArrayList<>();
        for (String text : List.of(
                "{",
                "{}",
                "{\"id\":\"1\"}",
                "{\"id\":7.5,\"features\":[1]}",
                "{\"id\":[null],\"features\":[1]}",
                exampleOf("\"lable\":1"),
                exampleOf("\"label\":1,\"label\":-1"),
                exampleOf("\"label\":1.5"),
                exampleOf("\"label\":1e999"),
                exampleOf("\"label\":{}"),
                exampleOf("\"label\":4294967297"),
                exampleOf("\"label\":{\"int\":1}"),
                exampleOf("\"label\":[1]"),
                exampleOf("\"weight\":\"1\""),
                exampleOf("\"weight\":[null]"),
                GOOD + "x",
                GOOD + GOOD,
                GOOD + "\0",
                "{\"id\":\"1\",\"features\":[NaN]}",
                "{\"id\":\"1\",\"features\":[Infinity]}",
                "{\"id\":\"1\",\"features\":[\"1\"]}",
                "{\"id\":\"1\",\"features\":[null]}",
                "{\"id\":\"1\",\"features\":[[1]]}",
                "{\"id\":\"1\",\"features\":[01]}",
                "{\"id\":\"1\",\"features\":[1,]}",
                "{\"id\":\"1\",\"features\":\"1\"}",
                "{\"id\":\"1\",\"features\":null}",
                "{\"id\":\"1\",\"features\":{\"a\":[null]}}",
                "{\"id\":\"1\",\"features\":{\"a\":[1]}}",
                "{\"id\":\"1\",\"features\":{\"a\":1,\"a\":2}}",
                "{\"id\":\"1\",\"features\":{\"indices\":[1.5],\"values\":[1]}}",
                "{\"id\":\"1\",\"features\":{\"indices\":[2147483648],\"values\":[1]}}",
                "{\"id\":\"1\",\"features\":{\"indices\":[1],\"values\":[\"1\"]}}",
                "{\"id\":\"1\",\"features\":{\"indices\":[1],\"values\":[1],\"more\":1}}",
                "{\"id\":\"1\",\"features\":{\"indices\":[1]}}",
                "{'id':'1','features':[1]}",
                "{\"id\":\"1\",\"features\":[1]} // note",
                "{\"id\":\"1\",\"features\":[" + "9".repeat(2000) + "]}",
                "{\"id\":\"1\",\"features\":" + "[".repeat(5000),
                "{\"" + "k".repeat(60_000) + "\":1}",
                "{\"\ud800\":1}",
                "{\"exampleId\":\"1\",\"label\":1,\"wait\":2}",
                "{\"exampleId\":\"1\",\"label\":null}",
                "{\"exampleId\":\"1\"}",
                "{\"exampleId\":\"1\",\"label\":1,\"weight\":\"2\"}",
                "{\"action\":\"CONFIGURE\",\"setings\":{}}",
                "{\"action\":\"CONFIGURE\",\"settings\":[]}",
                "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":null}}",
                "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":{}}}")) {
            cases.add(json(
                    text.length() < 90 ? text : text.substring(0, 40) + "… (" + text.length() + ")",
                    RejectReason.MALFORMED_JSON,
                    text));
        }
        cases.add(bytes("JSON not in UTF-8", RejectReason.MALFORMED_JSON, engine ->
                new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'}));
        for (String timestamp : List.of("\"yesterday\"", "-1", "true", "1e99", "7258118400000")) {
            cases.add(json(
                    "timestamp " + timestamp, RejectReason.INVALID_TIMESTAMP, exampleOf("\"timestamp\":" + timestamp)));
        }
        cases.add(json("1e999", RejectReason.NON_FINITE_VALUE, "{\"id\":\"1\",\"features\":[1e999]}"));
        cases.add(json("weight 0", RejectReason.INVALID_WEIGHT, exampleOf("\"weight\":0")));
        cases.add(json("weight 1e999", RejectReason.INVALID_WEIGHT, exampleOf("\"weight\":1e999")));
        cases.add(json("tokens", RejectReason.UNSUPPORTED_FEATURES, featuresOf("{\"tokens\":[[\"w=the\"]]}")));
        cases.add(json("candidates in JSON", RejectReason.UNSUPPORTED_FEATURES, featuresOf("{\"candidates\":[]}")));
        cases.add(json(
                "unsorted in JSON", RejectReason.INVALID_INDICES, featuresOf("{\"indices\":[2,1],\"values\":[1,1]}")));
        cases.add(json(
                "negative in JSON", RejectReason.INVALID_INDICES, featuresOf("{\"indices\":[-1],\"values\":[1]}")));
        cases.add(json(
                "different lengths in JSON",
                RejectReason.INVALID_INDICES,
                featuresOf("{\"indices\":[1,2],\"values\":[1]}")));
        return cases;
    }

    private static List<BadRecord> commands() {
        List<BadRecord> cases = new ArrayList<>();
        for (String settings : List.of(
                "\"hinge\":1",
                "\"h\":-1",
                "\"h\":\"NaN\"",
                "\"h\":\"x\"",
                "\"h.inclusive\":\"yes\"",
                "\"eta\":0",
                "\"eta\":\"Infinity\"",
                "\"predict\":\"voted\"",
                "\"survival.start\":2",
                "\"bias\":1",
                "\"labels\":\"a\"",
                "\"labels\":\"a,a\"",
                "\"labels\":\"a,b,c\"",
                "\"labels\":\"" + "a".repeat(70_000) + ",b\"",
                "\"hash.bits\":31",
                "\"hash.bits\":0",
                "\"scale\":\"log\"",
                "\"window.ms\":0",
                "\"snapshot.every\":-1",
                "\"blocks.max\":0",
                "\"algorithm\":\"svm\"",
                "\"h\":1,\"eta\":-1",
                "\"classes\":\"a\"",
                "\"classes\":\"a,a\"",
                "\"classes\":\"" + "a".repeat(70_000) + ",b\"",
                "\"classes.max\":10001",
                "\"predict.scores\":0",
                "\"c\":0",
                "\"r\":0",
                "\"algorithm\":\"multiclass\",\"labels\":\"a,b\"",
                "\"algorithm\":\"arow\",\"predict\":\"averaged\"",
                "\"algorithm\":\"pa\",\"eta\":2",
                "\"" + "s".repeat(40_000) + "\":1")) {
            cases.add(json(
                    settings.length() < 60 ? settings : settings.substring(0, 60) + "…",
                    RejectReason.INVALID_COMMAND,
                    "{\"action\":\"CONFIGURE\",\"settings\":{" + settings + "}}"));
        }
        for (String action : List.of("RESET", "DELETE", "FREEZE", "THAW", "SNAPSHOT")) {
            cases.add(json(
                            action + " of an unknown model",
                            RejectReason.INVALID_COMMAND,
                            "{\"action\":\"" + action + "\"}")
                    .withKey("unknown"));
            cases.add(json(
                            action + " of a deleted model",
                            RejectReason.INVALID_COMMAND,
                            "{\"action\":\"" + action + "\"}")
                    .of("d", GOOD, "{\"action\":\"DELETE\"}"));
        }
        cases.add(json("unknown action", RejectReason.INVALID_COMMAND, "{\"action\":\"EXPLODE\"}"));
        cases.add(json("action of another type", RejectReason.INVALID_COMMAND, "{\"action\":[1]}"));
        cases.add(json("other hash.bits after examples", RejectReason.INVALID_COMMAND, configure("hash.bits", "10"))
                .after(BadRecord.NEIGHBOUR, GOOD));
        cases.add(json("FREEZE of a quarantined model", RejectReason.INVALID_COMMAND, "{\"action\":\"FREEZE\"}")
                .of("q", QUARANTINE));
        return cases;
    }

    private static List<BadRecord> models() {
        return List.of(
                json("quarantined model", RejectReason.MODEL_QUARANTINED, GOOD).of("q", QUARANTINE),
                json(
                                "full model",
                                RejectReason.MODEL_FULL,
                                "{\"id\":\"1\",\"label\":1,\"features\":{\"indices\":[0,128]," + "\"values\":[1,1]}}")
                        .of("f", configure("blocks.max", "1"), GOOD.replace(":1,", ":-1,")),
                json("unknown model", RejectReason.UNKNOWN_MODEL, GOOD)
                        .withKey("u")
                        .withSetting("models.auto.create", "false")
                        .after(BadRecord.NEIGHBOUR, configure("h", "0")),
                json("deleted model", RejectReason.UNKNOWN_MODEL, GOOD)
                        .withKey("d")
                        .withSetting("models.auto.create", "false")
                        .after("d", configure("h", "0"), "{\"action\":\"DELETE\"}")
                        .after(BadRecord.NEIGHBOUR, configure("h", "0")),
                json("model too many", RejectReason.TOO_MANY_MODELS, GOOD)
                        .withKey("t")
                        .withSetting("models.max", "1")
                        .after(BadRecord.NEIGHBOUR, configure("h", "0")),
                json("wrong partition", RejectReason.MISROUTED, GOOD)
                        .withKey("d")
                        .withPartitions(2)
                        .withSetting("misrouted", "dead-letter"));
    }

    static String configure(String setting, String value) {
        return "{\"action\":\"CONFIGURE\",\"settings\":{\"" + setting + "\":\"" + value + "\"}}";
    }

    private static String exampleOf(String field) {
        return "{\"id\":\"1\"," + field + ",\"features\":[1]}";
    }

    private static String featuresOf(String features) {
        return "{\"id\":\"1\",\"features\":" + features + "}";
    }
}
