package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CompatibilityLevelTest {

    private static final Schema A =
            SchemaBuilder.record("R").fields().requiredInt("a").endRecord();
    private static final Schema A_AND_B =
            SchemaBuilder.record("R").fields().requiredInt("a").requiredInt("b").endRecord();
    private static final Schema A_AND_DEFAULT_B = SchemaBuilder.record("R")
            .fields()
            .requiredInt("a")
            .name("b")
            .type()
            .intType()
            .intDefault(0)
            .endRecord();
    private static final Schema DEFAULT_B = SchemaBuilder.record("R")
            .fields()
            .name("b")
            .type()
            .intType()
            .intDefault(0)
            .endRecord();

    /** Columns: adding a field without default (only old readers can read), and removing it (only new ones). */
    @ParameterizedTest
    @CsvSource({
        "NONE, true, true",
        "BACKWARD, false, true",
        "BACKWARD_TRANSITIVE, false, true",
        "FORWARD, true, false",
        "FORWARD_TRANSITIVE, true, false",
        "FULL, false, false",
        "FULL_TRANSITIVE, false, false"
    })
    void shouldForbidWhatOneSideCannotRead(CompatibilityLevel level, boolean mayAdd, boolean mayRemove) {
        assertThat(level.problems(A_AND_B, List.of(A)).isEmpty()).isEqualTo(mayAdd);
        assertThat(level.problems(A, List.of(A_AND_B)).isEmpty()).isEqualTo(mayRemove);
        assertThat(level.problems(A_AND_DEFAULT_B, List.of(A))).isEmpty();
    }

    /** The schema before the last has no b; only transitive levels check it. Removing a breaks old readers. */
    @ParameterizedTest
    @CsvSource({"BACKWARD, true", "BACKWARD_TRANSITIVE, false"})
    void shouldLookFurtherBackOnlyWhenTransitive(CompatibilityLevel level, boolean isAllowed) {
        var history = List.of(A, A_AND_DEFAULT_B);
        assertThat(level.problems(A_AND_B, history).isEmpty()).isEqualTo(isAllowed);
    }

    @ParameterizedTest
    @CsvSource({"FORWARD, true", "FORWARD_TRANSITIVE, false"})
    void shouldLetOldReadersCopeFurtherBackOnlyWhenTransitive(CompatibilityLevel level, boolean isAllowed) {
        var history = List.of(A_AND_B, DEFAULT_B);
        assertThat(level.problems(DEFAULT_B, history).isEmpty()).isEqualTo(isAllowed);
    }
}
