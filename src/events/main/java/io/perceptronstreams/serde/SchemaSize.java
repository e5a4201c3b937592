package io.perceptronstreams.serde;

import java.util.IdentityHashMap;
import org.apache.avro.Schema;

/**
 * Limits the size of schemas from the registry before Avro uses them.
 *
 * <p>To read a value, Avro expands the whole schema, each use of a named record separately, also for parts that the
 * value does not have: a schema of 40 records, each of which contains the one before twice, would need 2^40 symbols. A
 * long chain of records would overflow the stack. Cost of the check: O(fields); it does not depend on the expanded
 * size.
 */
final class SchemaSize {
    /** Maximum number of expanded types; our largest schema has less than 200. */
    static final int MAX_TYPES = 10_000;

    /** Maximum number of types within each other. */
    static final int MAX_DEPTH = 64;

    // by identity: hashCode of a schema is as expensive as its expansion
    private final IdentityHashMap<Schema, Size> records = new IdentityHashMap<>();

    /** @param types saturates behind {@link #MAX_TYPES} */
    private record Size(int types, int depth) {
        static final Size LEAF = new Size(1, 1);

        Size with(Size part) {
            return new Size(Math.min(types + part.types, MAX_TYPES + 1), Math.max(depth, part.depth + 1));
        }
    }

    private SchemaSize() {}

    /** Returns the fault of a schema, completing "a schema must …"; null if it is small enough. */
    static String fault(Schema schema) {
        Size size = new SchemaSize().of(schema, 0);
        if (size.depth > MAX_DEPTH) {
            return "have at most " + MAX_DEPTH + " types within each other, got more";
        }
        return size.types <= MAX_TYPES
                ? null
                : "have at most " + MAX_TYPES + " types, each use of a record counted, got more";
    }

    private Size of(Schema schema, int level) {
        if (level > MAX_DEPTH) {
            return Size.LEAF; // the result is too deep already
        }
        return switch (schema.getType()) {
            case RECORD -> record(schema, level);
            case ARRAY -> Size.LEAF.with(of(schema.getElementType(), level + 1));
            case MAP -> Size.LEAF.with(of(schema.getValueType(), level + 1));
            case UNION -> {
                Size size = Size.LEAF;
                for (Schema branch : schema.getTypes()) {
                    size = size.with(of(branch, level + 1));
                }
                yield size;
            }
            default -> Size.LEAF;
        };
    }

    private Size record(Schema schema, int level) {
        Size known = records.get(schema);
        if (known != null) {
            return known;
        }
        records.put(schema, Size.LEAF); // within itself, it is a reference
        Size size = Size.LEAF;
        for (Schema.Field field : schema.getFields()) {
            size = size.with(of(field.schema(), level + 1));
        }
        records.put(schema, size);
        return size;
    }
}
