package io.perceptronstreams.store;

import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import org.apache.kafka.common.utils.Bytes;

/** A live model of a {@link ModelStore} with its stored names. */
final class StoredModel extends LiveModel {
    private final Bytes key;
    private final StoredNames names;
    private boolean isCounted;

    StoredModel(byte[] name, Model model, long position, long lastSeen, StoredNames names) {
        super(name, model, position, lastSeen);
        this.key = Bytes.wrap(name);
        this.names = names;
    }

    /** The name, with a cached hash. */
    Bytes key() {
        return key;
    }

    /** Returns true if the store has counted the model as existing. */
    boolean isCounted() {
        return isCounted;
    }

    void setCounted(boolean counted) {
        isCounted = counted;
    }

    /** Names that are stored in separate records. */
    StoredNames names() {
        return names;
    }
}
