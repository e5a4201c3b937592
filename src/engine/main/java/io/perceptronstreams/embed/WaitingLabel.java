package io.perceptronstreams.embed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * A label before its example as it is stored, in JSON.
 *
 * @param due last time of the model at which its example is in time, in ms
 * @param number of the label among the examples and labels of the model that have waited, from 0
 * @param label a String or an Integer
 */
record WaitingLabel(String exampleId, long due, long number, Object label) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    static WaitingLabel fromJson(String json) {
        try {
            return MAPPER.readValue(json, WaitingLabel.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a waiting label must be JSON of this program, got " + json, e);
        }
    }

    String toJson() {
        try {
            return MAPPER.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
