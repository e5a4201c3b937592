package io.perceptronstreams.sizing;

import io.perceptronstreams.sizing.Constants.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Computes what a {@link Load} needs. Each formula stands beside its number in {@link #figures}.
 *
 * <p>Times are interpolated between three measured loads (one model, 100,000 by Zipf's law, 100,000 with equal shares)
 * by the share of the examples that go to other models than the 1,000 most used ones of an instance: those are near the
 * processor, and each example of another waits for memory. Bytes are sums of what is written. Immutable.
 */
public final class Sizing {
    /** Models of an instance whose weights stay in the caches of the processor. */
    private static final int NEAR_MODELS = 1000;

    private static final int MEASURED_MODELS = 100_000;
    private static final double MEASURED_EXPONENT = 1.1;

    /** Share of a thread's time, and of the heap, that a load may take; the rest is for peaks and restarts. */
    private static final double FULL = 0.6;

    private static final double HEAP_FULL = 0.65;

    /** Share of the time that grows with the number of features: one model, and models that are not near. */
    private static final double NEAR_BY_FEATURE = 0.2;

    private static final double FAR_BY_FEATURE = 0.5;

    private static final double MICROS = 1e6;
    private static final double MB = 1e6;
    private static final double GB = 1e9;
    private static final double DAY = 86_400;

    /** Besides the models: classes, threads, buffers of clients (64 MB and more), young generation. */
    private static final double FIXED_HEAP = 250 * MB;

    private static final double FIXED_OUTSIDE = 350 * MB;

    /** What a broker with one disk writes without being full. */
    private static final double BROKER_BYTES_PER_SECOND = 100 * MB;

    private static final int MIN_INSTANCES = 2;
    private static final int TABLE_WEIGHTS = 8192;

    /** Weights that are written together; a model of fewer is written whole. */
    private static final int BLOCK_WEIGHTS = 128;

    private final Constants constants;
    private final Load load;
    private final double storeCacheBytes;
    private final Shares shares;
    private final List<Figure> figures = new ArrayList<>();

    private Sizing(Constants constants, Load load, double storeCacheBytes) {
        this.constants = constants;
        this.load = load;
        this.storeCacheBytes = storeCacheBytes;
        this.shares = new Shares(load.models(), load.zipf());
        compute();
    }

    /**
     * Computes the sizes for a load.
     *
     * @param storeCacheBytes the engine's {@code store.cache.bytes}
     */
    public static Sizing of(Constants constants, Load load, double storeCacheBytes) {
        return new Sizing(constants, load, storeCacheBytes);
    }

    /** The numbers in the order of reading. */
    public List<Figure> figures() {
        return List.copyOf(figures);
    }

    /** Returns a number by its name. */
    public double value(String name) {
        return figures.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no number is named " + name))
                .value();
    }

    private void compute() {
        double far = 1 - shares.upTo(NEAR_MODELS);
        double micros = engineMicros(far);
        add(
                "examples/s of a thread",
                MICROS / micros,
                "",
                true,
                "interpolated: %.0f %% of the examples are not of the" + " 1,000 most used models",
                100 * far);
        double busy = load.rate() * micros / MICROS;
        double threads = Math.max(1, Math.ceil(busy / FULL));
        add("stream threads", threads, "", false, "rate / examples/s of a thread / %.1f", FULL);
        double instances = Math.max(MIN_INSTANCES, Math.ceil(threads / load.cores()));
        add("instances", instances, "", false, "threads / cores of an instance, at least %d", MIN_INSTANCES);
        double partitions = powerOfTwo(Math.max(2 * threads, 2 * instances));
        add("partitions", partitions, "", false, "twice the threads, a power of two: a thread has at least two");
        double hottest = shares.of(1) * load.rate() * engineMicros(0) / MICROS;
        add("share of the most used model", 100 * shares.of(1), "%", false, "1 / sum of r^-zipf over the models");
        add(
                "load of its thread by it alone",
                100 * hottest,
                "%",
                false,
                "rate x share / examples/s of a thread with one model%s",
                hottest > 1
                        ? ": TOO MUCH, one model has one thread; send several examples in a record or split it"
                        : "");
        add("CPU of the engine", load.rate() * cpu(far) / MICROS, "cores", false, "rate x CPU time of an example");
        add(
                "CPU of the brokers",
                load.rate()
                        * load.replication()
                        * micros(far, Cost.ONE_BROKER_MICROS, Cost.ZIPF_BROKER_MICROS, Cost.UNIFORM_BROKER_MICROS)
                        / MICROS,
                "cores",
                false,
                "rate x CPU time of an example x replication");
        computeMemory(instances);
        double changelog = computeBytes();
        add("transactions/s", threads / load.commitSeconds(), "", false, "threads / commit.interval.ms");
        computeTimes(instances, threads, changelog);
    }

    private double engineMicros(double far) {
        return load.learner().factor(constants) * micros(far, Cost.ONE_MICROS, Cost.ZIPF_MICROS, Cost.UNIFORM_MICROS);
    }

    private double cpu(double far) {
        return load.learner().factor(constants)
                * micros(far, Cost.ONE_CPU_MICROS, Cost.ZIPF_CPU_MICROS, Cost.UNIFORM_CPU_MICROS);
    }

    /** A time by the share of examples that are not of near models, for the features, late labels and records. */
    private double micros(double far, Cost one, Cost zipf, Cost uniform) {
        Shares measured = new Shares(MEASURED_MODELS, MEASURED_EXPONENT);
        double zipfFar = 1 - measured.upTo(NEAR_MODELS);
        double uniformFar = 1 - (double) NEAR_MODELS / MEASURED_MODELS;
        double micros = far <= zipfFar
                ? between(far / zipfFar, get(one), get(zipf))
                : between(Math.min(1, (far - zipfFar) / (uniformFar - zipfFar)), get(zipf), get(uniform));
        double byFeature = between(far, NEAR_BY_FEATURE, FAR_BY_FEATURE);
        double ofFeatures = 1 - byFeature + byFeature * load.features() / get(Cost.FEATURES);
        double ofLabels = 1 + load.labelsLate() * (get(Cost.LATE_FACTOR) - 1);
        double ofRecords = 1 - (1 - get(Cost.BATCH_FACTOR)) * (1 - 1 / load.batch());
        return micros * ofFeatures * ofLabels * ofRecords;
    }

    private static double between(double share, double from, double to) {
        return from + share * (to - from);
    }

    private static double powerOfTwo(double least) {
        return Math.pow(2, Math.ceil(Math.log(least) / Math.log(2)));
    }

    private double modelHeap() {
        return load.learner().modelHeapBytes(constants) + load.learner().weightHeapBytes(constants) * load.weights();
    }

    private double storedModel() {
        return load.learner().headerBytes(constants) + load.learner().weightBytes(constants) * load.weights();
    }

    private double waiting() {
        return load.rate() * load.labelsLate() * load.labelDelaySeconds();
    }

    private void computeMemory(double instances) {
        add(
                "memory of a model",
                modelHeap(),
                "bytes",
                false,
                "%.0f + %.0f x weights%s",
                load.learner().modelHeapBytes(constants),
                load.learner().weightHeapBytes(constants),
                load.weights() > TABLE_WEIGHTS
                        ? "; with more than 8,192 weights 2,048 for each 128 indices that have one, which may be more"
                        : "");
        double models = load.models() * modelHeap();
        double waiting = waiting() * get(Cost.WAITING_HEAP_BYTES);
        double left = instances - 1;
        double heap = (models + waiting) / left / HEAP_FULL + FIXED_HEAP;
        add("examples that wait for labels", waiting(), "", false, "rate x late labels x delay");
        add(
                "heap of an instance, -Xmx",
                heap / GB,
                "GB",
                false,
                "(models + waiting x %.0f bytes) / (instances - 1) / %.1f + 0.25 GB: one instance may be lost",
                get(Cost.WAITING_HEAP_BYTES),
                HEAP_FULL);
        add(
                "memory of an instance",
                (heap + storeCacheBytes + FIXED_OUTSIDE) / GB,
                "GB",
                false,
                "heap + store.cache.bytes + 0.35 GB");
        add(
                "disk of an instance",
                2 * (load.models() * storedModel() + waiting() * exampleBytes()) / left / GB,
                "GB",
                false,
                "2 x (models x %.0f bytes + waiting examples) / (instances - 1)",
                storedModel());
    }

    private double exampleBytes() {
        return get(Cost.EXAMPLE_BYTES) + get(Cost.FEATURE_BYTES) * (load.features() - get(Cost.FEATURES));
    }

    /** Returns the bytes that restore all models. */
    private double computeBytes() {
        double input = load.rate() * (exampleBytes() + load.labelsLate() * get(Cost.LABEL_BYTES));
        add("examples written", input / MB, "MB/s", false, "rate x %.0f bytes, and labels", exampleBytes());
        double output = load.rate()
                * (get(Cost.PREDICTION_BYTES) + load.learner().events(load.mistakes()) * get(Cost.MISTAKE_BYTES));
        add(
                "predictions and mistakes written",
                output / MB,
                "MB/s",
                false,
                "rate x (%.0f + %.0f x %s) bytes",
                get(Cost.PREDICTION_BYTES),
                get(Cost.MISTAKE_BYTES),
                load.learner().events(load.mistakes()) == 1 ? "1, an event for each update" : "mistakes");
        double changes = shares.sum(this::changedBytes) / load.checkpointSeconds();
        double waiting = load.rate()
                * load.labelsLate()
                * exampleBytes()
                * (load.labelDelaySeconds() > load.checkpointSeconds() ? 1 : 0);
        add(
                "changelog written",
                (changes + waiting) / MB,
                "MB/s",
                false,
                "sum over the models of what %.0f s change, each checkpoint; and what waits longer than that",
                load.checkpointSeconds());
        double written = input + output + changes + waiting;
        add("written to brokers", written * load.replication() / MB, "MB/s", false, "all of this x replication");
        add(
                "brokers",
                Math.max(load.replication(), Math.ceil(written * load.replication() / BROKER_BYTES_PER_SECOND)),
                "",
                false,
                "that / %.0f MB/s, at least replication",
                BROKER_BYTES_PER_SECOND / MB);
        add(
                "log of a day",
                (input + output) * load.replication() * DAY / GB,
                "GB",
                false,
                "(examples + outputs) x replication x 86,400 s");
        double stored = load.models() * storedModel();
        add(
                "changelog, compacted",
                stored * load.replication() / GB,
                "GB",
                false,
                "models x %.0f bytes x replication",
                storedModel());
        return stored;
    }

    /** Bytes that a checkpoint writes, on average, for a model with this share of the examples. */
    private double changedBytes(double share) {
        double examples = load.rate() * share * load.checkpointSeconds();
        double isChanged = -Math.expm1(-examples);
        // whole blocks are written: one is changed by each example of which a feature lies in it
        double blocks = Math.max(1, load.weights() / BLOCK_WEIGHTS);
        double ofBlock = 1 - Math.pow(1 - 1 / blocks, load.features());
        double changes = examples * load.learner().changes(load.mistakes()) * ofBlock;
        double changed = load.weights() * -Math.expm1(-changes);
        return isChanged * load.learner().headerBytes(constants)
                + changed * load.learner().weightBytes(constants);
    }

    private void computeTimes(double instances, double threads, double stored) {
        double ofThread = threads / instances;
        double perThread = 1 / instances / Math.max(1, ofThread);
        double restore = restoreSeconds(constants, stored * perThread, load.models() * perThread);
        add(
                "start of an instance without its disk",
                get(Cost.START_SECONDS) + restore,
                "s",
                false,
                "%.1f s + bytes of a thread / %.0f MB/s + its models / %.0f models/s",
                get(Cost.START_SECONDS),
                get(Cost.RESTORE_BYTES_PER_SECOND) / MB,
                get(Cost.RESTORE_MODELS_PER_SECOND));
        add(
                "verify of a month",
                load.rate() * 30 * DAY * load.learner().factor(constants) * get(Cost.VERIFY_MICROS) / MICROS / 3600,
                "hours of a core",
                false,
                "rate x 30 days x %.1f us",
                load.learner().factor(constants) * get(Cost.VERIFY_MICROS));
    }

    /** Seconds in which a thread restores its models: both costs are its own, so they add up. */
    static double restoreSeconds(Constants constants, double bytes, double models) {
        return bytes / constants.get(Cost.RESTORE_BYTES_PER_SECOND)
                + models / constants.get(Cost.RESTORE_MODELS_PER_SECOND);
    }

    private double get(Cost cost) {
        return constants.get(cost);
    }

    private void add(String name, double value, String unit, boolean isMeasured, String how, Object... arguments) {
        figures.add(new Figure(name, value, unit, isMeasured, String.format(Locale.ROOT, how, arguments)));
    }
}
