package io.perceptronstreams.monitor;

import io.perceptronstreams.model.ModelReplica;
import java.util.List;

/** A replica whose models a test gives. */
abstract class TestReplica implements ModelReplica {
    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public List<State> states() {
        return List.of();
    }

    @Override
    public long liveModels() {
        return 1;
    }

    @Override
    public long heapBytes() {
        return 0;
    }
}
