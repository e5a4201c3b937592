package io.perceptronstreams.serde;

import io.perceptronstreams.event.Example;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.util.ClassSecurityValidator;

/** Event schemas of this version, by record name, from the class path. Each is parsed once. */
public final class EventSchemas {
    /** Classes of the events, which are generated from the schemas. */
    static final SpecificData CLASSES = new SpecificData(EventSchemas.class.getClassLoader());

    static {
        // Avro makes objects of trusted classes only, because a writer's schema may name any.
        Package events = Example.class.getPackage();
        ClassSecurityValidator.setGlobal(ClassSecurityValidator.composite(
                ClassSecurityValidator.getGlobal(), type -> events.equals(type.getPackage())));
    }

    /** Name of the event with the predictions of a record of several examples. */
    public static final String PREDICTION_BATCH = "PredictionBatch";

    private static final Map<String, Schema> PARSED = new ConcurrentHashMap<>();

    private EventSchemas() {}

    /**
     * Returns the schema of an event type.
     *
     * @param name such as {@code Example}
     * @throws IllegalArgumentException if there is no {@code schemas/NAME.avsc}
     */
    public static Schema schema(String name) {
        return PARSED.computeIfAbsent(name, EventSchemas::parse);
    }

    /** Returns the symbols of an enum, the type of a field of an event. */
    public static List<String> symbols(String event, String field) {
        return schema(event).getField(field).schema().getEnumSymbols();
    }

    private static Schema parse(String name) {
        String resource = "/schemas/" + name + ".avsc";
        try (InputStream in = EventSchemas.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException("schema must be on the class path, got none at " + resource);
            }
            return new Schema.Parser().parse(in);
        } catch (IOException e) {
            throw new IllegalArgumentException("schema must be readable, got " + e + " (" + resource + ")", e);
        }
    }

    /**
     * Returns the schema of the events of a topic. Not a method of {@link Topic}, which the help of the command line
     * loads without Avro.
     *
     * @throws IllegalArgumentException if values of the topic are not events
     */
    public static Schema schema(Topic topic) {
        if (topic.event() == null) {
            throw new IllegalArgumentException(
                    "records of " + topic.suffix() + " must be read as bytes, because they are not events");
        }
        return schema(topic.event());
    }
}
