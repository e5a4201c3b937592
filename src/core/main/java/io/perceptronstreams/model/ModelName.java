package io.perceptronstreams.model;

/** Rule for the names of models, which are the record keys of all topics. */
public final class ModelName {
    /** Maximum length, in bytes and characters. */
    public static final int MAX_LENGTH = 128;

    /** The rule in words. */
    public static final String RULE = "1 to " + MAX_LENGTH + " characters of A-Z a-z 0-9 . _ -";

    private ModelName() {}

    /** Returns true if the bytes are a valid name in UTF-8. Cost: O(length), no allocation. */
    public static boolean isValid(byte[] name) {
        boolean isValid = name.length >= 1 && name.length <= MAX_LENGTH;
        for (int k = 0; isValid && k < name.length; k++) {
            byte c = name[k];
            isValid = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '-'
                    || c == '_'
                    || c == '.';
        }
        return isValid;
    }
}
