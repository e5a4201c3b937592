package io.perceptronstreams.monitor;

import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelReplica;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** A replica whose models a test gives. */
abstract class TestReplica implements ModelReplica {
    /** A replica of models that have learned nothing, under any name; every read of one is told first. */
    static TestReplica ofAny(Consumer<String> reads) {
        Model model = new Model();
        return new TestReplica() {
            @Override
            public <T> T read(String name, Function<Held, T> function) {
                reads.accept(name);
                return function.apply(new Held(model, 0, 7, 1));
            }
        };
    }

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
