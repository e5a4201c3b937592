package io.perceptronstreams.embedded;

/** What may be written to a subject. */
enum RegistryMode {
    /** Schemas can be registered; the registry chooses id and version. */
    READWRITE,
    /** Nothing can be registered, deleted or configured. */
    READONLY,
    /** New schemas can be registered with their ids and versions of another registry, and only so. */
    IMPORT
}
