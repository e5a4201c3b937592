package io.perceptronstreams.theory;

import io.perceptronstreams.settings.Settings;
import java.util.SortedMap;

/**
 * The numbers of a training run, from which {@link BoundsReport} computes bounds.
 *
 * @param kind of the weights
 * @param examples N: examples in the training set, all with labels
 * @param passes over them
 * @param updates M over all passes
 * @param isConverged whether the last pass covered all examples without an update
 * @param radius R: the largest |x|, bias feature included; of |f(x,y) - f(x,y*)| with more than two outputs; with a
 *     kernel the root of the largest K(x,x)
 * @param norm |w|
 * @param steps sum of the steps of all updates; NaN if w is not a sum of steps times y·x
 * @param margin the smallest y·(w·x)/|w| over the training set, or of the lead over the best other output; NaN if
 *     unknown
 * @param comparator u of the hinge bound; null if unknown
 * @param support number of examples with an update in any pass, or with a wrong final prediction; -1 if others have
 *     changed the model, too
 * @param cycle passes that have led back to earlier weights, and prove that no hyperplane separates the examples; null
 *     if there are none
 * @param trainingError fraction of the training set for which the trained model emits a wrong label; NaN if unknown
 * @param features P: number of features without the bias; 0 if undefined
 * @param hasBias whether there is a bias
 * @param h hinge parameter, the largest one if classes have their own
 * @param eta step, times the common weight of the examples
 * @param alpha share of the largest margin that the perceptron with dynamic margin may fall short of; NaN with another
 *     learner
 * @param hasEqualWeights whether all examples have the same weight and hinge
 * @param predict weights that give the emitted label
 * @param threshold lowest score for which +1 is emitted
 * @param hasFixedVectors false if the vector of an example depends on the examples before it
 * @param hasFixedWeights false if the factor of a feature value depends on the value, so that a score is not w·x
 */
public record TrainingRun(
        Kind kind,
        long examples,
        long passes,
        long updates,
        boolean isConverged,
        double radius,
        double norm,
        double steps,
        double margin,
        ScaledComparator comparator,
        long support,
        Cycle cycle,
        double trainingError,
        long features,
        boolean hasBias,
        double h,
        double eta,
        double alpha,
        boolean hasEqualWeights,
        Settings.Predict predict,
        double threshold,
        boolean hasFixedVectors,
        boolean hasFixedWeights) {

    /**
     * Passes after which the weights were again what they had been before.
     *
     * @param start number of the pass before the first of them; 0 is the start
     * @param end number of the last of them
     * @param updates number of updates in them by the number of the example, from 1; those with none are left out
     */
    public record Cycle(int start, int end, SortedMap<Integer, Integer> updates) {}

    /** R² + 2h/eta: an update increases |w|² by at most that many times its step. */
    public double growth() {
        return radius * radius + 2 * h / eta;
    }

    /** Kinds of weights that the theorems distinguish. */
    public enum Kind {
        /** Two classes, one weight per feature. */
        TWO_CLASS,
        /** Two classes, weights in the space of a kernel. */
        KERNEL,
        /** Several classes, candidates or tag sequences. */
        STRUCTURED,
        /** Two classes, one weight per feature, other updates: Passive-Aggressive, AROW, SCW, ALMA, ROMMA, PDM, SGD. */
        OTHER,
        /** Several classes, other updates: Passive-Aggressive. */
        OTHER_STRUCTURED
    }
}
