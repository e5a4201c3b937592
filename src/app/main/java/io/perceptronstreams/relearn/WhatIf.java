package io.perceptronstreams.relearn;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.log.ChangeMatches;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.log.ModelInput;
import io.perceptronstreams.log.ModelLog;
import io.perceptronstreams.log.NamedSnapshot;
import io.perceptronstreams.log.RecordCopy;
import io.perceptronstreams.log.Relearner;
import io.perceptronstreams.log.ReplayedEvents;
import io.perceptronstreams.log.SharedExamples;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.ExampleList;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.thread.DaemonThread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * What a model would be with other settings or without some records: learns its log again, once as it is (the control)
 * and once for each candidate, side by side over the same records.
 *
 * <p>Control and candidate are compared on the examples that both have labelled, record by record, by a {@link Trial}.
 */
public final class WhatIf implements AutoCloseable {
    private static final int TRIAL_STEP = 20;

    private final ModelInput input;
    private StatusCheck check;
    private final Run control;
    private final List<Pair> pairs = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private final ExecutorService threads;
    private final Baselines baselines = new Baselines();
    private Difference difference;

    /**
     * Creates the runs.
     *
     * @param status latest of the model, which the control must reproduce
     * @param controlled changes of the control
     * @param candidates changes of each
     * @param alpha probability of a verdict about equally good models, of each candidate
     * @param threadCount number of threads that share the runs
     * @throws IllegalArgumentException if no model can have the settings of a candidate
     */
    public WhatIf(
            ModelInput input,
            SchemaRegistry registry,
            ModelStatus status,
            Changes controlled,
            List<Changes> candidates,
            double alpha,
            int threadCount) {
        this.input = input;
        check = new StatusCheck(input, status);
        for (int k = 0; k < Math.min(threadCount, candidates.size() + 1); k++) {
            workers.add(new Worker());
        }
        threads = Executors.newFixedThreadPool(workers.size(), task -> new DaemonThread("what-if", task));
        try {
            control = new Run(input, registry, controlled, workers.get(0));
            Trial.Rules rules = new Trial.Rules(0, TRIAL_STEP, Trial.Growth.LINEAR, alpha, 0, true);
            for (int k = 0; k < candidates.size(); k++) {
                Worker worker = workers.get((k + 1) % workers.size());
                pairs.add(new Pair(new Run(input, registry, candidates.get(k), worker), new Trial(rules)));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Runs of one thread. */
    private static final class Worker {
        private final List<Run> runs = new ArrayList<>();
        private final SharedExamples examples = new SharedExamples(ModelLog.BLOCK);

        /** One run after the other, so that its weights stay near. */
        private void learn(List<ConsumerRecord<byte[], byte[]>> block) {
            examples.clear();
            for (Run run : runs) {
                run.learn(block);
            }
        }
    }

    /** Stands for all examples of a record. */
    private static final int WHOLE = ExampleList.MAX_SIZE;

    /** Key of a record in a block, or of one of its examples if it has several. */
    private static int key(int place, int part) {
        return place * (ExampleList.MAX_SIZE + 1) + part;
    }

    /** One run, with its counts and what it found in the block. */
    private final class Run extends ReplayedEvents {
        private final Changes changes;
        private final Relearner relearner;
        private long labelled;
        private long errors;
        private long mistakes;
        private long updates;
        private long nanos;
        private String refused;

        // of examples with other labels: a class with a typing error would be learned as one of its own
        private final Set<Label> classes = new HashSet<>();

        private int place;
        private long offset;

        // The labelled examples of the block: key of the example in it, and whether the prediction was wrong.
        private int[] places = new int[ModelLog.BLOCK];
        private boolean[] wrong = new boolean[ModelLog.BLOCK];
        private int found;

        // Why records of the block, or examples of records of several, were refused, by their keys.
        private final Map<Integer, String> reasons = new TreeMap<>();

        Run(ModelInput input, SchemaRegistry registry, Changes changes, Worker worker) {
            super(model -> 0);
            this.changes = changes;
            relearner = new Relearner(input, registry, changes, worker.examples, this);
            worker.runs.add(this);
        }

        private void learn(List<ConsumerRecord<byte[], byte[]>> block) {
            long start = System.nanoTime();
            found = 0;
            reasons.clear();
            for (place = 0; place < block.size(); place++) {
                ConsumerRecord<byte[], byte[]> record = block.get(place);
                offset = record.offset();
                RejectedException why = relearner.relearn(record, place);
                if (why != null) {
                    reasons.put(key(place, WHOLE), offset + ": " + why.getMessage());
                }
                relearner
                        .refusedParts()
                        .forEach((part, reason) ->
                                reasons.put(key(place, part), offset + "#" + part + ": " + reason.getMessage()));
                if (this == control && difference == null) {
                    difference = check.learned(relearner, offset);
                }
            }
            nanos += System.nanoTime() - start;
        }

        @Override
        public void mistaken(Model model, Example example, Outcome outcome, Lateness lateness) {
            super.mistaken(model, example, outcome, lateness);
            mistakes += outcome.kind() == Outcome.Kind.MISTAKE ? 1 : 0;
            if (lateness != null && lateness.replaced() != null) {
                // the label that was counted is no longer the true one; who was wrong when it came stays
                errors += (outcome.isError() ? 1 : 0) - (lateness.replaced().wasError() ? 1 : 0);
                updates += outcome.isUpdated() ? 1 : 0;
            }
        }

        @Override
        public void labelled(Model model, Example example, Outcome outcome) {
            labelled++;
            errors += outcome.isError() ? 1 : 0;
            updates += outcome.isUpdated() ? 1 : 0;
            if (found == places.length) {
                places = Arrays.copyOf(places, 2 * found);
                wrong = Arrays.copyOf(wrong, 2 * found);
            }
            places[found] = key(place, relearner.part());
            wrong[found++] = outcome.isError();
            if (model.pipeline().algorithm().hasClasses()) {
                if (this == control) {
                    baselines.add(example.label());
                } else if (!changes.labels().isEmpty()) {
                    classes.add(example.label());
                }
            }
        }

        @Override
        public void status(Model model, StatusCause cause) {
            if (this == control) {
                check.status(model, cause, offset);
            }
        }

        /** Returns true if it has refused what has a key, or the record with it. */
        private boolean hasRefused(int key) {
            int whole = key - key % (ExampleList.MAX_SIZE + 1) + WHOLE;
            return reasons.containsKey(key) || reasons.containsKey(whole);
        }

        /**
         * Number of examples that were labelled by the record, or the example of several, by which the one at a
         * position was.
         */
        private int sameRecord(int position) {
            int end = position;
            while (end < found && places[end] == places[position]) {
                end++;
            }
            return end - position;
        }
    }

    /** Errors of predicting the most frequent label so far, and the last one. */
    private static final class Baselines {
        private final Map<Label, long[]> seen = new HashMap<>();
        private Label majority;
        private Label last;
        private long most;
        private long labelled;
        private long majorityErrors;
        private long sameErrors;

        void add(Label label) {
            labelled++;
            majorityErrors += label.equals(majority) ? 0 : 1;
            sameErrors += label.equals(last) ? 0 : 1;
            last = label;
            long count = ++seen.computeIfAbsent(label, any -> new long[1])[0];
            if (count > most) {
                most = count;
                majority = label;
            }
        }
    }

    /** A candidate beside the control. */
    private final class Pair {
        private final Run run;
        private final Trial trial;
        private long onlyControl;
        private long onlyCandidate;

        Pair(Run run, Trial trial) {
            this.run = run;
            this.trial = trial;
        }

        /** What only one of both has labelled is not compared. */
        private void compare() {
            int a = 0;
            int b = 0;
            while (a < control.found && b < run.found) {
                int place = control.places[a];
                int other = run.places[b];
                int these = control.sameRecord(a);
                int those = run.sameRecord(b);
                if (place == other && these == those) {
                    for (int k = 0; k < these; k++) {
                        compare(control.wrong[a + k], run.wrong[b + k]);
                    }
                }
                a += place <= other ? these : 0;
                b += other <= place ? those : 0;
            }
            if (run.refused == null) {
                run.refused = run.reasons.entrySet().stream()
                        .filter(each -> !control.hasRefused(each.getKey()))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse(null);
            }
        }

        private void compare(boolean isControlWrong, boolean isCandidateWrong) {
            trial.add(isControlWrong, isCandidateWrong);
            onlyControl += isControlWrong && !isCandidateWrong ? 1 : 0;
            onlyCandidate += isCandidateWrong && !isControlWrong ? 1 : 0;
        }
    }

    /** Learns records of the partition in all runs; at most {@link ModelLog#BLOCK}. */
    public void learn(List<ConsumerRecord<byte[], byte[]>> block) {
        List<ConsumerRecord<byte[], byte[]>> needed =
                block.stream().filter(control.relearner::needs).toList();
        if (needed.isEmpty()) {
            return;
        }
        if (workers.size() == 1) {
            workers.get(0).learn(needed);
        } else {
            learnInThreads(needed);
        }
        pairs.forEach(Pair::compare);
    }

    private void learnInThreads(List<ConsumerRecord<byte[], byte[]>> block) {
        // the first use of a header decodes it
        block.forEach(record -> {
            for (Header header : record.headers()) {
                header.key();
                header.value();
            }
        });
        List<Future<?>> tasks = new ArrayList<>();
        for (Worker each : workers) {
            tasks.add(threads.submit(
                    () -> each.learn(block.stream().map(RecordCopy::of).toList())));
        }
        // all of them, so that none still learns when the stores are closed
        RuntimeException failure = null;
        for (Future<?> each : tasks) {
            try {
                each.get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CommandFailedException("stopped");
            } catch (ExecutionException e) {
                failure = e.getCause() instanceof RuntimeException cause
                        ? cause
                        : new IllegalStateException(e.getCause());
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Counts of a run.
     *
     * @param settings of the candidate; null of the control
     * @param errors of emitted predictions
     * @param onlyControl examples that only the control got wrong, of those that both have labelled
     * @param onlyCandidate examples that only the candidate got wrong
     * @param evidence as {@link Trial#evidence}
     * @param nanos time per record of the model
     * @param omitted records of the model that were left out
     * @param refused offset and reason of the first record, or example of one, that only the candidate has refused;
     *     null if there is none
     * @param unsigned places of commands and weights that were left out because of their signature
     * @param unmatched changes that have matched no record of the model, and new classes
     * @param beginning place of the command, or weights, with which the control began and that the candidate has left
     *     out; null if it has not
     */
    public record Row(
            Map<String, String> settings,
            long labelled,
            long errors,
            long mistakes,
            long updates,
            long onlyControl,
            long onlyCandidate,
            double evidence,
            Trial.Verdict verdict,
            double nanos,
            long omitted,
            String refused,
            Places unsigned,
            Unmatched unmatched,
            String beginning) {
        /** The lowest error rate first; of equal ones that of most labels. Without a label the last. */
        static final Comparator<Row> BEST_FIRST = Comparator.comparingDouble(Row::rate)
                .thenComparing(Comparator.comparingLong(Row::labelled).reversed());

        public double rate() {
            return labelled == 0 ? Double.NaN : (double) errors / labelled;
        }
    }

    /**
     * Result of the runs.
     *
     * @param place of the latest status
     * @param status latest of the model
     * @param fault difference between it and the control; null if it was reproduced
     * @param records of the model
     * @param seconds of all runs together
     * @param control the log as it is
     * @param candidates in the order of {@link Row#BEST_FIRST}
     * @param baselineLabelled labelled examples of the baselines; 0 without classes
     * @param majorityErrors of predicting the most frequent label so far
     * @param sameErrors of predicting the last label
     * @param start named snapshot from which the runs started, with which all counts begin; null for the first record
     */
    public record Result(
            String place,
            ModelStatus status,
            String fault,
            long records,
            double seconds,
            Row control,
            List<Row> candidates,
            long baselineLabelled,
            long majorityErrors,
            long sameErrors,
            NamedSnapshot start) {}

    private Row row(Run run, Pair pair) {
        return new Row(
                pair == null ? null : run.changes.settings(),
                run.labelled,
                run.errors,
                run.mistakes,
                run.updates,
                pair == null ? 0 : pair.onlyControl,
                pair == null ? 0 : pair.onlyCandidate,
                pair == null ? 0 : pair.trial.evidence(),
                pair == null ? Trial.Verdict.OPEN : pair.trial.verdict(),
                (double) run.nanos / Math.max(1, control.relearner.records()),
                run.relearner.omitted(),
                run.refused,
                Places.of(input, run.relearner.omittedUnsigned()),
                unmatched(run),
                pair == null ? null : omittedBeginning(run));
    }

    private Unmatched unmatched(Run run) {
        ChangeMatches matches = run.relearner.matches();
        return new Unmatched(
                run.changes,
                matches.unmatchedIds(),
                matches.unmatchedLabels(),
                matches.unmatchedTimes(),
                matches.unmatchedOffsets(),
                run.classes.stream()
                        .filter(each -> !baselines.seen.containsKey(each))
                        .map(Label::toString)
                        .filter(each -> !given(run).contains(each))
                        .sorted()
                        .toList());
    }

    private static List<String> given(Run run) {
        return run.relearner.model().pipeline().settings().get(Settings.CLASSES);
    }

    private String omittedBeginning(Run run) {
        return run.relearner.omitsBeginningOf(control.relearner)
                ? Places.of(input, List.of(control.relearner.beginning())).toString()
                : null;
    }

    /** The control of the runs so far. */
    public Row control() {
        return row(control, null);
    }

    /** The candidates of the runs so far, in their order. */
    public List<Row> candidates() {
        return pairs.stream().map(each -> row(each.run, each)).collect(Collectors.toList());
    }

    /** Model of a candidate so far; null if there never was one. */
    public Model model(int candidate) {
        return pairs.get(candidate).run.relearner.model();
    }

    /** The first difference between control and status; null if there is none. */
    public String fault() {
        if (difference != null) {
            return difference.getMessage();
        }
        return check.isReached()
                ? null
                : "the record of the latest status is not in the log any more, or not committed";
    }

    /** The candidate with the lowest error rate, which can go on. */
    public final class Best {
        private final Pair pair;
        private final ModelLog log;
        private final SchemaRegistry registry;
        private long next;

        private Best(Pair pair, ModelLog log, SchemaRegistry registry, long next) {
            this.pair = pair;
            this.log = log;
            this.registry = registry;
            this.next = next;
        }

        /** Settings that it has in place of those of the log. */
        public Map<String, String> settings() {
            return pair.run.changes.settings();
        }

        /**
         * Places of imported weights that it has taken, which may have learned what it should leave out by id, or
         * labels that it should have others for.
         */
        public List<String> imports() {
            Changes changes = pair.run.changes;
            return changes.ids().isEmpty() && changes.labels().isEmpty()
                    ? List.of()
                    : pair.run.relearner.imports().stream()
                            .map(each -> input.at(each).partition() + "@" + each + ".." + each)
                            .toList();
        }

        /**
         * Returns true if it has started with weights that may have learned what it should leave out by id, or time, or
         * have other labels for.
         */
        public boolean hasLearnedBefore() {
            Changes changes = pair.run.changes;
            return input.start() != null
                    && !(changes.ids().isEmpty()
                            && changes.labels().isEmpty()
                            && changes.times().isEmpty());
        }

        /**
         * Places of commands and weights that it has executed without a valid signature, as they have no dead letter:
         * they are from before {@code commands.key} was set, or their dead letters were deleted.
         */
        public Places unsigned() {
            return Places.of(input, pair.run.relearner.unsigned());
        }

        /** Changes of it that have matched no record so far, and new classes. */
        public Unmatched unmatched() {
            return WhatIf.this.unmatched(pair.run);
        }

        /** Its model so far; null if there never was one. */
        public Model model() {
            return pair.run.relearner.model();
        }

        /**
         * Learns the records that the engine has committed since. If there is a status since, the control must give it,
         * too.
         *
         * @return offset of the last record that is learned
         */
        public long readOn() {
            ModelStatus status = Verification.latestStatus(log, registry);
            if (status.getOffset() >= next && WhatIf.this.fault() == null) {
                check = new StatusCheck(input, status);
            }
            long end = Math.max(next, log.endAfter(status.getOffset()));
            log.read(next, end, WhatIf.this::learn);
            next = end;
            return end - 1;
        }

        /** Fault of the control so far, as {@link WhatIf#fault}. */
        public String fault() {
            return WhatIf.this.fault();
        }
    }

    /** Use of the result, while the runs can go on. */
    public interface Use {
        void use(Result result, Best best) throws IOException;
    }

    private Pair best() {
        return pairs.stream()
                .min(Comparator.comparing(each -> row(each.run, each), Row.BEST_FIRST))
                .orElseThrow();
    }

    /**
     * Runs over the log of a model, up to the record to which the engine has committed.
     *
     * @param candidates at least one
     * @param tag name of the snapshot from which all runs start; null for the first record
     * @param notes receives a line where the log lacks its first records, before the runs
     * @throws CommandFailedException if there is no such model, or no record of it, or a candidate cannot start so
     */
    public static void run(
            EngineConfig config,
            String model,
            List<Changes> candidates,
            double alpha,
            String tag,
            Consumer<String> notes,
            Use use)
            throws IOException {
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                ModelLog log = ModelLog.open(config, model, notes)) {
            candidates.forEach(each -> requirePartition(each, log.input()));
            ModelStatus status = Verification.latestStatus(log, registry);
            long end = log.endAfter(status.getOffset());
            RunStart start = RunStart.of(config, log, status, end, tag, notes);
            candidates.forEach(each -> requireAfter(each, start.input()));
            long began = System.nanoTime();
            try (WhatIf runs = learned(log, end, registry, start, candidates, alpha)) {
                List<Row> rows = runs.candidates();
                rows.sort(Row.BEST_FIRST);
                Result result = new Result(
                        log.input().place(status.getOffset()),
                        status,
                        runs.fault() != null && start.isCut() ? start.cut() : runs.fault(),
                        runs.control.relearner.records(),
                        (System.nanoTime() - began) / 1e9,
                        runs.control(),
                        rows,
                        runs.baselines.labelled,
                        runs.baselines.majorityErrors,
                        runs.baselines.sameErrors,
                        start.input().start());
                use.use(result, runs.new Best(runs.best(), log, registry, end));
            }
        }
    }

    /**
     * Learns the log up to an offset.
     *
     * @return with a control that has executed the commands without a valid signature, as they have no dead letter; if
     *     that does not reproduce the model, with one that leaves them out, if the candidates do: the dead letters were
     *     deleted then
     */
    private static WhatIf learned(
            ModelLog log, long end, SchemaRegistry registry, RunStart start, List<Changes> candidates, double alpha) {
        List<Changes> controls = candidates.stream().allMatch(Changes::omitsUnsigned)
                ? List.of(Changes.NONE, Changes.WITHOUT_UNSIGNED)
                : List.of(Changes.NONE);
        int threads = Runtime.getRuntime().availableProcessors();
        WhatIf runs = null;
        for (Changes controlled : controls) {
            if (runs != null) {
                if (runs.fault() == null || runs.control.relearner.unsigned().isEmpty()) {
                    break;
                }
                runs.close();
            }
            runs = started(start, registry, controlled, candidates, alpha, threads);
            try {
                log.read(start.first(), end, runs::learn);
            } catch (RuntimeException e) {
                runs.close();
                throw e;
            }
        }
        return runs;
    }

    private static WhatIf started(
            RunStart start,
            SchemaRegistry registry,
            Changes controlled,
            List<Changes> candidates,
            double alpha,
            int threads) {
        try {
            return new WhatIf(start.input(), registry, start.status(), controlled, candidates, alpha, threads);
        } catch (IllegalArgumentException e) {
            if (start.input().start() == null) {
                throw e;
            }
            throw CommandFailedException.wrongUsage("a candidate must be able to go on with the weights of "
                    + Versions.key(start.input().model(), start.input().start().name()) + ", but " + e.getMessage());
        }
    }

    /** The weights of a named snapshot have learned the records before it. */
    private static void requireAfter(Changes changes, ModelInput input) {
        changes.offsets().stream()
                .filter(each ->
                        input.start() != null && each.from() <= input.start().offset())
                .findFirst()
                .ifPresent(each -> {
                    throw CommandFailedException.wrongUsage("--without must be of records after "
                            + Versions.key(input.model(), input.start().name()) + " at offset "
                            + input.start().offset() + ", got " + each.partition() + "@" + each.from());
                });
    }

    private static void requirePartition(Changes changes, ModelInput input) {
        changes.offsets().stream()
                .filter(each -> each.partition() != input.at(each.from()).partition())
                .findFirst()
                .ifPresent(each -> {
                    throw CommandFailedException.wrongUsage("--without must be of partition "
                            + input.at(each.from()).partition()
                            + ", where " + input.model() + " is, got " + each.partition() + "@" + each.from());
                });
    }

    @Override
    public void close() {
        threads.shutdownNow();
        workers.forEach(worker -> worker.runs.forEach(run -> run.relearner.close()));
    }
}
