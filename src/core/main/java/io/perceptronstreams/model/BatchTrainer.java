package io.perceptronstreams.model;

import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Outcome;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;

/**
 * Trains a model on a finite set of examples in passes, until a pass makes no update.
 *
 * <p>Each example is processed as on a stream, with event time 0, so windows do not close: one pass in file order gives
 * the same bits as the same examples sent over Kafka. Random orders come from {@link Random}, which is the same on
 * every machine.
 */
public final class BatchTrainer {
    /** Order of the examples in a pass. */
    public enum Order {
        /** File order. */
        FILE,
        /** A new permutation in each pass. */
        SHUFFLED,
        /** Draws with replacement, as many as there are examples. */
        RANDOM
    }

    /**
     * Result of one pass.
     *
     * @param number from 1
     * @param examples fewer than the set has if the pass was stopped
     * @param loss mean hinge loss max(0, h - margin) of the labelled examples, before each was learned from
     */
    public record Pass(
            int number, long examples, long updates, long mistakes, long marginMistakes, long errors, double loss) {}

    /**
     * Passes after which the weights were again what they had been before.
     *
     * @param start number of the pass before the first of them; 0 is the start
     * @param end number of the last of them
     * @param updates number of updates in these passes by the position of the example; those with none are left out
     */
    public record Cycle(int start, int end, SortedMap<Integer, Integer> updates) {}

    /** Listener that can stop the training. */
    public interface Watcher {
        /** Returns true to continue; called before each example with the number learned so far, over all passes. */
        boolean keepGoing(long done);

        /** Called after each pass. */
        void passed(Pass pass);

        /** Returns true if another pass is wanted; called after {@link #passed}. */
        default boolean isWanted() {
            return true;
        }
    }

    /** Examples that are read once, one after another. */
    public interface Source {
        /** The next example, valid until the next call; null at the end. */
        Example next();

        /** Number of the line, from 1, on which the last example starts. */
        long line();
    }

    private final Model model;
    private final ExampleBuffer examples;
    private final Order order;
    private final Random random;
    private final int[] positions;
    private final Example example = new Example();
    private final List<Advice> advice = new ArrayList<>();
    // number of the pass of each example's first update; 0: none
    private final int[] firstUpdates;
    private final WeightCycle cycle;
    private int passes;
    private boolean isConverged;
    private long done;

    /** @param seed seed of the random orders */
    public BatchTrainer(Model model, ExampleBuffer examples, Order order, long seed) {
        this.model = model;
        model.listen(new ModelListener() {
            @Override
            public void advised(Advice given) {
                advice.add(given);
            }
        });
        this.examples = examples;
        this.order = order;
        this.random = new Random(seed);
        this.positions = new int[examples.size()];
        this.firstUpdates = new int[positions.length];
        this.cycle = order == Order.FILE
                ? new WeightCycle(positions.length, model.pipeline().learner())
                : null;
        for (int k = 0; k < positions.length; k++) {
            positions[k] = k;
        }
    }

    /**
     * Makes passes until one makes no update, {@code maxPasses} are made, or the watcher stops.
     *
     * <p>Random draws omit examples: after a pass without an update the examples are evaluated in file order, and the
     * training continues if one of them would make an update.
     *
     * @throws RejectedException if an example cannot be used, with its position in the message
     */
    public void train(int maxPasses, Watcher watcher) {
        boolean isGoingOn = true;
        for (int number = 1; isGoingOn && number <= maxPasses; number++) {
            passes = number;
            Pass pass = pass(number, watcher);
            watcher.passed(pass);
            isConverged = pass.updates == 0
                    && pass.examples == positions.length
                    && (order != Order.RANDOM || isAllCorrect(watcher));
            isGoingOn = !isConverged && pass.examples == positions.length && watcher.isWanted();
        }
    }

    /**
     * Makes one pass in file order, over all examples and then over those that follow them, which are not kept: their
     * updates have no positions.
     *
     * @throws RejectedException if an example cannot be used, with its position in the message
     */
    public void trainOnce(Source following, Watcher watcher) {
        passes = 1;
        Counts counts = new Counts();
        int count = learnAll(1, counts, watcher);
        boolean isStopped = count < positions.length;
        long position = count;
        while (!isStopped) {
            isStopped = !watcher.keepGoing(done);
            Example next = isStopped ? null : following.next();
            if (next == null) {
                break;
            }
            try {
                counts.add(next.label(), model.process(next, 0));
            } catch (RejectedException e) {
                throw at(ExampleBuffer.place(position, following.line()), e);
            }
            position++;
            done++;
        }
        isConverged = !isStopped && counts.updates() == 0;
        watcher.passed(pass(1, position, counts));
    }

    /** Returns true if no example would make an update after the last pass. */
    public boolean isConverged() {
        return isConverged;
    }

    /** Returns true if no example would make an update of the weights after that pass. */
    public boolean isConverged(Pass pass) {
        return isConverged && pass.number == passes;
    }

    /** Positions of the examples that made an update in that pass or an earlier one. */
    public BitSet updated(Pass last) {
        BitSet updated = new BitSet();
        for (int position = 0; position < firstUpdates.length; position++) {
            updated.set(position, firstUpdates[position] > 0 && firstUpdates[position] <= last.number);
        }
        return updated;
    }

    /** The first repetition of weights of a two-class perceptron in file order that was found, or null. */
    public Cycle cycle() {
        return cycle == null ? null : cycle.found();
    }

    /** False also if it was stopped. */
    private boolean isAllCorrect(Watcher watcher) {
        for (int position = 0; position < positions.length; position++) {
            if (!watcher.keepGoing(done)) {
                return false;
            }
            fill(position);
            if (example.label() != null && model.current().evaluate(example).kind() != Outcome.Kind.CORRECT) {
                return false;
            }
        }
        return true;
    }

    /** The advice of all passes so far. */
    public List<Advice> advice() {
        return List.copyOf(advice);
    }

    private Pass pass(int number, Watcher watcher) {
        // own counts: a drift may reset the model's totals
        Counts counts = new Counts();
        arrange();
        int count = learnAll(number, counts, watcher);
        if (cycle != null && model.pipeline().algorithm().hasComparator()) {
            cycle.endPass(model.pipeline().learner());
        }
        return pass(number, count, counts);
    }

    private static Pass pass(int number, long examples, Counts counts) {
        double loss = counts.labelled() == 0 ? 0 : counts.hingeLoss() / counts.labelled();
        return new Pass(
                number, examples, counts.updates(), counts.mistakes(), counts.marginMistakes(), counts.errors(), loss);
    }

    /** Learns from the examples at all positions, unless it is stopped; returns the number of them. */
    private int learnAll(int number, Counts counts, Watcher watcher) {
        int count = 0;
        while (count < positions.length && watcher.keepGoing(done)) {
            fill(positions[count]);
            try {
                Outcome outcome = model.process(example, 0);
                counts.add(example.label(), outcome);
                if (outcome.isUpdated()) {
                    if (firstUpdates[positions[count]] == 0) {
                        firstUpdates[positions[count]] = number;
                    }
                    if (cycle != null) {
                        cycle.countUpdate(positions[count]);
                    }
                }
            } catch (RejectedException e) {
                throw at(examples, positions[count], e);
            }
            count++;
            done++;
        }
        return count;
    }

    private void arrange() {
        if (order == Order.SHUFFLED) {
            // Fisher-Yates shuffle (Durstenfeld 1964)
            for (int last = positions.length - 1; last > 0; last--) {
                int other = random.nextInt(last + 1);
                int position = positions[last];
                positions[last] = positions[other];
                positions[other] = position;
            }
        } else if (order == Order.RANDOM) {
            for (int k = 0; k < positions.length; k++) {
                positions[k] = random.nextInt(positions.length);
            }
        }
    }

    private void fill(int position) {
        examples.fill(position, example);
    }

    /** Adds the place of the example to the message. */
    static RejectedException at(ExampleBuffer examples, int position, RejectedException e) {
        return at(examples.place(position), e);
    }

    private static RejectedException at(String place, RejectedException e) {
        return new RejectedException(e.reason(), place + ": " + e.getMessage());
    }
}
