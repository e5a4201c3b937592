package io.perceptronstreams.format;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The rows of ARFF, the format of Weka, also as MOA and KEEL write it: {@code @relation}, {@code @attribute} for each
 * column, {@code @data}, and rows, dense ({@code 21.5,clear,?}) or sparse ({@code {0 21.5, 2 dry}}).
 *
 * <p>Numeric attributes are columns of numbers, nominal, string and date attributes columns of words. What a sparse row
 * leaves out is 0, which makes no feature, or the first value of a nominal attribute. A weight in braces may end a row.
 */
final class ArffRows implements TableRows {
    private static final Set<String> NUMERIC = Set.of("numeric", "real", "integer");
    private static final String DEFAULT_DATE_FORMAT = "yyyy-MM-dd'T'HH:mm:ss";
    private static final int MAX_SHOWN_VALUES = 5;

    /** Missing values of Weka and KEEL, where they are not quoted. */
    private static final Set<String> MISSING = Set.of("?", "<null>");

    /**
     * A column.
     *
     * @param values of a nominal attribute, or null
     * @param type numeric, real, integer, string or date; of a nominal attribute null
     * @param time format of a date, or null
     */
    private record Attribute(String name, List<String> values, String type, TimeFormat time) {
        boolean isNumeric() {
            return type != null && NUMERIC.contains(type);
        }
    }

    private final LineReader lines;
    private final String source;
    private final List<Attribute> attributes = new ArrayList<>();
    /** Names of KEEL's outputs. */
    private final List<String> outputs = new ArrayList<>();
    /** For each attribute, the cell of a sparse row that leaves it out. */
    private final List<String> omitted = new ArrayList<>();

    private double weight = 1;

    /**
     * Reads the header.
     *
     * @param in UTF-8
     * @param source name of the text in messages
     * @param notes receives remarks for the user
     * @throws MalformedExampleException if there is no header, or one with attributes of other types
     */
    ArffRows(InputStream in, String source, CsvOptions options, Consumer<String> notes) throws IOException {
        this.source = source;
        this.lines = new LineReader(in, source);
        boolean isData = false;
        while (!isData) {
            if (!lines.advance()) {
                throw header("must end with @data, got the end of the file");
            }
            String line = lines.text().strip();
            if (!line.isEmpty() && line.charAt(0) != '%') {
                isData = declaration(line);
            }
        }
        if (attributes.isEmpty()) {
            throw header("must have a line @attribute for each column, got none");
        }
        Set<String> used = new HashSet<>();
        Stream.of(
                        options.labelColumn() == null ? labelColumn() : options.labelColumn(),
                        options.idColumn(),
                        options.timeColumn())
                .filter(each -> each != null)
                .forEach(used::add);
        Set<String> given = new HashSet<>(used);
        // a zero is no missing value
        boolean isAllUsed = options.missingFeatures().contains(CsvOptions.ALL);
        options.missingFeatures().forEach(text -> {
            used.add(text);
            Arrays.stream(text.split(",", -1)).map(String::strip).forEach(used::add);
        });
        options.kinds()
                .forEach((kind, texts) -> texts.forEach(text -> {
                    List<String> names = new ArrayList<>(Arrays.asList(text.split(",", -1)));
                    names.add(text);
                    given.addAll(names);
                    if (kind == ColumnKind.WORDS || kind == ColumnKind.TEXT) {
                        used.addAll(names);
                    }
                }));
        for (Attribute each : attributes) {
            // a zero is no feature, but a label, or a word
            omitted.add(
                    each.values() != null
                            ? each.values().get(0)
                            : each.isNumeric() && (isAllUsed || used.contains(each.name())) ? "0" : "");
            if ("string".equals(each.type()) && !given.contains(each.name())) {
                String column = ShellWord.of(each.name());
                notes.accept("column " + CsvColumn.shown(each.name())
                        + ": a string attribute, each text is one word; --text " + column
                        + " takes the words in its cells, --ignore " + column + " leaves it out");
            }
        }
    }

    /** Reads a line of the header; returns true for the last one. */
    private boolean declaration(String line) throws MalformedExampleException {
        ArffLine text = new ArffLine(line);
        String keyword = text.word().toLowerCase(Locale.ROOT);
        switch (keyword) {
            case "@relation", "@inputs", "@input" -> {}
            case "@outputs", "@output" -> {
                for (String name : text.rest().split(",", -1)) {
                    outputs.add(name.strip());
                }
            }
            case "@attribute" -> attributes.add(attribute(text));
            case "@data" -> {
                return true;
            }
            default ->
                throw header("must have lines @relation, @attribute and @data, got '" + CsvColumn.shown(line) + "'");
        }
        return false;
    }

    private Attribute attribute(ArffLine text) throws MalformedExampleException {
        try {
            String name = text.name().strip();
            if (name.isEmpty()) {
                throw header("must name each attribute, got none");
            }
            if (text.isAt('{')) {
                List<String> values = text.braces();
                if (values.isEmpty()) {
                    throw header("must have values of attribute " + CsvColumn.shown(name) + ", got none");
                }
                return new Attribute(name, values, null, null);
            }
            String type = text.word().toLowerCase(Locale.ROOT);
            if (NUMERIC.contains(type) || type.equals("string")) {
                return new Attribute(name, null, type, null);
            }
            if (type.equals("date")) {
                return new Attribute(name, null, type, time(text.isEnd() ? DEFAULT_DATE_FORMAT : text.name()));
            }
            throw header("must have attributes that are numeric, real, integer, string, date or a list {a,b}, got '"
                    + CsvColumn.shown(type) + "' (attribute " + CsvColumn.shown(name) + ")");
        } catch (IllegalArgumentException e) {
            throw header("must have valid attributes: " + e.getMessage());
        }
    }

    /** Null for a format that is not known here: then the cells decide. */
    private static TimeFormat time(String format) {
        try {
            return TimeFormat.of(format);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private MalformedExampleException header(String message) {
        return new MalformedExampleException(source, Math.max(1, lines.number()), "header " + message);
    }

    @Override
    public List<String> header() {
        return attributes.stream().map(Attribute::name).toList();
    }

    @Override
    public List<String> next() throws IOException {
        while (lines.advance()) {
            String line = lines.text().strip();
            if (!line.isEmpty() && line.charAt(0) != '%') {
                try {
                    return row(new ArffLine(line));
                } catch (IllegalArgumentException e) {
                    throw lines.malformed(e.getMessage());
                }
            }
        }
        return null;
    }

    private List<String> row(ArffLine line) {
        List<String> cells = line.isAt('{') ? sparse(line) : dense(line);
        weight = 1;
        if (line.isAt('{')) {
            List<String> given = line.braces();
            weight = given.size() == 1 ? Decimals.parse(given.get(0)) : Double.NaN;
            if (!(weight >= 0 && Double.isFinite(weight))) {
                throw new IllegalArgumentException(
                        "weight must be a finite number >= 0, got '" + CsvColumn.shown(String.join(",", given)) + "'");
            }
        }
        if (!line.isEnd()) {
            throw new IllegalArgumentException(
                    "row must end behind its values, got '" + CsvColumn.shown(line.rest()) + "'");
        }
        return cells;
    }

    private List<String> dense(ArffLine line) {
        List<String> cells = new ArrayList<>(attributes.size());
        boolean hasCommas = line.hasComma();
        while (!line.isEnd() && !line.isAt('{')) {
            String value = line.value(hasCommas);
            boolean isMissing = !line.isQuoted() && MISSING.contains(value);
            if (value.isEmpty() && !line.isQuoted()) {
                throw new IllegalArgumentException(
                        "value must not be empty, ? is a missing one, got none (value " + (cells.size() + 1) + ")");
            }
            if (cells.size() < attributes.size() && !isMissing) {
                check(attributes.get(cells.size()), value);
            }
            cells.add(isMissing ? "" : value);
        }
        if (cells.size() != attributes.size()) {
            throw new IllegalArgumentException(
                    "row must have " + attributes.size() + " values, one for each attribute, got " + cells.size());
        }
        return cells;
    }

    private List<String> sparse(ArffLine line) {
        List<String> cells = new ArrayList<>(omitted);
        int before = -1;
        line.open();
        while (!line.close()) {
            String text = line.word();
            double index = Decimals.parse(text);
            if (index >= 0 && index <= before) {
                throw new IllegalArgumentException(
                        "indices must ascend, got " + CsvColumn.shown(text) + " after " + before);
            }
            if (!(index == Math.rint(index) && index > before && index < attributes.size())) {
                throw new IllegalArgumentException("index must be a whole number from 0 to " + (attributes.size() - 1)
                        + ", got '" + CsvColumn.shown(text) + "'");
            }
            before = (int) index;
            String value = line.sparseValue();
            boolean isMissing = !line.isQuoted() && MISSING.contains(value);
            if (!isMissing) {
                check(attributes.get(before), value);
            }
            cells.set(before, isMissing ? "" : value);
        }
        return cells;
    }

    private static void check(Attribute attribute, String value) {
        if (attribute.values() != null && !attribute.values().contains(value)) {
            List<String> some = attribute
                    .values()
                    .subList(0, Math.min(MAX_SHOWN_VALUES, attribute.values().size()));
            throw new IllegalArgumentException("value must be one of " + CsvColumn.shown(String.join(", ", some))
                    + (some.size() < attribute.values().size() ? ", …" : "") + ", got '" + CsvColumn.shown(value)
                    + "' (attribute " + CsvColumn.shown(attribute.name()) + ")");
        }
    }

    @Override
    public double weight() {
        return weight;
    }

    @Override
    public long line() {
        return lines.number();
    }

    @Override
    public String separatorName() {
        return "commas";
    }

    @Override
    public boolean hasHeader() {
        return false;
    }

    /** The output of KEEL, or the attribute class or label, or the last one if it is nominal. */
    @Override
    public String labelColumn() throws MalformedExampleException {
        if (outputs.size() == 1) {
            return outputs.get(0);
        }
        for (String name : List.of("class", TableReader.DEFAULT_LABEL_COLUMN)) {
            for (Attribute each : attributes) {
                if (each.name().equalsIgnoreCase(name)) {
                    return each.name();
                }
            }
        }
        Attribute last = attributes.get(attributes.size() - 1);
        if (last.values() == null) {
            throw header("must have an attribute class, or a nominal one as the last, got '"
                    + CsvColumn.shown(last.name()) + "' (--label-column " + ShellWord.of(last.name())
                    + " takes it, --label-column none no labels)");
        }
        return last.name();
    }

    @Override
    public LabelType labelType(String column, LabelType given) {
        List<String> values = values(column);
        // names even where they look like numbers, unless a model of two classes knows these
        return given != LabelType.AUTO || values == null || areKnown(values) || areNumbers(values)
                ? given
                : LabelType.STRING;
    }

    @Override
    public List<String> twoLabels(String column) {
        List<String> values = values(column);
        return values == null
                        || values.size() != 2
                        || areKnown(values)
                        || String.join("", values).indexOf(',') >= 0
                ? List.of()
                : values;
    }

    private List<String> values(String column) {
        return attributes.stream()
                .filter(each -> each.name().equals(column))
                .findFirst()
                .map(Attribute::values)
                .orElse(null);
    }

    private static boolean areNumbers(List<String> values) {
        return values.size() <= 2 && values.stream().allMatch(each -> each.matches("-?[0-9]{1,9}"));
    }

    /** Returns true for labels that a model of two classes has without the setting of their names. */
    private static boolean areKnown(List<String> values) {
        Set<String> lower = new HashSet<>();
        values.forEach(each -> lower.add(each.toLowerCase(Locale.ROOT)));
        return Stream.of(Set.of("0", "1"), Set.of("-1", "1"), Set.of("true", "false"))
                .anyMatch(known -> known.containsAll(lower));
    }

    @Override
    public Set<String> missing() {
        return Set.of("");
    }

    @Override
    public Character decimal() {
        return '.';
    }

    @Override
    public ColumnKind declaredKind(int column) {
        return attributes.get(column).isNumeric() ? ColumnKind.NUMBERS : ColumnKind.WORDS;
    }

    @Override
    public TimeFormat declaredTime(int column) {
        return attributes.get(column).time();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
