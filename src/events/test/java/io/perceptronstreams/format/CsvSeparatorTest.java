package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CsvSeparatorTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "a,b/1,2/ ~ ,",
                "a;b/1,5;2,5/ ~ ;",
                "a|b/1|2/ ~ |",
                "label/1/0/ ~ ,",
                // a comma in a quoted name, and in quoted cells
                "'a,x';b/1;2/ ~ ;",
                "a;b/'1;2;3';2/'x,y';3/ ~ ;",
                // the rows decide between two in the header
                "a,x;b/1;2/3;4/ ~ ;",
                "a;b,c/1,2/3,4/ ~ ,",
                // a quotation mark within a cell is no quote
                "size,n/5',1/6',2/ ~ ,",
                "a,b/'say ''x;y''',2/ ~ ,"
            })
    void shouldFindTheSeparator(String head, char separator) {
        assertThat(CsvSeparator.find(head.replace('/', '\n').replace('\'', '"'), null, '\"'))
                .isEqualTo(separator);
    }

    @Test
    void shouldFindTabs() {
        assertThat(CsvSeparator.find("a\tb\n1,5\t2\n", null, '\"')).isEqualTo('\t');
    }

    @Test
    void shouldTakeTheOneThatGivesTheColumnThatIsWanted() {
        String head = "a,b;label\n1,2;0\n";

        assertThat(CsvSeparator.find(head, "label", '\"')).isEqualTo(';');
        assertThat(CsvSeparator.find(head, "a", '\"')).isEqualTo(',');
        assertThat(CsvSeparator.find(head, null, '\"')).isNull();
    }

    @Test
    void shouldNotCountARowThatIsCut() {
        assertThat(CsvSeparator.find("a,b;c\n1;2\n3;4\n5,6", null, '\"')).isEqualTo(';');
    }
}
