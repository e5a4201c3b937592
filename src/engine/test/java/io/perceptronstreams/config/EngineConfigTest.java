package io.perceptronstreams.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.ModelQuota;
import io.perceptronstreams.store.SharedRocksMemory;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EngineConfigTest {
    @TempDir
    Path directory;

    @Test
    void shouldHaveTheDocumentedDefaults() {
        EngineConfig config = config(Map.of());

        assertThat(config.get(EngineConfigDef.BOOTSTRAP_SERVERS)).isEqualTo("localhost:9092");
        assertThat(config.registry()).containsExactly(Map.entry("schema.registry.url", "http://localhost:8081"));
        assertThat(config.applicationId()).isEqualTo("perceptron");
        assertThat(config.topic(Topic.DEAD_LETTERS)).isEqualTo("perceptron-dead-letters");
        assertThat(config.stateDir()).isEqualTo(Path.of(".perceptron/state"));
        assertThat(config.get(EngineConfigDef.TOPICS_CREATE)).isFalse();
        assertThat(config.get(EngineConfigDef.TOPICS_PARTITIONS)).isEqualTo(4);
        assertThat(config.get(EngineConfigDef.TOPICS_REPLICATION_FACTOR)).isEqualTo((short) -1);
        assertThat(config.get(EngineConfigDef.MISROUTED)).isEqualTo(EngineConfig.Misrouted.REROUTE);
        assertThat(config.get(EngineConfigDef.OUTPUT_FORMAT)).isEqualTo(EngineConfig.OutputFormat.AVRO);
        assertThat(config.get(EngineConfigDef.MODELS_AUTO_CREATE)).isTrue();
        assertThat(config.modelLimits()).isEqualTo(new ModelQuota(100_000, 0));
        assertThat(config.get(EngineConfigDef.STORE_HEAP_BYTES))
                .isPositive()
                .isLessThanOrEqualTo(Runtime.getRuntime().maxMemory() / 20 * 13);
    }

    /** Kafka's 100 ms were a quarter of a second of each start. */
    @Test
    void shouldRetryRequestsOfTheAdminSoonUnlessTold() {
        assertThat(config(Map.of()).admin()).containsEntry("retry.backoff.ms", 10);
        assertThat(config(Map.of("admin.retry.backoff.ms", "200")).admin()).containsEntry("retry.backoff.ms", "200");
    }

    /** In a heap of 100 MB with a young generation of 48 MB, models had more than the old one. */
    @Test
    void shouldGiveModelsNoMoreOfASmallHeapThanItsOldGenerationHas() {
        assertThat(EngineConfigDef.heapOfModels(1_000, Long.MAX_VALUE)).isEqualTo(650);
        assertThat(EngineConfigDef.heapOfModels(100, 60)).isEqualTo(39);
    }

    @Test
    void shouldPreferCommandLineThenEnvironmentThenFileThenDefault() throws Exception {
        Path file = directory.resolve("engine.properties");
        Files.writeString(file, "topics.prefix=f\ndata.dir=f\ntopics.partitions=7\n");

        EngineConfig config = EngineConfig.of(
                Map.of("topics.prefix", "c"),
                Map.of("PERCEPTRON_TOPICS_PREFIX", "e", "PERCEPTRON_DATA_DIR", "e", "DATA_DIR", "not ours"),
                file,
                Map.of("topics.prefix", "d", "topics.partitions", "9", "topics.create", "true"));

        assertThat(config.get(EngineConfigDef.TOPICS_PREFIX)).isEqualTo("c");
        assertThat(config.get(EngineConfigDef.DATA_DIR)).isEqualTo(Path.of("e"));
        assertThat(config.get(EngineConfigDef.TOPICS_PARTITIONS)).isEqualTo(7);
        assertThat(config.get(EngineConfigDef.TOPICS_CREATE)).isTrue();
    }

    @Test
    void shouldFollowThePrefixWithApplicationIdUnlessItIsSet() {
        assertThat(config(Map.of("topics.prefix", "a")).applicationId()).isEqualTo("a");
        assertThat(config(Map.of("topics.prefix", "a", "application.id", "b")).applicationId())
                .isEqualTo("b");
    }

    @ParameterizedTest
    @CsvSource({
        "topics.prefx, topics.prefix",
        "topic.prefix, topics.prefix",
        "topicsPrefix, topics.prefix",
        "TOPICS_PREFIX, topics.prefix",
        "schema.registry.uri, schema.registry.url",
        "schema.registry.basic.auth.user.info, basic.auth.user.info",
        "missrouted, misrouted",
        "data.dirs, data.dir",
        "bootstrap-servers, bootstrap.servers",
        // the last word is missing
        "commit.interval, commit.interval.ms",
        "consumer.max.poll, consumer.max.poll.records",
        "checkpoint.interval, checkpoint.interval.ms"
    })
    void shouldNameTheKeyThatAMisspeltOneResembles(String written, String meant) {
        assertThat(faults(Map.of(written, "x")))
                .singleElement()
                .asString()
                .contains("got '" + written + "'", "did you mean " + meant + "?", "command line");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "state.dir | '' | state.dir must be a directory, got '' (command line) | ''",
                "models.max | 0 | models.max must be at least 1, got '0' (command line) | ''",
                "models.max | many | models.max must be at least 1, got 'many' (command line) | ''",
                "models.idle.ms | -1 | models.idle.ms must be at least 0, got '-1' (command line) | ''",
                "processing.guarantee | at_least_once | processing.guarantee must be exactly_once_v2 | count examples twice",
                "main.consumer.isolation.level | read_uncommitted | main.consumer.isolation.level must be read_committed | ''",
                "enable.transactional.statestores | true | enable.transactional.statestores must be false | keep the writes",
                "topic.cleanup.policy | delete | topic.cleanup.policy must be compact | would lose models",
                "processing.exception.handler | org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"
                        + " | processing.exception.handler must not be set | lose records"
            })
    void shouldRefuseAValueAndSayWhy(String key, String value, String rule, String reason) {
        assertThat(faults(Map.of(key, value)))
                .singleElement()
                .asString()
                .startsWith(rule)
                .contains(reason);
    }

    @Test
    void shouldReadTheLimitsOfModels() {
        assertThat(config(Map.of("models.max", "1", "models.idle.ms", "9000000000"))
                        .modelLimits())
                .isEqualTo(new ModelQuota(1, 9_000_000_000L));
    }

    @ParameterizedTest
    @CsvSource({
        "processing.guarantee, exactly_once_v2",
        "restore.consumer.isolation.level, read_committed",
        "max.poll.records, 7"
    })
    void shouldPassOnWhatTheUserSays(String key, String value) {
        assertThat(config(Map.of(key, value)).streams()).containsEntry(key, value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"my.interceptor.flag", "consumer.max.poll.records", "topic.retention.ms", "linger.ms"})
    void shouldPassOnEveryOtherKey(String key) {
        assertThat(config(Map.of(key, "5")).streams()).containsEntry(key, "5");
    }

    @Test
    void shouldReportAllFaultsAtOnce() {
        assertThat(faults(Map.of(
                        "topics.partitions", "many",
                        "topics.prefix", "a b",
                        "misrouted", "drop",
                        "store.heap.bytes", "-1",
                        "commit.interval.ms", "soon",
                        "schema.registry.url", "ftp://u:pw@h",
                        "output.fromat", "avro",
                        "max.pol.records", "5",
                        "producer.linger_ms", "5")))
                .containsExactlyInAnyOrder(
                        "topics.partitions must be at least 1, got 'many' (command line)",
                        "topics.prefix must consist of 1 to 232 letters, digits, '.', '_' and '-', got 'a b' (command line)",
                        "misrouted must be one of reroute, dead-letter, got 'drop' (command line)",
                        "store.heap.bytes must be at least 0, got '-1' (command line)",
                        "commit.interval.ms must be of type long and fit [0,...], got 'soon' (command line)",
                        "schema.registry.url must be http://, https:// or mock:// addresses, got 'ftp://…@h' (command line)",
                        "setting must be a known one, got 'output.fromat' (command line; did you mean output.format?)",
                        "setting must be a known one, got 'max.pol.records' (command line; did you mean max.poll.records?)",
                        "setting must be a known one, got 'producer.linger_ms' (command line; did you mean producer.linger.ms?)");
    }

    @Test
    void shouldSayHowASettingOfModelsIsSet() {
        assertThat(faults(Map.of("h", "1")))
                .containsExactly(
                        "h must be set for models, not for the engine, got '1' (command line; perceptron models"
                                + " defaults h=1 sets it for new models, perceptron models set MODEL h=1 for one)");
    }

    @Test
    void shouldCountAFaultOnceWhateverItsValueHolds() {
        assertThat(faults(Map.of("topics.prefix", "a\nb"))).hasSize(1);
    }

    @Test
    void shouldSayWhereAFaultStands() throws Exception {
        Path file = directory.resolve("engine.properties");
        Files.writeString(file, "topics.create=perhaps\n");

        InvalidConfigException thrown = catchThrowableOfType(
                InvalidConfigException.class,
                () -> EngineConfig.of(Map.of(), Map.of("PERCEPTRON_TOPICS_PARTITIONS", "0"), file, Map.of()));

        assertThat(thrown.faults())
                .containsExactlyInAnyOrder(
                        "topics.create must be of type boolean, got 'perhaps' (file " + file + ")",
                        "topics.partitions must be at least 1, got '0' (environment PERCEPTRON_TOPICS_PARTITIONS)");
    }

    /** Kubernetes sets them where a service has the name perceptron. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "PERCEPTRON_SERVICE_HOST",
                "PERCEPTRON_SERVICE_PORT",
                "PERCEPTRON_SERVICE_PORT_HTTP",
                "PERCEPTRON_PORT",
                "PERCEPTRON_PORT_8080_TCP",
                "PERCEPTRON_PORT_8080_TCP_ADDR",
                "PERCEPTRON_OPTS"
            })
    void shouldNotTakeVariablesOfOthersForSettings(String variable) {
        Map<String, String> environment = Map.of(variable, "tcp://10.0.0.1:8080", "PERCEPTRON_HTTP_PORT", "8080");
        EngineConfig config = EngineConfig.of(Map.of(), environment, null, Map.of());

        assertThat(config.unknownKeys()).isEmpty();
        assertThat(config.get(EngineConfigDef.HTTP_PORT)).hasValue(8080);
    }

    @Test
    void shouldReportAMissingFileTogetherWithOtherFaults() {
        Path file = directory.resolve("none.properties");
        InvalidConfigException thrown = catchThrowableOfType(
                InvalidConfigException.class,
                () -> EngineConfig.of(Map.of("topics.partitions", "0"), Map.of(), file, Map.of()));

        assertThat(thrown.faults())
                .hasSize(2)
                .first()
                .asString()
                .startsWith("configuration file must exist, got '" + file);
    }

    @Test
    void shouldGiveStreamsItsDefaultsAndNothingThatIsOurs() {
        assertThat(config(Map.of(
                                "topics.partitions",
                                "2",
                                "basic.auth.credentials.source",
                                "USER_INFO",
                                "basic.auth.user.info",
                                "u:p",
                                "group.instance.id",
                                "i"))
                        .streams())
                .containsOnly(
                        Map.entry("processing.guarantee", "exactly_once_v2"),
                        Map.entry("group.protocol", "classic"),
                        Map.entry("ensure.explicit.internal.resource.naming", true),
                        Map.entry("batch.size", 256 * 1024),
                        Map.entry("linger.ms", 20),
                        Map.entry("transaction.timeout.ms", 60_000),
                        Map.entry("commit.interval.ms", 1_000L),
                        Map.entry("max.poll.interval.ms", 300_000),
                        Map.entry("session.timeout.ms", 6_000),
                        Map.entry("heartbeat.interval.ms", 1_500),
                        Map.entry("acceptable.recovery.lag", 1_000L),
                        Map.entry("probing.rebalance.interval.ms", 60_000L),
                        Map.entry("buffered.records.per.partition", 64),
                        Map.entry("max.partition.fetch.bytes", 1024 * 1024),
                        Map.entry("max.poll.records", 10_000),
                        Map.entry("receive.buffer.bytes", -1),
                        Map.entry("rocksdb.config.setter", SharedRocksMemory.class),
                        Map.entry("store.cache.bytes", 128L * 1024 * 1024),
                        Map.entry("application.id", "perceptron"),
                        Map.entry("bootstrap.servers", "localhost:9092"),
                        Map.entry("state.dir", Path.of(".perceptron", "state").toString()),
                        Map.entry("group.instance.id", "i"));
    }

    /** Commits that are due earlier are requested. */
    @ParameterizedTest
    @CsvSource({"5000, 1000, 5000", "50, 1000, 1000", "50, 0, 50"})
    void shouldLetStreamsCommitAfterTheLongestInterval(String usual, String most, long expected) {
        EngineConfig config = config(Map.of("commit.interval.ms", usual, "commit.interval.max.ms", most));
        assertThat(config.streams()).containsEntry("commit.interval.ms", expected);
        assertThat(config.commitIntervalMs()).isEqualTo(Long.parseLong(usual));
    }

    @Test
    void shouldPreferTheUsersSettingsOfClientsWithAndWithoutPrefix() {
        StreamsConfig streams = new StreamsConfig(config(Map.of(
                        "producer.linger.ms", "3",
                        "producer.receive.buffer.bytes", "4096",
                        "main.consumer.max.poll.records", "5",
                        "max.partition.fetch.bytes", "7000",
                        "batch.size", "9000"))
                .streams());

        assertThat(streams.getProducerConfigs("p"))
                .containsEntry("linger.ms", "3")
                .containsEntry("receive.buffer.bytes", "4096")
                .containsEntry("batch.size", "9000");
        assertThat(streams.getMainConsumerConfigs("g", "c", 0))
                .containsEntry("max.poll.records", "5")
                .containsEntry("max.partition.fetch.bytes", "7000")
                .containsEntry("receive.buffer.bytes", -1);
    }

    /** 100 partitions with four open batches of 256 KiB each would need 100 MiB; the producer has 32 MiB by default. */
    @Test
    void shouldHaveBatchesOfAllPartitionsThatFitIntoTheMemoryOfTheProducer() {
        assertThat(config(Map.of()).streams(4)).containsEntry("batch.size", 256 * 1024);
        assertThat(config(Map.of()).streams(32)).containsEntry("batch.size", 256 * 1024);
        assertThat(config(Map.of()).streams(100)).containsEntry("batch.size", (32 << 20) / 400);
        assertThat(config(Map.of()).streams(100_000)).containsEntry("batch.size", 16 * 1024);
        assertThat(config(Map.of("buffer.memory", "134217728")).streams(100)).containsEntry("batch.size", 256 * 1024);
        assertThat(config(Map.of("producer.buffer.memory", "67108864")).streams(100))
                .containsEntry("batch.size", (64 << 20) / 400);
        assertThat(config(Map.of("batch.size", "9000")).streams(100)).containsEntry("batch.size", "9000");
    }

    @Test
    void shouldLeaveTimeForTheReplayOfALongCheckpointInterval() {
        assertThat(config(Map.of("checkpoint.interval.ms", "200000")).streams())
                .containsEntry("transaction.timeout.ms", 400_000)
                .containsEntry("max.poll.interval.ms", 400_000);
        assertThat(config(Map.of("checkpoint.interval.ms", "600000")).streams())
                .containsEntry("transaction.timeout.ms", 900_000)
                .containsEntry("max.poll.interval.ms", 1_200_000);
    }

    @Test
    void shouldKnowTheLargestRequestOfItsProducerAsStreamsDoes() {
        assertThat(config(Map.of()).maxRequestBytes()).isEqualTo(1 << 20);
        assertThat(config(Map.of("max.request.size", "700000")).maxRequestBytes())
                .isEqualTo(700_000);
        assertThat(config(Map.of("max.request.size", "700000", "producer.max.request.size", "800000"))
                        .maxRequestBytes())
                .isEqualTo(800_000);
    }

    @Test
    void shouldGivePlainClientsWhatConnectsThemAndNoMore() {
        EngineConfig config = config(Map.of(
                "security.protocol", "SASL_SSL",
                "sasl.mechanism", "PLAIN",
                "ssl.truststore.location", "/t",
                "num.stream.threads", "2",
                "group.instance.id", "i",
                "producer.linger.ms", "7"));

        assertThat(config.clients())
                .containsOnlyKeys(
                        "bootstrap.servers", "security.protocol", "sasl.mechanism", "ssl.truststore.location");
        assertThat(config.clients("producer.")).containsEntry("linger.ms", "7");
    }

    @Test
    void shouldGiveTheRegistryItsKeysOnly() {
        assertThat(config(Map.of(
                                "schema.registry.url",
                                "mock://a",
                                "basic.auth.credentials.source",
                                "USER_INFO",
                                "basic.auth.user.info",
                                "u:p",
                                "schema.registry.ssl.truststore.location",
                                "/t",
                                "security.protocol",
                                "SSL"))
                        .registry())
                .isEqualTo(Map.of(
                        "schema.registry.url",
                        "mock://a",
                        "basic.auth.credentials.source",
                        "USER_INFO",
                        "basic.auth.user.info",
                        "u:p",
                        "schema.registry.ssl.truststore.location",
                        "/t"));
    }

    @Test
    void shouldNameKeysThatKafkaDoesNotDefine() {
        assertThat(config(Map.of(
                                "linger.ms",
                                "1",
                                "consumer.linger.ms",
                                "1",
                                "topic.segment.ms",
                                "9",
                                "my.plugin.a",
                                "b"))
                        .unknownKeys())
                .containsExactly("my.plugin.a");
    }

    @Test
    void shouldLeaveToBrokersWhatTheyDecideInTheProtocolStreams() {
        Map<String, String> settings = Map.of(
                "group.protocol", "streams",
                "consumer.session.timeout.ms", "50000",
                "heartbeat.interval.ms", "5000",
                "num.standby.replicas", "1",
                "max.warmup.replicas", "4",
                "acceptable.recovery.lag", "10");

        EngineConfig config = config(settings);

        assertThat(config.streams())
                .containsEntry("group.protocol", "streams")
                .doesNotContainKeys(
                        "session.timeout.ms",
                        "consumer.session.timeout.ms",
                        "heartbeat.interval.ms",
                        "num.standby.replicas",
                        "max.warmup.replicas",
                        "acceptable.recovery.lag");
        assertThat(config.brokerSettings())
                .containsOnly(
                        Map.entry("streams.session.timeout.ms", "50000"),
                        Map.entry("streams.heartbeat.interval.ms", "5000"),
                        Map.entry("streams.num.standby.replicas", "1"),
                        Map.entry("streams.num.warmup.replicas", "4"),
                        Map.entry("streams.acceptable.recovery.lag", "10"));
        assertThat(config.sessionTimeoutMs()).isEqualTo(50_000);
        assertThat(config(Map.of("group.protocol", "streams")).sessionTimeoutMs())
                .isEqualTo(45_000);
        assertThat(config(Map.of("num.standby.replicas", "1")).brokerSettings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "probing.rebalance.interval.ms=60000",
                "rack.aware.assignment.tags=zone",
                "consumer.partition.assignment.strategy=x"
            })
    void shouldRefuseInTheProtocolStreamsWhatItDoesNotHave(String setting) {
        String[] parts = setting.split("=", 2);
        assertThat(config(Map.of(parts[0], parts[1])).isStreamsProtocol()).isFalse();

        assertThatExceptionOfType(InvalidConfigException.class)
                .isThrownBy(() -> config(Map.of("group.protocol", "streams", parts[0], parts[1])))
                .withMessageContaining(
                        parts[0] + " must not be set with group.protocol=streams, got '" + parts[1] + "'");
    }

    @Test
    void shouldTakeTheSessionTimeoutOfTheMainConsumer() {
        assertThat(config(Map.of()).sessionTimeoutMs()).isEqualTo(6_000);
        assertThat(config(Map.of("session.timeout.ms", "8000", "main.consumer.session.timeout.ms", "7000"))
                        .sessionTimeoutMs())
                .isEqualTo(7_000);
    }

    @Test
    void shouldNeverShowSecrets() {
        EngineConfig config = config(Map.of(
                "basic.auth.user.info", "user:sesame1",
                "basic.auth.credentials.source", "USER_INFO",
                "bearer.auth.token", "sesame2",
                "schema.registry.ssl.keystore.password", "sesame3",
                "schema.registry.url", "http://user:sesame4@host",
                "sasl.jaas.config", "sesame5",
                "somebodys.token", "sesame6",
                "http.oidc.issuer", "https://user:sesame7@host",
                "sasl.oauthbearer.token.endpoint.url", "https://x:sesame8@idp/token?key=sesame9",
                "admin.sasl.oauthbearer.jwks.endpoint.url", "https://x:sesameA@idp/,https://y:sesameB@idp/"));

        assertThat(config.toString())
                .doesNotContain("sesame")
                .contains("topics.prefix='perceptron'", "sasl.jaas.config");
        // what config show prints
        assertThat(config.shown().toString())
                .doesNotContain("sesame")
                .contains("sasl.jaas.config", "bearer.auth.token", "https://…@idp/token?…");
        // of values that are refused
        assertThat(faults(Map.of(
                                "bootstrap.servers", "user:sesame1@host:9092",
                                "schema.registry.url", "ftp://user:sesame2@host",
                                "http.oidc.issuer", "http://user:ses@ame3@host",
                                "alerts.webhook.url", "sesame4"))
                        .toString())
                .doesNotContain("sesame", "ame3")
                .contains("bootstrap.servers must name at least one host:port, got '…@host:9092'");
    }

    /** Kafka's Java clients ignore such names, so that a broker refused an engine that seemed to be configured. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "metadata.broker.list | bootstrap.servers",
                "sasl.username | sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=",
                "producer.sasl.password | sasl.jaas.config=",
                "sasl_plain_password | sasl.jaas.config=",
                "ssl.ca.location | ssl.truststore.location=FILE with ssl.truststore.type=PEM",
                "schema.registry.ssl.ca.location | schema.registry.ssl.truststore.location=FILE with schema.registry.ssl.truststore.type=PEM",
                "enable.ssl.certificate.verification | certificates are always verified",
                "brokers | bootstrap.servers",
                "spring.kafka.bootstrap-servers | bootstrap.servers",
                "spring.kafka.properties.security.protocol | security.protocol",
                "spring.kafka.properties.schema.registry.url | schema.registry.url",
                "spring.kafka.consumer.max-poll-records | consumer.max.poll.records",
                "spring.kafka.producer.properties.linger.ms | producer.linger.ms",
                "spring.kafka.ssl.trust-store-location | ssl.truststore.location",
                "spring.kafka.jaas.enabled | jaas.enabled, if Kafka's clients have it",
                "quarkus.kafka-streams.bootstrap-servers | bootstrap.servers",
                "kafka.bootstrap.servers | bootstrap.servers",
                "kafka.sasl.username | sasl.jaas.config=",
                "properties.bootstrap.servers | bootstrap.servers",
                "consumer.override.fetch.min.bytes | consumer.fetch.min.bytes",
                "url | schema.registry.url",
                "queue.buffering.max.ms | producer.linger.ms",
                "enable.partition.eof | there is nothing in its place, leave it out",
            })
    void shouldNameWhatTakesThePlaceOfNamesOfOtherClients(String name, String here) {
        assertThat(faults(Map.of(name, "canary")))
                .singleElement()
                .asString()
                .startsWith("setting must be one of this program or of Kafka's Java clients, got '" + name
                        + "' (command line; here: " + here)
                .doesNotContain("canary");
    }

    /** What is named must be a setting of which the value is used. */
    @ParameterizedTest
    @CsvSource({
        "bootstrap.servers, h:1",
        "ssl.truststore.type, PEM",
        "schema.registry.ssl.truststore.type, PEM",
        "producer.max.request.size, 9",
        "sasl.oauthbearer.client.credentials.client.id, x",
        "producer.acks, all",
        "kafkas.own, plug-in",
        "somebodys.kafka.plug.in, x",
        "kafka.rest.auth, x"
    })
    void shouldTakeNamesOfKafkaAndOfPlugIns(String name, String value) {
        assertThat(config(Map.of(name, value)).shown())
                .extracting(EngineConfig.Shown::key)
                .contains(name);
    }

    @Test
    void shouldNotIgnoreTheUserOfTheRegistryWithoutItsSource() {
        assertThat(faults(Map.of("basic.auth.user.info", "u:canary")))
                .containsExactly(
                        "basic.auth.credentials.source must be USER_INFO where basic.auth.user.info is set, got"
                                + " 'URL' (default; set basic.auth.credentials.source=USER_INFO)");
        assertThat(faults(Map.of("schema.registry.basic.auth.credentials.source", "USER_INFO")))
                .singleElement()
                .asString()
                .contains("did you mean basic.auth.credentials.source?");
    }

    /** Its first key had a name with a character that cannot be seen. */
    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE"})
    void shouldReadAFileThatBeginsWithAByteOrderMark(String charset) throws Exception {
        Path file = directory.resolve("engine.properties");
        Files.write(file, "\uFEFFbootstrap.servers=h:9\r\ntopics.prefix=p\r\n".getBytes(Charset.forName(charset)));

        EngineConfig config = EngineConfig.of(Map.of(), Map.of(), file, Map.of());

        assertThat(config.get(EngineConfigDef.BOOTSTRAP_SERVERS)).isEqualTo("h:9");
        assertThat(config.get(EngineConfigDef.TOPICS_PREFIX)).isEqualTo("p");
    }

    private static EngineConfig config(Map<String, String> commandLine) {
        return EngineConfig.of(commandLine, Map.of(), null, Map.of());
    }

    private static List<String> faults(Map<String, String> commandLine) {
        return catchThrowableOfType(InvalidConfigException.class, () -> config(commandLine))
                .faults();
    }

    @Test
    void shouldTakeTheKeysOfCommandsAndShowNone() {
        EngineConfig config = EngineConfig.of(
                Map.of(), Map.of("PERCEPTRON_COMMANDS_KEY", "0123456789abcdef, fedcba9876543210"), null, Map.of());
        assertThat(config.get(EngineConfigDef.COMMANDS_KEY)).containsExactly("0123456789abcdef", "fedcba9876543210");
        assertThat(config.toString() + config.shown()).doesNotContain("0123456789abcdef");
        assertThat(EngineConfig.of(Map.of(), Map.of(), null, Map.of()).get(EngineConfigDef.COMMANDS_KEY))
                .isEmpty();
        for (String bad : List.of("0123456789abcde", "0123456789abcdef,", "0123456789 abcdef", "")) {
            assertThatThrownBy(() -> EngineConfig.of(Map.of("commands.key", bad), Map.of(), null, Map.of()))
                    .hasMessage(
                            "commands.key must be keys of 16 characters or more without spaces, separated by commas,"
                                    + " got a value that is not shown (command line)");
        }
    }

    @Test
    void shouldRefuseBoundsThatAreNoneOrExcludeADefault() {
        for (String good : List.of("", "blocks.max<=131072", "eta <= 2, snapshot.every>=1000")) {
            EngineConfig.of(Map.of("settings.bounds", good), Map.of(), null, Map.of());
        }
        for (String bad : List.of(
                "blocks.max", "blocks.max<=131071", "blocks.max<=x", "none<=1", "scale<=1", "eta>=2", "h<=1,", "<=1")) {
            assertThatThrownBy(() -> EngineConfig.of(Map.of("settings.bounds", bad), Map.of(), null, Map.of()))
                    .as(bad)
                    .hasMessageStartingWith("settings.bounds must be bounds NAME<=NUMBER or NAME>=NUMBER of numeric");
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            shop,      ,         shop-gen2
            shop,      own,      own-gen2
            shop-gen2, own-gen2, own-gen3
            # the name of the first generation ends like that of a later one: the next group must be another one
            shop,      own-gen2, own-gen2-gen2
            """)
    void shouldNameTheGroupOfTheNextGeneration(String prefix, String id, String next) {
        Map<String, String> settings = new HashMap<>(Map.of("topics.prefix", prefix));
        if (id != null) {
            settings.put("application.id", id);
        }
        EngineConfig config = EngineConfig.of(settings, Map.of(), null, Map.of());
        EngineConfig there = config.at(config.generation().next(), Map.of());

        assertThat(there.applicationId()).isEqualTo(next);
        assertThat(there.at(config.generation(), Map.of()).applicationId()).isEqualTo(config.applicationId());
    }
}
