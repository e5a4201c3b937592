package io.perceptronstreams.client;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.event.ClassCount;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.WeightsCounts;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Objects;

/**
 * Error rate of a model beside the rates of two baselines, which need no features: whether the model is of use.
 *
 * <p>The page and the API have the same numbers: the errors that were compared with the baselines, or all where nothing
 * was compared, as of sequences.
 *
 * @param labelled examples
 * @param errors of the model
 * @param majority label; null if it has no row in the confusion matrix, or was another one in a part of the examples
 * @param majorityExamples labelled examples of this label
 * @param majorityErrors errors of predicting the majority label so far; null without baselines
 * @param sameErrors errors of predicting the last label; null without baselines
 * @param ofWeights counts of the present weights; null if the counts are theirs
 */
public record Verdict(
        long labelled,
        long errors,
        String majority,
        long majorityExamples,
        Long majorityErrors,
        Long sameErrors,
        WeightsCounts ofWeights) {
    /** With fewer labels the error rate shows only the beginning. */
    private static final int MIN_LABELS = 100;

    /** Returns the verdict of a model's status; null without a labelled example. */
    public static Verdict of(ModelStatus status) {
        Verdict compared = of(status.getMetrics(), status.getOfWeights());
        return compared != null || status.getLabelled() == 0
                ? compared
                : new Verdict(status.getLabelled(), status.getErrors(), null, 0, null, null, status.getOfWeights());
    }

    /** Returns the verdict of metrics; null without a compared example. */
    public static Verdict of(Metrics metrics) {
        return of(metrics, null);
    }

    private static Verdict of(Metrics metrics, WeightsCounts ofWeights) {
        if (metrics == null || metrics.getCompared() == 0) {
            return null;
        }
        ClassCount majority = null;
        for (ClassCount count : metrics.getClasses()) {
            if (count.getLabel() != null && count.getExamples() > (majority == null ? 0 : majority.getExamples())) {
                majority = count;
            }
        }
        return new Verdict(
                metrics.getCompared(),
                metrics.getComparedErrors(),
                majority == null ? null : majority.getLabel(),
                majority == null ? 0 : majority.getExamples(),
                metrics.getMajorityErrors(),
                metrics.getSameErrors(),
                ofWeights);
    }

    /** Returns the verdict of the examples since an earlier one of the same model; null without any. */
    public Verdict since(Verdict earlier) {
        if (earlier == null || earlier.labelled > labelled || earlier.majorityErrors == null) {
            return this;
        }
        boolean isSame = Objects.equals(majority, earlier.majority);
        return earlier.labelled == labelled
                ? null
                : new Verdict(
                        labelled - earlier.labelled,
                        errors - earlier.errors,
                        isSame ? majority : null,
                        isSame ? majorityExamples - earlier.majorityExamples : 0,
                        majorityErrors - earlier.majorityErrors,
                        sameErrors - earlier.sameErrors,
                        null);
    }

    /** Returns true if enough labels show that a prediction without features is as good. */
    public boolean isOfNoUse() {
        return majorityErrors != null
                && labelled >= MIN_LABELS
                && errors >= Math.min(sameErrors, majority == null ? majorityErrors : labelled - majorityExamples);
    }

    /** For example {@code 7.6 % wrong; always 'A': 37.0 %; same as last: 14.7 %; present weights: 6.1 %}. */
    public String toText() {
        boolean isApart = ofWeights != null && ofWeights.getLabelled() > 0;
        return ofModel()
                + (isApart ? "; present weights: " + percent(ofWeights.getErrors(), ofWeights.getLabelled()) : "");
    }

    private String ofModel() {
        String wrong = percent(errors) + " wrong";
        if (majorityErrors == null) {
            return wrong;
        }
        String always = majority == null
                ? "the most frequent label so far: " + percent(majorityErrors)
                : "always '" + majority + "': " + percent(labelled - majorityExamples);
        return wrong + "; " + always + "; same as last: " + percent(sameErrors);
    }

    /** Rounds like the page: halves of the exact value up. */
    private String percent(long part) {
        return percent(part, labelled);
    }

    private static String percent(long part, long whole) {
        double percent = 100 * ((double) part / whole);
        return new BigDecimal(percent).setScale(1, RoundingMode.HALF_UP).toPlainString() + " %";
    }

    /** Writes an object with the names of the API. */
    public void writeJson(JsonGenerator json, String field) throws IOException {
        json.writeObjectFieldStart(field);
        if (majorityErrors == null) {
            json.writeNumberField("labelled", labelled);
            json.writeNumberField("errors", errors);
        } else {
            json.writeNumberField("compared", labelled);
            json.writeNumberField("comparedErrors", errors);
            json.writeNumberField("majorityErrors", majorityErrors);
            json.writeNumberField("sameErrors", sameErrors);
        }
        if (ofWeights != null) {
            json.writeObjectFieldStart("ofWeights");
            json.writeNumberField("labelled", ofWeights.getLabelled());
            json.writeNumberField("errors", ofWeights.getErrors());
            json.writeEndObject();
        }
        json.writeEndObject();
    }
}
