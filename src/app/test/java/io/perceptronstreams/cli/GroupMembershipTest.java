package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.config.EngineConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GroupMembershipTest {
    private final EngineConfig config = EngineConfig.of(
            Map.of("group.instance.id", "mine", "application.id", "g", "session.timeout.ms", "30000"),
            Map.of(),
            null,
            Map.of());

    @Test
    void shouldCountTheMembersOfOtherProcesses() {
        assertThat(GroupMembership.others(List.of(member("mine-1"), member("mine-2")), config))
                .isEmpty();
        assertThat(GroupMembership.others(List.of(member("mine-1"), member("theirs-1")), config))
                .hasValueSatisfying(line -> assertThat(line).startsWith("joined 1 other member of group g"));
        assertThat(GroupMembership.others(List.of(member("mine-1"), member("mine-too-1")), config))
                .hasValueSatisfying(line -> assertThat(line).startsWith("joined 1 other member of group g"));
        assertThat(GroupMembership.others(List.of(member("theirs-1"), member("theirs-2")), config))
                .hasValueSatisfying(line -> assertThat(line).startsWith("joined 2 other members of group g"));
    }

    // The line counted the threads of the process itself.
    @ParameterizedTest
    @ValueSource(strings = {"consumer.", "main.consumer."})
    void shouldKnowTheNameOfThisProcessWithAPrefix(String prefix) {
        EngineConfig prefixed = EngineConfig.of(
                Map.of("group.instance.id", "default", prefix + "group.instance.id", "mine"), Map.of(), null, Map.of());

        assertThat(GroupMembership.others(List.of(member("mine-1")), prefixed)).isEmpty();
    }

    @Test
    void shouldSayHowLongPartitionsWait() {
        assertThat(GroupMembership.waiting("0, 1", config))
                .startsWith("partitions 0, 1 wait up to 30 s for the return");
    }

    private static EngineGroup.Member member(String instance) {
        return new EngineGroup.Member("id-" + instance, Optional.of(instance), "client", "host", Set.of(), false);
    }
}
