package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.TableContract;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

final class FeatureNameTableTest {
    private final Model model = new Model();
    private int read;

    /** Learns from features of value 1 or, if their name begins with "0", of value 0. */
    private void learn(int label, String... names) {
        List<byte[]> texts = new ArrayList<>();
        for (String name : names) {
            texts.add(name.getBytes(StandardCharsets.UTF_8));
        }
        learn(label, texts);
    }

    private void learn(int label, List<byte[]> names) {
        Example example = new Example();
        FeatureVector x = example.vector().resetSparse();
        for (byte[] name : names) {
            x.append(model.pipeline().hasher().index(name, 0, name.length), name.length > 0 && name[0] == '0' ? 0 : 1);
        }
        x.sortAndMerge();
        example.setFeatures(x);
        example.setNames(sink -> {
            read++;
            names.forEach(name -> sink.accept(name, 0, name.length));
        });
        example.setLabel(Label.of(label));
        model.process(example, 0);
    }

    private static List<String> names(Model of) {
        List<String> names = new ArrayList<>();
        for (int number = 0; number < of.pipeline().names().size(); number++) {
            names.add(new String(of.pipeline().names().name(number), StandardCharsets.UTF_8));
        }
        return names;
    }

    @Test
    void shouldKeepTheNamesOfUpdatesInTheOrderOfTheLog() {
        learn(1, "worst radius", "city=Rome", "0 zero");
        assertThat(names(model)).containsExactly("worst radius", "city=Rome");
        // no mistake
        learn(1, "worst radius", "unseen");
        assertThat(names(model)).containsExactly("worst radius", "city=Rome");
        learn(-1, "café", "worst radius");
        assertThat(names(model)).containsExactly("worst radius", "city=Rome", "café");
    }

    @Test
    void shouldKeepAllNamesOfAnIndex() {
        model.configure(Map.of("hash.bits", "1", "h", "1000"));
        learn(1, "a");
        learn(1, "b");
        learn(1, "c", "d");
        assertThat(names(model)).containsExactly("a", "b", "c", "d");
    }

    @Test
    void shouldKeepTheFirstNamesOnly() {
        model.configure(Map.of("names.max", "3", "h", "1000"));
        learn(1, "a", "b");
        learn(1, "c", "d");
        read = 0;
        learn(1, "e");
        assertThat(names(model)).containsExactly("a", "b", "c");
        assertThat(read).isZero();

        model.configure(Map.of("names.max", "1"));
        assertThat(names(model)).containsExactly("a");
        model.configure(Map.of("names.max", "2"));
        learn(1, "b");
        assertThat(names(model)).containsExactly("a", "b");
        model.configure(Map.of("names.max", "0"));
        assertThat(names(model)).isEmpty();
    }

    @Test
    void shouldLeaveOutWhatCannotBeShown() {
        learn(1, List.of(new byte[] {(byte) 0xff}, "x".repeat(257).getBytes(StandardCharsets.UTF_8), new byte[] {'y'}));
        assertThat(names(model)).containsExactly("y");
    }

    @Test
    void shouldFindManyNames() {
        model.configure(Map.of("h", "1000000", "hash.bits", "12"));
        List<String> all = new ArrayList<>();
        for (int k = 0; k < 5000; k++) {
            all.add("feature " + k);
            learn(1, "feature " + k);
            // those of an index with a name are looked for in the first 1,000 updates and in one of 128
        }
        long atLeast = all.stream()
                .map(name -> name.getBytes(StandardCharsets.UTF_8))
                .mapToInt(name -> model.pipeline().hasher().index(name, 0, name.length))
                .distinct()
                .count();
        assertThat(names(model))
                .doesNotHaveDuplicates()
                .startsWith(all.subList(0, 1000).toArray(String[]::new));
        assertThat(names(model).stream()
                        .map(name -> name.getBytes(StandardCharsets.UTF_8))
                        .mapToInt(name -> model.pipeline().hasher().index(name, 0, name.length))
                        .distinct()
                        .count())
                .isEqualTo(atLeast);
    }

    @Test
    void shouldReadTheNamesOfAnExampleOnlyIfOneIsNewOrAtIntervals() {
        model.configure(Map.of("h", "1000000"));
        for (int k = 0; k < 1000; k++) {
            learn(1, "a", "b");
        }
        read = 0;
        for (int k = 1000; k < 1280; k++) {
            learn(1, "a", "b");
        }
        // updates 1024 and 1152; and the advisor, after 1024 examples
        assertThat(read).isEqualTo(3);
        learn(1, "a", "b", "new");
        assertThat(names(model)).containsExactly("a", "b", "new");
    }

    @Test
    void shouldForgetNamesWithTheWeights() {
        learn(1, "a");
        model.reset(Map.of());
        assertThat(names(model)).isEmpty();
        learn(1, "b");
        model.delete();
        assertThat(names(model)).isEmpty();
    }

    @Test
    void shouldCountTheirHeap() {
        Model other = new Model();
        other.configure(Map.of("names.max", "0"));
        long none = other.heapBytes();
        // settings of its own before and after: they take heap, too
        model.configure(Map.of("names.max", "100"));
        learn(1, "a".repeat(200), "b".repeat(200));
        long learned = model.heapBytes();
        model.configure(Map.of("names.max", "0"));
        assertThat(learned - model.heapBytes()).isGreaterThan(400);
        assertThat(none).isPositive();
    }

    @Test
    void shouldRefuseNamesThatAreNotOfSuchAModel() {
        model.pipeline().names().append(new byte[] {'a'}, model.pipeline().hasher());
        assertThatThrownBy(() -> model.pipeline()
                        .names()
                        .append(new byte[] {'a'}, model.pipeline().hasher()))
                .hasMessage("names of features must differ, got 'a' a second time");
        assertThatThrownBy(() -> model.pipeline()
                        .names()
                        .append(new byte[257], model.pipeline().hasher()))
                .hasMessageContaining("at most 256 bytes, got another one of 257 bytes");
        model.configure(Map.of("names.max", "1"));
        assertThatThrownBy(() -> model.pipeline()
                        .names()
                        .append(new byte[] {'b'}, model.pipeline().hasher()))
                .hasMessageContaining("names.max = 1");
    }

    @Nested
    final class OfManyNamesOfAnIndex extends TableContract {
        @Override
        protected double visitedSlots(int[] keys) {
            return FeatureNameTableTest.visitedSlots(
                    IntStream.of(keys).mapToObj(key -> "f" + key).toList(), 4);
        }
    }

    /** Names cannot have any index, but somebody can look for names with indices of a kind. */
    @Test
    void shouldFindNamesOfNeighbouringIndicesAsFastAsOthers() {
        FeatureHasher hasher = new FeatureHasher(FeatureHasher.MAX_BITS);
        List<String> others = IntStream.range(0, 2_000).mapToObj(k -> "f" + k).toList();
        List<String> chosen = IntStream.iterate(0, k -> k + 1)
                .mapToObj(k -> "f" + k)
                .filter(name -> {
                    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
                    return (((hasher.index(utf8, 0, utf8.length) * 0x9e3779b9) >>> 10) & 0xff) == 0;
                })
                .limit(others.size())
                .toList();

        assertThat(visitedSlots(chosen, FeatureHasher.MAX_BITS))
                .isLessThan(3 * visitedSlots(others, FeatureHasher.MAX_BITS));
    }

    private static double visitedSlots(List<String> names, int bits) {
        FeatureNameTable table = new FeatureNameTable(names.size());
        FeatureHasher hasher = new FeatureHasher(bits);
        names.forEach(name -> table.append(name.getBytes(StandardCharsets.UTF_8), hasher));
        return 1 + (double) table.distances() / names.size();
    }
}
