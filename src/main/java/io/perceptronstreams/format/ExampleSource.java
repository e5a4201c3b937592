package io.perceptronstreams.format;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * A text with examples, and the options for reading it.
 *
 * @param file a path, {@code .gz} or not, or {@code -} for standard input
 * @param format of the text
 * @param labelType of the labels
 * @param labelColumn csv only: the label's column, {@code none} for no label; null: {@code label}
 * @param idColumn csv only: the ids' column, or null
 * @param idPrefix prefix of generated ids; null: the file's base name, or {@code stdin}
 * @param tagColumn conllu only: the column of the tags
 * @param namespaces csv only: namespaces of the columns
 */
public record ExampleSource(
        String file,
        ExampleFormat format,
        LabelType labelType,
        String labelColumn,
        String idColumn,
        String idPrefix,
        TagColumn tagColumn,
        ColumnNamespaces namespaces) {
    private static final int BUFFER_BYTES = 1 << 16;

    /** Creates a source whose columns have no namespaces, with universal part-of-speech tags. */
    public ExampleSource(
            String file,
            ExampleFormat format,
            LabelType labelType,
            String labelColumn,
            String idColumn,
            String idPrefix) {
        this(file, format, labelType, labelColumn, idColumn, idPrefix, TagColumn.UPOS, ColumnNamespaces.NONE);
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
     * Opens the text at its beginning.
     *
     * @param pass number of this pass, from 1; part of ids from 2 on
     * @throws IOException if the text cannot be read, or its header is invalid
     */
    public ExampleReader open(int pass) throws IOException {
        if (isStandardInput()) {
            return open(System.in, pass);
        }
        InputStream in = InputFile.open(file);
        try {
            return open(in, pass);
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
    }

    /** As {@link #open(int)}, from bytes; unpacks gzip. */
    public ExampleReader open(InputStream bytes, int pass) throws IOException {
        InputStream in = unpacked(bytes);
        String name = isStandardInput() ? "stdin" : String.valueOf(Path.of(file).getFileName());
        ExampleIds ids = new ExampleIds(idPrefix == null ? ExampleFormat.baseName(name) : idPrefix, pass);
        LabelParser labels = new LabelParser(labelType);
        return switch (format) {
            case LIBSVM -> new LibsvmReader(new LineReader(in, name), ids, labels);
            case CSV -> new CsvReader(in, name, ids, labels, labelColumn, idColumn, namespaces);
            case JSONL -> new JsonlReader(new LineReader(in, name), ids, labelType);
            case VW -> new VwReader(new LineReader(in, name), ids, labels);
            case CONLLU -> new ConlluReader(new LineReader(in, name), ids, tagColumn);
        };
    }

    /** Checks the first two bytes instead of the file name, so that standard input may be gzipped, too. */
    private static InputStream unpacked(InputStream bytes) throws IOException {
        InputStream in = new BufferedInputStream(bytes, BUFFER_BYTES);
        in.mark(2);
        boolean isGzip = in.read() == 0x1f && in.read() == 0x8b;
        in.reset();
        return isGzip ? new GZIPInputStream(new UntilEnd(in), BUFFER_BYTES) : in;
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
