package io.perceptronstreams.access;

/** Credentials of clients, by one setting. Thread-safe. */
interface CredentialSource {
    /** Setting that they come from, for messages. */
    String setting();

    /** Returns true if a user of a browser can enter them. */
    boolean areForBrowsers();

    /**
     * Returns the client that has given credentials; null if they are wrong. Must not wait for anything.
     *
     * @param scheme of the Authorization header, in small letters
     * @param secret rest of this header
     */
    Caller caller(String scheme, String secret);

    /** Reads again what may have changed; called each second by one thread, and never fails. */
    default void refresh() {}
}
