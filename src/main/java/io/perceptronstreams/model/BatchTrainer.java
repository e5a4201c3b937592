package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.RejectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

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
     */
    public record Pass(int number, long examples, long updates, long mistakes, long marginMistakes, long errors) {}

    /** Listener that can stop the training. */
    public interface Watcher {
        /** Returns true to continue; called before each example with the number of examples so far, over all passes. */
        boolean keepGoing(long done);

        /** Called after each pass. */
        void passed(Pass pass);
    }

    private final Model model;
    private final ExampleBuffer examples;
    private final Order order;
    private final Random random;
    private final int[] positions;
    private final Example example = new Example();
    private final List<Advice> advice = new ArrayList<>();
    private long done;

    /** @param seed seed of the random orders */
    public BatchTrainer(Model model, ExampleBuffer examples, Order order, long seed) {
        this.model = model;
        this.examples = examples;
        this.order = order;
        this.random = new Random(seed);
        this.positions = new int[examples.size()];
        for (int k = 0; k < positions.length; k++) {
            positions[k] = k;
        }
    }

    /**
     * Makes passes until one makes no update, {@code passes} are made, or the watcher stops.
     *
     * @throws RejectedException if an example cannot be used, with its position in the message
     */
    public void train(int passes, Watcher watcher) {
        boolean isGoingOn = true;
        for (int number = 1; isGoingOn && number <= passes; number++) {
            Pass pass = pass(number, watcher);
            watcher.passed(pass);
            isGoingOn = pass.updates > 0 && pass.examples == examples.size();
        }
    }

    /** The advice of all passes so far. */
    public List<Advice> advice() {
        return List.copyOf(advice);
    }

    private Pass pass(int number, Watcher watcher) {
        // own counts: a drift may reset the model's totals
        Counts counts = new Counts();
        arrange();
        int count = 0;
        while (count < positions.length && watcher.keepGoing(done)) {
            fill(positions[count]);
            try {
                counts.add(example.label() != null, model.process(example, 0));
            } catch (RejectedException e) {
                throw at(positions[count], e);
            }
            advice.addAll(model.pollAdvice());
            if (model.isWatched()) {
                model.adapt();
                // nothing is stored under an epoch
                model.pollEndedEpochs();
            }
            count++;
            done++;
        }
        return new Pass(number, count, counts.updates(), counts.mistakes(), counts.marginMistakes(), counts.errors());
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

    /** Adds the position of the example to the message. */
    static RejectedException at(int position, RejectedException e) {
        return new RejectedException(e.reason(), "example " + (position + 1) + ": " + e.getMessage());
    }
}
