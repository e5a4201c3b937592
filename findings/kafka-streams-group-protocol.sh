#!/usr/bin/env bash
# Kafka Streams 4.4.0: close() leaves also a dynamic member in its group until the session has expired, but only in the classic group
# protocol. An application whose group still has such a member cannot start with group.protocol=streams: it fails with
# GroupIdNotFoundException, although the group exists. Closed with LEAVE_GROUP first, it starts. With group.protocol=streams a
# KafkaClientSupplier is not asked for the main consumer. Needs a JDK, Maven and a repository with Maven Central's packages.
set -euo pipefail
dir=$(mktemp -d)
broker=
trap '[ -z "$broker" ] || { kill -9 "$broker"; wait "$broker" 2>/dev/null || true; }; rm -rf "$dir"' EXIT
cat >"$dir/pom.xml" <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>finding</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka-streams</artifactId>
      <version>4.4.0</version>
    </dependency>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>4.4.0</version>
    </dependency>
  </dependencies>
</project>
XML
cat >"$dir/Finding.java" <<'JAVA'
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

public class Finding {
    static String servers;
    static Admin admin;

    /** Counts the main consumers that it is asked for. */
    static final class Counting implements KafkaClientSupplier {
        volatile int asked;

        public Admin getAdmin(Map<String, Object> config) {
            return Admin.create(config);
        }

        public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
            return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        }

        public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
            asked++;
            return getRestoreConsumer(config);
        }

        public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
            return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
            return getRestoreConsumer(config);
        }
    }

    /** Runs an application until it has a partition, and closes it; returns its failure, or "runs". */
    static String run(String application, String protocol, boolean leaves, Counting clients) throws Exception {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in").to("out");
        Properties settings = new Properties();
        settings.putAll(Map.of(
                "application.id", application,
                "bootstrap.servers", servers,
                "group.protocol", protocol,
                "state.dir", System.getProperty("java.io.tmpdir") + "/state-" + System.nanoTime(),
                "default.key.serde", Serdes.ByteArraySerde.class,
                "default.value.serde", Serdes.ByteArraySerde.class));
        CompletableFuture<String> outcome = new CompletableFuture<>();
        KafkaStreams streams = new KafkaStreams(builder.build(), settings, clients);
        streams.setUncaughtExceptionHandler(failure -> {
            Throwable first = failure;
            while (first.getCause() != null) {
                first = first.getCause();
            }
            outcome.complete(first.getClass().getSimpleName());
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!outcome.isDone() && System.nanoTime() < end) {
            if (streams.metadataForLocalThreads().stream().anyMatch(thread -> !thread.activeTasks().isEmpty())) {
                outcome.complete("runs");
            }
            Thread.sleep(100);
        }
        CloseOptions options = CloseOptions.timeout(Duration.ofSeconds(20));
        streams.close(leaves
                ? options.withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP)
                : options);
        return outcome.getNow("does not run");
    }

    static int members(String group, String protocol) throws Exception {
        return protocol.equals("streams")
                ? admin.describeStreamsGroups(List.of(group)).describedGroups().get(group).get().members().size()
                : admin.describeConsumerGroups(List.of(group)).describedGroups().get(group).get().members().size();
    }

    public static void main(String[] args) throws Exception {
        servers = args[0];
        admin = Admin.create(Map.of("bootstrap.servers", servers));
        for (int attempt = 0; ; attempt++) {
            try {
                admin.createTopics(List.of(new NewTopic("in", 1, (short) 1), new NewTopic("out", 1, (short) 1))).all().get();
                break;
            } catch (ExecutionException e) {
                if (attempt == 30) {
                    throw e;
                }
                Thread.sleep(1000);
            }
        }
        Map<String, String> found = new HashMap<>();
        for (String protocol : List.of("classic", "streams")) {
            for (boolean leaves : new boolean[] {false, true}) {
                String group = protocol + "-" + leaves;
                Counting clients = new Counting();
                String outcome = run(group, protocol, leaves, clients);
                int members = members(group, protocol);
                System.out.println(protocol + ", " + (leaves ? "close with LEAVE_GROUP" : "close()") + ": " + outcome + ", "
                        + members + " members afterwards, " + clients.asked + " main consumers of the supplier");
                found.put(group, outcome + " " + members + " " + clients.asked);
            }
        }
        for (boolean leaves : new boolean[] {false, true}) {
            String outcome = run("classic-" + leaves, "streams", true, new Counting());
            System.out.println("streams after classic, " + (leaves ? "closed with LEAVE_GROUP" : "closed by close()") + ": " + outcome);
            found.put("change-" + leaves, outcome);
        }
        if (!found.equals(Map.of(
                "classic-false", "runs 1 1",
                "classic-true", "runs 0 1",
                "streams-false", "runs 0 0",
                "streams-true", "runs 0 0",
                "change-false", "GroupIdNotFoundException",
                "change-true", "runs"))) {
            throw new AssertionError("the behaviour has changed: " + found);
        }
        System.exit(0);
    }
}
JAVA
mvn -B -q -f "$dir/pom.xml" dependency:build-classpath -Dmdep.outputFile="$dir/classpath"
classpath=$(<"$dir/classpath")
port=$((20000 + RANDOM % 20000))
cat >"$dir/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$((port + 1))
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.quorum.voters=1@127.0.0.1:$((port + 1))
log.dirs=$dir/broker
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
PROPERTIES
java -cp "$classpath" kafka.tools.StorageTool format --cluster-id AAAAAAAAAAAAAAAAAAAAAQ --config "$dir/server.properties" >"$dir/log" 2>&1
java -Xmx512m -cp "$classpath" kafka.Kafka "$dir/server.properties" >>"$dir/log" 2>&1 &
broker=$!
echo "Kafka Streams 4.4.0 and a broker 4.4.0, dynamic members:"
java -Djava.io.tmpdir="$dir" -cp "$classpath" "$dir/Finding.java" "127.0.0.1:$port" 2>>"$dir/log" || { tail -50 "$dir/log"; exit 1; }
