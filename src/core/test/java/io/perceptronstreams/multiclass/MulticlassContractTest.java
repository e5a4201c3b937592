package io.perceptronstreams.multiclass;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.LearnerContract;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.util.List;

public final class MulticlassContractTest extends LearnerContract {
    private static final List<String> NAMES = List.of("red", "7", "blue", "ß", "-1", "ochre", "0");

    @Override
    public boolean covers(Algorithm algorithm) {
        return algorithm.has(Algorithm.Trait.SEVERAL_CLASSES);
    }

    @Override
    public String others() {
        return """
                multiclass | h=1 | bias=false
                multiclass | h=2 | h.inclusive=true | eta=0.3 | classes=red,7,blue,ß,-1,ochre,0
                multiclass | predict=averaged | predict.scores=true
                multiclass | predict=averaged | average.halflife=1
                multiclass | predict=averaged | survival.start=0 | eta=0.1
                multiclass | predict.scores=true | classes.max=7
                multiclass-pa | bias=false | predict.scores=true
                multiclass-pa | c=0.01 | classes=red,7,blue,ß,-1,ochre,0
                multiclass-pa | c=0.1 | predict=averaged
                multiclass-pa | predict=averaged | average.halflife=1
                multiclass-pa | predict=averaged | survival.start=0
                softmax | rate=adagrad | predict.scores=true
                softmax | rate=adagrad | implicit=true | predict=averaged | classes=red,7,blue,ß,-1,ochre,0
                softmax | implicit=true | eta=0.1 | bias=false
                softmax | rate=inverse-sqrt | predict=averaged | average.halflife=1
                softmax | eta=0.01 | survival.start=0 | predict=averaged
                """;
    }

    @Override
    public Label label(Settings settings, int y) {
        return new Label.ClassName(y < 0 ? "-1" : "red");
    }

    /** Seven classes, a new one now and then, that mostly follow the first feature. */
    @Override
    public Label label(Settings settings, Sample sample) {
        int number = Math.floorMod(sample.indices[0] / 77_777 + (sample.y > 0 ? 1 : 0), NAMES.size());
        String name = NAMES.get(number);
        return number % 2 == 1 && name.length() == 1 && Character.isDigit(name.charAt(0))
                ? Label.of(Integer.parseInt(name))
                : new Label.ClassName(name);
    }

    @Override
    public List<Rejected> rejected() {
        Sample good = Sample.dense(1, 1, 2, 3);
        return List.of(
                new Rejected(Sample.dense(1, 1e200), new Label.ClassName("red")),
                new Rejected(Sample.dense(1, 1e200), new Label.ClassName("new")),
                new Rejected(good, new Label.ClassName("")),
                new Rejected(good, new Label.ClassName("a\0")),
                new Rejected(good, new Label.ClassName("n".repeat(257))),
                new Rejected(good, new Label.Tags(List.of("NOUN"))));
    }
}
