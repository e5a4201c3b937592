package io.perceptronstreams.settings;

import java.util.List;
import java.util.ServiceLoader;

/** Kind of learner as its settings know it. */
public interface LearnerKind {
    /** Returns true if the learner uses this setting; others accept only its default. */
    boolean uses(Setting<?> setting);

    /** Returns false until a first label decides. */
    boolean isDecided();

    /** Source of all kinds; settings do not know the package that has them. */
    interface Source {
        /** All kinds in their order; the first is the default. */
        List<? extends LearnerKind> kinds();
    }

    /** All kinds of the program in their order. */
    static List<? extends LearnerKind> all() {
        return Kinds.ALL;
    }

    /** The kinds that a {@link Source} of the class path has. */
    final class Kinds {
        private static final List<? extends LearnerKind> ALL =
                ServiceLoader.load(Source.class).findFirst().orElseThrow().kinds();

        private Kinds() {}
    }
}
