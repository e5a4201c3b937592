package io.perceptronstreams.client;

import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.monitor.MistakeCauses;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;

/** Reads the last mistakes of a model. */
public final class LastMistakes {
    private LastMistakes() {}

    /**
     * Counts what the last mistakes of a model have in common.
     *
     * @param records maximum number of records to read from each partition of the topic, the last ones
     * @throws CommandFailedException if there are no mistakes, and no such model
     */
    public static MistakeCauses causes(EngineConfig config, String model, int last, long records) {
        MistakeCauses causes = new MistakeCauses(Integer.MAX_VALUE);
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                TopicScan tail = TopicScan.open(config, config.topic(Topic.MISTAKES))) {
            EventReader<Mistake> events = EventReader.of(Mistake.class, registry);
            tail.readLast(records, record -> {
                if (record.value() != null && model.equals(EventFormat.model(record))) {
                    causes.add(events.read(record.value()), last);
                }
            });
        }
        if (causes.size() == 0) {
            new StatusReader(config).require(model);
        }
        return causes;
    }
}
