package io.perceptronstreams.topology;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.LateState;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The examples and labels of a model that wait for each other, and the last ids. */
final class ReferencePending {
    /** Something that waits: an example if {@code then} is not null, otherwise a label. */
    record Pending(ConsumerRecord<byte[], byte[]> record, int part, String id, long due, Waiting then) {
        private String text() {
            return record.offset() + " " + record.timestamp() + " " + due + " " + Arrays.hashCode(record.value());
        }
    }

    private record Id(String id, long number, boolean isLabelled) {}

    final Map<String, Pending> examples = new HashMap<>();
    final Map<String, Pending> labels = new HashMap<>();

    /** Examples with labels that can be corrected. */
    final Map<String, Waiting> settled = new HashMap<>();

    private final List<Id> ids = new ArrayList<>();
    private final List<Long> delays = new ArrayList<>();
    private long time = -1;
    private long nextId;

    /** Moves the time forward; false if it is later already. */
    boolean moveTo(long timestamp) {
        boolean isLater = timestamp > time;
        time = Math.max(time, timestamp);
        return isLater;
    }

    /** What waits, in the order in which it falls due. */
    private Stream<Pending> dueList() {
        return Stream.concat(examples.values().stream(), labels.values().stream())
                .sorted(Comparator.comparingLong(Pending::due)
                        .thenComparing(each -> each.record().offset())
                        .thenComparing(Pending::part));
    }

    /** What falls due first, if its time has passed; else null. */
    Pending first() {
        return dueList().findFirst().filter(each -> time > each.due()).orElse(null);
    }

    long time() {
        return time;
    }

    private Stream<Waiting> settledList() {
        return settled.values().stream()
                .sorted(Comparator.comparingLong(Waiting::due)
                        .thenComparing(Waiting::offset)
                        .thenComparing(Waiting::part));
    }

    /** Removes those whose time for corrections is over, at most a number of them; returns how many. */
    int endCorrections(int most) {
        List<Waiting> over = settledList()
                .filter(each -> time > each.due())
                .limit(Math.max(0, most))
                .toList();
        over.forEach(each -> settled.remove(each.id().toString()));
        return over.size();
    }

    /** Keeps an example; returns how many had to make room. */
    int settle(Waiting example, int max) {
        settled.put(example.id().toString(), example);
        int left = 0;
        for (; left < 2 && settled.size() > max; left++) {
            settled.remove(settledList().findFirst().orElseThrow().id().toString());
        }
        return left;
    }

    void addDelay(long delayMs) {
        delays.add(delayMs);
    }

    /** Counts up to 1, 3, 10, 30, … ms and above 3e9 ms, without zeros at the end. */
    private List<Long> histogram() {
        List<Long> counts = new ArrayList<>(Collections.nCopies(21, 0L));
        for (long delay : delays) {
            int bucket = 0;
            for (double limit = 1; bucket < 20 && delay > Math.floor(limit); bucket++) {
                limit = bucket % 2 == 0 ? limit * 3 : limit / 3 * 10;
            }
            counts.set(bucket, counts.get(bucket) + 1);
        }
        while (!counts.isEmpty() && counts.get(counts.size() - 1) == 0) {
            counts.remove(counts.size() - 1);
        }
        return counts;
    }

    void requireRoom(Settings settings) {
        if (examples.size() + labels.size() >= settings.get(Settings.AWAIT_LABELS_MAX)) {
            throw new RejectedException(RejectReason.PENDING_FULL, null);
        }
    }

    /** Whether an id is among the last ones. */
    boolean hasSeen(String id) {
        return find(id) >= 0;
    }

    /** Whether an id is among the last ones and its example has been labelled. */
    boolean isLabelled(String id) {
        int place = find(id);
        return place >= 0 && ids.get(place).isLabelled();
    }

    void markLabelled(String id) {
        int place = find(id);
        if (place >= 0) {
            ids.set(place, new Id(id, ids.get(place).number(), true));
        }
    }

    /** Appends an id and forgets the oldest ones. */
    void add(String id, boolean isLabelled, Settings settings) {
        int limit = settings.get(Settings.DEDUPE_LAST) > 0
                ? settings.get(Settings.DEDUPE_LAST)
                : settings.get(Settings.AWAIT_LABELS_MS) > 0 || settings.hasSources() ? 10_000 : 0;
        if (limit > 0) {
            ids.add(new Id(id, nextId++, isLabelled));
        }
        while (ids.size() > limit) {
            ids.remove(0);
        }
    }

    /** The place of the last one of this id, or -1. */
    private int find(String id) {
        int place = ids.size() - 1;
        while (place >= 0 && !ids.get(place).id().equals(id)) {
            place--;
        }
        return place;
    }

    /** For statuses and stored headers. */
    LateState lateState(long generation) {
        return new LateState(
                time,
                examples.size(),
                labels.size(),
                nextId - ids.size(),
                nextId,
                histogram(),
                generation,
                dueList().map(Pending::due).findFirst().orElse(LateState.NO_TIME),
                dueList()
                        .limit(1000)
                        .filter(each -> each.then() != null)
                        .map(each -> each.record().timestamp())
                        .findFirst()
                        .orElse(LateState.NO_TIME),
                settled.size());
    }

    /** Adds everything that must be stored, as text. */
    void describe(String name, Set<String> all) {
        for (Id id : ids) {
            all.add(name + " id " + id.number() + " " + (hash(id.id()) | (id.isLabelled() ? 1 : 0)));
        }
        labels.forEach((id, each) -> {
            all.add(name + " label " + id + " " + each.text());
            all.add(name + " due " + each.due() + " " + each.record().offset() + " true " + id);
        });
        examples.forEach((id, each) -> {
            Waiting then = each.then();
            all.add(name + " example " + id + " " + each.text() + " " + then.epoch() + " " + then.version() + " "
                    + then.emitted() + " " + then.challengers());
            all.add(name + " due " + each.due() + " " + each.record().offset() + " false " + id);
        });
        settled.forEach((id, each) -> {
            all.add(name + " settled " + id + " " + each.offset() + " " + each.time() + " " + each.due() + " "
                    + Arrays.hashCode(each.value()) + " " + each.epoch() + " " + each.version() + " " + each.emitted()
                    + " " + each.challengers() + " " + each.truth());
            all.add(name + " settled due " + each.due() + " " + each.offset() + " false " + id);
        });
    }

    /** FNV-1a with the last steps of MurmurHash3, without its lowest bit. */
    private static long hash(String id) {
        long hash = Long.parseUnsignedLong("14695981039346656037");
        for (byte each : id.getBytes(StandardCharsets.UTF_8)) {
            hash ^= each & 0xff;
            hash *= 1_099_511_628_211L;
        }
        hash ^= hash >>> 33;
        hash *= 0xff51afd7ed558ccdL;
        hash ^= hash >>> 33;
        hash *= 0xc4ceb9fe1a85ec53L;
        hash ^= hash >>> 33;
        return hash & ~1L;
    }
}
