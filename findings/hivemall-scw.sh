#!/usr/bin/env bash
# Hivemall's train_scw computes the step of an example as if its label were +1: a negative example with a positive score is no mistake,
# and mirrored labels do not give mirrored weights, as they do by the paper (Wang, Zhao and Hoi 2012, proposition 1). Needs a JDK,
# Maven and a repository with Maven Central's packages.
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
      <groupId>org.apache.hivemall</groupId>
      <artifactId>hivemall-all</artifactId>
      <version>0.5.2-incubating</version>
      <exclusions>
        <exclusion>
          <groupId>*</groupId>
          <artifactId>*</artifactId>
        </exclusion>
      </exclusions>
    </dependency>
    <dependency>
      <groupId>org.apache.hive</groupId>
      <artifactId>hive-exec</artifactId>
      <version>2.3.9</version>
      <exclusions>
        <exclusion>
          <groupId>*</groupId>
          <artifactId>*</artifactId>
        </exclusion>
      </exclusions>
    </dependency>
    <dependency>
      <groupId>org.apache.hadoop</groupId>
      <artifactId>hadoop-common</artifactId>
      <version>2.10.2</version>
    </dependency>
  </dependencies>
</project>
XML
cat >"$dir/Finding.java" <<'JAVA'
import hivemall.classifier.SoftConfideceWeightedUDTF;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hive.serde2.objectinspector.ObjectInspector;
import org.apache.hadoop.hive.serde2.objectinspector.ObjectInspectorFactory;
import org.apache.hadoop.hive.serde2.objectinspector.primitive.PrimitiveObjectInspectorFactory;

public class Finding {
    static double weight(int... labels) throws Exception {
        double[] weight = {Double.NaN};
        SoftConfideceWeightedUDTF.SCW1 learner = new SoftConfideceWeightedUDTF.SCW1();
        learner.setCollector(row -> weight[0] = Double.parseDouble(((Object[]) row)[1].toString()));
        learner.initialize(new ObjectInspector[] {
            ObjectInspectorFactory.getStandardListObjectInspector(PrimitiveObjectInspectorFactory.javaStringObjectInspector),
            PrimitiveObjectInspectorFactory.javaIntObjectInspector
        });
        for (int label : labels) {
            learner.process(new Object[] {List.of("1:1"), label});
        }
        learner.close();
        System.out.println("labels " + Arrays.toString(labels) + ": weight " + weight[0]);
        return weight[0];
    }

    public static void main(String[] args) throws Exception {
        double one = weight(1);
        double wrong = weight(1, -1);
        double mirrored = weight(-1, 1);
        if (one != wrong || Math.abs(mirrored + wrong) < 0.5) {
            throw new AssertionError("the behaviour has changed");
        }
    }
}
JAVA
mvn -B -q -f "$dir/pom.xml" dependency:build-classpath -Dmdep.outputFile="$dir/classpath"
echo "Hivemall 0.5.2-incubating, train_scw with its defaults, which keeps floats; examples of one feature, x = 1. By the paper the second of"
echo "two opposite labels is a mistake whatever their order, and moves the weight back:"
java --add-opens java.base/java.net=ALL-UNNAMED -cp "$(<"$dir/classpath")" "$dir/Finding.java" 2>"$dir/log" || { cat "$dir/log"; exit 1; }
