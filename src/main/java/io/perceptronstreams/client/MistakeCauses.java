package io.perceptronstreams.client;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.AvroEventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;

/**
 * What the last mistakes of a model have in common: features of their evidence, or pairs of labels.
 *
 * <p>Memory: the mistakes that are counted.
 */
public final class MistakeCauses {
    /** What mistakes are counted by. */
    public enum Key {
        /** Features of the evidence. */
        FEATURE,
        /** Pairs of true and emitted label. */
        PAIR
    }

    /**
     * A feature or a pair of labels.
     *
     * @param name of the feature, or its index as in {@code #17}, with the tag of a sequence; or {@code LABEL as PREDICTED}
     * @param mistakes mistakes with it
     * @param pulledWrong those in which its contribution was negative; of pairs all of them
     * @param meanContribution its mean contribution in these mistakes; of pairs the mean margin
     */
    public record Cause(String name, long mistakes, long pulledWrong, double meanContribution) {}

    private final int last;
    private final Deque<GenericRecord> mistakes = new ArrayDeque<>();

    /** Creates a collection of the {@code last} mistakes. */
    MistakeCauses(int last) {
        this.last = last;
    }

    /**
     * Reads the last mistakes of a model.
     *
     * @param records maximum number of records to read from each partition of the topic, the last ones
     */
    public static MistakeCauses of(EngineConfig config, String model, int last, long records) {
        MistakeCauses causes = new MistakeCauses(last);
        try (SchemaRegistry registry = SchemaRegistry.of(config.registry());
                TopicTail tail = TopicTail.open(config, config.topic(Topic.MISTAKES))) {
            AvroEventReader events = new AvroEventReader(EventSchemas.schema(Topic.MISTAKES), registry);
            tail.readLast(records, record -> {
                if (record.value() != null && model.equals(EventFormat.model(record))) {
                    causes.add(events.read(record.value()));
                }
            });
        }
        return causes;
    }

    void add(GenericRecord mistake) {
        mistakes.addLast(mistake);
        if (mistakes.size() > last) {
            mistakes.removeFirst();
        }
    }

    /** Number of counted mistakes. */
    public int size() {
        return mistakes.size();
    }

    /** Number of counted mistakes with evidence. */
    public long explained() {
        return mistakes.stream()
                .filter(mistake -> mistake.get("evidenceBias") != null)
                .count();
    }

    /** The causes that pulled to the wrong answer most often first; then by mistakes, then by name. */
    public List<Cause> top(Key key) {
        Map<String, Sum> sums = new HashMap<>();
        for (GenericRecord mistake : mistakes) {
            if (key == Key.PAIR) {
                String pair = mistake.get("labelText") + " as " + mistake.get("predictedText");
                sums.computeIfAbsent(pair, each -> new Sum()).add(true, (Double) mistake.get("margin"));
                continue;
            }
            Set<String> seen = new HashSet<>();
            for (Object each : (List<?>) mistake.get("evidence")) {
                GenericRecord part = (GenericRecord) each;
                double contribution = (Double) part.get("contribution");
                String name = name(part);
                // a sequence may have the same feature twice
                if (seen.add(name)) {
                    sums.computeIfAbsent(name, ignored -> new Sum()).add(contribution < 0, contribution);
                }
            }
        }
        List<Cause> causes = new ArrayList<>();
        sums.forEach((name, sum) ->
                causes.add(new Cause(name, sum.mistakes, sum.pulledWrong, sum.contributions / sum.mistakes)));
        causes.sort(Comparator.comparingLong(Cause::pulledWrong)
                .thenComparingLong(Cause::mistakes)
                .reversed()
                .thenComparing(Cause::name));
        return causes;
    }

    private static String name(GenericRecord part) {
        String name = part.get("name") == null
                ? "#" + part.get("index")
                : part.get("name").toString();
        return part.get("tag") == null ? name : name + " " + part.get("tag");
    }

    private static final class Sum {
        private long mistakes;
        private long pulledWrong;
        private double contributions;

        void add(boolean isWrong, double contribution) {
            mistakes++;
            pulledWrong += isWrong ? 1 : 0;
            contributions += contribution;
        }
    }
}
