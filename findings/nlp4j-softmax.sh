#!/usr/bin/env bash
# nlp4j's SoftmaxRegression learns from mistakes only, and its probabilities do not add up to 1: there is one share more than labels.
# Softmax regression learns from each example, in proportion to what its probability lacks. Needs a JDK, Maven and a repository with
# Maven Central's packages.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/pom.xml" <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>finding</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>edu.emory.mathcs.nlp</groupId>
      <artifactId>nlp4j-core</artifactId>
      <version>1.1.2</version>
    </dependency>
  </dependencies>
</project>
XML
cat >"$dir/Finding.java" <<'JAVA'
import edu.emory.mathcs.nlp.learning.optimization.method.SoftmaxRegression;
import edu.emory.mathcs.nlp.learning.util.FeatureVector;
import edu.emory.mathcs.nlp.learning.util.Instance;
import edu.emory.mathcs.nlp.learning.util.SparseVector;
import edu.emory.mathcs.nlp.learning.util.WeightVector;
import java.util.List;

public class Finding {
    public static void main(String[] args) {
        SoftmaxRegression learner = new SoftmaxRegression(new WeightVector(), 1, 0);
        learner.addLabels(List.of("yes", "no"));
        float[] scores = {};
        for (int k = 1; k <= 100; k++) {
            learner.train(new Instance("yes", x()));
            scores = learner.scores(x());
            if (k == 1 || k == 100) {
                System.out.printf("after %3d: yes %.4f, no %.4f, together %.4f%n", k, scores[0], scores[1], scores[0] + scores[1]);
            }
        }
        if (Math.abs(scores[0] - 1 / 3.0) > 1e-6 || Math.abs(scores[1] - 1 / 3.0) > 1e-6) {
            throw new AssertionError("the behaviour has changed");
        }
    }

    private static FeatureVector x() {
        SparseVector x = new SparseVector();
        x.add(1, 1);
        return new FeatureVector(x);
    }
}
JAVA
mvn -B -q -f "$dir/pom.xml" dependency:build-classpath -Dmdep.outputFile="$dir/classpath"
echo "nlp4j 1.1.2, SoftmaxRegression with rate 1; a hundred times the same example with the label yes, which wins the tie of no weights."
echo "Probabilities, which softmax regression would have moved to 0.995 and 0.005:"
java -cp "$(<"$dir/classpath")" "$dir/Finding.java"
