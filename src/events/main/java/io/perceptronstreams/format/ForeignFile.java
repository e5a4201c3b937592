package io.perceptronstreams.format;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/** Recognises files of other kinds by their first bytes, and names the command that makes a text of them. */
final class ForeignFile {
    private static final int HEAD_BYTES = 1 << 15;
    private static final int TAR_MARK = 257;

    private static final Pattern JSON =
            Pattern.compile("(?:\u00ef\u00bb\u00bf)?\\s*(?:\\[\\s*)?\\{\\s*\"[^\"]*\"\\s*:");

    private static final int SAS_PLACE = 12;
    private static final String SAS = "\u00c2\u00ea\u0081`\u00b3\u0014\u0011\u00cf\u00bd\u0092\b\0\t\u00c71\u008c";

    /** The head of what R's saveRDS writes: binary, in the order of bytes that all machines read. */
    private static final Pattern R_OBJECT = Pattern.compile("X\n\0\0\0[\2\3]");

    private ForeignFile() {}

    /**
     * Returns the bytes with support of marks, at their beginning.
     *
     * @param file name of the text in messages
     * @param format that is expected, or null
     * @throws IOException if the bytes are no text that can be read
     */
    static InputStream check(InputStream bytes, String file, ExampleFormat format) throws IOException {
        InputStream in = bytes.markSupported() ? bytes : new BufferedInputStream(bytes, HEAD_BYTES);
        in.mark(HEAD_BYTES);
        byte[] head = new byte[HEAD_BYTES];
        // one call: a pipe may deliver no more for a long time
        int length = Math.max(0, in.read(head));
        in.reset();
        String text = new String(head, 0, length, StandardCharsets.ISO_8859_1);
        String fault = fault(text, file);
        if (fault == null && format == ExampleFormat.CSV && JSON.matcher(text).lookingAt()) {
            fault = "JSON (--format jsonl)";
        }
        if (fault == null && format != ExampleFormat.ARFF && isArff(text)) {
            fault = "ARFF (--format arff)";
        }
        if (fault != null) {
            throw new IOException(file + " must be text, gzipped or not, got " + fault);
        }
        return in;
    }

    /** @param head first bytes, each as a character */
    private static String fault(String head, String file) {
        if (head.startsWith("BZh")) {
            return "bzip2 (bzip2 -dc " + ShellWord.of(file) + " > " + ShellWord.of(base(file)) + ")";
        }
        if (head.startsWith("(\u00b5/\u00fd")) {
            return "zstd (zstd -dc " + ShellWord.of(file) + " > " + ShellWord.of(base(file)) + ")";
        }
        if (head.startsWith("\u00fd7zXZ\0")) {
            return "xz (xz -dc " + ShellWord.of(file) + " > " + ShellWord.of(base(file)) + ")";
        }
        if (head.startsWith("7z\u00bc\u00af")) {
            return "a 7z archive (7z x -so " + ShellWord.of(file) + " > " + text(file, ".csv") + ")";
        }
        if (head.startsWith("PK\3\4")) {
            return head.contains("[Content_Types].xml") || head.contains("mimetypeapplication/vnd.oasis")
                    ? "a spreadsheet or document (save it as CSV, or " + pandas("excel", file) + ")"
                    : "a zip archive (unzip -p " + ShellWord.of(file) + " > " + text(file, ".csv") + ")";
        }
        if (head.length() > TAR_MARK && head.startsWith("ustar", TAR_MARK)) {
            return "a tar archive (tar -xf " + ShellWord.of(file) + ")";
        }
        if (head.startsWith("\u00d0\u00cf\u0011\u00e0")) {
            return "a spreadsheet or document (save it as CSV)";
        }
        if (head.startsWith("PAR1")) {
            return "Parquet (" + pandas("parquet", file) + ")";
        }
        if (head.startsWith("ORC")) {
            return "ORC (" + pandas("orc", file) + ")";
        }
        if (head.startsWith("ARROW1") || head.startsWith("FEA1")) {
            return "Arrow (" + pandas("feather", file) + ")";
        }
        if (head.startsWith("\u0080") && head.length() > 1 && head.charAt(1) < 6) {
            return "a Python pickle (" + pandas("pickle", file) + ")";
        }
        if (head.startsWith("\u0093NUMPY")) {
            return "a NumPy array (write it as CSV with a line of column names)";
        }
        if (head.startsWith("\u0089HDF")) {
            return "HDF5 (" + pandas("hdf", file) + ")";
        }
        if (head.startsWith("Obj\1")) {
            return "an Avro file (avro-tools tojson " + ShellWord.of(file) + " > " + text(file, ".jsonl") + ")";
        }
        if (head.startsWith("SQLite format 3\0")) {
            return "a SQLite database (sqlite3 -header -csv " + ShellWord.of(file) + " 'select * from TABLE' > "
                    + text(file, ".csv") + ")";
        }
        if (head.startsWith("\u001f\u008b")) {
            return "gzip within gzip (gzip -dc " + ShellWord.of(file) + " > " + ShellWord.of(base(file)) + ")";
        }
        if (head.startsWith("\4\"M\u0018")) {
            return "lz4 (lz4 -dc " + ShellWord.of(file) + " > " + ShellWord.of(base(file)) + ")";
        }
        if (head.startsWith("\u00ff\6\0\0sNaPpY")) {
            return "framed snappy (unpack it first)";
        }
        if (head.startsWith("Rar!\u001a\7")) {
            return "a rar archive (unrar p -inul " + ShellWord.of(file) + " > " + text(file, ".csv") + ")";
        }
        if (head.startsWith("RDX")
                || head.startsWith("RDA")
                || R_OBJECT.matcher(head).lookingAt()) {
            return "data of R (write.csv in R makes a text of them)";
        }
        if (head.startsWith("$FL2") || head.startsWith("$FL3")) {
            return "data of SPSS (" + pandas("spss", file) + ")";
        }
        if (head.startsWith("<stata_dta>")) {
            return "data of Stata (" + pandas("stata", file) + ")";
        }
        if (head.startsWith("HEADER RECORD*******LIB") || head.startsWith(SAS, SAS_PLACE)) {
            return "data of SAS (" + pandas("sas", file) + ")";
        }
        if (head.startsWith("MATLAB 5.0 MAT-file")) {
            return "data of MATLAB (writetable of MATLAB writes CSV)";
        }
        if (head.startsWith("%PDF-")) {
            return "a PDF (a table in it must be written as CSV)";
        }
        if (head.startsWith("version https://git-lfs.github.com/")) {
            return "a pointer of Git LFS (git lfs pull brings the file)";
        }
        String text = head.stripLeading().toLowerCase(Locale.ROOT);
        if (text.startsWith("<!doctype html") || text.startsWith("<html")) {
            return "a web page (was it downloaded instead of the file?)";
        }
        if (text.startsWith("<?xml")) {
            return "XML (convert it to CSV or to one JSON object per line)";
        }
        return null;
    }

    /** Returns true for the format of Weka, whose header may follow comments. */
    private static boolean isArff(String head) {
        return head.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("%"))
                .findFirst()
                .filter(line -> line.regionMatches(true, 0, "@relation", 0, "@relation".length()))
                .isPresent();
    }

    private static String pandas(String kind, String file) {
        return "python3 -c 'import pandas, sys; pandas.read_" + kind
                + "(sys.argv[1]).to_csv(sys.argv[2], index=False)' " + ShellWord.of(file) + " " + text(file, ".csv");
    }

    /** The name of the text, with an extension that implies its format. */
    static String text(String file, String extension) {
        String base = base(file);
        String text = ExampleFormat.ofFileName(base).isPresent() ? base : base + extension;
        // a shell would empty the file before it is read
        return ShellWord.of(text.equals(file) ? base + "-text" + extension : text);
    }

    /** The name without its last extension. */
    private static String base(String file) {
        int dot = file.lastIndexOf('.');
        return dot <= 0 ? file + ".out" : file.substring(0, dot);
    }
}
