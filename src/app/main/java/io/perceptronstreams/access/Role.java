package io.perceptronstreams.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Kind of requests that a client may make. None of them includes another one. */
public enum Role {
    /** Page, API, streams and metrics. */
    READ,
    /** Examples, labels and predictions. */
    SEND,
    /** Commands to models. */
    COMMAND;

    /** Names of all roles, for messages. */
    static final String NAMES = Arrays.stream(values()).map(Role::text).collect(Collectors.joining(", "));

    /** Name in settings and messages. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the role of a name; empty without one. */
    static Optional<Role> of(String text) {
        return Arrays.stream(values()).filter(each -> each.text().equals(text)).findFirst();
    }
}
