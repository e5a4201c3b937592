package io.perceptronstreams.format;

import static io.perceptronstreams.format.ExampleFormat.CONLLU;
import static io.perceptronstreams.format.Texts.assertRefused;
import static io.perceptronstreams.format.Texts.features;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConlluReaderTest {
    private static final String TEXT = """
            # newdoc id = d
            # sent_id = d-1
            # text = I can't.
            1\tI\ti\tPRON\tPRP\t_\t2\tnsubj\t_\t_
            2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
            2\tca\tcan\tAUX\tMD\t_\t0\troot\t_\t_
            3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_
            3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_
            4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

            # no id
            1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
            """;

    @Test
    void shouldCountTheLinesOfSentencesFromTheirFirstWords() throws IOException {
        ExampleSource source = Texts.source("f.conllu", CONLLU, LabelType.AUTO);
        try (ExampleReader reader = source.open(new ByteArrayInputStream(TEXT.getBytes(StandardCharsets.UTF_8)), 1)) {
            reader.next();
            assertThat(reader.line()).isEqualTo(4);
            reader.next();
            assertThat(reader.line()).isEqualTo(12);
        }
    }

    @Test
    void shouldReadWordsAndTagsAndPassOverRangesAndEmptyNodes() throws IOException {
        List<GenericRecord> examples = read(TEXT);

        assertThat(examples)
                .extracting(example -> example.get("label"))
                .containsExactly(List.of("PRON", "AUX", "PART", "PUNCT"), List.of("VERB"));
        assertThat(examples).extracting(example -> example.get("id")).containsExactly("d-1", "f:12");
        assertThat(tokens(examples.get(0))).hasSize(4);
        assertThat(tokens(examples.get(0)).get(2)).contains("w=n't", "-1=ca", "+1=.");
        assertThat(examples.get(1).get("weight")).isEqualTo(1.0);
    }

    @Test
    void shouldReadTagsOfTheTreebanksOwn() throws IOException {
        ExampleSource source = Texts.source("f.conllu", CONLLU, TagColumn.XPOS, null, null);

        assertThat(Texts.read(source, TEXT.getBytes(StandardCharsets.UTF_8)))
                .extracting(example -> example.get("label"))
                .containsExactly(List.of("PRP", "MD", "RB", "."), List.of("VB"));
    }

    @Test
    void shouldReadAnUntaggedSentenceWithoutALabel() throws IOException {
        assertThat(read(TEXT.replace("VERB", "_")).get(1).get("label")).isNull();
    }

    @Test
    void shouldUnpackGzip() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(TEXT.getBytes(StandardCharsets.UTF_8));
        }
        ExampleSource source = Texts.source("f.conllu.gz", CONLLU, LabelType.AUTO);
        assertThat(Texts.read(source, packed.toByteArray())).hasSize(2);
        assertThat(ExampleFormat.ofFileName("f.conllu.gz")).contains(CONLLU);
    }

    @Test
    void shouldTellPassesApartInIds() throws IOException {
        ExampleSource source = Texts.source("f.conllu", CONLLU, LabelType.AUTO);
        byte[] text = TEXT.getBytes(StandardCharsets.UTF_8);
        try (ExampleReader reader = source.open(new ByteArrayInputStream(text), 2)) {
            assertThat(reader.next().get("id")).isEqualTo("d-1#2");
        }
    }

    @Test
    void shouldPassOverCommentsWithoutWordsAndEmptyLines() throws IOException {
        assertThat(read("\n\n# sent_id = lost\n\n\n" + TEXT + "\n\n\n# sent_id = end\n"))
                .hasSize(2);
        // the id of a sentence that never came is not that of the next one
        assertThat(read("# sent_id = lost\n\n" + word(1, "a", "X")).get(0).get("id"))
                .isEqualTo("f:3");
        assertThat(read("")).isEmpty();
    }

    /** Lower case of A-Z only; affixes in code points, of what there is. */
    @Test
    void shouldMakeTheDocumentedFeatures() throws IOException {
        List<GenericRecord> examples =
                read(word(1, "É-Mail2", "X") + word(2, "A", "X") + word(3, "\uD83D\uDE00x", "X"));

        assertThat(tokens(examples.get(0)))
                .containsExactly(
                        List.of(
                                "b",
                                "w=É-Mail2",
                                "l=É-mail2",
                                "s1=2",
                                "s2=l2",
                                "s3=il2",
                                "p1=É",
                                "p2=É-",
                                "-1=<s>",
                                "+1=a",
                                "digit",
                                "hyphen"),
                        List.of(
                                "b",
                                "w=A",
                                "l=a",
                                "s1=a",
                                "s2=a",
                                "s3=a",
                                "p1=a",
                                "p2=a",
                                "-1=É-mail2",
                                "+1=\uD83D\uDE00x",
                                "capital"),
                        List.of(
                                "b",
                                "w=\uD83D\uDE00x",
                                "l=\uD83D\uDE00x",
                                "s1=x",
                                "s2=\uD83D\uDE00x",
                                "s3=\uD83D\uDE00x",
                                "p1=\uD83D\uDE00",
                                "p2=\uD83D\uDE00x",
                                "-1=a",
                                "+1=</s>"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "2 b~line must have 10 columns with a tab between them, got 1 (sentences end with an empty line)",
                "! !~line must have 10 columns with a tab between them, got 1 (sentences end with an empty line)",
                "3/b/_/X/_/_/_/_/_/_~ID must be 2, or a range or an empty node, got '3' (sentences end with an empty line)",
                "1/b/_/X/_/_/_/_/_/_~ID must be 2, or a range or an empty node, got '1' (sentences end with an empty line)",
                "x/b/_/X/_/_/_/_/_/_~ID must be 2, or a range or an empty node, got 'x' (sentences end with an empty line)",
                "2//_/X/_/_/_/_/_/_~FORM must not be empty",
                "2/b/_//_/_/_/_/_/_~UPOS must not be empty",
                "2/b/_/_/_/_/_/_/_/_~UPOS must be given for all words of a sentence or for none, got '_' after 'X'",
                "2/b/_/X/_/_/_/_/_/_/_~line must have 10 columns with a tab between them, got 11 (sentences end with an empty line)"
            })
    void shouldRefuseABadLineWithItsNumber(String line, String message) {
        assertRefused(CONLLU, "# a\n" + word(1, "a", "X") + line.replace('/', '\t') + "\n", "f.conllu:3: " + message);
    }

    private static String word(int id, String form, String tag) {
        return id + "\t" + form + "\t_\t" + tag + "\t_\t_\t_\t_\t_\t_\n";
    }

    @SuppressWarnings("unchecked")
    private static List<List<String>> tokens(GenericRecord example) {
        return (List<List<String>>) features(example, "tokens");
    }

    private static List<GenericRecord> read(String text) throws IOException {
        return Texts.read(CONLLU, text);
    }
}
