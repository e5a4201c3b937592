#!/usr/bin/env bash
# JSAT's AROW learns from mistakes only. The paper (Crammer, Kulesza and Dredze 2009, figure 1) also learns from examples that are
# right with a margin below 1. Needs a JDK, Maven and a repository with Maven Central's packages.
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
import jsat.classifiers.CategoricalData;
import jsat.classifiers.DataPoint;
import jsat.classifiers.linear.AROW;
import jsat.linear.DenseVector;

public class Finding {
    public static void main(String[] args) {
        AROW arow = new AROW(1.0, true);
        arow.setUp(new CategoricalData[0], 1, new CategoricalData(2));
        DataPoint x = new DataPoint(new DenseVector(new double[] {1}));
        for (int k = 1; k <= 3; k++) {
            arow.update(x, 1);
            System.out.println("w after example " + k + ": " + arow.getRawWeight().get(0));
        }
        if (arow.getRawWeight().get(0) != 0.5) {
            throw new AssertionError("the behaviour has changed");
        }
    }
}
JAVA
mvn -B -q -f "$dir/pom.xml" dependency:build-classpath -Dmdep.outputFile="$dir/classpath"
echo "JSAT 0.0.9, AROW with r = 1, diagonal only; three times the example x = 1 of the positive class."
echo "By the paper w is 1/2, 2/3, 3/4, because the margins 1/2 and 2/3 are below 1; here it stays at 1/2 after the first mistake:"
java -cp "$(<"$dir/classpath")" "$dir/Finding.java"
