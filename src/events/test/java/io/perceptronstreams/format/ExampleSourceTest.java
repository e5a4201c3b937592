package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ExampleSourceTest {
    private static final byte[] TEXT = "+1 1:1\n-1 2:1\n".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path directory;

    @Test
    void shouldUnpackGzip() throws IOException {
        Path file = directory.resolve("tiny.libsvm.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(TEXT);
        }

        try (ExampleReader reader = source(file.toString()).open(1)) {
            assertThat(reader.next().get("id")).isEqualTo("tiny:1");
            assertThat(reader.next().get("id")).isEqualTo("tiny:2");
            assertThat(reader.next()).isNull();
            assertThat(reader.next()).isNull();
        }
    }

    /** Such files were read as something else, or refused by the parser of another format. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.csv.bz2  | 425a68               | bzip2 (bzip2 -dc a.csv.bz2 > a.csv)",
                "a.csv.zst  | 28b52ffd             | zstd (zstd -dc a.csv.zst > a.csv)",
                "a b.csv.xz | fd377a585a00         | xz (xz -dc 'a b.csv.xz' > 'a b.csv')",
                "a.csv.zip  | 504b0304             | a zip archive (unzip -p a.csv.zip > a.csv)",
                "a.xlsx     | 504b03045b436f6e74656e745f54797065735d2e786d6c | a spreadsheet or document (save it as CSV, or"
                        + " python3 -c 'import pandas, sys; pandas.read_excel(sys.argv[1]).to_csv(sys.argv[2],"
                        + " index=False)' a.xlsx a.csv)",
                "a.parquet  | 50415231             | Parquet (python3 -c 'import pandas, sys;"
                        + " pandas.read_parquet(sys.argv[1]).to_csv(sys.argv[2], index=False)' a.parquet a.csv)",
                "a.avro     | 4f626a01             | an Avro file (avro-tools tojson a.avro > a.jsonl)",
                "a.pkl      | 8004                 | a Python pickle (python3 -c 'import pandas, sys;"
                        + " pandas.read_pickle(sys.argv[1]).to_csv(sys.argv[2], index=False)' a.pkl a.csv)",
                "a.csv      | 3c21444f43545950452068746d6c3e | a web page (was it downloaded instead of the file?)",
                "a.csv      | 3c3f786d6c           | XML (convert it to CSV or to one JSON object per line)",
                "a.csv.lz4  | 04224d1864           | lz4 (lz4 -dc a.csv.lz4 > a.csv)",
                "a.rds      | 580a0000000300040201 | data of R (write.csv in R makes a text of them)",
                "a.sav      | 24464c3240282329     | data of SPSS (python3 -c 'import pandas, sys;"
                        + " pandas.read_spss(sys.argv[1]).to_csv(sys.argv[2], index=False)' a.sav a.csv)",
                "a.dta      | 3c73746174615f6474613e | data of Stata (python3 -c 'import pandas, sys;"
                        + " pandas.read_stata(sys.argv[1]).to_csv(sys.argv[2], index=False)' a.dta a.csv)",
                "a.sas7bdat | 000000000000000000000000c2ea8160b31411cfbd92080009c7318c18 | data of SAS (python3 -c 'import"
                        + " pandas, sys; pandas.read_sas(sys.argv[1]).to_csv(sys.argv[2], index=False)' a.sas7bdat a.csv)",
                "a.mat      | 4d41544c414220352e30204d41542d66696c65 | data of MATLAB (writetable of MATLAB writes CSV)",
                "a.csv      | 255044462d312e37     | a PDF (a table in it must be written as CSV)",
                "a.csv      | 526172211a0701       | a rar archive (unrar p -inul a.csv > a-text.csv)",
                "a.csv      | 76657273696f6e2068747470733a2f2f6769742d6c66732e6769746875622e636f6d2f | a pointer of Git LFS (git"
                        + " lfs pull brings the file)",
                "a.csv      | 7b226c6162656c223a317d | JSON (--format jsonl)",
            })
    void shouldSayWhatAFileOfAnotherKindIs(String name, String bytes, String kind) {
        ExampleSource source = new ExampleSource(name, ExampleFormat.CSV, LabelType.AUTO, null, null, null);

        assertThatThrownBy(() ->
                        source.open(new ByteArrayInputStream(HexFormat.of().parseHex(bytes)), 1))
                .hasMessage(name + " must be text, gzipped or not, got " + kind);
    }

    @Test
    void shouldNameTheFormatOfWekaUnderAnotherName() throws Exception {
        Path file = Files.writeString(directory.resolve("yard.txt"), """
                % of a garden
                @RELATION 'yard'
                @attribute temp numeric
                """);

        assertThatThrownBy(
                        () -> new ExampleSource(file.toString(), ExampleFormat.CSV, LabelType.AUTO, "class", null, null)
                                .open(1))
                .hasMessage(file + " must be text, gzipped or not, got ARFF (--format arff)");
        // and without --format, by its first bytes
        assertThatThrownBy(() -> InputFile.requireText(file.toString()))
                .hasMessage(file + " must be text, gzipped or not, got ARFF (--format arff)");
    }

    @Test
    void shouldNameAGzipFileThatIsCutOrPackedTwice() throws IOException {
        byte[] packed = packed(packed("x,label\n1,1\n".getBytes(StandardCharsets.UTF_8)));
        ExampleSource source = new ExampleSource("a.csv.gz", ExampleFormat.CSV, LabelType.AUTO, null, null, null);

        assertThatThrownBy(() -> source.open(new ByteArrayInputStream(packed), 1))
                .hasMessage("a.csv.gz must be text, gzipped or not, got gzip within gzip (gzip -dc a.csv.gz > a.csv)");
        assertThatThrownBy(() -> source.open(new ByteArrayInputStream(packed, 0, 15), 1))
                .hasMessage(
                        "a.csv.gz must be a complete gzip file, got: Unexpected end of ZLIB input stream (gzip -t checks"
                                + " it; copy or download it again)");
        assertThatThrownBy(() -> source.open(new ByteArrayInputStream(new byte[] {0x1f, (byte) 0x8b, 'x', 'y'}), 1))
                .hasMessageStartingWith("a.csv.gz must be a complete gzip file, got: ");
    }

    private static byte[] packed(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(bytes);
        }
        return packed.toByteArray();
    }

    /** Examples from the second gzip on were once lost where a pipe had not got them yet. */
    @Test
    void shouldUnpackSeveralGzipsFromAPipe() throws IOException {
        InputStream slow =
                new SequenceInputStream(Collections.enumeration(List.of(
                        new ByteArrayInputStream(gzip(TEXT)),
                        new ByteArrayInputStream(gzip(TEXT)),
                        new ByteArrayInputStream(gzip(TEXT))))) {
                    @Override
                    public int available() {
                        return 0;
                    }
                };

        try (ExampleReader reader = source("-").open(slow, 1)) {
            for (int line = 1; line <= 6; line++) {
                assertThat(reader.next().get("id")).isEqualTo("stdin:" + line);
            }
            assertThat(reader.next()).isNull();
        }
    }

    private static byte[] gzip(byte[] text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text);
        }
        return bytes.toByteArray();
    }

    @Test
    void shouldGiveEveryPassOtherIds() throws IOException {
        Path file = Files.write(directory.resolve("tiny.libsvm"), TEXT);

        try (ExampleReader reader = source(file.toString()).open(2)) {
            assertThat(reader.next().get("id")).isEqualTo("tiny:1#2");
        }
    }

    @Test
    void shouldReadStandardInput() throws IOException {
        InputStream original = System.in;
        System.setIn(new ByteArrayInputStream(TEXT));
        try (ExampleReader reader = source("-").open(1)) {
            assertThat(reader.next().get("id")).isEqualTo("stdin:1");
        } finally {
            System.setIn(original);
        }
    }

    @Test
    void shouldPutTheGivenPrefixBeforeTheLine() throws IOException {
        ExampleSource source = new ExampleSource("-", ExampleFormat.LIBSVM, LabelType.AUTO, null, null, "run7");

        assertThat(Texts.read(source, TEXT))
                .extracting(example -> example.get("id"))
                .containsExactly("run7:1", "run7:2");
    }

    @Test
    void shouldSkipAByteOrderMark() throws IOException {
        assertThat(Texts.read(ExampleFormat.LIBSVM, "\uFEFF+1 1:1\n").get(0).get("label"))
                .isEqualTo(1);
        assertThat(Texts.read(ExampleFormat.CSV, "\uFEFFlabel,x\n1,2\n").get(0).get("label"))
                .isEqualTo(1);
        assertThat(Texts.read(ExampleFormat.VW, "\uFEFF1 |a x\n").get(0).get("label"))
                .isEqualTo(1);
        assertThat(Texts.read(ExampleFormat.JSONL, "\uFEFF{\"label\":1,\"features\":[1]}\n")
                        .get(0)
                        .get("label"))
                .isEqualTo(1);
        assertThat(Texts.read(ExampleFormat.CONLLU, "\uFEFF1\tthe\tthe\tDET\tDT\t_\t0\troot\t_\t_\n\n"))
                .hasSize(1);
    }

    @Test
    void shouldGiveNothingForAnEmptyText() throws IOException {
        assertThat(Texts.read(ExampleFormat.LIBSVM, "")).isEmpty();
        assertThat(Texts.read(ExampleFormat.VW, "\n\n")).isEmpty();
    }

    @Test
    void shouldNameADirectory() {
        assertThatThrownBy(() -> source(directory.toString()).check())
                .isInstanceOf(FileSystemException.class)
                .hasMessage(directory + ": Is a directory");
    }

    @Test
    void shouldFailWhereThereIsNoFile() {
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> source(directory + "/none").open(1));
    }

    @ParameterizedTest
    @CsvSource({
        "a.libsvm, LIBSVM",
        "a.svm.gz, LIBSVM",
        "/x/a.CSV, CSV",
        "a.jsonl, JSONL",
        "a.ndjson.gz, JSONL",
        "A.JSONL.GZ, JSONL",
        "a.vw, VW"
    })
    void shouldGuessTheFormatFromTheName(String name, ExampleFormat format) {
        assertThat(ExampleFormat.ofFileName(name)).contains(format);
    }

    @Test
    void shouldNotGuessWhereTheNameSaysNothing() {
        assertThat(ExampleFormat.ofFileName("data.txt")).isEmpty();
        assertThat(ExampleFormat.ofFileName("-")).isEmpty();
    }

    private static ExampleSource source(String file) {
        return Texts.source(file, ExampleFormat.LIBSVM, LabelType.AUTO);
    }
}
