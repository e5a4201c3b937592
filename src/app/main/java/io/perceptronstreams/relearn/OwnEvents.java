package io.perceptronstreams.relearn;

import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;

/** Encodes and reads the events of a run, whose schemas have ids of their own: nothing is registered. */
final class OwnEvents implements SchemaRegistry {
    // the id of a schema is the place of its topic
    private static final List<Topic> TOPICS = List.of(Topic.values());
    private static final EventIds IDS = EventIds.of((topic, event) -> TOPICS.indexOf(topic));

    /** Returns an encoder of events in Avro. */
    static EventEncoder encoder() {
        return new EventEncoder(IDS, false);
    }

    /** Returns a reader of its events. */
    static <T extends SpecificRecord> EventReader<T> reader(Class<T> type) {
        return EventReader.of(type, new OwnEvents());
    }

    @Override
    public Schema schema(int id) {
        return EventSchemas.schema(TOPICS.get(id));
    }

    @Override
    public int register(String subject, Schema schema) {
        throw new UnsupportedOperationException("the events of a run are not sent");
    }

    @Override
    public void close() {
        // without a connection
    }
}
