package io.perceptronstreams.topology;

import static io.perceptronstreams.topology.BadRecord.bytes;
import static io.perceptronstreams.topology.BadRecord.event;
import static io.perceptronstreams.topology.BadRecord.example;
import static io.perceptronstreams.topology.BadRecord.features;
import static io.perceptronstreams.topology.BadRecord.json;
import static io.perceptronstreams.topology.BadRecords.GOOD;
import static io.perceptronstreams.topology.BadRecords.configure;

import io.perceptronstreams.example.RejectReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;

/** Records of {@link BadRecords} whose frame, lengths or numbers are wrong. */
final class BadBytes {
    private static final long OVERFLOWING_INT = 1L << 31;

    private BadBytes() {}

    static List<BadRecord> frames() {
        List<BadRecord> cases = new ArrayList<>(List.of(
                json("null key", RejectReason.NULL_KEY, GOOD).withKey(null),
                bytes("null value", RejectReason.NULL_VALUE, engine -> null),
                bytes("empty value", RejectReason.EMPTY_VALUE, engine -> new byte[0]),
                bytes("wrong magic byte", RejectReason.UNKNOWN_FORMAT, engine -> new byte[] {1, 0, 0, 0, 1, 2, 3}),
                json("text", RejectReason.UNKNOWN_FORMAT, "hello"),
                json("JSON array without end", RejectReason.MALFORMED_JSON, "[1"),
                bytes(
                        "unknown schema id",
                        RejectReason.UNKNOWN_SCHEMA,
                        engine -> Wire.value(4711, out -> out.writeInt(1))),
                bytes(
                        "negative schema id",
                        RejectReason.UNKNOWN_SCHEMA,
                        engine -> Wire.value(-1, out -> out.writeInt(1))),
                bytes("schema of an output", RejectReason.INCOMPATIBLE_SCHEMA, engine ->
                        new byte[] {0, 0, 0, 0, (byte) engine.id("Prediction"), 0}),
                bytes(
                        "schema of a string",
                        RejectReason.INCOMPATIBLE_SCHEMA,
                        engine -> Wire.value(
                                engine.registry.register("s", Schema.create(Schema.Type.STRING)),
                                out -> out.writeString("x"))),
                bytes(
                        "schema Example without features",
                        RejectReason.INCOMPATIBLE_SCHEMA,
                        engine -> Wire.value(
                                engine.registry.register(
                                        "e",
                                        new Schema.Parser()
                                                .parse(
                                                        "{\"type\":\"record\",\"name\":\"Example\",\"namespace\":"
                                                                + "\"io.perceptronstreams.event\",\"fields\":[{\"name\":\"id\",\"type\":\"string\"}]}")),
                                out -> out.writeString("x"))),
                event("empty Avro", RejectReason.MALFORMED_AVRO, "Example", out -> {}),
                bytes("trailing byte", RejectReason.MALFORMED_AVRO, engine -> {
                    byte[] good = Wire.example(engine.id("Example"), Wire.dense(1));
                    return Arrays.copyOf(good, good.length + 1);
                }),
                event("number of eleven bytes", RejectReason.MALFORMED_AVRO, "Example", out -> {
                    out.writeFixed(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1});
                }),
                json("timestamp -1", RejectReason.INVALID_TIMESTAMP, GOOD).withTimestamp(-1),
                json("timestamp long before", RejectReason.INVALID_TIMESTAMP, GOOD)
                        .withTimestamp(Instant.MIN.getEpochSecond()),
                json("year 9999", RejectReason.INVALID_TIMESTAMP, GOOD)
                        .withTimestamp(Instant.parse("9999-12-31T23:59:59Z").toEpochMilli()),
                json("year 2200", RejectReason.INVALID_TIMESTAMP, GOOD)
                        .withTimestamp(Instant.parse("2200-01-01T00:00:00Z").toEpochMilli())));
        for (int length = 1; length <= 4; length++) {
            byte[] header = new byte[length];
            cases.add(bytes(length + " bytes", RejectReason.TRUNCATED_HEADER, engine -> header));
        }
        return cases;
    }

    /** Lengths that the value cannot hold; each is a handful of bytes that claims up to exabytes. */
    static List<BadRecord> lengths() {
        List<BadRecord> cases = new ArrayList<>();
        for (long count : new long[] {30, OVERFLOWING_INT - 1, OVERFLOWING_INT, (1L << 32) + 1, Long.MAX_VALUE}) {
            for (boolean isNegative : new boolean[] {false, true}) {
                String shown = (isNegative ? "-" : "") + count;
                Wire.Body length = out -> {
                    out.writeLong(isNegative ? -count : count);
                    if (isNegative) {
                        out.writeLong(8);
                    }
                };
                for (int branch = 0; branch < 5; branch++) {
                    int union = branch;
                    cases.add(features(shown + " items in branch " + branch, RejectReason.MALFORMED_AVRO, out -> {
                        out.writeIndex(union);
                        length.write(out);
                        out.writeDouble(1);
                    }));
                }
                cases.add(example(
                        shown + " tags",
                        RejectReason.MALFORMED_AVRO,
                        out -> {
                            out.writeIndex(3);
                            length.write(out);
                        },
                        out -> {},
                        1));
                cases.add(event(shown + " settings", RejectReason.MALFORMED_AVRO, "ModelCommand", out -> {
                    out.writeEnum(0);
                    length.write(out);
                }));
            }
            cases.add(event(
                    "id of " + count + " bytes", RejectReason.MALFORMED_AVRO, "Example", out -> out.writeLong(count)));
        }
        cases.add(features("count -2^63", RejectReason.MALFORMED_AVRO, out -> {
            out.writeIndex(0);
            out.writeLong(Long.MIN_VALUE);
            out.writeLong(8);
        }));
        cases.add(features("negative size of a block", RejectReason.MALFORMED_AVRO, out -> {
            out.writeIndex(0);
            out.writeLong(-1);
            out.writeLong(-8);
            out.writeDouble(1);
            out.writeLong(0);
        }));
        cases.add(features("size of a block beyond the end", RejectReason.MALFORMED_AVRO, out -> {
            out.writeIndex(0);
            out.writeLong(-1);
            out.writeLong(1 << 30);
            out.writeDouble(1);
            out.writeLong(0);
        }));
        cases.add(event("id of negative length", RejectReason.MALFORMED_AVRO, "Example", out -> out.writeLong(-1)));
        for (int branch : new int[] {-1, 5, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            cases.add(
                    features("features of branch " + branch, RejectReason.MALFORMED_AVRO, out -> out.writeInt(branch)));
            cases.add(example(
                    "label of branch " + branch,
                    RejectReason.MALFORMED_AVRO,
                    out -> out.writeInt(branch),
                    Wire.dense(1),
                    1));
        }
        cases.add(event("action 12", RejectReason.MALFORMED_AVRO, "ModelCommand", out -> {
            out.writeEnum(12);
            out.writeLong(0);
        }));
        return cases;
    }

    static List<BadRecord> vectors() {
        List<BadRecord> cases = new ArrayList<>();
        for (double value : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            cases.add(features("dense " + value, RejectReason.NON_FINITE_VALUE, Wire.dense(1, value)));
            cases.add(features("sparse " + value, RejectReason.NON_FINITE_VALUE, Wire.sparse(new int[] {3}, value)));
            cases.add(features("named " + value, RejectReason.NON_FINITE_VALUE, out -> {
                out.writeIndex(2);
                out.writeLong(1);
                out.writeString("n");
                out.writeDouble(value);
                out.writeLong(0);
            }));
        }
        for (double weight : new double[] {0, -0.0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            cases.add(example("weight " + weight, RejectReason.INVALID_WEIGHT, Wire.label(1), Wire.dense(1), weight));
        }
        cases.addAll(List.of(
                features("overflowing norm", RejectReason.SCORE_OVERFLOW, Wire.dense(1e200)),
                features("overflowing norm in two steps", RejectReason.SCORE_OVERFLOW, Wire.dense(1.3e154, 1.3e154)),
                features("overflowing norm, unit-norm", RejectReason.SCORE_OVERFLOW, Wire.dense(1e200))
                        .after(BadRecord.NEIGHBOUR, configure("scale", "unit-norm")),
                features("overflowing variance", RejectReason.SCORE_OVERFLOW, Wire.dense(1e200))
                        .after(BadRecord.NEIGHBOUR, configure("scale", "standard"), GOOD),
                features("unsorted indices", RejectReason.INVALID_INDICES, Wire.sparse(new int[] {2, 1}, 1, 1)),
                features("repeated indices", RejectReason.INVALID_INDICES, Wire.sparse(new int[] {2, 2}, 1, 1)),
                features("negative index", RejectReason.INVALID_INDICES, Wire.sparse(new int[] {-1}, 1)),
                features("index -2^31", RejectReason.INVALID_INDICES, Wire.sparse(new int[] {Integer.MIN_VALUE}, 1)),
                features("more indices", RejectReason.INVALID_INDICES, Wire.sparse(new int[] {1, 2}, 1)),
                features("more values", RejectReason.INVALID_INDICES, Wire.sparse(new int[] {1}, 1, 2)),
                features("index of 33 bits", RejectReason.MALFORMED_AVRO, out -> {
                    out.writeIndex(1);
                    out.writeLong(1);
                    out.writeLong(OVERFLOWING_INT);
                    out.writeLong(0);
                    Wire.array(out, 1);
                }),
                features("a sequence", RejectReason.UNSUPPORTED_FEATURES, out -> {
                    out.writeIndex(3);
                    out.writeLong(0);
                }),
                features("candidates", RejectReason.UNSUPPORTED_FEATURES, out -> {
                    out.writeIndex(4);
                    out.writeLong(0);
                })));
        return cases;
    }
}
