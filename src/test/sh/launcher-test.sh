#!/bin/sh
# Tests of the launcher `perceptron` with a fake java and a fake mvnw: runs anywhere in a second or two, needs no JDK.
#   src/test/sh/launcher-test.sh        prints one line per test; exit code 1 if any failed
set -eu

project=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd -P)
work=$(mktemp -d)
trap 'settled; rm -rf "$work"' EXIT
unset JAVA_HOME PERCEPTRON_OPTS
export FAKE_EXIT=0 WORK="$work"
passed=0
failed=0

# fake_jdk DIR VERSION: a JDK whose java notes its arguments and standard input in $WORK and exits with $FAKE_EXIT.
fake_jdk() {
  mkdir -p "$1/bin"
  printf 'JAVA_VERSION="%s"\n' "$2" >"$1/release"
  cat >"$1/bin/java" <<'JAVA'
#!/bin/sh
if [ "$1" = -XshowSettings:properties ]; then
  home=$(cd "$(dirname "$0")/.." && pwd -P)
  printf 'Property settings:\n    java.home = %s\n    java.specification.version = %s\n' "$home" "$FAKE_VERSION" >&2
  exit 0
fi
case $1 in
  -XX:ArchiveClassesAtExit=*)
    echo training >>"$WORK/trainings"
    [ -z "${FAKE_UNTRAINED:-}" ] || exit 1
    echo classes >"${1#*=}"
    exit 0
    ;;
esac
printf '%s\n' "$@" >"$WORK/java.arguments"
printf '%s\n' "${LC_ALL:-}" >"$WORK/java.locale"
cat >"$WORK/java.stdin"
exit "$FAKE_EXIT"
JAVA
  cp "$1/bin/java" "$1/bin/javac"
  chmod +x "$1/bin/java" "$1/bin/javac"
}

# settled: waits until nothing that a start left in the background writes to $work/tree any more
settled() {
  tries=0
  while [ "$tries" -lt 200 ] && [ -n "$(find "$work/tree" -name '*.making' 2>/dev/null)" ]; do
    sleep 0.05
    tries=$((tries + 1))
  done
}

# A source tree in $work/tree whose mvnw writes the jar, counts its calls in $WORK/builds and breaks on $FAKE_BREAK.
source_tree() {
  settled
  rm -rf "$work/tree" "$work/builds" "$work/java.arguments"
  mkdir -p "$work/tree/src/core/main" "$work/tree/src/events/main" "$work/tree/src/engine/main" "$work/tree/src/app/main/java" \
    "$work/tree/src/app/test" "$work/tree/schemas"
  cp "$project/perceptron" "$work/tree/perceptron"
  for file in pom.xml schemas/Example.avsc src/core/pom.xml src/events/pom.xml src/engine/pom.xml src/app/pom.xml src/app/main/java/Main.java; do
    : >"$work/tree/$file"
    touch -t 202001010000 "$work/tree/$file"
  done
  find "$work/tree/src" "$work/tree/schemas" -type d -exec touch -t 202001010000 {} +
  cat >"$work/tree/mvnw" <<'MVNW'
#!/bin/sh
echo "$JAVA_HOME $*" >>"$WORK/builds"
echo 'noise of the build'
[ -z "${FAKE_BREAK:-}" ] || { echo 'Main.java:1: does not compile'; exit 1; }
sleep "${FAKE_SECONDS:-0}"
[ -z "${FAKE_EDIT:-}" ] || echo edited >"$WORK/tree/src/app/main/java/Main.java"
sleep "${FAKE_SECONDS:-0}"
mkdir -p target/lib && echo jar >target/perceptron-streams.jar
MVNW
  chmod +x "$work/tree/mvnw"
}

builds() { if [ -f "$work/builds" ]; then wc -l <"$work/builds" | tr -d ' '; else echo 0; fi; }

# start ARGUMENT…: runs the launcher; leaves its exit code in $code, its output in $WORK/out and $WORK/err.
start() { start_as "$work/tree/perceptron" "$@"; }
start_as() {
  code=0
  "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
}

check() { # check SENTENCE CONDITION…
  sentence=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    printf 'ok      %s\n' "$sentence"
  else
    failed=$((failed + 1))
    printf 'FAILED  %s (exit code %s; standard error:)\n' "$sentence" "$code"
    sed 's/^/        /' "$work/err"
  fi
}
one_line_error() { # one_line_error WORDS: exit code 1 and nothing but one line that holds them
  [ "$code" -eq 1 ] && [ "$(wc -l <"$work/err")" -eq 1 ] && grep -q "^perceptron: .*$1" "$work/err" && [ ! -s "$work/out" ]
}
argument() { grep -qxe "$1" "$work/java.arguments"; }
no_argument() { ! argument "$1"; }
equals() { [ "$1" = "$2" ]; }

fake_jdk "$work/jdk17" 17.0.15
fake_jdk "$work/jdk25" 25
fake_jdk "$work/jdk8" 1.8.0_402
fake_jdk "$work/jdk11" 11.0.2
fake_jdk "$work/jre17" 17.0.15
rm "$work/jre17/bin/javac"
fake_jdk "$work/jdkNoRelease" 0
rm "$work/jdkNoRelease/release"
# What the scripts call, without a java among it.
mkdir "$work/tools"
for tool in sh cat chmod cp dirname env find grep head ln ls mkdir mv nice printf readlink rm sed sleep tail touch tr wc; do
  ln -s "$(command -v "$tool")" "$work/tools/$tool" 2>/dev/null || :
done

source_tree
start_as env PATH="$work/tools" "$work/tree/perceptron" --help
check 'says in one line that java is missing' one_line_error 'java not found; a JDK 17 or newer is needed'
start_as env JAVA_HOME="$work/nowhere" "$work/tree/perceptron" --help
check 'says in one line that JAVA_HOME is wrong' one_line_error "JAVA_HOME has no bin/java (it is $work/nowhere)"
for old in 8 11; do
  start_as env JAVA_HOME="$work/jdk$old" "$work/tree/perceptron" --help
  check "refuses Java $old in one line" one_line_error 'a JDK 17 or newer is needed'
done
start_as env JAVA_HOME="$work/jdkNoRelease" FAKE_VERSION=1.8 "$work/tree/perceptron" --help
check 'asks a java without a release file for its version' one_line_error 'is Java 1.8; a JDK 17'
start_as env JAVA_HOME="$work/jre17" "$work/tree/perceptron" --help
check 'says in one line that a JRE cannot build' one_line_error 'without a compiler'
check 'did not build without a JDK' equals "$(builds)" 0

PATH="$work/jdk17/bin:$work/tools"
export PATH
start models list
check 'builds on the first start' equals "$(builds)" 1
check 'shows one line of progress where there is no terminal' equals "$(wc -l <"$work/err" | tr -d ' ')" 1
check 'keeps the build out of standard output' test ! -s "$work/out"
check 'gives the build the java that it runs with' grep -q "^$work/jdk17 " "$work/builds"
check 'passes the arguments on' argument list
start models list
check 'does not build again' equals "$(builds)" 1
start_as env -u LC_CTYPE -u LANG LC_ALL=C "$work/tree/perceptron" models list
check 'gives the JVM a locale that has all letters' equals "$(cat "$work/java.locale")" C.UTF-8
start_as env -u LC_ALL -u LC_CTYPE -u LANG "$work/tree/perceptron" models list
check 'does so where none is set' equals "$(cat "$work/java.locale")" C.UTF-8
start_as env -u LC_ALL LC_CTYPE=POSIX LANG=de_DE.UTF-8 "$work/tree/perceptron" models list
check 'does so where one is POSIX' equals "$(cat "$work/java.locale")" C.UTF-8
start_as env -u LC_ALL -u LC_CTYPE LANG=de_DE.UTF-8 "$work/tree/perceptron" models list
check 'keeps a locale of the user' equals "$(cat "$work/java.locale")" ''
check 'says nothing when there is nothing to build' test ! -s "$work/err"
for changed in pom.xml schemas/Example.avsc src/core/pom.xml src/app/main/java/Main.java; do
  before=$(builds)
  touch -t 203001010000 "$work/tree/$changed"
  start models list
  check "builds after a change of $changed" equals "$(builds)" $((before + 1))
  touch -t 202001010000 "$work/tree/$changed"
done
before=$(builds)
touch -t 203001010000 "$work/tree/src/app/test/SomeTest.java"
start models list
check 'does not build after a change of a test' equals "$(builds)" "$before"

source_tree
export FAKE_EDIT=yes FAKE_SECONDS=0.05
start models list
unset FAKE_EDIT FAKE_SECONDS
start models list
check 'builds what was edited during the last build' equals "$(builds)" 2

source_tree
mkdir -p "$work/tree/target" && echo old >"$work/tree/target/perceptron-streams.jar"
touch -t 201901010000 "$work/tree/target/perceptron-streams.jar"
exec 3<"$work/tree/target/perceptron-streams.jar"
start models list
check 'leaves the old jar to those who have it open' equals "$(cat <&3)" old
exec 3<&-

source_tree
FAKE_BREAK=yes start models list
check 'fails when the build fails' equals "$code" 1
check 'shows why the build failed' grep -q 'does not compile' "$work/err"
check 'does not start after a failed build' test ! -f "$work/java.arguments"
start models list
check 'can build after a failed build' equals "$code" 0

source_tree
export FAKE_SECONDS=0.5
"$work/tree/perceptron" models list >"$work/out.1" 2>&1 </dev/null &
first=$!
start models list
wait "$first" && code_of_first=0 || code_of_first=$?
unset FAKE_SECONDS
check 'two first starts build once' equals "$(builds)" 1
check 'two first starts both run' equals "$code $code_of_first" '0 0'
check 'leaves nothing but the build' equals "$(find "$work/tree/target" -name '.build*')" ''

source_tree
mkdir -p "$work/tree/target"
sh -c 'exit 0' &
dead=$!
wait "$dead"
ln -s "$dead" "$work/tree/target/.build-lock"
start models list
check 'takes over the lock of a process that was killed' equals "$code $(builds)" '0 1'

source_tree
export FAKE_SECONDS=5
"$work/tree/perceptron" models list >"$work/out.1" 2>&1 </dev/null &
first=$!
until [ "$(builds)" = 1 ]; do sleep 0.05; done
kill "$first"
wait "$first" && code=0 || code=$?
unset FAKE_SECONDS
check 'ends on SIGTERM during the build' equals "$code" 143
check 'leaves no lock behind on SIGTERM' equals "$(find "$work/tree/target" -name '.build*')" ''

source_tree
start models list
FAKE_EXIT=2 start nonsense
check 'passes the exit code on' equals "$code" 2
code=0
echo 'an example' | "$work/tree/perceptron" produce - >"$work/out" 2>"$work/err"
check 'leaves standard input to the command' grep -q 'an example' "$work/java.stdin"
touch -t 203001010000 "$work/tree/pom.xml"
echo 'an example' | "$work/tree/perceptron" produce - >"$work/out" 2>"$work/err"
check 'leaves standard input to the command when it builds' grep -q 'an example' "$work/java.stdin"
touch -t 202001010000 "$work/tree/pom.xml"
start models set m 'labels=a b' ''
check 'keeps arguments with blanks whole' argument 'labels=a b'
check 'starts short commands with the first compiler only' argument -XX:TieredStopAtLevel=1
start demo
check 'starts the demo with the first compiler only' argument -XX:TieredStopAtLevel=1
start run
check 'starts the engine with both compilers' no_argument -XX:TieredStopAtLevel=1
check 'gives the engine a small young generation' argument -Xmn160m
check 'lets the heap grow without a collection of all objects' argument -XX:InitialRAMPercentage=100
check 'lets the old generation double' argument -XX:MinHeapFreeRatio=50
check 'gives the engine the parallel collector' argument -XX:+UseParallelGC
check 'lets the engine optimise late' argument -XX:Tier4InvocationThreshold=50000
PERCEPTRON_OPTS='-Xmx2g -Xmx100m' start run
check 'gives the engine a smaller young generation in a small heap' argument -Xmn20480k
PERCEPTRON_OPTS=-Xmx104857600 start run
check 'reads a heap in bytes' argument -Xmn20480k
PERCEPTRON_OPTS='-Xmx100m -Xmx2g' start run
check 'takes the last heap, as the JVM does' argument -Xmn160m
PERCEPTRON_OPTS=-Xmx800m start run
check 'leaves the young generation as it is in a larger heap' argument -Xmn160m
PERCEPTRON_OPTS=-XX:+UseG1GC start run
check 'takes the collector of PERCEPTRON_OPTS for the engine' no_argument -XX:+UseParallelGC
check 'leaves the young generation to a collector of PERCEPTRON_OPTS' no_argument -Xmn160m
JAVA_TOOL_OPTIONS=-XX:+UseG1GC start run
check 'takes the collector of JAVA_TOOL_OPTIONS for the engine' no_argument -XX:+UseParallelGC
pages=$(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || :)
if [ "$pages" = 'always [madvise] never' ]; then
  check 'asks for huge pages' argument -XX:+UseTransparentHugePages
else
  check 'asks for no huge pages where asking changes nothing' no_argument -XX:+UseTransparentHugePages
fi
PERCEPTRON_OPTS='-Xmx3g -XX:+UseParallelGC' start watch mistakes
check 'passes PERCEPTRON_OPTS to the JVM' argument -Xmx3g
check 'does not ask for two collectors' no_argument -XX:+UseSerialGC
start_as env JAVA_HOME="$work/jdk25" "$work/tree/perceptron" --help
check 'takes a newer Java' equals "$code" 0
check 'keeps a newer Java from warning of what Kafka does' argument --sun-misc-unsafe-memory-access=allow
start --help
check 'gives no option that an older Java refuses' no_argument --sun-misc-unsafe-memory-access=allow

archive=$work/tree/target/perceptron-streams-17.0.15.jsa
# archived: waits until the archive is there
archived() {
  tries=0
  until [ -f "$archive" ] || [ "$tries" -ge 100 ]; do
    sleep 0.05
    tries=$((tries + 1))
  done
  [ -f "$archive" ]
}
source_tree
start run
check 'makes an archive of classes when it builds' test -f "$archive"
check 'starts the engine with the archive of classes' argument "-XX:SharedArchiveFile=$archive"
rm -f "$archive"
start models list
check 'makes an archive of classes that is missing' archived
settled
start models list
check 'starts with the archive of classes' argument "-XX:SharedArchiveFile=$archive"
check 'passes the arguments on after those of the archive' argument list
touch -t 203001010000 "$work/tree/target/perceptron-streams.jar"
start models list
check 'does not use the archive of another jar' no_argument "-XX:SharedArchiveFile=$archive"
settled
touch -t 202001010000 "$work/tree/target/perceptron-streams.jar"

source_tree
start models list
archived
settled
rm -f "$archive" "$work/trainings"
FAKE_UNTRAINED=yes start models list
settled
check 'starts where the archive cannot be made' equals "$code" 0
check 'says nothing where the archive cannot be made' test ! -s "$work/err"
check 'leaves nothing of an archive that was not made' equals "$(ls "$work/tree/target")" "$(printf 'build.log\nlib\nperceptron-streams.jar')"
rm -f "$work/trainings"
start run
check 'makes no archive beside an engine' test ! -f "$work/trainings"
mkdir "$archive.making"
start models list
check 'makes one archive at a time' test ! -f "$work/trainings"
rm -rf "$archive.making"

mkdir "$work/bin" "$work/else where"
ln -s ../tree/perceptron "$work/bin/relative"
ln -s "$work/bin/relative" "$work/bin/perceptron"
cd "$work/else where"
start_as "$work/bin/perceptron" --help
check 'follows symbolic links' argument "$work/tree/target/perceptron-streams.jar"
PATH="$work/bin:$PATH" start_as perceptron --help
check 'starts from the PATH' equals "$code" 0

mkdir "$work/a release"
cp "$project/perceptron" "$work/a release/perceptron"
: >"$work/a release/perceptron-streams.jar"
rm -f "$work/builds"
start_as env JAVA_HOME="$work/jre17" "$work/a release/perceptron" run
check 'starts a release with a JRE' argument "$work/a release/perceptron-streams.jar"
check 'does not build a release' equals "$(builds)" 0
rm "$work/a release/perceptron-streams.jar"
start_as "$work/a release/perceptron" run
check 'says in one line that a release lacks its jar' one_line_error 'perceptron-streams.jar is missing'

printf 'launcher: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
