package io.perceptronstreams.registry.http;

import java.util.regex.Pattern;

/** Addresses in what others may read, such as log lines and shown settings, without their user, password and query. */
public final class Addresses {
    // up to the last '@' of the address: a password may have one, or a slash
    private static final Pattern USER_IN_TEXT = Pattern.compile("://(?:(?!://)\\S)*@");
    private static final Pattern USER_IN_VALUE = Pattern.compile("(?s)://(?:(?!://).)*@|^[^/\\[]*:[^/\\[]*@");

    // a token may stand there
    private static final Pattern QUERY = Pattern.compile("(://[^\\s?#]*\\?)[^\\s'\")]+");

    private static final String HIDDEN = "…";

    private Addresses() {}

    /** Text, such as the message of an exception, in which addresses may stand; null for null. */
    public static String withoutSecrets(String text) {
        return text == null || !text.contains("://") ? text : withoutQuery(USER_IN_TEXT, text);
    }

    /** Value of a setting, which may be an address, or some separated by commas; also one that is no valid address. */
    public static String valueWithoutSecrets(String value) {
        return withoutQuery(USER_IN_VALUE, value);
    }

    private static String withoutQuery(Pattern user, String text) {
        String withoutUser =
                user.matcher(text).replaceAll(found -> (found.group().startsWith("://") ? "://" : "") + HIDDEN + "@");
        return QUERY.matcher(withoutUser).replaceAll("$1" + HIDDEN);
    }
}
