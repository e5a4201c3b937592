package io.perceptronstreams.format;

/** Columns of CoNLL-U with tags. */
public enum TagColumn {
    /** Universal part-of-speech tags, column 4. */
    UPOS(3),
    /** Language-specific part-of-speech tags of the treebank, column 5. */
    XPOS(4);

    /** Index of the column, from 0. */
    final int column;

    TagColumn(int column) {
        this.column = column;
    }
}
