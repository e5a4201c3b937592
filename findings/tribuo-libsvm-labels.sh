#!/usr/bin/env bash
# Tribuo reads the labels of LIBSVM files as texts: +1, 1 and 1.0 are three classes, also between a file for training and one for tests.
# The tools the format comes from read numbers (liblinear: one class). Needs a JDK, Maven and a repository with Maven Central's
# packages.
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
      <groupId>org.tribuo</groupId>
      <artifactId>tribuo-classification-core</artifactId>
      <version>4.3.2</version>
    </dependency>
    <dependency>
      <groupId>de.bwaldvogel</groupId>
      <artifactId>liblinear</artifactId>
      <version>2.44</version>
    </dependency>
  </dependencies>
</project>
XML
printf '%s\n' '+1 1:1' '1 2:1' '1.0 1:1 2:1' '-1 3:1' >"$dir/four.libsvm"
cat >"$dir/Finding.java" <<'JAVA'
import de.bwaldvogel.liblinear.Problem;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeSet;
import org.tribuo.MutableDataset;
import org.tribuo.classification.Label;
import org.tribuo.classification.LabelFactory;
import org.tribuo.datasource.LibSVMDataSource;

public class Finding {
    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[0]);
        MutableDataset<Label> data = new MutableDataset<>(new LibSVMDataSource<>(file, new LabelFactory()));
        TreeSet<String> classes = new TreeSet<>();
        data.getOutputs().forEach(label -> classes.add(label.getLabel()));
        System.out.println("Tribuo's classes:   " + classes);
        Problem problem = Problem.readFromFile(file.toFile(), -1);
        System.out.println("liblinear's labels: " + Arrays.toString(problem.y));
        if (classes.size() != 4 || problem.y[0] != problem.y[1] || problem.y[1] != problem.y[2]) {
            throw new AssertionError("the behaviour has changed");
        }
    }
}
JAVA
mvn -B -q -f "$dir/pom.xml" dependency:build-classpath -Dmdep.outputFile="$dir/classpath"
echo "Tribuo 4.3.2, LibSVMDataSource, and liblinear 2.44 for Java; four lines with the labels +1, 1, 1.0 and -1:"
java -cp "$(<"$dir/classpath")" "$dir/Finding.java" "$dir/four.libsvm" 2>"$dir/log" || { cat "$dir/log"; exit 1; }
