package io.perceptronstreams.serde;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleLimits;
import io.perceptronstreams.example.FeatureCrosser;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.LabelEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/**
 * Decodes Examples of the current schema, and of earlier ones with fewer kinds of features, from Avro binary into
 * reused arrays. This is the hot path.
 *
 * <p>Each byte is read once. Int labels and cached label names allocate nothing. Lengths are checked before arrays
 * grow, values and indices while they are read.
 */
final class ExampleDecoder {
    private final NamedLabels labels = new NamedLabels();
    private final AvroNames names = new AvroNames();

    // Null until a model has rules for its features.
    private FeatureCrosser crosser;

    /** Minimum length of an Example: an empty id, no label, an empty vector, the weight. */
    static final int MIN_BYTES = 3 + 1 + Double.BYTES;

    /** Number of branches of features in the current schema. */
    static final int ALL_BRANCHES = branches(EventSchemas.schema("Example"));

    /** Number of branches of features whose indices are no hashes: dense and sparse vectors. */
    static final int BRANCHES_WITHOUT_NAMES = 2;

    /**
     * Returns how many branches the union of features has in a schema whose values this class reads: the current
     * schema, or one that differs from it only in that the last branches of features are missing. Otherwise returns 0.
     */
    static int readableBranches(Schema writer) {
        Schema.Field features = writer.getField("features");
        if (features == null || features.schema().getType() != Schema.Type.UNION) {
            return 0;
        }
        int branches = branches(writer);
        if (branches == 0 || branches > ALL_BRANCHES) {
            return 0;
        }
        String readable = SchemaNormalization.toParsingForm(withBranches(branches));
        return SchemaNormalization.toParsingForm(writer).equals(readable) ? branches : 0;
    }

    private static int branches(Schema example) {
        return example.getField("features").schema().getTypes().size();
    }

    /** The current schema with the first branches of features only. */
    private static Schema withBranches(int branches) {
        Schema own = EventSchemas.schema("Example");
        List<Schema.Field> fields = new ArrayList<>();
        for (Schema.Field field : own.getFields()) {
            Schema schema = field.name().equals("features")
                    ? Schema.createUnion(field.schema().getTypes().subList(0, branches))
                    : field.schema();
            fields.add(new Schema.Field(field.name(), schema));
        }
        return Schema.createRecord(own.getName(), null, own.getNamespace(), false, fields);
    }

    /**
     * Reads the fields in schema order: id, label, features, weight. What follows is the caller's to check.
     *
     * @param branches number of branches of features in the writer's schema, see {@link #readableBranches}
     */
    void decode(AvroReader in, byte[] bytes, FeatureHasher hasher, Example example, int branches) {
        int id = in.skipString();
        example.id().set(bytes, id, ExampleLimits.checkedId(bytes, id, in.position() - id));
        example.setLabel(optionalLabel(in, bytes));
        names.reset(bytes, in.position());
        example.setNames(names);
        if (hasher.rules() == null) {
            features(in, bytes, hasher, example, branches);
        } else {
            featuresByRules(in, bytes, hasher, example, branches);
        }
        example.setWeight(ExampleLimits.checkedWeight(in.readDouble()));
    }

    /** Passes an Example of the current schema; checks its lengths, not its values. */
    static void skip(AvroReader in) {
        in.skipString();
        skipLabel(in);
        skipFeatures(in);
        in.skip(Double.BYTES);
    }

    private static void skipLabel(AvroReader in) {
        switch (in.readInt()) {
            case 0 -> {}
            case 1 -> in.skipNumbers(1);
            case 2 -> in.skipString();
            case 3 -> skipNames(in);
            default -> throw in.malformed("label must be of branch 0 to 3 of its union");
        }
    }

    private static void skipFeatures(AvroReader in) {
        switch (in.readInt()) {
            case 0 -> skipDoubles(in);
            case 1 -> {
                for (int count = in.readBlockCount(1); count != 0; count = in.readBlockCount(1)) {
                    in.skipNumbers(count);
                }
                skipDoubles(in);
            }
            case 2, 5 -> skipNamed(in);
            case 3 -> {
                for (int left = in.readBlockCount(1); left > 0; left = in.next(left, 1)) {
                    skipNames(in);
                }
            }
            case 4 -> {
                for (int left = in.readBlockCount(2); left > 0; left = in.next(left, 2)) {
                    in.skipString();
                    skipNamed(in);
                }
            }
            default -> throw in.malformed("features must be of branch 0 to " + (ALL_BRANCHES - 1) + " of their union");
        }
    }

    private static void skipDoubles(AvroReader in) {
        for (int count = in.readBlockCount(Double.BYTES); count != 0; count = in.readBlockCount(Double.BYTES)) {
            in.skip(count * Double.BYTES);
        }
    }

    private static void skipNames(AvroReader in) {
        for (int left = in.readBlockCount(1); left > 0; left = in.next(left, 1)) {
            in.skipString();
        }
    }

    private static void skipNamed(AvroReader in) {
        for (int left = in.readBlockCount(1 + Double.BYTES); left > 0; left = in.next(left, 1 + Double.BYTES)) {
            in.skipString();
            in.skip(Double.BYTES);
        }
    }

    /** Returns the id that a whole number spells, without a point; null for another number. */
    static String id(double number) {
        // above, doubles are not all whole numbers
        return number == (long) number && Math.abs(number) <= 1L << 53 ? Long.toString((long) number) : null;
    }

    private Label optionalLabel(AvroReader in, byte[] bytes) {
        int branch = in.readInt();
        if (branch < 0 || branch > 3) {
            throw in.malformed("label must be of branch 0 to 3 of its union");
        }
        return branch == 0 ? null : label(branch - 1, in, bytes);
    }

    /** @param branch of the union of int, string and array */
    private Label label(int branch, AvroReader in, byte[] bytes) {
        return switch (branch) {
            case 0 -> Label.of(in.readInt());
            case 1 -> name(in, bytes);
            case 2 -> LabelLimits.tags(tags(in, bytes));
            default -> throw in.malformed("label must be of branch 0 to 2 of its union");
        };
    }

    /**
     * Reads the fields of a Label of the current schema in their order: exampleId, label, weight, source, knowableAt.
     */
    LabelEvent label(AvroReader in, byte[] bytes) {
        int start = in.skipString();
        Utf8Slice id = new Utf8Slice();
        id.set(bytes, start, ExampleLimits.checkedId(bytes, start, in.position() - start));
        requireId(id);
        Label label = label(in.readInt(), in, bytes);
        double weight = ExampleLimits.checkedWeight(in.readDouble());
        String source = null;
        if (isThere(in, "source")) {
            int text = in.skipString();
            source = LabelLimits.source(new String(bytes, text, in.position() - text, StandardCharsets.UTF_8));
        }
        long knowableAt = isThere(in, "knowableAt") ? in.readLong() : LabelEvent.UNKNOWN;
        in.end();
        return new LabelEvent(id, label, weight, source, knowableAt);
    }

    private static boolean isThere(AvroReader in, String field) {
        int branch = in.readInt();
        if (branch != 0 && branch != 1) {
            throw in.malformed(field + " must be of branch 0 or 1 of its union");
        }
        return branch == 1;
    }

    static void requireId(Utf8Slice id) {
        if (id.length() == 0) {
            throw new RejectedException(
                    RejectReason.INVALID_ID, "exampleId must be the id of an example, got an empty one");
        }
    }

    private Label.ClassName name(AvroReader in, byte[] bytes) {
        int start = in.skipString();
        int length = in.position() - start;
        LabelLimits.checkBytes(length);
        Label.ClassName name = labels.label(bytes, start, length);
        LabelLimits.checked(name.name());
        return name;
    }

    private List<String> tags(AvroReader in, byte[] bytes) {
        List<String> tags = new ArrayList<>();
        for (int count = in.readBlockCount(1); count != 0; count = in.readBlockCount(1)) {
            LabelLimits.checkCount((long) tags.size() + count);
            for (int k = 0; k < count; k++) {
                tags.add(name(in, bytes).name());
            }
        }
        return tags;
    }

    private static void features(AvroReader in, byte[] bytes, FeatureHasher hasher, Example example, int branches) {
        FeatureVector vector = example.vector();
        example.setFeatures(vector);
        int branch = in.readInt();
        switch (branch < branches ? branch : -1) {
            case 0 -> {
                vector.resetDense();
                vector.setSize(values(in, vector));
            }
            case 1 -> {
                vector.resetSparse();
                int size = indices(in, vector);
                int count = values(in, vector);
                if (count != size) {
                    throw new RejectedException(
                            RejectReason.INVALID_INDICES,
                            "a sparse vector must have as many values as indices, got " + size + " indices and " + count
                                    + " values");
                }
                vector.setSize(size);
            }
            case 2, 5 -> named(in, bytes, hasher, vector);
            case 3 -> example.setFeatures(sequence(in, bytes, hasher, example.sequence()));
            case 4 -> example.setFeatures(candidates(in, bytes, hasher, example.candidates()));
            default -> throw in.malformed("features must be of branch 0 to " + (branches - 1) + " of their union");
        }
    }

    private void featuresByRules(AvroReader in, byte[] bytes, FeatureHasher hasher, Example example, int branches) {
        crosser = crosser == null ? new FeatureCrosser() : crosser;
        int start = in.position();
        int branch = in.readInt();
        if ((branch == 2 || branch == 5) && branch < branches) {
            example.setFeatures(example.vector());
            crosser.begin(hasher, example.vector());
            for (int left = in.readBlockCount(1 + Double.BYTES); left > 0; left = in.next(left, 1 + Double.BYTES)) {
                int name = in.skipString();
                int length = in.position() - name;
                crosser.add(bytes, name, length, in.readDouble());
            }
            crosser.end();
            return;
        }
        in.reset(bytes, start);
        features(in, bytes, hasher, example, branches);
        if (example.features() == example.vector()) {
            crosser.apply(hasher, example.vector());
        }
    }

    private static int values(AvroReader in, FeatureVector vector) {
        int size = 0;
        for (int count = in.readBlockCount(Double.BYTES); count != 0; count = in.readBlockCount(Double.BYTES)) {
            vector.ensureCapacity(size + count);
            in.readDoubles(vector.values(), size, count);
            size += count;
        }
        ExampleLimits.checkFinite(vector.values(), size);
        return size;
    }

    private static int indices(AvroReader in, FeatureVector vector) {
        int size = 0;
        int last = -1;
        for (int count = in.readBlockCount(1); count != 0; count = in.readBlockCount(1)) {
            vector.ensureCapacity(size + count);
            int[] indices = vector.indices();
            in.readInts(indices, size, count);
            for (int k = size; k < size + count; k++) {
                int index = indices[k];
                if (index <= last) {
                    throw ExampleLimits.wrongIndex(index, last);
                }
                last = index;
            }
            size += count;
        }
        return size;
    }

    private static Sequence sequence(AvroReader in, byte[] bytes, FeatureHasher hasher, Sequence sequence) {
        sequence.clear();
        for (int left = in.readBlockCount(1); left > 0; left = in.next(left, 1)) {
            token(in, bytes, hasher, sequence.append());
        }
        return sequence;
    }

    private static void token(AvroReader in, byte[] bytes, FeatureHasher hasher, FeatureVector token) {
        for (int left = in.readBlockCount(1); left > 0; left = in.next(left, 1)) {
            int start = in.skipString();
            token.append(hasher.index(bytes, start, in.position() - start), 1);
        }
        token.sortAndMerge();
    }

    private static Candidates candidates(AvroReader in, byte[] bytes, FeatureHasher hasher, Candidates candidates) {
        candidates.clear();
        for (int left = in.readBlockCount(2); left > 0; left = in.next(left, 2)) {
            int start = in.skipString();
            String output = new String(bytes, start, in.position() - start, StandardCharsets.UTF_8);
            named(in, bytes, hasher, candidates.append(output));
        }
        return candidates;
    }

    private static void named(AvroReader in, byte[] bytes, FeatureHasher hasher, FeatureVector vector) {
        vector.resetSparse();
        for (int left = in.readBlockCount(1 + Double.BYTES); left > 0; left = in.next(left, 1 + Double.BYTES)) {
            int start = in.skipString();
            int index = hasher.index(bytes, start, in.position() - start);
            vector.append(index, in.readDouble());
        }
        ExampleLimits.checkFinite(vector.values(), vector.size());
        vector.sortAndMerge();
    }
}
