package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * A text with examples, and the options for reading it.
 *
 * @param file a path, {@code .gz} or not, or {@code -} for standard input
 * @param format of the text
 * @param labelType of the labels
 * @param idPrefix prefix of generated ids; null: the file's base name, or {@code stdin}
 * @param tagColumn conllu only: the column of the tags
 * @param csv csv, arff and jsonl only: options of the columns or fields
 * @param nested jsonl only: features of nested values
 * @param encoding of the text; null: UTF-8, or UTF-16 after its byte order mark
 * @param skipsFaults true if readers skip malformed examples
 * @param notes receives what the user should know of the reading
 */
public record ExampleSource(
        String file,
        ExampleFormat format,
        LabelType labelType,
        String idPrefix,
        TagColumn tagColumn,
        CsvOptions csv,
        NestedValues nested,
        Charset encoding,
        boolean skipsFaults,
        ReadNotes notes) {
    private static final int BUFFER_BYTES = 1 << 16;

    /** Creates a source in UTF-8 without faults, with universal part-of-speech tags. */
    public ExampleSource(
            String file,
            ExampleFormat format,
            LabelType labelType,
            String labelColumn,
            String idColumn,
            String idPrefix) {
        this(
                file,
                format,
                labelType,
                idPrefix,
                TagColumn.UPOS,
                CsvOptions.of(labelColumn, idColumn),
                NestedValues.REFUSED,
                null,
                false,
                new ReadNotes(null));
    }

    /** Returns true if the source is standard input, which can be read only once. */
    public boolean isStandardInput() {
        return file.equals(InputFile.STANDARD_INPUT);
    }

    /**
     * Checks that the file can be opened.
     *
     * @throws IOException if not
     */
    public void check() throws IOException {
        if (!isStandardInput()) {
            InputFile.open(file).close();
        }
    }

    /**
     * Reads a file, so that a malformed example is found before the first one is used. Does nothing where it may be
     * read only once. Examples that are skipped are not counted.
     *
     * @param keepGoing called with the number of examples read; false stops
     * @param examples receives each example and its event time, null for none, before the next call of
     *     {@code keepGoing}
     * @param refused returns why an event time in ms is refused, null if it is not
     * @return the labels of {@link #twoLabels}; null if nothing was read
     * @throws IOException if it cannot be read or an example is malformed
     */
    public List<String> checkExamples(
            LongPredicate keepGoing, BiConsumer<Example, Long> examples, LongFunction<String> refused)
            throws IOException {
        if (!isStandardInput() && Files.isRegularFile(Path.of(file))) {
            ReadNotes checked = skipsFaults ? new ReadNotes(null) : notes;
            ExampleSource source = new ExampleSource(
                    file, format, labelType, idPrefix, tagColumn, csv, nested, encoding, skipsFaults, checked);
            try (ExampleReader reader = source.open(1, refused)) {
                long count = 0;
                boolean isLabelled = false;
                Example example = null;
                while (keepGoing.test(count) && (example = reader.next()) != null) {
                    examples.accept(example, reader.timestamp());
                    count++;
                    isLabelled |= example.getLabel() != null;
                }
                if (count > 0 && example == null && !isLabelled) {
                    noteUnlabelled(reader);
                }
                return twoLabels(reader);
            }
        }
        return null;
    }

    /** The labels of {@link ExampleReader#twoLabels}; empty where the user has said that labels are ints. */
    public List<String> twoLabels(ExampleReader reader) {
        return labelType == LabelType.INT ? List.of() : reader.twoLabels();
    }

    /** Notes the two labels that the text declares, and that a model without them gets. */
    public void noteTwoLabels(ExampleReader reader) {
        if (!twoLabels(reader).isEmpty()) {
            notes.write(file + ": two classes are declared: a model that has not learned yet gets the setting labels="
                    + String.join(",", reader.twoLabels()));
        }
    }

    /**
     * Notes that no example has a label, unless the user has said so.
     *
     * @param reader at the end of the text
     */
    public void noteUnlabelled(ExampleReader reader) {
        if (!TableReader.NO_COLUMN.equals(csv.labelColumn())) {
            notes.write(file + ": no example has a label, so that nothing can be learned from them"
                    + (reader.labelHint() == null ? "" : " (" + reader.labelHint() + ")"));
        }
    }

    /**
     * Opens the text at its beginning.
     *
     * @param pass number of this pass, from 1; part of ids from 2 on
     * @throws IOException if the text cannot be read, or its header is invalid
     */
    public ExampleReader open(int pass) throws IOException {
        return open(pass, time -> null);
    }

    /**
     * The same.
     *
     * @param refused returns why an event time in ms is refused, null if it is not; then the example is treated as a
     *     malformed one
     */
    public ExampleReader open(int pass, LongFunction<String> refused) throws IOException {
        if (isStandardInput()) {
            return open(System.in, pass, refused);
        }
        InputStream in = InputFile.open(file);
        try {
            return open(in, pass, refused);
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
    }

    /** Opens bytes instead of the file; unpacks gzip. */
    public ExampleReader open(InputStream bytes, int pass) throws IOException {
        return open(bytes, pass, time -> null);
    }

    private ExampleReader open(InputStream bytes, int pass, LongFunction<String> refused) throws IOException {
        String name = isStandardInput() ? "stdin" : String.valueOf(Path.of(file).getFileName());
        InputStream in = ForeignFile.check(unpacked(bytes, name), isStandardInput() ? name : file, format);
        ExampleIds ids = new ExampleIds(idPrefix == null ? ExampleFormat.baseName(name) : idPrefix, pass);
        ExampleReader reader = reader(decoded(in, name), name, ids);
        return CheckedReader.of(reader, name, refused, skipsFaults ? notes : null);
    }

    private ExampleReader reader(InputStream in, String name, ExampleIds ids) throws IOException {
        LabelParser labels = new LabelParser(labelType);
        return switch (format) {
            case LIBSVM -> new LibsvmReader(new LineReader(in, name), ids, labels);
            case CSV -> {
                String label = csv.labelColumn() == null ? TableReader.DEFAULT_LABEL_COLUMN : csv.labelColumn();
                CsvRows rows = new CsvRows(
                        in,
                        name,
                        csv,
                        label.equals(TableReader.NO_COLUMN) ? null : label,
                        line -> notes.write(name + ": " + line));
                yield new TableReader(rows, name, ids, labelType, csv, skipsFaults, notes);
            }
            case ARFF ->
                new TableReader(
                        new ArffRows(in, name, csv, line -> notes.write(name + ": " + line)),
                        name,
                        ids,
                        labelType,
                        csv,
                        skipsFaults,
                        notes);
            case JSONL ->
                new JsonlReader(
                        new LineReader(ArrayLines.of(in, name), name),
                        file,
                        ids,
                        labelType,
                        fields(name),
                        line -> notes.write(name + ": " + line));
            case VW -> new VwReader(new LineReader(in, name), ids, labels);
            case CONLLU -> new ConlluReader(new LineReader(in, name), ids, tagColumn);
        };
    }

    /** Null if the objects are examples. */
    private JsonFields fields(String name) throws MalformedExampleException {
        try {
            return csv.equals(CsvOptions.DEFAULTS) && nested.equals(NestedValues.REFUSED)
                    ? null
                    : new JsonFields(csv, nested);
        } catch (IllegalArgumentException e) {
            throw new MalformedExampleException(name, 1, e.getMessage());
        }
    }

    /** Bytes of UTF-8, which are checked unless the format has numbers only. */
    private InputStream decoded(InputStream in, String name) throws IOException {
        InputStream text = in.markSupported() ? in : new BufferedInputStream(in, BUFFER_BYTES);
        text.mark(2);
        int mark = text.read() << 8 | text.read();
        text.reset();
        Charset charset = encoding == null && (mark == 0xFEFF || mark == 0xFFFE) ? StandardCharsets.UTF_16 : encoding;
        return charset != null
                ? new Utf8Encoder(text, charset, name)
                : format == ExampleFormat.LIBSVM ? text : new Utf8Check(text, name);
    }

    /** Checks the first two bytes instead of the file name, so that standard input may be gzipped, too. */
    private static InputStream unpacked(InputStream bytes, String name) throws IOException {
        InputStream in = new BufferedInputStream(bytes, BUFFER_BYTES);
        in.mark(2);
        boolean isGzip = in.read() == 0x1f && in.read() == 0x8b;
        in.reset();
        if (!isGzip) {
            return in;
        }
        try {
            return new Unpacked(new GZIPInputStream(new UntilEnd(in), BUFFER_BYTES), name);
        } catch (ZipException | EOFException e) {
            throw Unpacked.fault(name, e);
        }
    }

    /** Names the file where it is cut, or damaged. */
    private static final class Unpacked extends FilterInputStream {
        private final String name;

        Unpacked(InputStream in, String name) {
            super(in);
            this.name = name;
        }

        static IOException fault(String name, IOException cause) {
            return new IOException(
                    name + " must be a complete gzip file, got: " + cause.getMessage()
                            + " (gzip -t checks it; copy or download it again)",
                    cause);
        }

        @Override
        public int read() throws IOException {
            try {
                return super.read();
            } catch (ZipException | EOFException e) {
                throw fault(name, e);
            }
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            try {
                return super.read(to, offset, length);
            } catch (ZipException | EOFException e) {
                throw fault(name, e);
            }
        }
    }

    /** Has bytes available until its end: GZIPInputStream looks for another member, as of cat, only then. */
    private static final class UntilEnd extends FilterInputStream {
        /** @param in must support marks */
        UntilEnd(InputStream in) {
            super(in);
        }

        @Override
        public int available() throws IOException {
            // waits for a pipe
            in.mark(1);
            boolean isEnd = in.read() < 0;
            in.reset();
            return isEnd ? 0 : Math.max(1, in.available());
        }
    }
}
