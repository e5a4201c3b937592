package io.perceptronstreams;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.TableSeed;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The packages follow the way of an example, and each knows only what stands here. */
final class ArchitectureTest {
    private static final String BASE = "io.perceptronstreams";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages(BASE);

    private static final Pattern OUR_TYPE = Pattern.compile("(" + Pattern.quote(BASE) + "(?:\\.[a-z]+)*)\\.[A-Z]");

    // as in "slot = slot + 1 & mask"
    private static final Pattern NEXT_SLOT = Pattern.compile("= \\(?\\w+ \\+ \\d\\)? & ");

    // By class outside of others: the classes of its package that it or a class in it needs.
    private static final Map<JavaClass, Set<JavaClass>> NEEDED = CLASSES.stream()
            .flatMap(each -> each.getDirectDependenciesFromSelf().stream())
            .filter(use ->
                    CLASSES.contain(use.getTargetClass().getBaseComponentType().getName()))
            .filter(use -> use.getTargetClass()
                    .getBaseComponentType()
                    .getPackageName()
                    .equals(use.getOriginClass().getPackageName()))
            .collect(Collectors.groupingBy(
                    use -> outermost(use.getOriginClass()),
                    Collectors.mapping(use -> outermost(use.getTargetClass()), Collectors.toSet())));

    /** Besides the package itself and libraries, which the modules limit. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "example | -",
                "state | -",
                "drift | state",
                "weights | example",
                "settings | example drift",
                "learner | example weights settings",
                "multiclass | example weights settings learner",
                "kernel | example weights settings learner",
                "structured | example weights settings learner multiclass",
                "algorithm | example weights settings learner multiclass kernel structured",
                "labels | state example learner",
                "evaluation | state example settings learner algorithm",
                "probability | state example settings learner",
                "model | state example drift weights settings learner algorithm labels evaluation probability",
                "theory | settings learner",
                "event | -",
                "registry | -",
                "serde | event example drift weights settings learner algorithm labels evaluation probability model theory registry",
                "format | event example serde",
                "thread | -",
                "registry.http | registry thread",
                "store | state example weights settings learner structured algorithm labels probability model thread",
                "config | example settings model registry.http serde format store",
                "cluster | example model serde thread store config",
                "log | state event example drift settings learner structured labels evaluation probability model registry thread serde store config cluster",
                "topology | state event example drift settings learner labels evaluation probability model registry thread registry.http serde store config cluster log",
                "embed | event example drift settings learner algorithm labels evaluation model registry thread registry.http serde store config cluster log topology",
                "access | thread registry.http config",
                "monitor | access event example settings learner labels model registry thread registry.http serde store config cluster",
                "embedded | state thread",
                "client | event example drift settings model registry registry.http serde format config cluster log topology monitor",
                "sending | event example settings algorithm model registry thread registry.http serde format config cluster client monitor",
                "fit | event example drift settings learner algorithm evaluation model theory registry thread registry.http serde format client",
                "sizing | -",
                "deadletters | example registry serde config cluster client",
                "gateway | event model registry thread registry.http serde config cluster client monitor",
                "relearn | event example drift settings learner algorithm labels evaluation model registry thread registry.http serde config cluster log client",
            })
    void shouldImportNoMoreThan(String name, String ours) throws IOException {
        List<String> allowed = new ArrayList<>(List.of(BASE + "." + name));
        words(ours).forEach(each -> allowed.add(BASE + "." + each));

        check(classes()
                .that()
                .resideInAPackage(BASE + "." + name)
                .should()
                .onlyDependOnClassesThat(
                        resideOutsideOfPackage(BASE + "..").or(resideInAnyPackage(allowed.toArray(String[]::new)))));
        // byte code has neither what only a comment names nor a constant that was inlined
        assertThat(named(BASE + "." + name)).isSubsetOf(allowed);
    }

    /** Our packages that the sources of a package name, in code or comments. */
    private static Set<String> named(String source) throws IOException {
        Set<String> named = new HashSet<>();
        for (Path file : SourceFiles.of("main")) {
            if (file.getParent().endsWith(source.replace('.', '/'))) {
                Matcher matcher = OUR_TYPE.matcher(Files.readString(file));
                while (matcher.find()) {
                    named.add(matcher.group(1));
                }
            }
        }
        return named;
    }

    @Test
    void shouldHaveNoPackageButThoseOfTheMap() {
        // no util, common, impl or internal
        Set<String> map = Set.of(
                BASE,
                BASE + ".state",
                BASE + ".example",
                BASE + ".drift",
                BASE + ".weights",
                BASE + ".settings",
                BASE + ".learner",
                BASE + ".multiclass",
                BASE + ".kernel",
                BASE + ".structured",
                BASE + ".algorithm",
                BASE + ".labels",
                BASE + ".evaluation",
                BASE + ".probability",
                BASE + ".model",
                BASE + ".theory",
                BASE + ".event",
                BASE + ".registry",
                BASE + ".thread",
                BASE + ".registry.http",
                BASE + ".serde",
                BASE + ".format",
                BASE + ".store",
                BASE + ".config",
                BASE + ".cluster",
                BASE + ".log",
                BASE + ".topology",
                BASE + ".embed",
                BASE + ".access",
                BASE + ".monitor",
                BASE + ".embedded",
                BASE + ".client",
                BASE + ".sending",
                BASE + ".fit",
                BASE + ".sizing",
                BASE + ".deadletters",
                BASE + ".gateway",
                BASE + ".relearn",
                BASE + ".demo",
                BASE + ".cli");

        assertThat(CLASSES)
                .extracting(JavaClass::getPackageName)
                .isSubsetOf(map)
                .contains(BASE + ".learner");
    }

    @Test
    void shouldHaveNoPackageOfMoreThan48Classes() {
        Map<String, Long> sizes = CLASSES.stream()
                .filter(each -> each.isTopLevelClass()
                        && !each.getSimpleName().equals("package-info")
                        && !each.getPackageName().equals(BASE + ".event"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));

        assertThat(sizes)
                .containsKey(BASE + ".monitor")
                .allSatisfy((name, size) -> assertThat(size).as(name).isLessThanOrEqualTo(48));
    }

    /** docs/architecture.md leads a reader through them: each calls the next one, and none an earlier one. */
    @Test
    void shouldLeadAnExampleThroughEightClasses() {
        List<JavaClass> way = Stream.of(
                        "topology.LearnProcessor",
                        "log.RecordDispatcher",
                        "model.ModelSession",
                        "model.ExampleSession",
                        "model.Model",
                        "model.EpochModel",
                        "model.Pipeline",
                        "learner.Learner")
                .map(name -> CLASSES.get(BASE + "." + name))
                .toList();

        for (int k = 1; k < way.size(); k++) {
            assertThat(way.get(k - 1).getMethodCallsFromSelf())
                    .extracting(call -> call.getTargetOwner())
                    .contains(way.get(k));
            assertThat(way.get(k).getMethodCallsFromSelf())
                    .extracting(call -> call.getTargetOwner())
                    .doesNotContainAnyElementsOf(way.subList(0, k));
        }
    }

    /**
     * A class can be understood with the classes that it uses. In a circle of three these are all of it, and no change
     * stays in one of them; two classes that belong together, such as a step and its state, may know each other.
     */
    @Test
    void shouldHaveNoCircleOfMoreThanTwoClassesInAPackage() {
        assertThat(circles())
                .filteredOn(circle -> circle.size() > 2)
                .extracting(ArchitectureTest::simpleNames)
                .isEmpty();
    }

    private static String simpleNames(Set<JavaClass> circle) {
        String name = circle.iterator().next().getPackageName();
        return circle.stream()
                .map(JavaClass::getSimpleName)
                .sorted()
                .collect(Collectors.joining(" ", name.substring(name.lastIndexOf('.') + 1) + ": ", ""));
    }

    /** Sets of classes of a package each of which needs each other one. */
    private static Set<Set<JavaClass>> circles() {
        Map<JavaClass, Set<JavaClass>> reached = new HashMap<>();
        for (JavaClass each : CLASSES) {
            if (each.isTopLevelClass()) {
                reached.put(each, reached(each));
            }
        }
        return reached.keySet().stream()
                .map(each -> reached.get(each).stream()
                        .filter(other -> reached.get(other).contains(each))
                        .collect(Collectors.toSet()))
                .collect(Collectors.toSet());
    }

    /** The class itself and the classes of its package that it needs, directly or not, with their nested classes. */
    private static Set<JavaClass> reached(JavaClass start) {
        Set<JavaClass> reached = new HashSet<>(Set.of(start));
        Deque<JavaClass> open = new ArrayDeque<>(reached);
        while (!open.isEmpty()) {
            for (JavaClass next : NEEDED.getOrDefault(open.remove(), Set.of())) {
                if (reached.add(next)) {
                    open.add(next);
                }
            }
        }
        return reached;
    }

    private static JavaClass outermost(JavaClass inner) {
        JavaClass each = inner.getBaseComponentType();
        while (each.getEnclosingClass().isPresent()) {
            each = each.getEnclosingClass().get();
        }
        return each;
    }

    @Test
    void shouldLetNeitherClockNorChanceNorLoggerDecideWhatIsLearned() {
        check(noClasses()
                .that()
                .resideInAnyPackage(
                        BASE + ".example..",
                        BASE + ".drift..",
                        BASE + ".weights..",
                        BASE + ".settings..",
                        BASE + ".learner..",
                        BASE + ".multiclass..",
                        BASE + ".kernel..",
                        BASE + ".structured..",
                        BASE + ".algorithm..",
                        BASE + ".labels..",
                        BASE + ".evaluation..",
                        BASE + ".probability..",
                        BASE + ".model..",
                        BASE + ".theory..")
                .and()
                // the order of entries in the memory of a table, from which nothing follows
                .doNotBelongToAnyOf(TableSeed.class)
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Clock.class, Instant.class)
                .orShould()
                .callConstructor(Random.class)
                .orShould()
                .callConstructor(SplittableRandom.class)
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(UUID.class, "randomUUID")
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("java.security..", "java.util.concurrent..", "java.util.logging..")
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(System.Logger.class));
    }

    /**
     * Each has a test that extends {@code TableContract}. Nothing that is learned, stored or counted follows from the
     * order in them.
     */
    @Test
    void shouldDrawTheFactorsOfEachTableWhoseKeysAClientChooses() throws IOException {
        Set<String> probing = new HashSet<>();
        for (Path file : SourceFiles.of("main")) {
            if (NEXT_SLOT.matcher(Files.readString(file)).find()) {
                probing.add(file.getFileName().toString().replace(".java", ""));
            }
        }
        // visits at most 8 slots for a key
        probing.remove("JsonExampleReader");

        assertThat(probing)
                .containsExactlyInAnyOrder(
                        "Entries",
                        "FarChunks",
                        "InvertedIndex",
                        "FeatureDifference",
                        "FeatureNameTable",
                        "RecentIds",
                        "HashBag",
                        "UnwrittenRecords");
        assertThat(CLASSES.get(TableSeed.class).getDirectDependenciesToSelf().stream()
                        .map(use -> use.getOriginClass().getSimpleName())
                        .filter(name -> !name.equals("TableSeed"))
                        .collect(Collectors.toSet()))
                .isEqualTo(probing);
    }

    /** A learner is one class and one line in {@code Algorithm}: all others ask for traits and settings. */
    @Test
    void shouldLetNoOtherClassSwitchOverAlgorithms() {
        // a switch over the constants has a class of its own, which reads them
        assertThat(CLASSES.get(Algorithm.class).getFieldAccessesToSelf())
                .extracting(access -> access.getOriginOwner().getName())
                .allMatch(user -> user.startsWith(Algorithm.class.getName()));
    }

    @Test
    void shouldUseNoInternalsOfKafka() {
        // the broker in this process has no public API, and Kafka Streams' protocol of its own takes no other consumer
        check(noClasses()
                .that()
                .resideOutsideOfPackage(BASE + ".embedded..")
                .and()
                .haveNameNotMatching(Pattern.quote(BASE + ".topology.StreamsGroupConsumer") + "(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.kafka..internals.."));
    }

    /** In German, the demo once printed "1.024" examples and errors of "0,0500". */
    @Test
    void shouldPrintNumbersInTheSameWayEverywhere() {
        check(noClasses()
                .should()
                .callMethod(PrintWriter.class, "printf", String.class, Object[].class)
                .orShould()
                .callMethod(PrintStream.class, "printf", String.class, Object[].class));
    }

    private static List<String> words(String text) {
        return text == null ? List.of() : List.of(text.split(" ", -1));
    }

    private static void check(ArchRule rule) {
        // a rule about no class, such as one of a renamed package, fails
        rule.allowEmptyShould(false).check(CLASSES);
    }
}
