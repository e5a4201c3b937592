package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.topology.UndoableStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.junit.jupiter.api.Test;

/** A reader of the stores of tasks finds each model as it was between two inputs, at any moment of their writes. */
final class LearnCopyTest {
    private static final int INPUTS = 400;
    private static final Map<String, String> SETTINGS = Map.of("algorithm", "pa-i", "scale", "standard");

    /** Two tasks, of which each has a model. */
    private final List<UndoableStore> stores = List.of(new UndoableStore(), new UndoableStore());

    private final List<LearnModels> tasks = new ArrayList<>();
    private final int[] learned = new int[2];
    private final int[] committed = new int[2];

    private void start(boolean isTransactional, UndoableStore first) {
        for (int k = 0; k < 2; k++) {
            tasks.add(new LearnModels(
                    new LearnStore(k == 0 ? first : stores.get(k), k, isTransactional),
                    Settings.DEFAULTS.with(SETTINGS),
                    new StoreCounters(),
                    Long.MAX_VALUE));
        }
    }

    private static String model(int task) {
        return "m" + task;
    }

    private static void learn(LearnModels task, String name, int number) {
        LearnExample example = LearnExample.of("e" + number)
                .feature("x" + number % 50, number % 7 - 3)
                .label(number % 3 == 0 ? 1 : -1);
        task.learn(name.getBytes(StandardCharsets.UTF_8), number, example, unused -> {});
    }

    private void step(int task, Random random) {
        learn(tasks.get(task), model(task), learned[task]);
        learned[task]++;
        if (random.nextInt(20) == 0) {
            tasks.get(task).checkpoint();
        }
        if (random.nextInt(3) == 0) {
            tasks.get(task).commit();
            committed[task] = learned[task];
        }
    }

    /** Bytes of a model by the number of its examples. */
    private static List<byte[]> expected(String name) {
        LearnModels models = LearningApplication.models(new UndoableStore(), SETTINGS);
        List<byte[]> bytes = new ArrayList<>();
        bytes.add(null);
        for (int number = 0; number < INPUTS; number++) {
            learn(models, name, number);
            bytes.add(OnlineModel.toBytes(models.model(name)));
        }
        return bytes;
    }

    /** Tasks go on between any two steps of the reader. */
    @SeededTest
    void shouldReadAModelWhileItsTaskGoesOn(long seed) {
        Random random = new Random(seed);
        start(true, stores.get(0));
        Shared shared = new Shared(() -> {
            int task = random.nextInt(2);
            if (random.nextInt(4) == 0 && learned[task] < INPUTS) {
                step(task, random);
            }
        });
        List<List<byte[]>> expected = List.of(expected(model(0)), expected(model(1)));
        for (int round = 0; round < 100; round++) {
            int task = round % 2;
            int before = committed[task];
            byte[] read = Learn.toBytes(shared, model(task));
            assertThat(expected.get(task).subList(before, learned[task] + 1))
                    .as("seed %d, round %d", seed, round)
                    .usingElementComparator(LearnCopyTest::compare)
                    .contains(read);
        }
        assertThat(learned[0] + learned[1]).isGreaterThan(100);
    }

    private static int compare(byte[] one, byte[] other) {
        return Arrays.equals(one, other) ? 0 : 1;
    }

    /** A reader between any two writes: without transactions the last batch can be undone. */
    @SeededTest
    void shouldReadAModelBetweenTwoWrites(long seed) {
        Random random = new Random(seed);
        List<byte[]> expected = expected(model(0));
        UndoableStore watched = new UndoableStore() {
            @Override
            public void put(Bytes key, byte[] value) {
                super.put(key, value);
                if (random.nextInt(4) == 0 && committed[0] > 0) {
                    assertThat(expected.subList(committed[0], learned[0] + 2))
                            .as("seed %d, input %d", seed, learned[0])
                            .usingElementComparator(LearnCopyTest::compare)
                            .contains(Learn.toBytes(this, model(0)));
                }
            }
        };
        start(false, watched);
        while (learned[0] < INPUTS - 1) {
            step(0, random);
        }
    }

    @Test
    void shouldTellAReaderThatABatchDoesNotEnd() {
        UndoableStore store = stores.get(0);
        start(true, store);
        step(0, new Random(1));
        tasks.get(0).commit();
        new LearnStore(store, 0, true).put(Bytes.wrap(new byte[] {'m', '0', 0, 7}), new byte[0]);

        assertThatIllegalStateException()
                .isThrownBy(() -> Learn.toBytes(store, model(0)))
                .withMessage("model 'm0' is being written (read it again later)");
    }

    /** The stores of both tasks as one, as Kafka Streams shows them. */
    private final class Shared implements ReadOnlyKeyValueStore<Bytes, byte[]> {
        private final Runnable meanwhile;

        Shared(Runnable meanwhile) {
            this.meanwhile = meanwhile;
        }

        @Override
        public byte[] get(Bytes key) {
            meanwhile.run();
            byte[] found = stores.get(0).get(key);
            return found == null ? stores.get(1).get(key) : found;
        }

        /** Opens that of the second one when the first one is exhausted. */
        @Override
        public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
            meanwhile.run();
            return new KeyValueIterator<>() {
                private KeyValueIterator<Bytes, byte[]> entries = stores.get(0).range(from, to);
                private boolean isSecond;

                @Override
                public boolean hasNext() {
                    meanwhile.run();
                    if (!entries.hasNext() && !isSecond) {
                        isSecond = true;
                        entries = stores.get(1).range(from, to);
                    }
                    return entries.hasNext();
                }

                @Override
                public KeyValue<Bytes, byte[]> next() {
                    return entries.next();
                }

                @Override
                public Bytes peekNextKey() {
                    return entries.peekNextKey();
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public KeyValueIterator<Bytes, byte[]> all() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long approximateNumEntries() {
            throw new UnsupportedOperationException();
        }
    }
}
