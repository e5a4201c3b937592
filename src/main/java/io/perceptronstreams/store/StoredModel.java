package io.perceptronstreams.store;

import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import org.apache.kafka.common.utils.Bytes;

/** A live model of a {@link ModelStore}, and which of its names are stored. */
final class StoredModel extends LiveModel {
    private final Bytes key;
    private final StoredNames names;
    private boolean isCounted;

    StoredModel(byte[] name, Model model, long position, long lastSeen, StoredNames names) {
        super(name, model, position, lastSeen);
        this.key = Bytes.wrap(name);
        this.names = names;
    }

    /** The name, with a hash that is computed once. */
    Bytes key() {
        return key;
    }

    /** Whether the model is among those that exist, as its store has counted them. */
    boolean isCounted() {
        return isCounted;
    }

    void setCounted(boolean counted) {
        isCounted = counted;
    }

    /** The names that lie in records of their own. */
    StoredNames names() {
        return names;
    }
}
