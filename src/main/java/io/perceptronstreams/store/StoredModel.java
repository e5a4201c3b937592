package io.perceptronstreams.store;

import io.perceptronstreams.learner.Model;
import io.perceptronstreams.model.LiveModel;

/** A live model of a {@link ModelStore}, and which of its names are stored. */
final class StoredModel extends LiveModel {
    private final StoredNames names;

    StoredModel(byte[] name, Model model, long position, long lastSeen, StoredNames names) {
        super(name, model, position, lastSeen);
        this.names = names;
    }

    /** The names that lie in records of their own. */
    StoredNames names() {
        return names;
    }
}
