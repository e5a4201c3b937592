package io.perceptronstreams.relearn;

import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.log.ModelLog;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Comparison of the examples topic with the one on another cluster of which it should be a copy: the settings, and each
 * committed record, in the order of the partitions.
 *
 * <p>Cost: both topics are read once. Reads only.
 *
 * @param faults with which models come to be others than there
 * @param notes for each partition without a fault, how many records are equal
 */
public record CopyCheck(List<String> faults, List<String> notes) {
    /** A mirror that was killed copies at most the records since its last commit again. */
    private static final int MAX_REPEATED = 10_000;

    /**
     * Checks a copy.
     *
     * @throws ExecutionException if one of the clusters refuses to describe its topic
     */
    public static CopyCheck of(EngineConfig copy, EngineConfig source) throws ExecutionException, InterruptedException {
        CopyCheck check = new CopyCheck(new ArrayList<>(), new ArrayList<>());
        String where = source.get(EngineConfigDef.BOOTSTRAP_SERVERS);
        int partitions;
        try (Admin admin = Admin.create(copy.admin());
                Admin there = Admin.create(source.admin())) {
            check.faults.addAll(TopicValidator.ofExamples(admin, copy)
                    .faultsOfCopy(TopicValidator.ofExamples(there, source), where));
        }
        try (TopicScan here = TopicScan.open(copy, copy.topic(Topic.EXAMPLES));
                TopicScan there = TopicScan.open(source, source.topic(Topic.EXAMPLES))) {
            partitions = here.partitions().size();
            if (there.partitions().size() != partitions) {
                return check;
            }
        }
        for (int partition = 0; partition < partitions; partition++) {
            try (ModelLog.Sent here = ModelLog.Sent.of(copy, Topic.EXAMPLES, partition);
                    ModelLog.Sent there = ModelLog.Sent.of(source, Topic.EXAMPLES, partition)) {
                check.compare(here, there, source, where);
            }
        }
        return check;
    }

    private void compare(ModelLog.Sent here, ModelLog.Sent there, EngineConfig source, String where) {
        if (here.first() > 0) {
            faults.add(here.place() + " must have all records, got " + here.first()
                    + " as its first offset: brokers have deleted those before, by their event times or the size of the"
                    + " topic");
            return;
        }
        if (there.first() > 0) {
            notes.add(there.place() + " on " + where + " begins at offset " + there.first()
                    + ": its records were not compared with the copy");
            return;
        }
        Recent recent = new Recent(here);
        RecordPairs pairs = RecordPairs.of(recent, there);
        if (pairs.isDifferent()) {
            faults.add(RecordPairs.place(pairs.hereNext()) + " must be the copy of "
                    + RecordPairs.place(pairs.thereNext()) + " on " + where + ", got "
                    + reason(pairs, recent, source, where));
        } else if (pairs.hereMore() > 0) {
            faults.add(String.format(
                    Locale.ROOT,
                    "%s must have no more than the %,d committed records on %s, got %,d more (a producer sends to the copy,"
                            + " or the mirror copies aborted records: it needs isolation.level=read_committed)",
                    here.place(),
                    pairs.common(),
                    where,
                    pairs.hereMore()));
        } else {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s: %,d records as on %s%s",
                    here.place(),
                    pairs.common(),
                    where,
                    pairs.thereMore() == 0
                            ? ""
                            : String.format(Locale.ROOT, ", %,d not copied yet", pairs.thereMore())));
        }
    }

    private static String reason(RecordPairs pairs, Recent recent, EngineConfig source, String where) {
        ConsumerRecord<byte[], byte[]> got = pairs.hereNext();
        ConsumerRecord<byte[], byte[]> aborted = aborted(pairs, source);
        if (aborted != null) {
            return "the aborted record " + RecordPairs.place(aborted)
                    + " (the mirror needs the line A.consumer.isolation.level = read_committed)";
        }
        if (recent.hasBefore(got)) {
            return "a record that the copy has before it (the mirror needs the line B.exactly.once.source.support ="
                    + " enabled)";
        }
        return "another record (does a producer send to the copy, or were records of " + where + " deleted?)";
    }

    /** Returns the aborted record between the last copied one and the one that should come next, or null. */
    private static ConsumerRecord<byte[], byte[]> aborted(RecordPairs pairs, EngineConfig source) {
        ConsumerRecord<byte[], byte[]> next = pairs.thereNext();
        long from = pairs.thereLast() == null ? 0 : pairs.thereLast().offset() + 1;
        TopicPartition place = new TopicPartition(next.topic(), next.partition());
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        try (TopicScan scan = TopicScan.open(TopicScan.uncommitted(source), next.topic())) {
            scan.read(place, from, next.offset(), record -> {
                if (RecordPairs.isCopy(record, pairs.hereNext())) {
                    found.add(record);
                }
                return found.isEmpty();
            });
        }
        return found.isEmpty() ? null : found.get(0);
    }

    /** Records of the copy, of which the last ones are remembered. */
    private static final class Recent implements Iterator<ConsumerRecord<byte[], byte[]>> {
        private final Iterator<ConsumerRecord<byte[], byte[]>> records;
        private final Deque<ConsumerRecord<byte[], byte[]>> last = new ArrayDeque<>();

        Recent(Iterator<ConsumerRecord<byte[], byte[]>> records) {
            this.records = records;
        }

        @Override
        public boolean hasNext() {
            return records.hasNext();
        }

        @Override
        public ConsumerRecord<byte[], byte[]> next() {
            last.add(records.next());
            if (last.size() > MAX_REPEATED) {
                last.remove();
            }
            return last.getLast();
        }

        boolean hasBefore(ConsumerRecord<byte[], byte[]> record) {
            return last.stream().anyMatch(each -> each != record && RecordPairs.isCopy(each, record));
        }
    }
}
