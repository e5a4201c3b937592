package io.perceptronstreams.store;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.log.ReplayedEvents;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.model.PendingStatuses;
import io.perceptronstreams.model.StoredEvents;
import io.perceptronstreams.model.WeightsChunk;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Processor time of an example of one of many models: session and store, without decoding, sending and Kafka.
 *
 * <p>Sparse examples, 40 of 16,384 features whose frequencies follow Zipf's law, of 100,000 models, chosen by Zipf's
 * law with exponent 1.1 or uniformly. Arguments: {@code zipf} or {@code uniform}, number of models, of examples, heap
 * of the models in MB. A checkpoint is a slice of a twentieth of the time, as in the engine.
 */
public final class ManyModelsCost {
    private static final int FEATURES = 40;
    private static final int LIVE = 1 << 14;
    private static final int POOL = 1 << 16;
    private static final int PARTS = 10;
    private static final int PER_SLICE = 4_096;

    private final SplittableRandom random = new SplittableRandom(1);
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final int models;
    private final double[] shares;
    private final int[][] indices = new int[POOL][];
    private final double[][] values = new double[POOL][];
    private final Label[] labels = new Label[POOL];
    private final ModelStore store;
    private final ModelSession session;
    private final MapStore inner = new MapStore();
    private long mistakes;

    private ManyModelsCost(boolean isZipf, int models, long heap) {
        this.models = models;
        shares = new double[models];
        double sum = 0;
        for (int k = 0; k < models; k++) {
            sum += isZipf ? Math.pow(k + 1, -1.1) : 1;
            shares[k] = sum;
        }
        double[] separator = new double[LIVE];
        for (int k = 0; k < LIVE; k++) {
            separator[k] = 2 * random.nextDouble() - 1;
        }
        for (int k = 0; k < POOL; k++) {
            fill(k, separator);
        }
        store = new ModelStore(inner, new StoreCounters(), heap);
        session = new ModelSession(store, new Counting(), new NoEvents(), true, new PendingStatuses());
    }

    /** Runs the benchmark. */
    public static void main(String[] args) {
        new ManyModelsCost(args[0].equals("zipf"), Integer.parseInt(args[1]), Long.parseLong(args[3]) << 20)
                .run(Integer.parseInt(args[2]));
    }

    private void fill(int number, double[] separator) {
        int[] ranks = random.doubles()
                .mapToInt(any -> (int) Math.exp(any * Math.log(LIVE)))
                .map(rank -> (rank * 0x9e37) & (LIVE - 1))
                .distinct()
                .limit(FEATURES)
                .sorted()
                .toArray();
        double[] x = new double[FEATURES];
        double score = 0;
        for (int k = 0; k < FEATURES; k++) {
            x[k] = random.nextDouble();
            score += x[k] * separator[ranks[k]];
        }
        indices[number] = ranks;
        values[number] = x;
        labels[number] = Label.of(score > 0 != (random.nextInt(20) == 0) ? 1 : -1);
    }

    private int model() {
        double at = random.nextDouble() * shares[models - 1];
        int low = 0;
        int high = models - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (shares[middle] < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The bytes of a name, in a new array as from a record. */
    private static byte[] name(int model) {
        byte[] name = {'m', 'o', 'd', 'e', 'l', '-', 0, 0, 0, 0, 0, 0, 0};
        int rest = model;
        for (int k = name.length - 1; k > 5; k--) {
            name[k] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return name;
    }

    private void run(int examples) {
        int[] order = new int[examples];
        for (int k = 0; k < examples; k++) {
            order[k] = model();
        }
        Example example = new Example();
        long all = 0;
        for (int part = 0; part < PARTS; part++) {
            long before = threads.getCurrentThreadCpuTime();
            long collected = collections();
            long wrong = mistakes;
            long writes = inner.puts;
            long written = inner.bytes;
            int first = (int) ((long) examples * part / PARTS);
            int end = (int) ((long) examples * (part + 1) / PARTS);
            for (int k = first; k < end; k++) {
                use(example, order[k], k);
                if (k % PER_SLICE == PER_SLICE - 1) {
                    slice(k, (threads.getCurrentThreadCpuTime() - before) / (k + 1 - first) * PER_SLICE / 20);
                }
            }
            long nanos = threads.getCurrentThreadCpuTime() - before;
            all += nanos;
            System.out.println(String.format(
                    Locale.ROOT,
                    "%,d examples: %.0f ns of processor time each, %.1f %% mistakes, %d models in memory, %d ms of"
                            + " collections, %.2f writes, %.0f bytes written for each",
                    end,
                    (double) nanos / (end - first),
                    100.0 * (mistakes - wrong) / (end - first),
                    store.liveModels(),
                    collections() - collected,
                    (double) (inner.puts - writes) / (end - first),
                    (double) (inner.bytes - written) / (end - first)));
        }
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        System.out.println(String.format(
                Locale.ROOT,
                "in all %.0f ns, %d mistakes, heap %d MB, of it %d MB in the store",
                (double) all / examples,
                mistakes,
                runtime.totalMemory() - runtime.freeMemory() >> 20,
                inner.map.values().stream().mapToLong(each -> each.length).sum() >> 20));
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    private void use(Example example, int model, int number) {
        int which = (int) (number * 0x9e3779b1L >>> 7) & (POOL - 1);
        int[] index = indices[which];
        double[] value = values[which];
        example.vector().resetSparse();
        for (int k = 0; k < FEATURES; k++) {
            example.vector().append(index[k], value[k]);
        }
        example.setFeatures(example.vector());
        example.setLabel(labels[which]);
        InputRecord record = new InputRecord(name(model), number, number / 100, number / 100, false);
        store.passTime(number / 100);
        LiveModel known = store.find(record.name());
        session.example(record, known, example, null);
        if (number % 50_000 == 0) {
            var unused = session.tick(false);
        }
    }

    private void slice(long next, long nanos) {
        long end = threads.getCurrentThreadCpuTime() + nanos;
        InputPosition.Decisions decisions =
                new InputPosition.Decisions(true, true, 1, ModelSession.REVISION, false, 3_600_000);
        var unused = store.checkpoint(
                Uuid.ONE_UUID, next + 1, decisions, false, () -> threads.getCurrentThreadCpuTime() > end);
    }

    private final class Counting extends ReplayedEvents {
        Counting() {
            super(model -> 0);
        }

        @Override
        public void predicted(Model model, Example example, Outcome outcome, long updates) {
            mistakes += outcome.isError() ? 1 : 0;
        }
    }

    /** No late labels, no imports. */
    private static final class NoEvents implements StoredEvents {
        @Override
        public WeightsChunk chunk(byte[] value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Example example(byte[] value, FeatureHasher hasher) {
            throw new UnsupportedOperationException();
        }

        @Override
        public LabelEvent label(Waiting waiting) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void examples(byte[] name, long from, long to, Supplier<FeatureHasher> hasher, ExampleSink sink) {
            throw new UnsupportedOperationException();
        }
    }

    /** A store in a map. */
    private static final class MapStore implements KeyValueStore<Bytes, byte[]> {
        private final NavigableMap<Bytes, byte[]> map = new TreeMap<>();
        private long puts;
        private long bytes;

        @Override
        public void put(Bytes key, byte[] value) {
            puts++;
            bytes += key.get().length + (value == null ? 0 : value.length);
            if (value == null) {
                map.remove(key);
            } else {
                map.put(key, value);
            }
        }

        @Override
        public byte[] putIfAbsent(Bytes key, byte[] value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
            entries.forEach(each -> put(each.key, each.value));
        }

        @Override
        public byte[] delete(Bytes key) {
            return map.remove(key);
        }

        @Override
        public byte[] get(Bytes key) {
            return map.get(key);
        }

        @Override
        public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
            return iterator(map.subMap(from, true, to, true));
        }

        @Override
        public KeyValueIterator<Bytes, byte[]> all() {
            return iterator(map);
        }

        private static KeyValueIterator<Bytes, byte[]> iterator(Map<Bytes, byte[]> part) {
            var entries = part.entrySet().iterator();
            return new KeyValueIterator<>() {
                @Override
                public void close() {}

                @Override
                public Bytes peekNextKey() {
                    throw new UnsupportedOperationException();
                }

                @Override
                public boolean hasNext() {
                    return entries.hasNext();
                }

                @Override
                public KeyValue<Bytes, byte[]> next() {
                    var next = entries.next();
                    return new KeyValue<>(next.getKey(), next.getValue());
                }
            };
        }

        @Override
        public long approximateNumEntries() {
            return map.size();
        }

        @Override
        public String name() {
            return "models";
        }

        @Override
        public void init(StateStoreContext context, StateStore root) {}

        @Override
        public void flush() {}

        @Override
        public void close() {}

        @Override
        public boolean persistent() {
            return false;
        }

        @Override
        public boolean isOpen() {
            return true;
        }
    }
}
