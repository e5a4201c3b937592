package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables of spreadsheets, databases and people: read as they are meant, or with a line that says otherwise. */
final class OddTablesTest {
    @RegisterExtension
    final FitRun run = new FitRun();

    private String command(String text, String options) throws IOException {
        return "fit " + run.file("f.csv", text.replace('/', '\n')) + " --dry-run " + options;
    }

    private String dryRun(String text, String options) throws IOException {
        return run.output(command(text, options));
    }

    /** They became words, each of its own, without a line. */
    @ParameterizedTest
    @ValueSource(strings = {"\u00a05", "5\u00a0", "\u200b5", "5\u202f", "\ufeff5", "\u30005\u2060"})
    void shouldReadNumbersBesideBlanksThatCannotBeSeen(String five) throws IOException {
        assertThat(dryRun("\u00a0x,label/" + five + ",1/7,0/", "")).containsPattern("x +0 +2  numbers, 5 to 7\n");
        assertThat(run.errors()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "\uff15 ~ \uff17 ~ numbers, 5 to 7",
                "\u0665 ~ \u0667 ~ numbers, 5 to 7",
                "'5 ~ '7 ~ numbers, 5 to 7",
                "\"=\"\"5\"\"\" ~ \"=\"\"7\"\"\" ~ numbers, 5 to 7",
                "\"12,34,500\" ~ \"1,00,000\" ~ numbers, 100000 to 1234500",
                "1_000 ~ 2_500_000 ~ numbers, 1000 to 2500000",
                "1\u20444 ~ 1 1\u20442 ~ numbers, 0.25 to 1.5",
                "\u00bd ~ -3\u00be ~ numbers, -3.75 to 0.5"
            })
    void shouldReadNumbersInDisguiseWhereTold(String first, String second, String kind) throws IOException {
        String text = "x,label/" + first + ",1/" + second + ",0/";
        assertThat(dryRun(text, "--numbers x")).contains(kind + "\n");

        dryRun(text, "");
        assertThat(run.errors())
                .contains("f.csv: column x: words, although 2 of 2 cells are amounts, such as '")
                .endsWith("; --numbers x takes numbers\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "5kg,1/1500g,0/7kg,1/300g,0/ ~ words, although all cells are amounts, of different units: '5kg' and '1500g' (convert them to one)",
                "$5,1/\u20ac6,0/$7,1/\u20ac8,0/ ~ words, although all cells are amounts, of different units: '$5' and '\u20ac6' (convert them to one)",
                "5%,1/6,0/ ~ words, as 2 of 2 cells are numbers, some of them in percent; write all of them so, or none",
                "Rome,1/rome,0/Oslo,1/Rome,1/rome,0/Oslo,1/ ~ 'Rome' and 'rome' differ only in case or blanks, and are different words (write them alike)",
                "New York,1/New  York,0/New York,1/New  York,0/ ~ 'New York' and 'New  York' differ only in case or blanks, and are different words (write them alike)",
                "5,1/-999,0/6,1/-999,0/ ~ '-999' is a number in 2 of 4 rows, far from all others; --missing=-999 takes it as missing",
                "5,1/99.99,0/6,1/99.99,0/ ~ '99.99' is a number in 2 of 4 rows, far from all others; --missing=99.99 takes it as missing",
                "950,1/1.500,0/ ~ '1.500' is 1.5; --decimal , reads 1500"
            })
    void shouldNoteWhatMayBeMeantOtherwise(String rows, String note) throws IOException {
        dryRun("x,label/" + rows, "");

        assertThat(run.errors()).isEqualTo("f.csv: column x: " + note + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5,1/-999,0/700,1/-999,0/", "5,1/999,0/6,1/", "1.500,1/2.25,0/", "1.500,1/2000,0/"})
    void shouldNotNoteOtherNumbers(String rows) throws IOException {
        dryRun("x,label/" + rows, "");

        assertThat(run.errors()).isEmpty();
    }

    @Test
    void shouldReadWhatTheNotesName() throws IOException {
        assertThat(dryRun("x,label/5,1/-999,0/6,1/-999,0/", "--missing=-999")).contains("numbers, 5 to 6\n");
        assertThat(dryRun("x;label/1.500;1/2.750;0/", "")).contains("numbers, 1.5 to 2.75\n");
        assertThat(run.errors()).contains("f.csv: column x: '1.500' is 1.5; --decimal , reads 1500\n");
        assertThat(dryRun("x;label/1.500;1/2.750;0/", "--decimal ,")).contains("numbers, 1500 to 2750\n");
        assertThat(run.failure(1, command("x,label/5%,1/6,0/", "--numbers x")))
                .contains("value must be in one unit, as '5%' before it, got '6' (column x; ");
    }

    @Test
    void shouldNoteLabelsThatDifferOnlyInCase() throws IOException {
        assertThat(dryRun("x,label/1,Yes/2,yes/3,No/", "")).contains("labels: Yes 1, yes 1, No 1\n");
        assertThat(run.errors())
                .isEqualTo(
                        "f.csv: column label: 'Yes' and 'yes' differ only in case or blanks, and are different labels (write them alike)\n");
    }

    @Test
    void shouldNoteAMarkThatIsTheOnlyLabel() throws IOException {
        dryRun("a,label/1,x/2,/3,x/", "");

        assertThat(run.errors())
                .isEqualTo(
                        "f.csv: column label: all labels are 'x', and 1 of 3 rows have none: a class needs a word of its own in its cells\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {" x | label /---+-------/ 5 | 1 / 7 | 0 /", "| x | label |/|---|:-----:|/| 5 | 1 |/| 7 | 0 |/"})
    void shouldLeaveOutTheRuleOfADrawnTable(String text) throws IOException {
        assertThat(dryRun(text, ""))
                .containsPattern("x +0 +2  numbers, 5 to 7\n")
                .endsWith("2 examples, 2 of them with a label; nothing was sent or learned\n");
        assertThat(run.errors()).contains("f.csv: line 2 is a rule of a drawn table; it is left out\n");
    }

    @Test
    void shouldNameTheToolOfADrawnTable() throws IOException {
        assertThat(run.failure(1, command("+---+---+/| x | label |/+---+---+/| 5 | 1 |/", "")))
                .contains(
                        "(a drawn table: mysql --batch and psql --csv write one without lines; --label-column names another");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Report of May//x,y,label/5,6,1/7,8,0/",
                "Report,,/Made,today,/x,y,label/5,6,1/",
                "a,b,c/d,e,f/x,y,label/5,6,1/"
            })
    void shouldNameTheLineThatHasTheNames(String text) throws IOException {
        assertThat(run.failure(1, command(text, "")))
                .contains("; line 3 has the name label: tail -n +3 f.csv leaves out the lines before it)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SEP=;/", "Sep=;/", "\"SEP=;\"/"})
    void shouldReadTheLineOfTheSeparatorInAnyCase(String line) throws IOException {
        assertThat(dryRun(line + "x;label/5;1/7;0/", "")).contains("numbers, 5 to 7\n");
    }
}
