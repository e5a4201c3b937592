package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.perceptronstreams.event.Candidate;
import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.event.SparseVector;
import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleLimits;
import io.perceptronstreams.example.FeatureCrosser;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.NameSource;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.LabelEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Reader of examples and late labels in JSON, in one pass without a tree:
 * {@code {"id":"7","label":1,"features":[0.1,2]}}, {@code {"exampleId":"7","label":1}}. The engine, HTTP requests,
 * replicas and files share it, with its limits and messages.
 *
 * <p>Labels may also be booleans and numbers such as 1.0, ids whole numbers; a text as the value of a named feature is
 * a category, but NaN is a missing value, and an infinity is refused. All fields of an example but {@code features} are
 * optional; null is a missing value. Unknown fields and repeated fields are errors: a misspelt {@code label} would
 * otherwise be lost silently.
 *
 * <p>Holds the last example, until the next one is read, in arrays that are reused: {@link #fill} hashes its names,
 * {@link #record} converts it to Avro. Not thread-safe.
 */
public final class JsonExampleReader implements NameSource {
    /** Fields of an example. */
    public static final List<String> EXAMPLE_FIELDS = List.of("id", "label", "features", "weight", "timestamp");

    private static final String SOURCE = "source";
    private static final String KNOWABLE_AT = "knowableAt";

    private static final List<String> LABEL_FIELDS =
            List.of("exampleId", "label", "weight", "timestamp", SOURCE, KNOWABLE_AT);

    /** Maximum number of slots that are searched for a hash. */
    private static final int MAX_PROBES = 8;

    private static final int MAX_SHOWN = 200;

    /** Infinite numbers, without a sign, as Java, JavaScript, Protocol Buffers, Python, C, Go and R write them. */
    private static final Set<String> INFINITIES = Set.of("Infinity", "infinity", "INFINITY", "inf", "Inf", "\u221e");

    /** Without a sign it is a word, such as the level of a log. */
    private static final String SIGNED_INFINITY = "INF";

    /** No numbers, without a sign. */
    private static final Set<String> NO_NUMBERS = Set.of("NaN", "nan", "NAN");

    /** What writers of JSON make of doubles that are no labels. */
    private static final Set<String> NO_LABELS = Set.of("NaN", "Infinity", "-Infinity");

    private static final int MAX_INFINITY = 9;

    /** Remedy for values in an array of features that are no numbers. */
    private static final String NAMED =
            " (texts, booleans and missing values need names: {\"age\":34,\"city\":\"Rome\"})";

    /** Objects around a value, as in Avro's JSON of unions and in the extended JSON of MongoDB. */
    private static final Pattern UNION = Pattern.compile(
            "\\{\"(?:string|int|long|float|double|boolean|array|map|bytes|[a-zA-Z_]+(?:\\.[a-zA-Z_]+)+)\":.*",
            Pattern.DOTALL);

    private static final Pattern EXTENDED = Pattern.compile(
            "\\{\"\\$(?:numberInt|numberLong|numberDouble|numberDecimal|date|oid)\":.*", Pattern.DOTALL);

    /** Remedy for objects and arrays as values of features. */
    private static final String NESTED =
            " (send what is nested as features of their own, such as \"a.b\", or leave it out)";

    private enum Form {
        DENSE,
        SPARSE,
        NAMED,
        SEQUENCE,
        CANDIDATES
    }

    private final boolean hasNamedLabels;

    // Null until a model has rules for its features.
    private FeatureCrosser crosser;

    // Names of the fields of the last event; only the first unknown one matters.
    private final List<String> names = new ArrayList<>();
    private String unknown;
    private String id;
    private String exampleId;
    private Label label;
    private double weight;
    private JsonTimestamp timestamp;
    private String source;
    private boolean isSourceText;
    private JsonTimestamp knowableAt;

    // Features of the last example; of all tokens or candidates, one after the other.
    private Form form;
    private int size;
    private int valueCount;
    private double[] values = new double[64];

    /** Indices of sparse features, or hashes of names. */
    private int[] keys = new int[64];

    private String[] featureNames = new String[64];

    /** Text that is the value of a feature; null for other values. */
    private String[] texts = new String[64];

    /** Number of features up to the end of each token or candidate. */
    private int[] ends = new int[16];

    private int parts;
    private final List<String> outputs = new ArrayList<>();

    // Hashes of the fields of the current object, also of fields with null, whose names are kept apart.
    private int fieldCount;
    private int[] fieldHashes = new int[64];
    private final List<String> missing = new ArrayList<>();

    /** Fields of the example whose text is NaN: missing, too. */
    private final List<String> noNumbers = new ArrayList<>();

    private int[] slots = new int[128];

    private byte[] utf8 = new byte[64];

    /** Creates a reader for which numbers and booleans are ints as labels. */
    public JsonExampleReader() {
        this(false);
    }

    /** @param hasNamedLabels true if numbers and booleans as labels are names of classes, as they are written */
    public JsonExampleReader(boolean hasNamedLabels) {
        this.hasNamedLabels = hasNamedLabels;
    }

    /**
     * Reads the only value of a text.
     *
     * @return as {@link #read(JsonParser)} does
     * @throws RejectedException if the text is not one JSON object, or the event is invalid
     */
    boolean read(byte[] text, int offset, int length) {
        try (JsonParser json = JsonInput.parser(text, offset, length)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw malformed("value must be one JSON object", json);
            }
            boolean isRead = read(json);
            if (json.nextToken() != null) {
                throw new RejectedException(
                        RejectReason.MALFORMED_JSON,
                        "value must be one JSON object, got: more text after the object (one object in each record or line)");
            }
            return isRead;
        } catch (IOException e) {
            throw JsonFault.rejected(e);
        }
    }

    /**
     * Reads an example, the only value of a text.
     *
     * @throws RejectedException if the text is no valid example
     */
    public void readExample(byte[] text, int offset, int length) {
        if (!read(text, offset, length) || exampleId != null) {
            unknown = unknown == null ? "exampleId" : unknown;
            throw new RejectedException(
                    RejectReason.MALFORMED_JSON, JsonFault.unknownField(names, unknown, EXAMPLE_FIELDS));
        }
    }

    /**
     * Reads the event whose first brace is the current token; afterwards its last brace is.
     *
     * @return false if it has an unknown field: it may be another event, and {@link #unknownField} describes it
     * @throws IOException if the text is not JSON
     * @throws RejectedException if the event is invalid
     */
    boolean read(JsonParser json) throws IOException {
        names.clear();
        unknown = null;
        id = null;
        exampleId = null;
        label = null;
        weight = 1;
        timestamp = null;
        source = null;
        isSourceText = true;
        knowableAt = null;
        form = null;
        size = 0;
        valueCount = 0;
        parts = 0;
        noNumbers.clear();
        for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
            if (unknown == null && has(field)) {
                throw repeated(field);
            }
            names.add(field);
            JsonToken value = json.nextToken();
            switch (field) {
                case "features" -> features(json, value);
                case "id" -> id = id(json, value, field);
                case "exampleId" -> exampleId = id(json, value, field);
                case "label" -> label = label(json, value);
                case "weight" -> weight = value == JsonToken.VALUE_NULL ? 1 : weight(json, value);
                case "timestamp" -> timestamp = JsonTimestamp.read(json);
                case SOURCE -> {
                    // other kinds of records have a field of this name, too
                    source = value == JsonToken.VALUE_STRING ? json.getText() : null;
                    isSourceText = source != null || value == JsonToken.VALUE_NULL;
                    json.skipChildren();
                }
                case KNOWABLE_AT -> knowableAt = JsonTimestamp.read(json);
                default -> {
                    unknown = unknown == null ? field : unknown;
                    json.skipChildren();
                }
            }
        }
        if (json.currentToken() != JsonToken.END_OBJECT) {
            throw malformed("fields must have names", json);
        }
        boolean isLabel = has("exampleId");
        if (unknown == null && isLabel && (form != null || has("id"))) {
            unknown = form != null ? "features" : "id";
        }
        if (unknown == null && !isLabel && (has(SOURCE) || has(KNOWABLE_AT))) {
            unknown = has(SOURCE) ? SOURCE : KNOWABLE_AT;
        }
        if (unknown == null && isLabel) {
            requireLabel();
            requireSource(json);
        } else if (unknown == null && form == null) {
            throw new RejectedException(
                    RejectReason.MALFORMED_JSON,
                    "features must be an array or an object, got none"
                            + (has("id") && has("label")
                                    ? " (a label of an earlier example has exampleId instead of id)"
                                    : ""));
        }
        return unknown == null;
    }

    /** Returns true if the last event has the field. */
    boolean has(String field) {
        return names.contains(field);
    }

    /** Returns true if the last event, which was read to its end, has an unknown field. */
    boolean hasUnknown() {
        return unknown != null;
    }

    /** Returns the fault of the last event if it has an unknown field. */
    RejectedException unknownField() {
        return unknownField(has("exampleId"));
    }

    /** Like {@link #unknownField()}, where it is known whether the event should be a label. */
    RejectedException unknownField(boolean isLabel) {
        return new RejectedException(
                RejectReason.MALFORMED_JSON,
                JsonFault.unknownField(names, unknown, isLabel ? LABEL_FIELDS : EXAMPLE_FIELDS));
    }

    /** The id of the last example; null if it has none. */
    public String id() {
        return id;
    }

    /** The id of the example to which a label belongs; null for an example. */
    String exampleId() {
        return exampleId;
    }

    /** The last label; null if the example has none. */
    public Label label() {
        return label;
    }

    double weight() {
        return weight;
    }

    /** Source of the last label; null for none. */
    String source() {
        return source;
    }

    /**
     * Event time from which on the source of the last label knew it, in ms; {@link LabelEvent#UNKNOWN} for none.
     *
     * @throws RejectedException if it is invalid
     */
    long knowableAt() {
        return knowableAt == null ? LabelEvent.UNKNOWN : knowableAt.checked(KNOWABLE_AT);
    }

    private void requireSource(JsonParser json) throws IOException {
        if (!isSourceText) {
            throw malformed("source must be a text", json);
        }
        if (source != null) {
            source = LabelLimits.source(source);
        }
    }

    /**
     * Returns the event time in ms; null if there is none.
     *
     * @throws RejectedException if it is invalid
     */
    public Long timestamp() {
        return timestamp == null ? null : (Long) timestamp.checked();
    }

    /** Passes the names of the last example. */
    @Override
    public void forEach(Sink sink) {
        for (int k = 0; k < size && hasNames(); k++) {
            int length = encode(featureNames[k]);
            sink.accept(utf8, 0, length);
        }
    }

    /** Passes the name and value of each feature of the last example whose value is a text. */
    public void forEachText(BiConsumer<String, String> sink) {
        for (int k = 0; k < size && hasNames(); k++) {
            if (texts[k] != null) {
                sink.accept(field(k), texts[k]);
            }
        }
    }

    /** The name of a feature without the text of a category. */
    private String field(int k) {
        String name = featureNames[k];
        return texts[k] == null ? name : name.substring(0, name.length() - 1 - texts[k].length());
    }

    /** Passes the name of each feature of the last example that is missing because its text is NaN. */
    public void forEachNoNumber(Consumer<String> sink) {
        noNumbers.forEach(sink);
    }

    private boolean hasNames() {
        return form != Form.DENSE && form != Form.SPARSE;
    }

    /**
     * Sets an example to the last one.
     *
     * @param hasher of the model
     * @throws RejectedException if the example is too large for the model
     */
    void fill(FeatureHasher hasher, Example example) {
        example.id().set(id == null ? "" : id);
        example.setLabel(label);
        example.setWeight(weight);
        example.setNames(this);
        if (form != Form.SEQUENCE && form != Form.CANDIDATES) {
            example.setFeatures(example.vector());
            fill(hasher, example.vector());
            return;
        }
        Sequence sequence = example.sequence().clear();
        Candidates candidates = example.candidates().clear();
        example.setFeatures(form == Form.SEQUENCE ? sequence : candidates);
        for (int k = 0; k < parts; k++) {
            FeatureVector vector = form == Form.SEQUENCE ? sequence.append() : candidates.append(outputs.get(k));
            fill(hasher, vector, start(k), ends[k]);
        }
    }

    /** Number of features before a token or candidate. */
    private int start(int part) {
        return part == 0 ? 0 : ends[part - 1];
    }

    private void fill(FeatureHasher hasher, FeatureVector vector) {
        if (form == Form.NAMED) {
            if (hasher.rules() == null) {
                fill(hasher, vector.resetSparse(), 0, size);
                return;
            }
            crosser().begin(hasher, vector);
            for (int k = 0; k < size; k++) {
                int length = encode(featureNames[k]);
                crosser.add(utf8, 0, length, values[k]);
            }
            crosser.end();
            return;
        }
        if (form == Form.DENSE) {
            vector.resetDense().ensureCapacity(size);
        } else {
            vector.resetSparse().ensureCapacity(size);
            System.arraycopy(keys, 0, vector.indices(), 0, size);
        }
        System.arraycopy(values, 0, vector.values(), 0, size);
        vector.setSize(size);
        if (hasher.rules() != null) {
            crosser().apply(hasher, vector);
        }
    }

    private void fill(FeatureHasher hasher, FeatureVector vector, int start, int end) {
        int count = end - start;
        vector.ensureCapacity(count);
        int[] indices = vector.indices();
        for (int k = 0; k < count; k++) {
            indices[k] = hasher.index(keys[start + k]);
        }
        System.arraycopy(values, start, vector.values(), 0, count);
        vector.setSize(count);
        vector.sortAndMerge();
    }

    private FeatureCrosser crosser() {
        crosser = crosser == null ? new FeatureCrosser() : crosser;
        return crosser;
    }

    /**
     * Returns the last example as an Avro record.
     *
     * @param itsId in place of the example's own
     */
    public io.perceptronstreams.event.Example record(String itsId) {
        Object features = switch (form) {
            case DENSE -> new DenseVector(NumberLists.doubles(values, size));
            case SPARSE -> new SparseVector(NumberLists.ints(keys, size), NumberLists.doubles(values, size));
            case NAMED -> new NamedFeatures(named(0, size));
            case SEQUENCE -> {
                List<List<String>> tokens = new ArrayList<>(parts);
                for (int k = 0; k < parts; k++) {
                    tokens.add(List.of(Arrays.copyOfRange(featureNames, start(k), ends[k])));
                }
                yield new io.perceptronstreams.event.Sequence(tokens);
            }
            case CANDIDATES -> {
                List<Candidate> candidates = new ArrayList<>(parts);
                for (int k = 0; k < parts; k++) {
                    candidates.add(new Candidate(outputs.get(k), named(start(k), ends[k])));
                }
                yield new io.perceptronstreams.event.Candidates(candidates);
            }
        };
        return new io.perceptronstreams.event.Example(itsId, written(label), features, weight);
    }

    private static Object written(Label label) {
        if (label instanceof Label.Int number) {
            return number.value();
        }
        return label instanceof Label.Tags tags ? tags.tags() : label == null ? null : label.toString();
    }

    private Map<String, Double> named(int start, int end) {
        Map<String, Double> named = new LinkedHashMap<>();
        for (int k = start; k < end; k++) {
            named.merge(featureNames[k], values[k], Double::sum);
        }
        return named;
    }

    private void requireLabel() {
        if (exampleId == null || exampleId.isEmpty()) {
            throw new RejectedException(
                    RejectReason.INVALID_ID, "exampleId must be the id of an example, got an empty one");
        }
        if (label == null) {
            throw new RejectedException(
                    RejectReason.MALFORMED_JSON,
                    "label must be a whole number, a boolean, a string or an array of strings, got none");
        }
    }

    private static String id(JsonParser json, JsonToken value, String field) throws IOException {
        if (value == JsonToken.VALUE_NULL) {
            return null;
        }
        if (value != JsonToken.VALUE_STRING) {
            return wholeNumber(json, value, field);
        }
        String id = wellFormed(json.getText());
        // a unit has at most 3 bytes
        int bytes = id.length() * 3 <= ExampleLimits.MAX_ID_BYTES ? 0 : id.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > ExampleLimits.MAX_ID_BYTES) {
            throw new RejectedException(
                    RejectReason.INVALID_ID,
                    "id must have at most " + ExampleLimits.MAX_ID_BYTES + " bytes, got " + bytes);
        }
        return id;
    }

    /** Returns the id that a whole number spells: 17 and 17.0 are "17". */
    private static String wholeNumber(JsonParser json, JsonToken value, String field) throws IOException {
        if (value == JsonToken.VALUE_NUMBER_INT) {
            return json.getBigIntegerValue().toString();
        }
        String id = value == JsonToken.VALUE_NUMBER_FLOAT ? ExampleDecoder.id(json.getDoubleValue()) : null;
        if (id == null) {
            throw malformed(field + " must be a text or a whole number", json);
        }
        return id;
    }

    private static double weight(JsonParser json, JsonToken value) throws IOException {
        if (!value.isNumeric()) {
            throw malformed("weight must be a number", json);
        }
        return ExampleLimits.checkedWeight(json.getDoubleValue());
    }

    private Label label(JsonParser json, JsonToken value) throws IOException {
        if (value == JsonToken.VALUE_NULL) {
            return null;
        }
        if (value == JsonToken.VALUE_STRING || (hasNamedLabels && (value.isNumeric() || value.isBoolean()))) {
            String name = labelName(json);
            if (value == JsonToken.VALUE_STRING && NO_LABELS.contains(name)) {
                // of a column of doubles: it would be a class
                throw new RejectedException(
                        RejectReason.INVALID_LABEL,
                        "label must be a name or a whole number, got \"" + name
                                + "\", the text of a number that is none (write null where there is no label)");
            }
            return new Label.ClassName(name);
        }
        if (value.isBoolean()) {
            return Label.of(value == JsonToken.VALUE_TRUE ? 1 : 0);
        }
        if (value == JsonToken.START_ARRAY) {
            List<String> tags = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                if (json.currentToken() != JsonToken.VALUE_STRING) {
                    throw malformed(
                            "tags must be strings",
                            json,
                            " (a list is a tag for each token; of one-hot labels send the name or number of the class)");
                }
                LabelLimits.checkCount(tags.size() + 1L);
                tags.add(labelName(json));
            }
            return LabelLimits.tags(tags);
        }
        double number = value.isNumeric() ? json.getDoubleValue() : Double.NaN;
        if (number == (int) number) {
            return Label.of((int) number);
        }
        if (number == Math.rint(number) || !value.isNumeric()) {
            throw malformed("label must be a whole number, a boolean, a string, an array of strings or null", json);
        }
        throw new RejectedException(
                RejectReason.MALFORMED_JSON,
                "label must be a whole number, got " + json.getText()
                        + " (numbers as labels: this program classifies, it does not predict numbers; in files --label-type"
                        + " string takes each as the name of a class)");
    }

    private static String labelName(JsonParser json) throws IOException {
        return LabelLimits.checked(wellFormed(json.getText()));
    }

    private void features(JsonParser json, JsonToken value) throws IOException {
        if (value == JsonToken.START_ARRAY) {
            form = Form.DENSE;
            numbers(json);
            size = valueCount;
        } else if (value == JsonToken.START_OBJECT) {
            form = Form.NAMED;
            named(json, true);
        } else {
            throw malformed("features must be an array or an object", json);
        }
        ExampleLimits.checkFinite(values, valueCount);
    }

    private void numbers(JsonParser json) throws IOException {
        int count = 0;
        double[] numbers = values;
        for (JsonToken value = json.nextToken(); value != JsonToken.END_ARRAY; value = json.nextToken()) {
            if (!value.isNumeric()) {
                throw notNumber(
                        json, form == Form.SPARSE && count < size ? "of index " + keys[count] : "at position " + count);
            }
            if (count == numbers.length) {
                grow();
                numbers = values;
            }
            numbers[count++] = json.getDoubleValue();
        }
        valueCount = count;
    }

    /**
     * Reads an object with features by name, from its first brace to its last.
     *
     * @param mayHaveOtherForm true if it may be an object of sparse features, tokens or candidates instead
     */
    private void named(JsonParser json, boolean mayHaveOtherForm) throws IOException {
        int start = size;
        fieldCount = 0;
        missing.clear();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            JsonToken value = json.nextToken();
            int hash = hash(name);
            addField(hash);
            if (value.isNumeric()) {
                add(name, null, hash, json.getDoubleValue());
            } else if (value == JsonToken.VALUE_STRING) {
                String text = json.getText();
                if (isNoNumber(text)) {
                    missing.add(name);
                    noNumbers.add(name);
                } else {
                    requireNotInfinite(name, text);
                    String category = name + "=" + text;
                    add(category, text, hash(category), 1);
                }
            } else if (value.isBoolean()) {
                add(name, null, hash, value == JsonToken.VALUE_TRUE ? 1 : 0);
            } else if (value == JsonToken.VALUE_NULL) {
                missing.add(name);
            } else if (value == JsonToken.START_ARRAY && mayHaveOtherForm && otherForm(json, name)) {
                return;
            } else {
                throw malformed(
                        "feature " + shortened(name) + " must be a number, a boolean, a text or null", json, NESTED);
            }
        }
        if (json.currentToken() != JsonToken.END_OBJECT) {
            throw malformed("features must have names", json);
        }
        if (!haveDistinctHashes()) {
            checkFields(start);
        }
    }

    /**
     * Reads the form that an array in features begins, up to the brace after it; returns false if there is no such
     * form.
     */
    private boolean otherForm(JsonParser json, String name) throws IOException {
        switch (name) {
            case "tokens" -> {
                requireFirst("tokens");
                form = Form.SEQUENCE;
                tokens(json);
                requireLast(json, "tokens");
            }
            case "candidates" -> {
                requireFirst("candidates");
                form = Form.CANDIDATES;
                candidates(json);
                requireLast(json, "candidates");
            }
            case "indices", "values" -> {
                form = Form.SPARSE;
                sparse(json, name);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void requireFirst(String name) {
        if (fieldCount > 1) {
            throw notOnly(name, missing.isEmpty() ? field(0) : missing.get(0));
        }
    }

    private static void requireLast(JsonParser json, String name) throws IOException {
        String other = json.nextFieldName();
        if (other != null) {
            throw notOnly(name, other);
        }
    }

    private static RejectedException notOnly(String name, String other) {
        return new RejectedException(
                RejectReason.MALFORMED_JSON,
                name + " must be the only field of features, got also '" + shortened(other) + "'");
    }

    private void sparse(JsonParser json, String first) throws IOException {
        boolean isComplete = fieldCount == 1;
        sparseArray(json, first);
        String second = first.equals("indices") ? "values" : "indices";
        isComplete &= second.equals(json.nextFieldName()) && json.nextToken() == JsonToken.START_ARRAY;
        if (isComplete) {
            sparseArray(json, second);
        }
        if (!isComplete || json.nextToken() != JsonToken.END_OBJECT) {
            throw new RejectedException(
                    RejectReason.MALFORMED_JSON,
                    "sparse features must be {\"indices\":[…],\"values\":[…]}, got other fields or values");
        }
        if (size != valueCount) {
            throw new RejectedException(
                    RejectReason.INVALID_INDICES,
                    "a sparse vector must have as many values as indices, got " + size + " indices and " + valueCount
                            + " values");
        }
    }

    private void sparseArray(JsonParser json, String name) throws IOException {
        if (name.equals("values")) {
            numbers(json);
            return;
        }
        int last = -1;
        for (JsonToken index = json.nextToken(); index != JsonToken.END_ARRAY; index = json.nextToken()) {
            if (index != JsonToken.VALUE_NUMBER_INT || json.getNumberType() != JsonParser.NumberType.INT) {
                throw malformed("indices must be ints", json);
            }
            if (json.getIntValue() <= last) {
                throw ExampleLimits.wrongIndex(json.getIntValue(), last);
            }
            last = json.getIntValue();
            if (size == keys.length) {
                grow();
            }
            keys[size++] = last;
        }
    }

    private void tokens(JsonParser json) throws IOException {
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() != JsonToken.START_ARRAY) {
                throw malformed("a token must be an array of feature names", json);
            }
            while (json.nextToken() != JsonToken.END_ARRAY) {
                if (json.currentToken() != JsonToken.VALUE_STRING) {
                    throw malformed("feature names must be strings", json);
                }
                String name = json.getText();
                add(name, null, hash(name), 1);
            }
            endPart();
        }
    }

    private void candidates(JsonParser json) throws IOException {
        outputs.clear();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            String output = null;
            boolean hasFeatures = false;
            boolean isValid = json.currentToken() == JsonToken.START_OBJECT;
            while (isValid && json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                if (field.equals("output") && output == null && value == JsonToken.VALUE_STRING) {
                    output = wellFormed(json.getText());
                } else if (field.equals("features") && !hasFeatures && value == JsonToken.START_OBJECT) {
                    hasFeatures = true;
                    named(json, false);
                } else {
                    isValid = false;
                }
            }
            if (!isValid) {
                throw malformed("a candidate must be {\"output\":…,\"features\":{…}}", json);
            }
            if (output == null || !hasFeatures) {
                throw new RejectedException(
                        RejectReason.MALFORMED_JSON,
                        "a candidate must be {\"output\":…,\"features\":{…}}, got no "
                                + (output == null ? "output" : "features"));
            }
            outputs.add(output);
            endPart();
        }
    }

    private void endPart() {
        if (parts == ends.length) {
            ends = Arrays.copyOf(ends, 2 * parts);
        }
        ends[parts++] = size;
    }

    private void add(String name, String text, int hash, double value) {
        if (size == keys.length) {
            grow();
        }
        featureNames[size] = name;
        texts[size] = text;
        keys[size] = hash;
        values[size++] = value;
        valueCount = size;
    }

    private void grow() {
        int length = 2 * keys.length;
        featureNames = Arrays.copyOf(featureNames, length);
        texts = Arrays.copyOf(texts, length);
        keys = Arrays.copyOf(keys, length);
        values = Arrays.copyOf(values, length);
    }

    private void addField(int hash) {
        if (fieldCount == fieldHashes.length) {
            fieldHashes = Arrays.copyOf(fieldHashes, 2 * fieldCount);
        }
        // 0 is an empty slot
        fieldHashes[fieldCount++] = hash == 0 ? 1 : hash;
    }

    /** Checks that the fields of the current object, whose features begin at {@code start}, have different names. */
    private void checkFields(int start) {
        Set<String> distinct = new HashSet<>();
        for (int k = start; k < size + missing.size(); k++) {
            String field = k < size ? field(k) : missing.get(k - size);
            if (!distinct.add(field)) {
                throw repeated(field);
            }
        }
    }

    /**
     * Returns true if no two names are equal; if false, they may be different: a client may choose names of equal hash.
     */
    private boolean haveDistinctHashes() {
        int length = 4 * Integer.highestOneBit(fieldCount | 1);
        if (slots.length < length) {
            slots = new int[length];
        } else {
            Arrays.fill(slots, 0, length, 0);
        }
        int[] table = slots;
        for (int k = 0; k < fieldCount; k++) {
            int hash = fieldHashes[k];
            int at = hash & length - 1;
            for (int probes = 0; table[at] != 0; probes++) {
                if (table[at] == hash || probes == MAX_PROBES) {
                    return false;
                }
                at = at + 1 & length - 1;
            }
            table[at] = hash;
        }
        return true;
    }

    private int hash(String name) {
        int length = encode(name);
        return FeatureHasher.murmur3(utf8, 0, length);
    }

    /** Encodes a name into the first bytes of {@link #utf8}; returns their number. */
    private int encode(String name) {
        int length = name.length();
        if (utf8.length < length) {
            utf8 = new byte[2 * length];
        }
        for (int k = 0; k < length; k++) {
            char unit = name.charAt(k);
            if (unit >= 0x80) {
                utf8 = wellFormed(name).getBytes(StandardCharsets.UTF_8);
                return utf8.length;
            }
            utf8[k] = (byte) unit;
        }
        return length;
    }

    /** Rejects a text that cannot be written in UTF-8: all such texts would become the same text. */
    private static String wellFormed(String text) {
        for (int k = 0; k < text.length(); k++) {
            char unit = text.charAt(k);
            if (Character.isHighSurrogate(unit)
                    && k + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(k + 1))) {
                k++;
            } else if (Character.isSurrogate(unit)) {
                throw new RejectedException(
                        RejectReason.MALFORMED_JSON,
                        "texts must be well-formed, got one half of a UTF-16 surrogate pair in '"
                                + shortened(text.replaceAll("\\p{Cs}", "?")) + "'");
            }
        }
        return text;
    }

    private static RejectedException repeated(String field) {
        return new RejectedException(
                RejectReason.MALFORMED_JSON,
                "value must be one JSON object, got: Duplicate field '" + shortened(field) + "'");
    }

    /** Returns true for the texts of NaN that many writers of JSON make of it: a missing value, as in a table. */
    public static boolean isNoNumber(String text) {
        return text.length() <= 4 && NO_NUMBERS.contains(unsigned(text));
    }

    private static String unsigned(String text) {
        return !text.isEmpty() && (text.charAt(0) == '-' || text.charAt(0) == '+') ? text.substring(1) : text;
    }

    /** Rejects the texts that writers of JSON make of an infinite number: they would be words. */
    private static void requireNotInfinite(String name, String text) {
        // most words are told by their last character
        if (text.isEmpty()
                || text.length() > MAX_INFINITY
                || "yYfF\u221e".indexOf(text.charAt(text.length() - 1)) < 0) {
            return;
        }
        String unsigned = unsigned(text);
        if (INFINITIES.contains(unsigned) || (unsigned.equals(SIGNED_INFINITY) && unsigned.length() < text.length())) {
            throw new RejectedException(
                    RejectReason.NON_FINITE_VALUE,
                    "feature " + shortened(name) + " must be finite, got \"" + text
                            + "\", the text of an infinite number (leave the feature out, or write null)");
        }
    }

    private static RejectedException notNumber(JsonParser json, String place) throws IOException {
        return malformed("feature values must be numbers (" + place + ")", json, NAMED);
    }

    /** Creates the exception for the value of the current token. */
    private static RejectedException malformed(String rule, JsonParser json) throws IOException {
        return malformed(rule, json, "");
    }

    private static RejectedException malformed(String rule, JsonParser json, String remedy) throws IOException {
        String got = json.currentToken() == null ? "nothing" : shown(json);
        return new RejectedException(
                RejectReason.MALFORMED_JSON, rule + ", got " + shortened(got) + remedy(got, remedy));
    }

    private static String remedy(String got, String otherwise) {
        if (UNION.matcher(got).matches()) {
            return " (Avro's JSON of a union: send the value alone)";
        }
        if (EXTENDED.matcher(got).matches()) {
            return " (extended JSON of MongoDB: send the value alone)";
        }
        return got.startsWith("{\"type\":\"Feature\"")
                ? " (GeoJSON: send the properties of each feature as an example)"
                : otherwise;
    }

    private static String shown(JsonParser json) throws IOException {
        boolean isEnd = json.currentToken().isStructEnd() || json.currentToken() == JsonToken.FIELD_NAME;
        return isEnd ? json.getText() : json.readValueAsTree().toString();
    }

    private static String shortened(String text) {
        return Utf8Slice.shortened(text, MAX_SHOWN);
    }
}
