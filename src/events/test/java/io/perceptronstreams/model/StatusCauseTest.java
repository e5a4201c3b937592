package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class StatusCauseTest {
    @Test
    void shouldHaveACauseForEveryCommand() {
        assertThat(ModelCommand.Action.values())
                .allSatisfy(action -> assertThat(action.cause()).isNotNull());
    }

    @Test
    void shouldListEveryCauseInTheSchema() {
        String doc = EventSchemas.schema(Topic.MODELS).getField("cause").doc();

        // commands are summed up as "a command's action"
        Stream<String> others = Stream.of(StatusCause.values())
                .map(Enum::name)
                .filter(name -> Stream.of(ModelCommand.Action.values())
                        .noneMatch(action -> action.name().equals(name)));
        assertThat(others).allSatisfy(name -> assertThat(doc).contains(name));
    }
}
