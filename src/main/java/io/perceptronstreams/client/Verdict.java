package io.perceptronstreams.client;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.event.ClassCount;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.model.ClassMetrics;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Objects;

/**
 * Error rate of a model beside those of two baselines, which need no features: whether the model is of use.
 *
 * <p>The numbers are those of the page and of the API: the errors that were compared with the baselines, or all where
 * nothing was compared, as of sequences.
 *
 * @param labelled examples
 * @param errors of the model
 * @param commonest label; null if it has no row in the confusion matrix, or was another one in a part of the examples
 * @param commonestSeen labelled examples of this label
 * @param majorityErrors errors of predicting the commonest label so far; null without baselines
 * @param sameErrors errors of predicting the last label; null without baselines
 */
public record Verdict(
        long labelled, long errors, String commonest, long commonestSeen, Long majorityErrors, Long sameErrors) {
    /** Returns the verdict of a model's status; null without a labelled example. */
    static Verdict of(ModelStatus status) {
        if (status.getLabelled() == 0) {
            return null;
        }
        Metrics metrics = status.getMetrics();
        if (metrics == null || metrics.getCompared() == 0) {
            return new Verdict(status.getLabelled(), status.getErrors(), null, 0, null, null);
        }
        String commonest = null;
        long most = 0;
        for (ClassCount count : metrics.getClasses()) {
            if (count.getLabel() != null && count.getExamples() > most) {
                commonest = count.getLabel();
                most = count.getExamples();
            }
        }
        return new Verdict(
                metrics.getCompared(),
                metrics.getComparedErrors(),
                commonest,
                most,
                metrics.getMajorityErrors(),
                metrics.getSameErrors());
    }

    /** Returns the verdict of metrics; null without a compared example. */
    public static Verdict of(ClassMetrics metrics) {
        if (metrics.compared() == 0) {
            return null;
        }
        String commonest = null;
        long most = 0;
        for (int row = 0; row < metrics.labels().size(); row++) {
            if (metrics.seen(row) > most) {
                commonest = metrics.labels().get(row);
                most = metrics.seen(row);
            }
        }
        return new Verdict(
                metrics.compared(),
                metrics.comparedErrors(),
                commonest,
                most,
                metrics.majorityErrors(),
                metrics.sameErrors());
    }

    /** Returns the verdict of the examples since an earlier one of the same model; null without any. */
    public Verdict since(Verdict earlier) {
        if (earlier == null || earlier.labelled > labelled || earlier.majorityErrors == null) {
            return this;
        }
        boolean isSame = Objects.equals(commonest, earlier.commonest);
        return earlier.labelled == labelled
                ? null
                : new Verdict(
                        labelled - earlier.labelled,
                        errors - earlier.errors,
                        isSame ? commonest : null,
                        isSame ? commonestSeen - earlier.commonestSeen : 0,
                        majorityErrors - earlier.majorityErrors,
                        sameErrors - earlier.sameErrors);
    }

    /** For example {@code 7.6 % wrong; always 'A': 37.0 %; same as last: 14.7 %}. */
    public String toText() {
        String wrong = percent(errors) + " wrong";
        if (majorityErrors == null) {
            return wrong;
        }
        String always = commonest == null
                ? "the commonest label so far: " + percent(majorityErrors)
                : "always '" + commonest + "': " + percent(labelled - commonestSeen);
        return wrong + "; " + always + "; same as last: " + percent(sameErrors);
    }

    /** Rounds like the page: halves of the exact value up. */
    private String percent(long part) {
        double percent = 100 * ((double) part / labelled);
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
        json.writeEndObject();
    }
}
