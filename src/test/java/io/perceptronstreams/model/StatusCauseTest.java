package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class StatusCauseTest {
    @Test
    void shouldHaveACauseForEveryCommandAndAdaptation() {
        List<Enum<?>> causes = List.of(ModelCommand.Action.values());
        causes = Stream.concat(
                        causes.stream(),
                        Stream.of(Model.Adaptation.values()).filter(each -> each != Model.Adaptation.NONE))
                .toList();

        assertThat(causes)
                .allSatisfy(each -> assertThat(StatusCause.named(each.name()))
                        .as(each.name())
                        .isNotNull());
    }

    @Test
    void shouldListEveryCauseInTheSchema() {
        String doc = EventSchemas.schema(Topic.MODELS).getField("cause").doc();

        // commands are summed up as "a command's action"
        assertThat(Stream.of(StatusCause.values())
                        .map(Enum::name)
                        .filter(name -> Stream.of(ModelCommand.Action.values())
                                .noneMatch(action -> action.name().equals(name))))
                .allSatisfy(name -> assertThat(doc).contains(name));
    }
}
