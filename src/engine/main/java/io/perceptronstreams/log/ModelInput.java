package io.perceptronstreams.log;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.store.InputPosition.Decisions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;

/**
 * Input of one model: its partition, and what decides about its records besides the log.
 *
 * @param model name
 * @param topic name of the examples topic
 * @param partition of the model
 * @param decisions settings under which the engine processes the records
 * @param refused reasons outside the log, such as the registry, for which records were refused, by offset; must have
 *     that of a record before it is learned, and may grow afterwards
 * @param deadLetters offsets of all records that were refused, as there; needed only if idle models are deleted
 * @param idleMs stream time without a record after which a model is deleted, in ms; 0 for never
 * @param records of the examples topic, for imports that lack some
 * @param commandKeys of {@code commands.key}; without any, no signature is checked
 * @param start where a run starts; null for the first record of the model
 * @param before input of the model in the generation of topics before; null if there is none
 */
public record ModelInput(
        String model,
        String topic,
        Uuid topicId,
        int partition,
        Decisions decisions,
        Map<Long, RejectReason> refused,
        Set<Long> deadLetters,
        long idleMs,
        InputRecords records,
        List<String> commandKeys,
        NamedSnapshot start,
        ModelInput before) {
    /** Input in one generation of topics. */
    public ModelInput(
            String model,
            String topic,
            Uuid topicId,
            int partition,
            Decisions decisions,
            Map<Long, RejectReason> refused,
            Set<Long> deadLetters,
            long idleMs,
            InputRecords records,
            List<String> commandKeys,
            NamedSnapshot start) {
        this(
                model,
                topic,
                topicId,
                partition,
                decisions,
                refused,
                deadLetters,
                idleMs,
                records,
                commandKeys,
                start,
                null);
    }

    /** Returns this input from a named snapshot on. */
    public ModelInput from(NamedSnapshot snapshot) {
        return new ModelInput(
                model,
                topic,
                topicId,
                partition,
                decisions,
                refused,
                deadLetters,
                idleMs,
                records,
                commandKeys,
                snapshot,
                before);
    }

    /** Returns the input of the generation that has the record at an offset. */
    public ModelInput at(long offset) {
        ModelInput input = this;
        while (input.before != null
                && offset < Generation.ofExamples(input.topic).base()) {
            input = input.before;
        }
        return input;
    }

    /** Returns true for a record that the start of the run contains. */
    boolean isBeforeStart(long offset) {
        return start != null && offset <= start.offset();
    }

    /** The place of a record, such as {@code perceptron-examples-2@1234}. */
    public String place(long offset) {
        ModelInput of = at(offset);
        return of.topic + "-" + of.partition + "@" + offset;
    }
}
