package io.perceptronstreams.topology;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.serde.ExampleList;
import java.util.ArrayList;
import java.util.List;

/** Uses the examples of one record one after the other, each as that of a record of its own. */
final class RecordExamples {
    private final PartitionModels models;
    private final ModelSession session;
    private final RecordEvents events;
    private final long aheadMs;
    private final Example example = new Example();

    /** @param aheadMs as for {@link EventTimeExtractor} */
    RecordExamples(PartitionModels models, ModelSession session, RecordEvents events, long aheadMs) {
        this.models = models;
        this.session = session;
        this.events = events;
        this.aheadMs = aheadMs;
    }

    /**
     * Uses the examples of a record.
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
        List<Refusal> unreadable = new ArrayList<>();
        for (int k = 0; k < examples.size(); k++) {
            long timestamp = own;
            try {
                timestamp = EventTimeExtractor.of(examples, k, own, aheadMs);
                session.requireWork();
                examples.decode(k, models.hasher(model), example);
            } catch (RejectedException e) {
                unreadable.add(new Refusal(k, timestamp, e));
                continue;
            }
            unreadable.forEach(each -> refuse(examples, each));
            unreadable.clear();
            events.beginExample(k, timestamp);
            models.identify(example, record.offset(), k);
            if (events.uses(example, timestamp)) {
                model = session.model(record, model);
                use(examples, record.part(k, timestamp), model);
            }
        }
        session.endExamples();
        if (unreadable.size() < examples.size()) {
            unreadable.forEach(each -> refuse(examples, each));
            events.endExamples();
        } else {
            // one dead letter: a short record may have a thousand such examples
            events.endExamples();
            throw unreadable(unreadable.get(0).why, examples.size());
        }
    }

    private static RejectedException unreadable(RejectedException first, int size) {
        return size == 1
                ? first
                : new RejectedException(
                        first.reason(), "of " + size + " examples none can be read; the first: " + first.getMessage());
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
                refusal.part,
                examples.value(refusal.part),
                refusal.why,
                models.store().streamTime());
    }
}
