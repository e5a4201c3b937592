package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads valid examples of the common forms in one pass, without a tree: dense, sparse or named features, and at most one
 * label.
 *
 * <p>For all other values, invalid ones included, it returns false. {@link JsonDecoder} then reads a tree, so that only one class
 * knows all forms and writes all messages. Not thread-safe.
 */
final class JsonExampleReader {
    private boolean hasTimestamp;
    private byte[] utf8 = new byte[64];

    // Of the names of an example, in its order.
    private int[] hashes = new int[64];

    // Of its fields: the name of a field with a text is another one.
    private int[] fields = new int[64];

    /**
     * Reads a value that is an example.
     *
     * @param value must not change while the example is in use
     * @param example undefined if the result is false
     * @return false if the value is not a valid example, or one of a rare form
     */
    boolean read(byte[] value, FeatureHasher hasher, Example example) {
        if (value.length < 2 || value[0] == 0 || value[1] == 0) {
            // in UTF-16 or UTF-32
            return false;
        }
        try (JsonParser json = JsonInput.ofUtf8(value)) {
            if (json.nextToken() != JsonToken.START_OBJECT
                    || !read(json, hasher, example)
                    || json.nextToken() != null) {
                return false;
            }
        } catch (IOException | RejectedException e) {
            return false;
        }
        example.setNames(sink -> JsonNames.of(value, 0, value.length).forEach(sink));
        return true;
    }

    /**
     * Reads the example whose first brace is the present token; afterwards its last brace is. Does not set its names.
     *
     * @return false as {@link #read(byte[], FeatureHasher, Example)} does
     * @throws IOException if the text is not JSON
     * @throws RejectedException if the example is invalid
     */
    boolean read(JsonParser json, FeatureHasher hasher, Example example) throws IOException {
        if (hasher.rules() != null) {
            return false;
        }
        example.id().set(utf8, 0, 0);
        example.setLabel(null);
        example.setWeight(1);
        example.setNames(null);
        hasTimestamp = false;
        int seen = 0;
        for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
            JsonToken value = json.nextToken();
            int bit;
            boolean isRead;
            switch (field) {
                case "features" -> {
                    bit = 1;
                    isRead = features(json, value, hasher, example);
                }
                case "id" -> {
                    bit = 2;
                    isRead = id(json, value, example);
                }
                case "label" -> {
                    bit = 4;
                    isRead = label(json, value, example);
                }
                case "weight" -> {
                    bit = 8;
                    isRead = value.isNumeric() || value == JsonToken.VALUE_NULL;
                    example.setWeight(value.isNumeric() ? ExampleDecoder.checkedWeight(json.getDoubleValue()) : 1);
                }
                case "timestamp" -> {
                    bit = 16;
                    isRead = value.isScalarValue();
                    hasTimestamp = true;
                }
                default -> {
                    return false;
                }
            }
            if (!isRead || (seen & bit) != 0) {
                return false;
            }
            seen |= bit;
        }
        return json.currentToken() == JsonToken.END_OBJECT && (seen & 1) != 0;
    }

    /** Returns true if the last example has a timestamp, which is not checked. */
    boolean hasTimestamp() {
        return hasTimestamp;
    }

    private static boolean id(JsonParser json, JsonToken value, Example example) throws IOException {
        if (value != JsonToken.VALUE_STRING) {
            return value == JsonToken.VALUE_NULL;
        }
        String id = json.getText();
        example.id().set(id);
        return JsonFeatures.isWellFormed(id) && example.id().length() <= ExampleDecoder.MAX_ID_BYTES;
    }

    private static boolean label(JsonParser json, JsonToken value, Example example) throws IOException {
        if (value == JsonToken.VALUE_STRING) {
            String name = json.getText();
            example.setLabel(new Label.ClassName(LabelLimits.checked(name)));
            return JsonFeatures.isWellFormed(name);
        }
        if (value.isNumeric()) {
            double number = json.getDoubleValue();
            example.setLabel(Label.of((int) number));
            return number == (int) number;
        }
        if (value.isBoolean()) {
            example.setLabel(Label.of(value == JsonToken.VALUE_TRUE ? 1 : 0));
            return true;
        }
        return value == JsonToken.VALUE_NULL;
    }

    private boolean features(JsonParser json, JsonToken value, FeatureHasher hasher, Example example)
            throws IOException {
        FeatureVector vector = example.vector();
        example.setFeatures(vector);
        return value == JsonToken.START_ARRAY
                ? dense(json, vector)
                : value == JsonToken.START_OBJECT && namedOrSparse(json, hasher, vector);
    }

    private static boolean dense(JsonParser json, FeatureVector vector) throws IOException {
        vector.resetDense();
        for (JsonToken value = json.nextToken(); value != JsonToken.END_ARRAY; value = json.nextToken()) {
            if (!value.isNumeric()) {
                return false;
            }
            vector.append(json.getDoubleValue());
        }
        ExampleDecoder.checkFinite(vector.values(), vector.size());
        return true;
    }

    private boolean namedOrSparse(JsonParser json, FeatureHasher hasher, FeatureVector vector) throws IOException {
        vector.resetSparse();
        boolean hasTexts = false;
        boolean isWellFormed = true;
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            JsonToken value = json.nextToken();
            int field = hash(name);
            isWellFormed &= JsonFeatures.isWellFormed(name);
            if (value.isNumeric()) {
                append(field, field, json.getDoubleValue(), hasher, vector);
            } else if (value.isBoolean()) {
                append(field, field, value == JsonToken.VALUE_TRUE ? 1 : 0, hasher, vector);
            } else if (value == JsonToken.VALUE_STRING) {
                hasTexts = true;
                String category = JsonFeatures.category(name, json.getText());
                isWellFormed &= JsonFeatures.isWellFormed(category);
                append(field, hash(category), 1, hasher, vector);
            } else {
                return value == JsonToken.START_ARRAY
                        && vector.size() == 0
                        && name.equals("indices")
                        && sparse(json, vector);
            }
        }
        if (json.currentToken() != JsonToken.END_OBJECT || !isWellFormed) {
            return false;
        }
        ExampleDecoder.checkFinite(vector.values(), vector.size());
        int size = vector.size();
        vector.sortAndMerge();
        // a name or field that occurs twice is an error
        return (vector.size() == size || isUnique(hashes, size)) && (!hasTexts || isUnique(fields, size));
    }

    /** Returns true if no two names have the same hash; different ones may, which the tree can tell. */
    private static boolean isUnique(int[] hashes, int size) {
        Arrays.sort(hashes, 0, size);
        for (int k = 1; k < size; k++) {
            if (hashes[k] == hashes[k - 1]) {
                return false;
            }
        }
        return true;
    }

    private void append(int field, int name, double value, FeatureHasher hasher, FeatureVector vector) {
        int place = vector.size();
        if (hashes.length == place) {
            hashes = Arrays.copyOf(hashes, 2 * place);
            fields = Arrays.copyOf(fields, 2 * place);
        }
        hashes[place] = name;
        fields[place] = field;
        vector.append(hasher.index(name), value);
    }

    private static boolean sparse(JsonParser json, FeatureVector vector) throws IOException {
        int last = -1;
        for (JsonToken index = json.nextToken(); index != JsonToken.END_ARRAY; index = json.nextToken()) {
            if (index != JsonToken.VALUE_NUMBER_INT || json.getIntValue() <= last) {
                return false;
            }
            last = json.getIntValue();
            vector.append(last, 0);
        }
        if (!"values".equals(json.nextFieldName()) || json.nextToken() != JsonToken.START_ARRAY) {
            return false;
        }
        int count = 0;
        for (JsonToken value = json.nextToken(); value != JsonToken.END_ARRAY; value = json.nextToken()) {
            if (!value.isNumeric() || count == vector.size()) {
                return false;
            }
            vector.values()[count++] = json.getDoubleValue();
        }
        ExampleDecoder.checkFinite(vector.values(), count);
        return count == vector.size() && json.nextToken() == JsonToken.END_OBJECT;
    }

    private int hash(String name) {
        int length = name.length();
        if (utf8.length < length) {
            utf8 = new byte[2 * length];
        }
        for (int k = 0; k < length; k++) {
            char unit = name.charAt(k);
            if (unit >= 0x80) {
                byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
                return FeatureHasher.murmur3(encoded, 0, encoded.length);
            }
            utf8[k] = (byte) unit;
        }
        return FeatureHasher.murmur3(utf8, 0, length);
    }
}
