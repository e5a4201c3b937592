/**
 * Learners of any number of classes, one weight vector for each;
 * {@link io.perceptronstreams.multiclass.MulticlassPerceptron} is the first.
 */
package io.perceptronstreams.multiclass;
