package io.perceptronstreams.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ModelPatternTest {
    @ParameterizedTest
    @CsvSource({
        "spam, spam, true",
        "spam, spam2, false",
        "spam, Spam, false",
        "team-a-*, team-a-, true",
        "team-a-*, team-a-x, true",
        "team-a-*, team-ax, false",
        "*-a, x-a, true",
        "*-a, x-ab, false",
        "a*b*c, abc, true",
        "a*b*c, a-b-c, true",
        "a*b*c, acb, false",
        "ab*ba, aba, false",
        "a*b*b, ab, false",
        "a.c, abc, false",
        "'*', '', true",
    })
    void shouldMatchWholeNames(String glob, String model, boolean isMatch) {
        assertThat(new ModelPattern(List.of(glob)).matches(model)).isEqualTo(isMatch);
    }

    @Test
    void shouldMatchOneOfSeveral() {
        ModelPattern pattern = new ModelPattern(List.of("a*", "spam"));

        assertThat(pattern.matches("alpha")).isTrue();
        assertThat(pattern.matches("spam")).isTrue();
        assertThat(pattern.matches("beta")).isFalse();
        assertThat(pattern.matches(null)).isFalse();
        assertThat(new ModelPattern(List.of()).matches("a")).isFalse();
        assertThat(ModelPattern.ALL.matches(null)).isTrue();
    }

    @Test
    void shouldMatchAsARegularExpressionDoes() {
        SplittableRandom random = new SplittableRandom(7);
        for (int k = 0; k < 20_000; k++) {
            String glob = text(random, "ab*", 6);
            String model = text(random, "ab", 8);
            String regex = Stream.of(glob.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));

            assertThat(new ModelPattern(List.of(glob)).matches(model))
                    .as("%s %s", glob, model)
                    .isEqualTo(model.matches(regex));
        }
    }

    private static String text(SplittableRandom random, String letters, int maxLength) {
        return random.ints(random.nextInt(maxLength + 1), 0, letters.length())
                .mapToObj(k -> letters.substring(k, k + 1))
                .collect(Collectors.joining());
    }
}
