package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.RejectedException;
import java.util.Random;

/**
 * Lets a model learn from a finite set of examples in passes, until one makes no update.
 *
 * <p>Each example is processed as it is on a stream, all at the event time 0, so that windows play no role: one pass in the order of
 * the file has the bits of the same examples sent over Kafka. An order by chance comes from {@link Random}, which is the same on
 * every machine.
 */
public final class BatchTrainer {
    /** In what order a pass takes the examples. */
    public enum Order {
        /** As they stand. */
        FILE,
        /** All of them, in a new order in each pass. */
        SHUFFLED,
        /** As many as there are, each drawn from all of them: some come twice, some not at all. */
        RANDOM
    }

    /**
     * Result of one pass.
     *
     * @param number from 1
     * @param examples fewer than there are where the pass was stopped
     */
    public record Pass(int number, long examples, long updates, long mistakes, long marginMistakes, long errors) {}

    /** Is asked before each example, and told of each pass. */
    public interface Watcher {
        /** Whether to go on, after so many examples over all passes. */
        boolean keepGoing(long done);

        /** A pass is over. */
        void passed(Pass pass);
    }

    private final Model model;
    private final ExampleBuffer examples;
    private final Order order;
    private final Random random;
    private final int[] positions;
    private final Example example = new Example();
    private long done;

    /** @param seed decides an order by chance */
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
     * Makes passes until one makes no update, {@code passes} are made, or the watcher ends it.
     *
     * @throws RejectedException if an example cannot be used, with its place among the examples
     */
    public void train(int passes, Watcher watcher) {
        boolean isGoingOn = true;
        for (int number = 1; isGoingOn && number <= passes; number++) {
            Pass pass = pass(number, watcher);
            watcher.passed(pass);
            isGoingOn = pass.updates > 0 && pass.examples == examples.size();
        }
    }

    private Pass pass(int number, Watcher watcher) {
        // not from the model's totals: a drift may reset them
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
            if (model.isWatched()) {
                model.adapt();
                // nothing of them is stored anywhere
                model.pollEndedEpochs();
            }
            count++;
            done++;
        }
        return new Pass(number, count, counts.updates, counts.mistakes, counts.marginMistakes, counts.errors);
    }

    private void arrange() {
        if (order == Order.SHUFFLED) {
            // Fisher and Yates, in the form of Durstenfeld (1964)
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

    /** Says which of the examples it was. */
    static RejectedException at(int position, RejectedException e) {
        return new RejectedException(e.reason(), "example " + (position + 1) + ": " + e.getMessage());
    }
}
