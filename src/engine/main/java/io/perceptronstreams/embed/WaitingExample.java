package io.perceptronstreams.embed;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.example.Label;
import java.util.List;
import java.util.Map;

/**
 * An example without a label as it is stored, in JSON, until its label comes.
 *
 * @param due last time of the model at which the label is in time, in ms
 * @param number of the example among those of the model that have waited, from 0
 * @param predicted label that was predicted for it: an Integer, a String, or null
 * @param dense null unless the features are a dense vector
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
record WaitingExample(
        String id,
        long due,
        long number,
        Object predicted,
        Map<String, Double> named,
        Map<Integer, Double> indexed,
        List<Double> dense,
        double weight) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    static WaitingExample of(LearnExample example, Label predicted, long due, long number) {
        return new WaitingExample(
                example.id(),
                due,
                number,
                predicted instanceof Label.Int value
                        ? (Object) value.value()
                        : predicted == null ? null : predicted.toString(),
                example.named(),
                example.indexed(),
                example.dense(),
                example.weight());
    }

    static WaitingExample fromJson(String json) {
        try {
            return MAPPER.readValue(json, WaitingExample.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a waiting example must be JSON of this program, got " + json, e);
        }
    }

    String toJson() {
        try {
            return MAPPER.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The example with its label, a String or an Integer. */
    LearnExample labelled(Object label) {
        LearnExample example = LearnExample.of(id).weight(weight);
        if (named != null) {
            named.forEach(example::feature);
        }
        if (indexed != null) {
            indexed.forEach(example::feature);
        }
        if (dense != null) {
            example.features(dense.stream().mapToDouble(Double::doubleValue).toArray());
        }
        return label instanceof Integer number ? example.label(number) : example.label((String) label);
    }

    /** The label that was predicted; null if there was none. */
    Label predictedLabel() {
        return predicted == null
                ? null
                : predicted instanceof Integer value ? Label.of(value) : new Label.ClassName((String) predicted);
    }
}
