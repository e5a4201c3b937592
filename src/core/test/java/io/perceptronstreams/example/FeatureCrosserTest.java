package io.perceptronstreams.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Features of an example by the rules of a model: hand-worked cases, and input that is meant to do harm. */
class FeatureCrosserTest {
    private static final int BITS = 24;

    private final FeatureCrosser crosser = new FeatureCrosser();
    private final FeatureVector x = new FeatureVector();

    static IntStream seeds() {
        return IntStream.range(0, 5);
    }

    private static FeatureHasher hasher(String crosses) {
        return new FeatureHasher(BITS, FeatureRules.of(crosses, 100_000, List.of(), List.of()));
    }

    /** Fills the vector; the features are "name" or "name:value". */
    private void fill(FeatureHasher hasher, String... features) {
        crosser.begin(hasher, x);
        for (String feature : features) {
            String[] parts = feature.split(":", 2);
            byte[] name = parts[0].getBytes(StandardCharsets.UTF_8);
            crosser.add(name, 0, name.length, parts.length == 1 ? 1 : Double.parseDouble(parts[1]));
        }
        crosser.end();
    }

    /** Expected names with values, hashed; a name with stars is that of a cross. */
    private void assertFeatures(FeatureHasher hasher, String... expected) {
        TreeMap<Integer, Double> features = new TreeMap<>();
        for (String feature : expected) {
            String[] parts = feature.split(":", 2);
            byte[] name = parts[0].getBytes(StandardCharsets.UTF_8);
            features.put(hasher.shownIndex(name, 0, name.length), parts.length == 1 ? 1 : Double.parseDouble(parts[1]));
        }
        TreeMap<Integer, Double> found = new TreeMap<>();
        for (int k = 0; k < x.size(); k++) {
            found.put(x.index(k), x.values()[k]);
        }
        assertThat(found).isEqualTo(features);
        assertThat(features).hasSize(expected.length);
    }

    /** Expects the features of the example and their crosses. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // In Vowpal Wabbit a*a is left out where a is 1, and made where a is 2 (issue 698): the values decide.
                "f*f | f^a f^b | f^a f^b f^a*f^b",
                "f*f | f^a:2 f^b:3 | f^a:2 f^b:3 f^a*f^b:6",
                "f*f | f^a:0 f^b:3 | f^a:0 f^b:3 f^a*f^b:0",
                "f*f | f^a | f^a",
                // In Vowpal Wabbit :: made no cross of the namespace without a name (issue 649).
                "*** | a b c | a b c a*b a*c b*c",
                "_*_ | a b c | a b c a*b a*c b*c",
                "*** | a n^b | a n^b a*n^b",
                "u** | u^1:2 u^2:3 i^1:5 f:7 |"
                        + " u^1:2 u^2:3 i^1:5 f:7 u^1*u^2:6 i^1*u^1:10 i^1*u^2:15 f*u^1:14 f*u^2:21",
                // several crosses make one set
                "u*i,***,i**,u** | u^1:2 i^1:3 | u^1:2 i^1:3 i^1*u^1:6",
                "u*u*i | u^1:2 u^2:3 u^3:5 i^1:7 |"
                        + " u^1:2 u^2:3 u^3:5 i^1:7 i^1*u^1*u^2:42 i^1*u^1*u^3:70 i^1*u^2*u^3:105",
                // An Avro map may repeat a key; a text in JSON may be the name of another feature.
                "u*u,u*i | u^1:2 i^1:10 u^1:3 | u^1:5 i^1:10 i^1*u^1:50"
            })
    void shouldCross(String crosses, String features, String expected) {
        FeatureHasher hasher = hasher(crosses);
        fill(hasher, features.split(" ", -1));
        assertFeatures(hasher, expected.split(" ", -1));
    }

    // In Vowpal Wabbit wildcards differ between the options (issue 3217): here lists have none.
    @Test
    void shouldHaveTheWildcardInCrossesOnly() {
        assertThatIllegalArgumentException().isThrownBy(() -> FeatureRules.parseNamespaces("*"));
    }

    // In Vowpal Wabbit a namespace that begins with a blank is the one without a name (issue 3925).
    @Test
    void shouldNotTakeABlankForTheNamelessNamespace() {
        FeatureHasher hasher = hasher("_*u");
        fill(hasher, " ^f", "u^1");
        assertFeatures(hasher, " ^f", "u^1");
        fill(hasher, "f:2", " ^f:3", "u^1");
        assertFeatures(hasher, "f:2", " ^f:3", "u^1", "f*u^1:2");
    }

    @Test
    void shouldDropNamespacesBeforeItCrosses() {
        FeatureHasher ignoring = new FeatureHasher(BITS, FeatureRules.of("***", 100, List.of("raw", "_"), List.of()));
        fill(ignoring, "u^1", "raw^2", "i^3", "x", "_^y", "^z");
        assertFeatures(ignoring, "u^1", "i^3", "i^3*u^1");
        FeatureHasher keeping = new FeatureHasher(BITS, FeatureRules.of("***", 100, List.of(), List.of("raw", "_")));
        fill(keeping, "u^1", "raw^2", "i^3", "x");
        assertFeatures(keeping, "raw^2", "x", "raw^2*x");
    }

    @Test
    void shouldCrossFeaturesWithIndicesAsNameless() {
        FeatureHasher hasher = hasher("_*_");
        x.resetDense();
        for (double value : new double[] {2, 3, 5}) {
            x.append(value);
        }
        crosser.apply(hasher, x);
        assertThat(x.isDense()).isFalse();
        assertThat(x.size()).isEqualTo(6);
        TreeSet<Double> products = new TreeSet<>();
        for (int k = 0; k < x.size(); k++) {
            if (x.index(k) > 2) {
                products.add(x.values()[k]);
            }
        }
        assertThat(products).containsExactly(6.0, 10.0, 15.0);

        x.resetDense().append(1);
        crosser.apply(hasher("u*i"), x);
        assertThat(x.isDense()).isTrue();
        crosser.apply(new FeatureHasher(BITS, FeatureRules.of("", 1, List.of("_"), List.of())), x);
        assertThat(x.size()).isZero();
    }

    // Names of equal index must not have equal indices in all crosses: these two collide in the lowest 8 bits.
    @Test
    void shouldNotRepeatCollisionsOfNamesInCrosses() {
        FeatureHasher hasher = new FeatureHasher(8, FeatureRules.of("u*i", 100, List.of(), List.of()));
        byte[] first = "u^0".getBytes(StandardCharsets.UTF_8);
        int wanted = hasher.index(first, 0, first.length);
        int other = 1;
        while (hasher.index(("u^" + other).getBytes(StandardCharsets.UTF_8), 0, ("u^" + other).length()) != wanted) {
            other++;
        }
        int equal = 0;
        for (int item = 0; item < 100; item++) {
            byte[] one = ("i^" + item + "*u^0").getBytes(StandardCharsets.UTF_8);
            byte[] two = ("i^" + item + "*u^" + other).getBytes(StandardCharsets.UTF_8);
            equal += hasher.shownIndex(one, 0, one.length) == hasher.shownIndex(two, 0, two.length) ? 1 : 0;
        }
        assertThat(equal).isLessThan(10);
    }

    @Test
    void shouldRefuseTenThousandTimesTenThousandFeaturesAtOnce() {
        String[] features = new String[20_000];
        for (int k = 0; k < features.length; k++) {
            features[k] = (k % 2 == 0 ? "u^" : "i^") + k;
        }
        for (String crosses : List.of("u*i", "***", "***********")) {
            assertThatExceptionOfType(RejectedException.class)
                    .isThrownBy(() -> fill(hasher(crosses), features))
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(RejectReason.UNSUPPORTED_FEATURES))
                    .withMessageStartingWith(
                            "crosses must make at most crosses.max = 100000 features of an example, got ");
        }
        assertThatExceptionOfType(RejectedException.class)
                .isThrownBy(() -> fill(hasher("u*i"), features))
                .withMessageContaining("got 100000000 (cross smaller namespaces, or raise crosses.max)");
        // exactly as many as allowed
        FeatureHasher exact = new FeatureHasher(BITS, FeatureRules.of("***", 3, List.of(), List.of()));
        fill(exact, "a", "b", "c");
        assertThat(x.size()).isEqualTo(6);
        assertThatExceptionOfType(RejectedException.class).isThrownBy(() -> fill(exact, "a", "b", "c", "d"));
    }

    @Test
    void shouldRefuseNumbersThatAreNotFinite() {
        assertThatExceptionOfType(RejectedException.class)
                .isThrownBy(() -> fill(hasher("u*i"), "u^1:1e200", "i^1:-1e200"))
                .withMessage("products of crossed features must be finite, got an overflow (scale the features down)")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(RejectReason.NON_FINITE_VALUE));
        FeatureHasher ignoring = new FeatureHasher(BITS, FeatureRules.of("", 1, List.of("u"), List.of()));
        assertThatExceptionOfType(RejectedException.class)
                .isThrownBy(() -> fill(ignoring, "i^1:1", "u^1:NaN"))
                .withMessage("feature values must be finite, got NaN at position 1");
    }

    /** The number of sets is known before they are made: it bounds memory and time. */
    @ParameterizedTest
    @MethodSource("seeds")
    void shouldCountTheSetsThatItMakes(int seed) {
        Random random = new Random(seed);
        List<String> factors = List.of("u", "i", "h", "_", "*");
        for (int round = 0; round < 200; round++) {
            List<String> crosses = new ArrayList<>();
            for (int k = random.nextInt(3); k >= 0; k--) {
                List<String> cross = new ArrayList<>();
                for (int size = 2 + random.nextInt(3); size > 0; size--) {
                    cross.add(factors.get(random.nextInt(factors.size())));
                }
                crosses.add(String.join("*", cross));
            }
            int[][] patterns;
            try {
                patterns = Crosses.parse(String.join(",", crosses)).patterns();
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("twice");
                continue;
            }
            FeatureGroups groups = new FeatureGroups();
            for (int k = random.nextInt(12); k > 0; k--) {
                groups.add(random.nextInt(5), random.nextInt(1000), 1);
            }
            groups.sort(5);
            Set<String> seen = new TreeSet<>();
            int made = 0;
            for (int[] pattern : patterns) {
                for (boolean isThere = groups.begin(pattern); isThere; isThere = groups.next()) {
                    int[] members = Arrays.copyOf(groups.members(), pattern.length);
                    made++;
                    assertThat(seen.add(Arrays.toString(members))).isTrue();
                }
            }
            assertThat(groups.sets(patterns)).as("seed %d: %s", seed, crosses).isEqualTo(made);
        }
    }

    /** Any text is refused with a column, or is read back from its canonical text. */
    @ParameterizedTest
    @MethodSource("seeds")
    void shouldReadItsOwnTextOrRefuse(int seed) {
        Random random = new Random(seed);
        int read = 0;
        for (int round = 0; round < 5_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int k = random.nextInt(14); k >= 0; k--) {
                text.append("ab_*** ,^\t\u0000ß".charAt(random.nextInt(12)));
            }
            try {
                String canonical = Crosses.parse(text.toString()).text();
                assertThat(Crosses.parse(canonical).text()).as("seed %d", seed).isEqualTo(canonical);
                read++;
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).as("seed %d: %s", seed, text).contains("expected ");
            }
        }
        assertThat(read).isGreaterThan(20);
    }

    @Test
    void shouldBoundThePatternsOfTheWildcard() {
        String many = String.join(
                ",", IntStream.range(0, 30).mapToObj(k -> "n" + k + "*m" + k).toList());
        assertThat(Crosses.parse(many + ",***").names()).hasSize(60);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Crosses.parse(many + ",*******"))
                .withMessage("expected at most 3000 combinations of the named namespaces, got more from '*******'");
    }
}
