package io.perceptronstreams.topology;

import static io.perceptronstreams.topology.BadRecord.features;
import static io.perceptronstreams.topology.BadRecord.json;
import static io.perceptronstreams.topology.BadRecords.configure;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.Sequence;
import java.util.ArrayList;
import java.util.List;

/** Records of {@link BadRecords} whose sequences or candidates are wrong. */
final class BadStructures {
    private static final int SEQUENCE = 3;
    private static final int CANDIDATES = 4;

    private BadStructures() {}

    static List<BadRecord> all() {
        List<BadRecord> cases = new ArrayList<>();
        for (long count : new long[] {30, Integer.MAX_VALUE, 1L << 31, Long.MAX_VALUE}) {
            cases.add(features("a token of " + count + " names", RejectReason.MALFORMED_AVRO, out -> {
                out.writeIndex(SEQUENCE);
                out.writeLong(1);
                out.writeLong(count);
                out.writeString("n");
            }));
            cases.add(features("a candidate of " + count + " features", RejectReason.MALFORMED_AVRO, out -> {
                out.writeIndex(CANDIDATES);
                out.writeLong(1);
                out.writeString("a");
                out.writeLong(count);
                out.writeString("n");
                out.writeDouble(1);
            }));
        }
        for (double value : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
            cases.add(features("candidates with " + value, RejectReason.NON_FINITE_VALUE, out -> {
                out.writeIndex(CANDIDATES);
                out.writeLong(1);
                out.writeString("a");
                out.writeLong(1);
                out.writeString("n");
                out.writeDouble(value);
                out.writeLong(0);
                out.writeLong(0);
            }));
        }
        cases.add(features("too many tokens", RejectReason.UNSUPPORTED_FEATURES, out -> {
            out.writeIndex(SEQUENCE);
            out.writeLong(Sequence.MAX_TOKENS + 1);
            for (int i = 0; i <= Sequence.MAX_TOKENS; i++) {
                out.writeLong(0);
            }
            out.writeLong(0);
        }));
        cases.add(features("too many candidates", RejectReason.UNSUPPORTED_FEATURES, out -> {
            out.writeIndex(CANDIDATES);
            out.writeLong(Candidates.MAX_CANDIDATES + 1);
            for (int k = 0; k <= Candidates.MAX_CANDIDATES; k++) {
                out.writeString("");
                out.writeLong(0);
            }
            out.writeLong(0);
        }));
        cases.addAll(texts());
        cases.addAll(sequences());
        cases.addAll(candidates());
        return cases;
    }

    private static List<BadRecord> texts() {
        List<BadRecord> cases = new ArrayList<>();
        for (String features : List.of(
                "{\"tokens\":[\"w\"]}",
                "{\"tokens\":[[1]]}",
                "{\"tokens\":[[\"w\"]],\"f\":1}",
                "{\"candidates\":[{\"output\":1,\"features\":{}}]}",
                "{\"candidates\":[{\"output\":\"a\"}]}",
                "{\"candidates\":[{\"output\":\"a\",\"features\":[1]}]}",
                "{\"candidates\":[{\"output\":\"a\",\"features\":{},\"f\":1}]}",
                "{\"candidates\":[{\"output\":\"a\",\"features\":{\"f\":[null]}}]}")) {
            cases.add(json(
                    features,
                    RejectReason.MALFORMED_JSON,
                    "{\"id\":\"1\",\"label\":\"a\",\"features\":" + features + "}"));
        }
        return cases;
    }

    private static List<BadRecord> sequences() {
        return List.of(
                sequence("an empty sequence", RejectReason.UNSUPPORTED_FEATURES, "[]", "[]"),
                sequence("fewer tags than tokens", RejectReason.INVALID_LABEL, "[[\"w\"],[\"x\"]]", "[\"A\"]"),
                sequence("more tags than tokens", RejectReason.INVALID_LABEL, "[[\"w\"]]", "[\"A\",\"B\"]"),
                sequence("a sequence with an int", RejectReason.INVALID_LABEL, "[[\"w\"]]", "1"),
                sequence("a sequence with a string", RejectReason.INVALID_LABEL, "[[\"w\"]]", "\"A\""),
                sequence("an empty tag", RejectReason.INVALID_LABEL, "[[\"w\"]]", "[\"\"]"),
                sequence("a long tag", RejectReason.INVALID_LABEL, "[[\"w\"]]", "[\"" + "t".repeat(257) + "\"]"),
                sequence("more tags than classes.max", RejectReason.MODEL_FULL, "[[\"w\"],[\"x\"]]", "[\"A\",\"B\"]")
                        .after("s", configure("classes.max", "1")),
                json("a vector for tags", RejectReason.UNSUPPORTED_FEATURES, BadRecords.GOOD)
                        .of("s", configure("algorithm", "sequence")),
                json(
                                "tags where a kernel is set",
                                RejectReason.INVALID_LABEL,
                                "{\"id\":\"1\",\"label\":[\"A\"],\"features\":{\"tokens\":[[\"w\"]]}}")
                        .of("s", configure("kernel", "linear")));
    }

    private static BadRecord sequence(String name, RejectReason reason, String tokens, String label) {
        return json(name, reason, "{\"id\":\"1\",\"label\":" + label + ",\"features\":{\"tokens\":" + tokens + "}}")
                .of("s", configure("algorithm", "sequence"));
    }

    private static List<BadRecord> candidates() {
        String a = "{\"output\":\"a\",\"features\":{\"f\":1}}";
        String b = "{\"output\":\"b\",\"features\":{\"f\":2}}";
        return List.of(
                candidates("no candidates", RejectReason.UNSUPPORTED_FEATURES, "", "\"a\""),
                candidates("a candidate twice", RejectReason.UNSUPPORTED_FEATURES, a + "," + b + "," + a, "\"a\""),
                candidates("a label that is no candidate", RejectReason.INVALID_LABEL, a + "," + b, "\"c\""),
                candidates("an int that is no candidate", RejectReason.INVALID_LABEL, a + "," + b, "1"),
                candidates("tags for candidates", RejectReason.INVALID_LABEL, a + "," + b, "[\"a\"]"),
                candidates(
                        "overflowing candidates",
                        RejectReason.SCORE_OVERFLOW,
                        a + "," + b.replace("2", "1e200"),
                        "\"a\""),
                candidates(
                        "a long output",
                        RejectReason.UNSUPPORTED_FEATURES,
                        a + "," + b.replace("b", "b".repeat(257)),
                        "\"a\""));
    }

    private static BadRecord candidates(String name, RejectReason reason, String candidates, String label) {
        return json(
                        name,
                        reason,
                        "{\"id\":\"1\",\"label\":" + label + ",\"features\":{\"candidates\":[" + candidates + "]}}")
                .withKey("c");
    }
}
