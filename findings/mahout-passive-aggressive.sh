#!/usr/bin/env bash
# Mahout's PassiveAggressive makes steps that are twice as long as those of its paper (Crammer et al. 2006, section 7): it divides by
# the squared length of an example once, although an update moves the rows of two classes by it. Needs a JDK, Maven and a repository
# with Maven Central's packages.
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
      <groupId>org.apache.mahout</groupId>
      <artifactId>mahout-mr</artifactId>
      <version>0.13.0</version>
    </dependency>
  </dependencies>
</project>
XML
cat >"$dir/Finding.java" <<'JAVA'
import org.apache.mahout.classifier.sgd.PassiveAggressive;
import org.apache.mahout.math.DenseVector;
import org.apache.mahout.math.Vector;

public class Finding {
    public static void main(String[] args) {
        PassiveAggressive learner = new PassiveAggressive(2, 1);
        // PA-II with C so large that nothing is given up of a step
        learner.learningRate(1e9);
        Vector x = new DenseVector(new double[] {2});
        learner.train(1, x);
        Vector scores = learner.classifyNoLink(x);
        double margin = scores.get(1) - scores.get(0);
        System.out.printf("score of the label minus score of the other class: %.9f%n", margin);
        if (Math.abs(margin - 2) > 1e-6) {
            throw new AssertionError("the behaviour has changed");
        }
    }
}
JAVA
mvn -B -q -f "$dir/pom.xml" dependency:build-classpath -Dmdep.outputFile="$dir/classpath"
echo "Mahout 0.13.0, PassiveAggressive with a learning rate of 1e9; one example, x = 2, of class 1 of two. By the paper the step is the"
echo "shortest one after which the margin is 1:"
java -cp "$(<"$dir/classpath")" "$dir/Finding.java" 2>/dev/null
