package io.perceptronstreams.learner;

import java.util.ArrayList;
import java.util.List;

/** The visited weights of a learner, one line each. */
public final class WeightList {
    private WeightList() {}

    public static List<String> of(Learner learner) {
        List<String> lines = new ArrayList<>();
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                lines.add(name + ' ' + bias + ' ' + averagedBias);
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                lines.add(index + " " + weight + ' ' + averaged);
            }
        });
        return lines;
    }
}
