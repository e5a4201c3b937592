package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredNamesTest {
    private final Map<String, byte[]> records = new TreeMap<>();
    private final StoredNames stored = new StoredNames();
    private final Model model = new Model();

    /** The parts written, "-" in front of one that was removed; checks that what is stored then are the names. */
    private List<String> drained() {
        List<String> parts = new ArrayList<>();
        stored.drainChanged(model, (epoch, part, names) -> {
            String key = epoch + "/" + part;
            parts.add(names == null ? "-" + key : key);
            records.put(key, names);
            if (names == null) {
                records.remove(key);
            }
        });
        requireStored(model.current());
        model.challengers().all().forEach(each -> requireStored(each.model()));
        return parts;
    }

    private void requireStored(EpochModel of) {
        List<String> names = of.pipeline().learner().state().names();
        assertThat(StoredNames.decode(names.size(), part -> records.get(of.epoch() + "/" + part)))
                .isEqualTo(names);
        long parts = records.keySet().stream()
                .filter(key -> key.startsWith(of.epoch() + "/"))
                .count();
        assertThat(parts).isEqualTo(StoredNames.parts(names.size()));
    }

    private void learn(int from, int to) {
        for (int k = from; k < to; k++) {
            learn("class " + k);
        }
    }

    private void learn(String name) {
        Example example = new Example();
        example.vector().resetSparse();
        example.setLabel(new Label.ClassName(name));
        model.process(example, 0);
        var unused = model.adapt();
    }

    private static String classes(int from, int to) {
        return IntStream.range(from, to).mapToObj(k -> "class " + k).collect(Collectors.joining(","));
    }

    @Test
    void shouldWriteThePartsThatHoldNewNames() {
        model.configure(Map.of("algorithm", "multiclass", "bias", "false"));
        assertThat(drained()).isEmpty();
        learn(0, 100);
        assertThat(drained()).containsExactly("0/0");
        assertThat(drained()).isEmpty();
        learn(0, 101);
        assertThat(drained()).containsExactly("0/0");
        learn(101, 128);
        assertThat(drained()).containsExactly("0/0");
        learn(128, 129);
        assertThat(drained()).containsExactly("0/1");
        learn(129, 400);
        assertThat(drained()).containsExactly("0/1", "0/2", "0/3");
        learn(0, 400);
        assertThat(drained()).isEmpty();
    }

    @Test
    void shouldWriteTagsOfSequences() {
        model.configure(Map.of("algorithm", "sequence"));
        for (String tag : List.of("verb", "noun")) {
            Example example = new Example();
            FeatureVector token = example.sequence().append();
            token.append(3, 1);
            example.setFeatures(example.sequence());
            example.setLabel(new Label.Tags(List.of(tag)));
            model.process(example, 0);
            assertThat(drained()).containsExactly("0/0");
        }
        assertThat(model.pipeline().learner().state().names()).containsExactly("verb", "noun");
    }

    // The setting replaces the classes of a model that has not learned.
    @Test
    void shouldWriteNamesThatWereReplaced() {
        model.configure(Map.of("algorithm", "multiclass", "classes", classes(0, 300)));
        assertThat(drained()).containsExactly("0/0", "0/1", "0/2");
        model.configure(Map.of("classes", "other," + classes(1, 300)));
        assertThat(drained()).containsExactly("0/0", "0/1", "0/2");
        model.configure(Map.of("classes", "other," + classes(1, 140) + ",another," + classes(141, 300)));
        assertThat(drained()).containsExactly("0/1", "0/2");
        model.configure(Map.of("classes", classes(0, 300) + "," + classes(300, 310)));
        assertThat(drained()).containsExactly("0/0", "0/1", "0/2");
    }

    @Test
    void shouldRemovePartsOfNamesThatAreGone() {
        model.configure(Map.of("algorithm", "multiclass", "classes", classes(0, 300)));
        assertThat(drained()).hasSize(3);
        model.configure(Map.of("classes", classes(0, 128)));
        assertThat(drained()).containsExactly("-0/1", "-0/2");
        model.configure(Map.of("classes", classes(0, 100)));
        assertThat(drained()).containsExactly("0/0");
        model.configure(Map.of("classes", ""));
        assertThat(drained()).containsExactly("-0/0");
        model.configure(Map.of("algorithm", "auto"));
        assertThat(drained()).isEmpty();
    }

    @Test
    void shouldWriteAllNamesOfANewEpoch() {
        model.configure(Map.of("algorithm", "multiclass", "classes", classes(0, 200)));
        assertThat(drained()).hasSize(2);
        model.reset(Map.of());
        assertThat(drained()).containsExactly("1/0", "1/1");
        assertThat(drained()).isEmpty();
    }

    @Test
    void shouldWriteAllNamesOfAnImportedModel() {
        model.configure(Map.of("algorithm", "multiclass", "classes", classes(0, 200)));
        assertThat(drained()).hasSize(2);
        Model other = new Model();
        other.configure(Map.of("algorithm", "multiclass", "classes", classes(0, 200)));
        model.replaceWith(other);
        assertThat(drained()).containsExactly("1/0", "1/1");
    }

    // Without features a model predicts the class that it met first.
    @Test
    void shouldWriteTheNamesOfTheShadowAndKnowThemAfterATakeover() {
        model.configure(Map.of("algorithm", "multiclass", "bias", "false"));
        model.configure(Map.of("drift", "page-hinkley", "drift.threshold", "2", "drift.action", "shadow"));
        for (int k = 0; k < 300; k++) {
            learn("first");
        }
        assertThat(drained()).containsExactly("0/0");
        while (model.challengers().all().isEmpty()) {
            learn("second");
        }
        learn("second");
        assertThat(drained()).containsExactly("0/0", "1/0");
        while (!model.challengers().all().isEmpty()) {
            learn("second");
        }
        assertThat(model.current().epoch()).isEqualTo(1);
        assertThat(drained()).isEmpty();
        learn("third");
        assertThat(drained()).containsExactly("1/0");
    }

    @Test
    void shouldLieUnderTheEpochOfTheModel(@TempDir Path dir) {
        byte[] name = StoreDriver.utf8("m");
        try (StoreDriver driver = new StoreDriver(dir, Long.MAX_VALUE)) {
            driver.checkpoint(store -> {
                LiveModel created = store.create(name);
                created.model().configure(Map.of("algorithm", "multiclass", "classes", classes(0, 129)));
                store.changed(created, StoreDriver.record("m", 7));
            });
            assertThat(driver.changelog().stream().map(record -> Bytes.wrap(record.key())))
                    .containsExactlyInAnyOrder(
                            ModelKeys.header(name), ModelKeys.names(name, 0, 0), ModelKeys.names(name, 0, 1));

            driver.use(ModelStore::clear);
            driver.checkpoint(store -> {
                LiveModel found = store.find(name);
                assertThat(found.model().pipeline().learner().state().names()).hasSize(129);
                found.model().delete();
                store.removeEpoch(found, 0, StoreDriver.record("m", 8));
            });

            assertThat(driver.changelog().stream()
                            .filter(record -> record.value() == null)
                            .map(record -> Bytes.wrap(record.key())))
                    .containsExactly(ModelKeys.names(name, 0, 0), ModelKeys.names(name, 0, 1));
        }
    }

    @Test
    void shouldWriteNothingThatWasReadFromTheStore() {
        model.configure(Map.of("algorithm", "multiclass", "classes", classes(0, 129)));
        stored.add(0, model.pipeline().learner().state().names());
        stored.drainChanged(model, (epoch, part, names) -> {
            throw new AssertionError("part " + part);
        });
    }
}
