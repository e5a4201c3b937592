#!/usr/bin/env bash
# MOA's Perceptron is not Rosenblatt's: it also learns from examples that it predicts right, and it takes the values of a nominal
# attribute for the numbers 0, 1, 2 of one weight. Needs a JDK, Maven and a repository with Maven Central's packages.
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
      <groupId>nz.ac.waikato.cms.moa</groupId>
      <artifactId>moa</artifactId>
      <version>2024.07.0</version>
    </dependency>
  </dependencies>
</project>
XML
cat >"$dir/Finding.java" <<'JAVA'
import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import java.util.List;
import moa.classifiers.functions.Perceptron;

public class Finding {
    static Perceptron perceptron(InstancesHeader header) {
        Perceptron perceptron = new Perceptron();
        perceptron.setModelContext(header);
        perceptron.prepareForUse();
        return perceptron;
    }

    static DenseInstance instance(InstancesHeader header, double x, int label) {
        DenseInstance instance = new DenseInstance(2);
        instance.setDataset(header);
        instance.setValue(0, x);
        instance.setClassValue(label);
        return instance;
    }

    static InstancesHeader header(Attribute x) {
        Instances empty = new Instances("finding", List.of(x, new Attribute("class", List.of("no", "yes"))), 0);
        empty.setClassIndex(1);
        return new InstancesHeader(empty);
    }

    public static void main(String[] args) {
        InstancesHeader numeric = header(new Attribute("x"));
        Perceptron perceptron = perceptron(numeric);
        DenseInstance positive = instance(numeric, 1, 1);
        while (!perceptron.correctlyClassifies(positive)) {
            perceptron.trainOnInstance(positive);
        }
        double before = perceptron.getVotesForInstance(positive)[1];
        for (int k = 0; k < 100; k++) {
            perceptron.trainOnInstance(positive);
        }
        double after = perceptron.getVotesForInstance(positive)[1];
        System.out.printf("vote for the right class when it was predicted right: %.4f, after 100 more of it: %.4f%n", before, after);

        // red and blue are yes, green between them is no: three words that one number cannot tell apart
        InstancesHeader nominal = header(new Attribute("colour", List.of("red", "green", "blue")));
        Perceptron ofColours = perceptron(nominal);
        int[] labels = {1, 0, 1};
        for (int k = 0; k < 30_000; k++) {
            ofColours.trainOnInstance(instance(nominal, k % 3, labels[k % 3]));
        }
        int right = 0;
        for (int colour = 0; colour < 3; colour++) {
            right += ofColours.correctlyClassifies(instance(nominal, colour, labels[colour])) ? 1 : 0;
        }
        System.out.println("colours predicted right after 30,000 examples: " + right + " of 3");
        if (before == after || right == 3) {
            throw new AssertionError("the behaviour has changed");
        }
    }
}
JAVA
mvn -B -q -f "$dir/pom.xml" dependency:build-classpath -Dmdep.outputFile="$dir/classpath"
echo "MOA 2024.07.0, moa.classifiers.functions.Perceptron: gradient steps on the squared error of a sigmoid, at every example;"
echo "a nominal attribute has one weight, and its values are 0, 1, 2 in the order of their declaration."
java -cp "$(<"$dir/classpath")" "$dir/Finding.java"
