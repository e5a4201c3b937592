package io.perceptronstreams.format;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Text formats of examples. */
public enum ExampleFormat {
    LIBSVM(".+\\.(libsvm|svm|svmlight)"),
    CSV(".+\\.(csv|tsv|tab)"),
    JSONL(".+\\.(jsonl|ndjson|json)"),
    VW(".+\\.vw"),
    ARFF(".+\\.arff"),
    CONLLU(".+\\.conllu");

    private final String names;

    ExampleFormat(String names) {
        this.names = names;
    }

    /** The format of a file name, ignoring {@code .gz}; empty if the extension is unknown. */
    public static Optional<ExampleFormat> ofFileName(String name) {
        String plain = withoutGz(name).toLowerCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(format -> plain.matches(format.names))
                .findFirst();
    }

    /** The name without {@code .gz} and without the extension of a format. */
    public static String baseName(String name) {
        String plain = withoutGz(name);
        return ofFileName(plain).isPresent() ? plain.substring(0, plain.lastIndexOf('.')) : plain;
    }

    private static String withoutGz(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
    }
}
