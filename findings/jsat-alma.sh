#!/usr/bin/env bash
# JSAT's ALMA2 does not divide an example by its length, as ALMA does (Gentile 2001, figure 1): what it learns depends on the unit
# in which features are given. Needs a JDK, Maven and a repository with Maven Central's packages.
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
      <groupId>com.edwardraff</groupId>
      <artifactId>JSAT</artifactId>
      <version>0.0.9</version>
    </dependency>
  </dependencies>
</project>
XML
cat >"$dir/Finding.java" <<'JAVA'
import java.util.Arrays;
import jsat.classifiers.CategoricalData;
import jsat.classifiers.DataPoint;
import jsat.classifiers.linear.ALMA2;
import jsat.linear.DenseVector;

public class Finding {
    static final double[][] EXAMPLES = {{1, 0}, {0, 1}, {1, 1}, {1, 2}, {0.5, 0}};
    static final int[] CLASSES = {1, 0, 1, 0, 1};

    static double[] weights(double unit) {
        ALMA2 alma = new ALMA2(0.9);
        alma.setUp(new CategoricalData[0], 2, new CategoricalData(2));
        for (int k = 0; k < CLASSES.length; k++) {
            DenseVector x = new DenseVector(new double[] {unit * EXAMPLES[k][0], unit * EXAMPLES[k][1]});
            alma.update(new DataPoint(x), CLASSES[k]);
        }
        return new double[] {alma.getRawWeight().get(0), alma.getRawWeight().get(1)};
    }

    public static void main(String[] args) {
        System.out.println("metres:      " + Arrays.toString(weights(1)));
        System.out.println("decimetres:  " + Arrays.toString(weights(10)));
        if (weights(1)[1] >= -0.6 || weights(10)[1] <= -0.3) {
            throw new AssertionError("the behaviour has changed");
        }
    }
}
JAVA
mvn -B -q -f "$dir/pom.xml" dependency:build-classpath -Dmdep.outputFile="$dir/classpath"
echo "JSAT 0.0.9, ALMA2 with alpha = 0.9; five examples of two features, the same ones in another unit. By the paper, where each example"
echo "is divided by its length, the weights are the same; here even their order by size is another:"
java -cp "$(<"$dir/classpath")" "$dir/Finding.java"
