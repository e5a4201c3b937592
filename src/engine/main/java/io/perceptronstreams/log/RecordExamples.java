package io.perceptronstreams.log;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.serde.ExampleList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Uses the examples of one record one after the other, each as that of a record of its own. */
final class RecordExamples {
    /** Number of unreadable examples of a record with a dead letter of their own. */
    private static final int MAX_ALONE = 100;

    private final PartitionModels models;
    private final ModelSession session;
    private final RecordEvents events;
    private final long aheadMs;
    private final Example example = new Example();

    // Number of unreadable examples of the record that have been refused alone.
    private int alone;

    /** @param aheadMs as for {@link EventTime} */
    RecordExamples(PartitionModels models, ModelSession session, RecordEvents events, long aheadMs) {
        this.models = models;
        this.session = session;
        this.events = events;
        this.aheadMs = aheadMs;
    }

    /**
     * Uses the examples of a record. Of those that cannot be read, the first ones are refused alone, the others of a
     * reason together: otherwise 2 kB could become 999 dead letters.
     *
     * @param known its model, or null
     * @param own timestamp of the record
     * @throws RejectedException if no example can be read
     */
    void use(ExampleList examples, InputRecord record, LiveModel known, long own) {
        // otherwise each of them would be refused for the same reason
        session.beginExamples(record, known);
        events.beginExamples(examples.size());
        LiveModel model = known;
        boolean isAnyRead = false;
        Deque<Refusal> unreadable = new ArrayDeque<>();
        alone = 0;
        for (int k = 0; k < examples.size(); k++) {
            long timestamp = own;
            // of an example that cannot be read, its features are those that were crossed before it was refused
            example.setFeatures(example.vector().resetSparse());
            try {
                timestamp = EventTime.of(examples, k, own, aheadMs);
                session.requireWork();
                examples.decode(k, models.hasher(model), example);
            } catch (RejectedException e) {
                session.unreadable(example);
                Refusal refusal = new Refusal(k, timestamp, e);
                if (isAnyRead && e.reason() == RejectReason.TOO_MUCH_WORK) {
                    refuseAlone(examples, unreadable);
                    // alone, so that a replay uses each
                    refuse(examples, refusal);
                } else {
                    unreadable.add(refusal);
                }
                continue;
            }
            isAnyRead = true;
            refuseAlone(examples, unreadable);
            events.beginExample(k, timestamp);
            models.identify(example, record.offset(), k);
            if (events.uses(example, timestamp)) {
                model = session.model(record, model);
                use(examples, record.part(k, timestamp), model);
            }
        }
        session.endExamples();
        if (isAnyRead) {
            refuseAlone(examples, unreadable);
            refuseTogether(examples, unreadable, own);
            events.endExamples();
        } else {
            // one dead letter: a short record may have a thousand such examples
            events.endExamples();
            throw unreadable(unreadable.element().why, examples.size());
        }
    }

    private static RejectedException unreadable(RejectedException first, int size) {
        return size == 1
                ? first
                : new RejectedException(
                        first.reason(), "of " + size + " examples none can be read; the first: " + first.getMessage());
    }

    /** Refuses examples, each alone, and removes them, up to the limit of a record. */
    private void refuseAlone(ExampleList examples, Deque<Refusal> unreadable) {
        for (; !unreadable.isEmpty() && alone < MAX_ALONE; alone++) {
            refuse(examples, unreadable.remove());
        }
    }

    /** Refuses examples together, those of a reason each. */
    private void refuseTogether(ExampleList examples, Deque<Refusal> unreadable, long own) {
        Map<RejectReason, List<Refusal>> byReason = new LinkedHashMap<>();
        unreadable.forEach(each -> byReason.computeIfAbsent(each.why.reason(), any -> new ArrayList<>())
                .add(each));
        byReason.forEach((reason, refusals) -> {
            List<Integer> parts = refusals.stream().map(Refusal::part).toList();
            String message = parts.size() + " examples, after the first " + MAX_ALONE
                    + " of the record that cannot be read; the first of them: "
                    + refusals.get(0).why.getMessage();
            events.beginExample(parts.get(0), own);
            events.refused(
                    parts,
                    examples.value(parts),
                    new RejectedException(reason, message),
                    models.store().streamTime());
        });
    }

    private void use(ExampleList examples, InputRecord part, LiveModel model) {
        try {
            session.example(part, model, example, session.mayWait(model, example) ? examples.value(part.part()) : null);
        } catch (RejectedException e) {
            refuse(examples, new Refusal(part.part(), part.timestamp(), e));
        }
    }

    /** Describes why an example of several is refused. */
    private record Refusal(int part, long timestamp, RejectedException why) {}

    private void refuse(ExampleList examples, Refusal refusal) {
        events.beginExample(refusal.part, refusal.timestamp);
        events.refused(
                List.of(refusal.part),
                examples.value(refusal.part),
                refusal.why,
                models.store().streamTime());
    }
}
