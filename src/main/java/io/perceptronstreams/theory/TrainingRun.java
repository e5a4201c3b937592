package io.perceptronstreams.theory;

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
 * @param hingeLoss sum of max(0, 1 - y·(w·x)) over the training set with the final w; NaN if unknown
 * @param trainingError fraction of the training set that the final w predicts wrongly; NaN if unknown
 * @param features P: number of features without the bias; 0 if undefined
 * @param hasBias whether there is a bias
 * @param h hinge parameter
 * @param eta step, times the common weight of the examples
 * @param hasEqualWeights whether all examples have the same weight
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
        double hingeLoss,
        double trainingError,
        long features,
        boolean hasBias,
        double h,
        double eta,
        boolean hasEqualWeights) {

    /** Kinds of weights that the theorems distinguish. */
    public enum Kind {
        /** Two classes, one weight per feature. */
        TWO_CLASS,
        /** Two classes, weights in the space of a kernel. */
        KERNEL,
        /** Several classes, candidates or tag sequences. */
        STRUCTURED,
        /** Two classes, one weight per feature, other updates: Passive-Aggressive and AROW. */
        OTHER
    }
}
