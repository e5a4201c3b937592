package io.perceptronstreams.config;

import static io.perceptronstreams.config.EngineConfigDef.key;
import static io.perceptronstreams.config.EngineConfigDef.rule;
import static org.apache.kafka.common.config.ConfigDef.Type.BOOLEAN;
import static org.apache.kafka.common.config.ConfigDef.Type.INT;
import static org.apache.kafka.common.config.ConfigDef.Type.LONG;

import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;

/**
 * Whether and how examples and labels are accepted by HTTP.
 *
 * @param isWriting true if they can be sent to the log
 * @param timeoutMs maximum time for an answer from the log, in ms
 * @param maxRequests maximum number of concurrent requests
 * @param maxRate maximum number of examples and labels for the log per second
 * @param hasReplica true if the process has copies of all models that predict
 * @param maxReplicaRate maximum number of examples that it predicts per second
 * @param maxAgeMs maximum age of a copy that predicts, in ms; 0 for any
 */
public record HttpEvents(
        boolean isWriting,
        int timeoutMs,
        int maxRequests,
        int maxRate,
        boolean hasReplica,
        int maxReplicaRate,
        long maxAgeMs) {
    private static final String WRITE = "http.write";
    private static final String WRITE_TIMEOUT_MS = "http.write.timeout.ms";
    private static final String WRITE_REQUESTS_MAX = "http.write.requests.max";
    private static final String WRITE_RATE_MAX = "http.write.rate.max";
    private static final String REPLICA = "http.replica";
    private static final String REPLICA_RATE_MAX = "http.replica.rate.max";
    private static final String REPLICA_AGE_MAX_MS = "http.replica.age.max.ms";

    static HttpEvents of(Map<String, Object> settings) {
        return new HttpEvents(
                (Boolean) settings.get(WRITE),
                (Integer) settings.get(WRITE_TIMEOUT_MS),
                (Integer) settings.get(WRITE_REQUESTS_MAX),
                (Integer) settings.get(WRITE_RATE_MAX),
                (Boolean) settings.get(REPLICA),
                (Integer) settings.get(REPLICA_RATE_MAX),
                (Long) settings.get(REPLICA_AGE_MAX_MS));
    }

    /**
     * Maximum heap of the models of the engine in a process with a replica, and of the replica: both have the same models.
     *
     * @param storeHeapBytes maximum heap of all models
     */
    public long share(long storeHeapBytes) {
        return hasReplica ? storeHeapBytes / 2 : storeHeapBytes;
    }

    static void define(ConfigDef def) {
        key(
                def,
                WRITE,
                BOOLEAN,
                false,
                null,
                "whether examples and labels can be sent by HTTP, and predictions asked for; requires http.auth");
        key(
                def,
                WRITE_TIMEOUT_MS,
                INT,
                10_000,
                rule("be from 100 to 25000", v -> (Integer) v >= 100 && (Integer) v <= 25_000),
                "time in which a request by HTTP is answered: with its predictions, or that there are none yet");
        key(
                def,
                WRITE_REQUESTS_MAX,
                INT,
                256,
                rule("be at least 1", v -> (Integer) v >= 1),
                "maximum number of such requests, and of predictions by http.replica, at the same time");
        key(
                def,
                WRITE_RATE_MAX,
                INT,
                10_000,
                rule("be at least 1", v -> (Integer) v >= 1),
                "maximum number of examples and labels by HTTP per second that are sent to the log");
        key(
                def,
                REPLICA,
                BOOLEAN,
                false,
                null,
                "whether the process keeps a copy of all models, which answers predictions by HTTP without the log");
        key(
                def,
                REPLICA_RATE_MAX,
                INT,
                100_000,
                rule("be at least 1", v -> (Integer) v >= 1),
                "maximum number of examples per second that http.replica predicts");
        key(
                def,
                REPLICA_AGE_MAX_MS,
                LONG,
                0L,
                rule("be at least 0", v -> (Long) v >= 0),
                "maximum age in ms of the copy of a model that answers; 0: any");
    }
}
