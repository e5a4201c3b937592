package io.perceptronstreams.theory;

/**
 * What is known of a training run: plain numbers, of which {@link BoundsReport} makes bounds.
 *
 * @param kind what the weights belong to
 * @param examples N: examples in the training set, all with labels
 * @param passes over them
 * @param updates M over all passes
 * @param isConverged whether the last pass went over all examples and made no update
 * @param radius R: the largest |x|, bias feature included; of |f(x,y) - f(x,y*)| where there are more than two outputs; with a kernel the
 *     root of the largest K(x,x)
 * @param norm |w|
 * @param steps sum of the steps of all updates; NaN where w is no sum of steps times y·x
 * @param margin the smallest y·(w·x)/|w| over the training set, or of the score's lead over the best other output; NaN if unknown
 * @param hingeLoss sum of max(0, 1 - y·(w·x)) over the training set with the final w; NaN if unknown
 * @param trainingError fraction of the training set that the final w predicts wrongly; NaN if unknown
 * @param features P: how many features there are, the bias not counted; 0 where that has no meaning
 * @param hasBias whether there is a bias
 * @param h hinge parameter
 * @param eta step, times the weight that all examples have
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

    /** What the weights belong to, as far as theorems care. */
    public enum Kind {
        /** Two classes, one weight per feature. */
        TWO_CLASS,
        /** Two classes, weights in the space of a kernel. */
        KERNEL,
        /** Several classes, candidates or tag sequences. */
        STRUCTURED,
        /** Two classes, one weight per feature, but updates that are not the perceptron's: Passive-Aggressive and AROW. */
        OTHER
    }
}
