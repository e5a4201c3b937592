package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.registry.SchemaRegistry;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Events as JSON. */
class EventJsonTest {
    /** A null in their place made every later status, and exported weights, unreadable. */
    @Test
    void shouldWriteInfiniteSumsSoThatTheyCanBeRead() {
        Model model = new Model();
        model.configure(Map.of("h", "1e308"));
        for (int k = 0; k < 2; k++) {
            Example example = new Example();
            example.vector().resetDense();
            example.vector().append(1);
            example.setLabel(Label.PLUS_ONE);
            model.process(example, 0);
        }
        assertThat(model.counts().totals().hingeLoss()).isInfinite();

        try (SchemaRegistry registry = SchemaRegistry.InMemory.named("event-json", true)) {
            EventEncoder encoder = new EventEncoder(new EventIds(1, 7, 2, 3, 4, 5, 6), true);
            byte[] json = encoder.modelStatus(model, StatusCause.WINDOW, new EventEncoder.Origin(0, 1));
            GenericRecord status = EventReader.generic(EventSchemas.schema(Topic.MODELS), registry)
                    .read(json);
            assertThat(new String(json, StandardCharsets.UTF_8)).contains("\"hingeLoss\":1.7976931348623157E308");
            assertThat(status.get("hingeLoss")).isEqualTo(Double.MAX_VALUE);
        }
    }
}
