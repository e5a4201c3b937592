package io.perceptronstreams.learner;

import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Predict, then learn, on dense examples of two classes: our two-class learner and MOA's {@code functions.Perceptron}.
 *
 * <p>They are not the same algorithm (MOA's is a sigmoid unit per class that moves on every example); what is compared
 * is what a user pays for an example of the learner of that name. The labels are those of a hyperplane, one in a
 * hundred turned round.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class MoaBenchmark {
    private static final int EXAMPLES = 1 << 12;

    @Param({"10", "100"})
    private int features;

    private final FeatureVector[] vectors = new FeatureVector[EXAMPLES];
    private final Label[] labels = new Label[EXAMPLES];
    private final Instance[] instances = new Instance[EXAMPLES];
    private final Learner learner = new Perceptron(Settings.DEFAULTS);
    private final Outcome outcome = new Outcome();
    private final moa.classifiers.functions.Perceptron moa = new moa.classifiers.functions.Perceptron();
    private int next;

    /** Makes the same stream for both. */
    @Setup
    public void stream() {
        List<Attribute> attributes = new ArrayList<>();
        for (int k = 0; k < features; k++) {
            attributes.add(new Attribute("x" + k));
        }
        attributes.add(new Attribute("class", List.of("-1", "1")));
        InstancesHeader header = new InstancesHeader(new Instances("stream", attributes, 0));
        header.setClassIndex(features);
        moa.setModelContext(header);
        moa.prepareForUse();

        Random random = new Random(1);
        double[] plane = random.doubles(features, -1, 1).toArray();
        for (int e = 0; e < EXAMPLES; e++) {
            double[] values = new double[features + 1];
            FeatureVector x = new FeatureVector().resetDense();
            double score = 0;
            for (int k = 0; k < features; k++) {
                values[k] = random.nextGaussian();
                x.append(values[k]);
                score += plane[k] * values[k];
            }
            boolean isPositive = score >= 0 ^ random.nextInt(100) == 0;
            values[features] = isPositive ? 1 : 0;
            vectors[e] = x;
            labels[e] = Label.of(isPositive ? 1 : -1);
            instances[e] = new DenseInstance(1, values);
            instances[e].setDataset(header);
        }
    }

    /** Ours: learning returns the prediction made before. */
    @Benchmark
    public Label learner() {
        int e = next++ & EXAMPLES - 1;
        learner.learn(vectors[e], labels[e], 1, outcome);
        return outcome.predicted();
    }

    /** MOA's: votes, then training, as its prequential evaluation does. */
    @Benchmark
    public double[] moa() {
        int e = next++ & EXAMPLES - 1;
        double[] votes = moa.getVotesForInstance(instances[e]);
        moa.trainOnInstance(instances[e]);
        return votes;
    }
}
