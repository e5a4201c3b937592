package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;

/**
 * The life of a model whose weights are replaced in every way that there is, and a join of its predictions with the
 * labels that were sent: what every place that shows an error must show.
 *
 * <p>The join uses the topics only, and no class of the engine.
 */
public final class EmittedStory implements AutoCloseable {
    /** Name of the model. */
    public static final String MODEL = "m";

    private static final int MAX = 6_000;
    private static final int DELAY = 7;

    /** Is called after each step. */
    @FunctionalInterface
    public interface Check {
        void after(String step, EmittedStory story);
    }

    /**
     * Predictions since the model began or was reset, joined with the labels that were sent.
     *
     * @param majorityErrors errors of predicting the most frequent label so far
     * @param sameErrors errors of predicting the last label
     * @param cells number of labelled examples by true and emitted label, such as {@code 1 as -1}
     */
    public record Joined(
            long examples,
            long labelled,
            long errors,
            long mistakes,
            long majorityErrors,
            long sameErrors,
            Map<String, Long> cells) {}

    private final EngineDriver engine;
    private final Random random = new Random(5);
    private final boolean isLate;
    private final Map<Topic, List<TestRecord<byte[], byte[]>>> records = new EnumMap<>(Topic.class);
    private final List<GenericRecord> predictions = new ArrayList<>();
    private final List<GenericRecord> mistakes = new ArrayList<>();
    private final List<GenericRecord> counts = new ArrayList<>();
    private final List<GenericRecord> statuses = new ArrayList<>();
    // in the order in which they were sent
    private final Map<String, Integer> labels = new LinkedHashMap<>();
    private final Deque<String> unlabelled = new ArrayDeque<>();
    private final Map<String, Integer> truths = new HashMap<>();
    private boolean isTurned;
    private long time;
    private long offset;
    private int number;

    /** @param isLate true if labels come after their examples */
    public EmittedStory(Path dir, boolean isLate) {
        engine = new EngineDriver(dir);
        this.isLate = isLate;
        for (Topic topic : Topic.values()) {
            records.put(topic, new ArrayList<>());
        }
    }

    /** Tells the story. */
    public void tell(Check check) {
        command(
                "CONFIGURE",
                "\"algorithm\":\"scw\",\"scale\":\"standard\",\"drift\":\"adwin\",\"drift.action\":\"reset\","
                        + "\"auc.window\":\"50\""
                        + (isLate ? ",\"await.labels.ms\":\"60000\"" : ""));
        learn(1);
        settle();
        challenge("soft", "\"c\":\"0.1\"");
        challenge("adagrad", "\"algorithm\":\"sgd\",\"rate\":\"adagrad\",\"implicit\":\"true\"");
        challenge("follower", "\"algorithm\":\"pa-ii\",\"c\":\"0.1\"");
        learn(600);
        check("the first weights", check);
        // a concept that turns again and again, which confidence in weights does not suit
        learnUntil("PROMOTED", 100);
        check("a promotion by itself", check);

        learn(40);
        command("PROMOTE", "\"challenger\":\"previous\"");
        learn(40);
        check("a promotion by hand", check);

        command("SNAPSHOT", "\"name\":\"v1\"");
        drain();
        List<byte[]> tagged = records.get(Topic.WEIGHTS).stream()
                .filter(each -> new String(each.key(), StandardCharsets.UTF_8).startsWith(MODEL + "@v1"))
                .map(TestRecord::value)
                .toList();
        isTurned = false;
        learn(100);
        importWeights(tagged, null);
        learn(40);
        check("a rollback", check);

        if (!isLate) {
            replace();
            learn(40);
            check("a replacement", check);
        }
        command("CONFIGURE", "\"drift\":\"adwin\",\"drift.action\":\"shadow\"");
        learn(400);
        isTurned = !isTurned;
        learnUntil("TAKEOVER", MAX);
        learn(40);
        check("a takeover", check);

        settle();
        // the defaults, with which any other learner can be a challenger
        command(
                "RESET",
                "\"algorithm\":\"perceptron\",\"implicit\":\"false\",\"rate\":\"constant\",\"c\":\"1.0\",\"scale\":\"none\",\"auc.window\":\"0\","
                        + "\"drift\":\"none\",\"drift.action\":\"none\"");
        forget();
        learn(40);
        check("a reset", check);
        command("CHALLENGE", "\"challenger\":\"c\",\"algorithm\":\"multiclass\",\"classes\":\"-1,1\"");
        learn(40);
        command("PROMOTE", "\"challenger\":\"c\"");
        learn(40);
        check("the promotion of another kind of learner", check);

        settle();
        command("DELETE", "");
        forget();
        if (isLate) {
            command("CONFIGURE", "\"await.labels.ms\":\"60000\"");
        }
        learn(20);
        importWeights(tagged, null);
        learn(20);
        check("an import", check);

        settle();
        command("RESET", "\"algorithm\":\"auto\",\"portfolio\":\"true\"");
        forget();
        learn(300);
        isTurned = !isTurned;
        learn(100);
        check("a vote", check);
    }

    private void check(String step, Check check) {
        command("TICK", "");
        drain();
        assertThat(engine.messages()).as("dead letters after %s", step).isEmpty();
        check.after(step, this);
    }

    /** Replaces the model by weights that have learned another log. */
    private void replace() {
        // which follows no change, so that a shadow will
        send("o", "{\"action\":\"CONFIGURE\",\"settings\":{\"algorithm\":\"arow\"}}");
        for (int k = 0; k < 200; k++) {
            send("o", example("o" + k, true));
        }
        send("o", "{\"action\":\"SNAPSHOT\"}");
        drain();
        List<byte[]> chunks = records.get(Topic.WEIGHTS).stream()
                .filter(each -> each.value() != null && new String(each.key(), StandardCharsets.UTF_8).equals("o"))
                .map(TestRecord::value)
                .toList();
        importWeights(chunks, "model@" + (offset - 1));
    }

    private void importWeights(List<byte[]> chunks, String purpose) {
        Headers headers = new RecordHeaders();
        if (purpose != null) {
            headers.add("perceptron-import-as", purpose.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(chunks).isNotEmpty();
        for (byte[] chunk : chunks) {
            engine.send(MODEL.getBytes(StandardCharsets.UTF_8), chunk, headers, time);
            offset++;
        }
        drain();
        assertThat(statuses.get(statuses.size() - 1).get("cause")).hasToString("IMPORT");
    }

    private void command(String action, String settings) {
        send(MODEL, "{\"action\":\"" + action + "\",\"settings\":{" + settings + "}}");
    }

    private void challenge(String name, String settings) {
        command(
                "CHALLENGE",
                "\"challenger\":\"" + name + "\"," + settings + ",\"trial.promote\":\"auto\",\"trial.warmup\":\"0\","
                        + "\"trial.alpha\":\"0.05\",\"trial.round\":\"1\"");
    }

    private void send(String model, String json) {
        engine.send(model, json, time);
        offset++;
    }

    private void learnUntil(String cause, int turn) {
        drain();
        int from = statuses.size();
        for (int k = 0; k < MAX; k++) {
            isTurned ^= k % turn == turn - 1;
            learn(1);
            drain();
            if (statuses.subList(from, statuses.size()).stream()
                    .anyMatch(each -> each.get("cause").toString().equals(cause))) {
                return;
            }
        }
        throw new AssertionError("no " + cause + " in " + MAX + " examples");
    }

    private void learn(int count) {
        for (int k = 0; k < count; k++) {
            time += 10;
            String id = "e" + number++;
            send(MODEL, example(id, !isLate));
            if (isLate) {
                unlabelled.add(id);
                while (unlabelled.size() > DELAY) {
                    label();
                }
            } else {
                labels.put(id, truths.get(id));
            }
        }
    }

    private void label() {
        String id = unlabelled.remove();
        send(MODEL, "{\"exampleId\":\"" + id + "\",\"label\":" + truths.get(id) + "}");
        labels.put(id, truths.get(id));
    }

    /** Sends the labels that are due. */
    private void settle() {
        while (!unlabelled.isEmpty()) {
            label();
        }
        drain();
    }

    /** What came before a reset is in no join. */
    private void forget() {
        drain();
        predictions.clear();
        mistakes.clear();
        counts.clear();
        labels.clear();
    }

    private String example(String id, boolean isLabelled) {
        double x = random.nextGaussian();
        double y = random.nextGaussian();
        boolean isPositive = (x + 0.5 * y > 0.3) != (random.nextInt(20) == 0);
        truths.put(id, isPositive != isTurned ? 1 : -1);
        return "{\"id\":\"" + id + "\"," + (isLabelled ? "\"label\":" + truths.get(id) + "," : "") + "\"features\":["
                + x + "," + y + "]}";
    }

    private void drain() {
        for (Topic topic : Topic.values()) {
            if (topic == Topic.EXAMPLES || topic == Topic.DEAD_LETTERS) {
                continue;
            }
            for (TestRecord<byte[], byte[]> each : engine.records(topic)) {
                records.get(topic).add(each);
                boolean isOfModel = new String(each.key(), StandardCharsets.UTF_8).equals(MODEL);
                if (!isOfModel || topic == Topic.WEIGHTS) {
                    continue;
                }
                GenericRecord event = engine.decode(each.value());
                switch (topic) {
                    case PREDICTIONS -> predictions.add(event);
                    case MISTAKES -> mistakes.add(event);
                    case COUNTS -> counts.add(event);
                    case MODELS -> statuses.add(event);
                    default -> {
                        // alerts
                    }
                }
            }
        }
    }

    /** The join. */
    public Joined join() {
        Map<String, String> emitted = new HashMap<>();
        predictions.forEach(each -> emitted.put(
                each.get("exampleId").toString(),
                each.get("label") == null ? "nothing" : each.get("label").toString()));
        long errors = 0;
        long majorityErrors = 0;
        long sameErrors = 0;
        int last = 0;
        int[] seen = new int[2];
        Map<String, Long> cells = new TreeMap<>();
        for (Map.Entry<String, Integer> each : labels.entrySet()) {
            String of = emitted.get(each.getKey());
            int truth = each.getValue();
            errors += of.equals("" + truth) ? 0 : 1;
            int majority = seen[0] + seen[1] == 0 ? 0 : seen[1] > seen[0] ? 1 : -1;
            majorityErrors += truth == majority ? 0 : 1;
            sameErrors += truth == last ? 0 : 1;
            last = truth;
            seen[truth == 1 ? 1 : 0]++;
            if (!of.equals("nothing")) {
                cells.merge(truth + " as " + of, 1L, Long::sum);
            }
        }
        long wrong = mistakes.stream()
                .filter(each -> each.get("kind").toString().equals("MISTAKE"))
                .count();
        return new Joined(predictions.size(), labels.size(), errors, wrong, majorityErrors, sameErrors, cells);
    }

    /** Status after the last step. */
    public GenericRecord status() {
        return statuses.get(statuses.size() - 1);
    }

    /** MistakeCounts since the model began or was reset. */
    public List<GenericRecord> counts() {
        return counts;
    }

    /** Mistakes since the model began or was reset. */
    public List<GenericRecord> mistakes() {
        return mistakes;
    }

    /** Events of the model, from the beginning. */
    public <T extends SpecificRecord> List<T> events(Topic topic, Class<T> type) {
        EventReader<T> reader = EventReader.of(type, engine.registry);
        return records.get(topic).stream()
                .filter(each -> new String(each.key(), StandardCharsets.UTF_8).equals(MODEL))
                .map(each -> reader.read(each.value()))
                .toList();
    }

    @Override
    public void close() {
        engine.close();
    }
}
