package io.perceptronstreams.format;

/** Which column of CoNLL-U the tags are read from. */
public enum TagColumn {
    /** Universal part-of-speech tags, column 4. */
    UPOS(3),
    /** Tags of the treebank's own, column 5. */
    XPOS(4);

    /** From 0. */
    final int column;

    TagColumn(int column) {
        this.column = column;
    }
}
