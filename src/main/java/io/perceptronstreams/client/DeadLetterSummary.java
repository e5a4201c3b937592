package io.perceptronstreams.client;

import io.perceptronstreams.serde.DeadLetter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Counts dead letters by reason. Memory: one entry for each reason and model. */
public final class DeadLetterSummary {
    /** Maximum number of model names in a line of text. */
    private static final int MAX_MODELS = 3;

    private final Map<String, Group> groups = new TreeMap<>();

    /** The dead letters of one reason. */
    private static final class Group {
        private final Set<String> models = new TreeSet<>();
        private long count;
        private long cameBack;
        private long oldest = Long.MAX_VALUE;
        private long newest = Long.MIN_VALUE;
        private DeadLetter last;

        void add(ConsumerRecord<byte[], byte[]> record, DeadLetter letter) {
            count++;
            if (DeadLetter.replays(record.headers()) > 0) {
                cameBack++;
            }
            oldest = Math.min(oldest, record.timestamp());
            newest = Math.max(newest, record.timestamp());
            models.add(String.valueOf(EventFormat.model(record)));
            last = letter;
        }

        String names() {
            String names = String.join(", ", models.stream().limit(MAX_MODELS).toList());
            return models.size() > MAX_MODELS ? names + " and " + (models.size() - MAX_MODELS) + " more" : names;
        }
    }

    /** Adds a dead letter. */
    public void add(ConsumerRecord<byte[], byte[]> record) {
        DeadLetter letter = DeadLetter.of(record.headers());
        groups.computeIfAbsent(letter.reason(), reason -> new Group()).add(record, letter);
    }

    /** For each reason a line with counts and one with the latest message; then the command that sends them again. */
    public List<String> toLines(DeadLetterSelection selection) {
        if (groups.isEmpty()) {
            return List.of("no dead letters");
        }
        List<String> lines = new ArrayList<>();
        groups.forEach((reason, group) -> {
            lines.add(String.format(
                    Locale.ROOT,
                    "%,9d %s of %s, %s to %s%s",
                    group.count,
                    reason,
                    group.names(),
                    Instant.ofEpochMilli(group.oldest),
                    Instant.ofEpochMilli(group.newest),
                    group.cameBack == 0 ? "" : String.format(Locale.ROOT, "; %,d came back", group.cameBack)));
            lines.add("          " + group.last.topic() + "-" + group.last.sourcePartition() + "@"
                    + group.last.sourceOffset() + ": " + group.last.message());
        });
        boolean isOfCommands = groups.keySet().stream().allMatch(ReplaySelection::isOfCommands);
        lines.add("after the cause is mended: perceptron dead-letters replay" + selection.toOptions()
                + (isOfCommands && selection.reason() == null ? " --commands" : "") + " --dry-run");
        return lines;
    }

    /** One JSON object for each reason. */
    public List<String> toJson() {
        return groups.entrySet().stream()
                .map(each -> EventFormat.json(json -> {
                    Group group = each.getValue();
                    json.writeStringField("reason", each.getKey());
                    json.writeNumberField("count", group.count);
                    json.writeNumberField("cameBack", group.cameBack);
                    json.writeNumberField("oldest", group.oldest);
                    json.writeNumberField("newest", group.newest);
                    json.writeArrayFieldStart("models");
                    for (String model : group.models) {
                        json.writeString(model);
                    }
                    json.writeEndArray();
                    json.writeStringField("message", group.last.message());
                }))
                .toList();
    }
}
