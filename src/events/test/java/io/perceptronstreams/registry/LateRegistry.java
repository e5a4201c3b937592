package io.perceptronstreams.registry;

import io.perceptronstreams.serde.EventSchemas;
import org.apache.avro.Schema;

/**
 * A registry that learns of the schema of one id only after it was asked for it a few times; that schema is Example.
 */
public class LateRegistry implements SchemaRegistry {
    /** So often it says that it does not know the id. */
    public static final int REFUSALS = 12;

    private final SchemaRegistry real;
    private final int lateId;
    private final int[] asked;

    /**
     * A registry without one id.
     *
     * @param asked how often it was asked for {@code lateId}, counted by this object and shared by those who pass the
     *     same array
     */
    public LateRegistry(SchemaRegistry real, int lateId, int[] asked) {
        this.real = real;
        this.lateId = lateId;
        this.asked = asked;
    }

    /** A registry that has the schema. */
    public static LateRegistry known(SchemaRegistry real, int id) {
        return new LateRegistry(real, id, new int[] {REFUSALS});
    }

    @Override
    public Schema schema(int id) {
        if (id != lateId) {
            return real.schema(id);
        }
        if (asked[0]++ < REFUSALS) {
            throw new UnknownSchemaException("schema id " + id + " is not known yet");
        }
        return EventSchemas.schema("Example");
    }

    @Override
    public int register(String subject, Schema schema) {
        return real.register(subject, schema);
    }

    @Override
    public void close() {
        // the real one is not ours
    }
}
